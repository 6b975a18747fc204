// Stands for `effect/Arbitrary` under mutation: a property is tried on fewer inputs. What is found is found; what is not,
// counts as a survivor, so the score can only be too low.
import * as Arbitrary from "effect/Arbitrary"

export * from "effect/Arbitrary"

export const most = 25

export const checkEffect = (of, property, options) =>
  Arbitrary.checkEffect(of, property, { ...options, runs: Math.min(options?.runs ?? 100, most), maxShrinks: 0 })
