// A difference between what a conversation tells and what the side under test did, and differences of one kind together.

/** Why something is expected: a clause of the specification, or the reason that a cell or a rung gives. */
export interface Clause {
  /**
   * How binding it is: the word of a requirement; `page` where a page of the specification speaks to it without that word;
   * `choice` where it leaves it open, and Parley chose.
   */
  readonly level: "MUST" | "MUST NOT" | "SHOULD" | "SHOULD NOT" | "page" | "choice"
  /** Page and section of a requirement, as in `basic/versioning#compatibility-matrix`; else empty, and `says` begins with it. */
  readonly place: string
  /** In our words. */
  readonly says: string
}

/** One thing that was otherwise. */
export interface Difference {
  /** What it is about: a cell that was met, a header, a status. */
  readonly about: string
  readonly expected: string
  readonly came: string
  readonly clause: Clause
}

/** How one conversation went. No difference: as it is told. */
export interface Verdict {
  readonly id: string
  readonly differences: ReadonlyArray<Difference>
  /** What went over the wire, line by line. */
  readonly wire: ReadonlyArray<string>
}

/** A conversation that was not held, and why not. */
export interface LeftOut {
  readonly id: string
  readonly why: string
}

/** Differences of one kind: the same thing came, for the same reason; what was expected may be one of several. */
export interface Kind extends Omit<Difference, "expected"> {
  readonly expected: ReadonlyArray<string>
  /** The conversations that show it, in their order. */
  readonly ids: ReadonlyArray<string>
}

/** Returns the kinds of difference: the binding ones first, then what is shown most often. */
export const kinds = (verdicts: ReadonlyArray<Verdict>): ReadonlyArray<Kind> => {
  const found = new Map<string, Kind & { readonly ids: Array<string>; readonly expected: Array<string> }>()
  for (const { differences, id } of verdicts) {
    for (const { about, came, clause, expected } of differences) {
      const key = JSON.stringify([about, expected.replace(/ at .*/, ""), came, clause.place, clause.says])
      const known = found.get(key)
      if (known === undefined) found.set(key, { about, came, clause, expected: [expected], ids: [id] })
      else {
        if (!known.expected.includes(expected)) known.expected.push(expected)
        if (known.ids.at(-1) !== id) known.ids.push(id)
      }
    }
  }
  return [...found.values()].toSorted(
    (one, other) => rank(one) - rank(other) || other.ids.length - one.ids.length || (one.about < other.about ? -1 : 1)
  )
}

const rank = ({ clause: { level } }: Kind): number => {
  if (level.startsWith("MUST")) return 0
  if (level.startsWith("SHOULD")) return 1
  return level === "page" ? 2 : 3
}
