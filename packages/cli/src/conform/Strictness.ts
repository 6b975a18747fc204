// How closely a refusal is compared, by the rung or ground on which it is refused: the code and the status only where the
// specification names them.

export interface Strictness {
  /** Whether the code is the one that is expected, or any will do, or none at all. */
  readonly code: "exact" | "any"
  /** Whether the status is the one that is expected, any 4xx, or 200 as well. */
  readonly status: "exact" | "refusal" | "answer"
}

/** Returns how closely a refusal on a rung is compared. */
export const of = (rung: string): Strictness => ({
  code: anyCode.has(rung) ? "any" : "exact",
  status:
    exactStatus.has(rung) || (rung.startsWith("modern.") && rung !== "modern.interleaved")
      ? "exact"
      : answeredRungs.has(rung)
        ? "answer"
        : "refusal"
})

/** Returns whether a status is as good as the one that is expected. On a pipe there is none. */
export const fits = (strictness: Strictness, came: number | undefined, wanted: number | undefined): boolean => {
  if (came === undefined || wanted === undefined) return true
  if (strictness.status === "exact") return came === wanted
  return (came >= 400 && came < 500) || (came === 200 && strictness.status === "answer")
}

/** Returns the statuses that are as good as the one that is expected, as a person reads them. */
export const show = ({ status }: Strictness, wanted: number): string => {
  if (status === "exact") return String(wanted)
  return status === "answer" ? "200 or 4xx" : "4xx"
}

// Where the specification names no code, any will do, and an answer without a message too.
const anyCode: ReadonlySet<string> = new Set([
  "origin",
  "host",
  "http-method",
  "content-type",
  "accept",
  "size",
  "batch",
  "modern.interleaved",
  "legacy.session-missing",
  "legacy.session-unknown",
  "legacy.version-header",
  "legacy.batch",
  "legacy.init-repeated",
  "legacy.init-missing"
])
// Where it names the status; the modern rungs all have theirs.
const exactStatus: ReadonlySet<string> = new Set([
  "origin",
  "http-method",
  "legacy.session-missing",
  "legacy.session-unknown",
  "legacy.version-header"
])
// What the machine refuses is answered, as any request is: 200 is as good as 400.
const answeredRungs: ReadonlySet<string> = new Set([
  "legacy.method",
  "legacy.init-malformed",
  "legacy.init-repeated",
  "legacy.init-missing"
])
