// Why Parley does not do what a real client does, where it does not: each reason covers cases by their ids. A difference
// that no reason covers fails the run.
import type { SeedRow } from "./Results.ts"

interface Reason {
  readonly seeds: RegExp
  readonly cases: RegExp
  readonly because: string
}

const reasons: ReadonlyArray<Reason> = []

/** Returns why Parley differs from a seed in a case, or undefined where nobody knows. */
export const because = ({ case: id, seed }: Pick<SeedRow, "case" | "seed">): string | undefined =>
  reasons.find((reason) => reason.seeds.test(seed) && reason.cases.test(id))?.because
