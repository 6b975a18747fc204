// What came of a side under test on one medium, as data. How it looks is in render/Conformance.
import type { Kind, LeftOut, Verdict } from "./Difference.ts"
import { kinds } from "./Difference.ts"
import type { Facts } from "./Facts.ts"

/** One side under test on one medium. */
export interface Report {
  readonly side: "client" | "server"
  /** Who was tested, as a person reads it. */
  readonly subject: string
  readonly medium: "http" | "stdio"
  /** The policy that a client, or the profile that a server was held to. */
  readonly heldTo: string
  /** What was found out of a server beforehand. */
  readonly facts?: Facts
  readonly verdicts: ReadonlyArray<Verdict>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** How many conversations were held, and how they went. */
export interface Counts {
  readonly held: number
  readonly conform: number
  readonly differ: number
  readonly leftOut: number
}

/** Returns the counts of a report. */
export const countsOf = ({ leftOut, verdicts }: Report): Counts => {
  const differ = verdicts.filter(({ differences }) => differences.length > 0).length
  return { held: verdicts.length, conform: verdicts.length - differ, differ, leftOut: leftOut.length }
}

/** Returns whether all that was held went as it is told, and something was held. */
export const conforms = (report: Report): boolean => {
  const { differ, held } = countsOf(report)
  return held > 0 && differ === 0
}

/** Returns why conversations were left out, each reason with its number, the most frequent first. */
export const reasons = ({ leftOut }: Report): ReadonlyArray<readonly [why: string, count: number]> => {
  const found = new Map<string, number>()
  for (const { why } of leftOut) found.set(why, (found.get(why) ?? 0) + 1)
  return [...found].toSorted(([, one], [, other]) => other - one)
}

/** A report as a program reads it. */
export interface Document extends Omit<Report, "verdicts"> {
  readonly counts: Counts
  readonly kinds: ReadonlyArray<Kind>
  /** Those that differ, with what went over the wire. */
  readonly differing: ReadonlyArray<Verdict>
  readonly conforming: ReadonlyArray<string>
}

/** Returns the report as a program reads it. */
export const documentOf = (report: Report): Document => {
  const { verdicts, ...rest } = report
  return {
    ...rest,
    counts: countsOf(report),
    kinds: kinds(verdicts),
    differing: verdicts.filter(({ differences }) => differences.length > 0),
    conforming: verdicts.filter(({ differences }) => differences.length === 0).map(({ id }) => id)
  }
}
