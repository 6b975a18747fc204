// Flags that several commands have. What their values mean is Setting's business.
import * as Flag from "effect/cli/Flag"

/** A switch that is off unless it is given, and has no `--no-` form. */
export const switched = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

/** Headers of every HTTP request, each as `Name: value`. */
export const header: Flag.Flag<ReadonlyArray<string>> = Flag.String("header").pipe(
  Flag.withDescription('For every HTTP request: "Name: value". Repeatable'),
  Flag.withMetavar("header"),
  Flag.atLeast(0)
)
