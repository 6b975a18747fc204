// The lists of revisions that a peer may send, of every shape, and the wire texts that name revisions.
// What a list means to a policy is core's business.
import { tomorrow } from "./Subjects.ts"

/** A value for a `supported` or `supportedVersions` member. */
export interface ListShape {
  readonly id: string
  /** The member's value for the revision just asked for; undefined where the member is absent. */
  readonly of: (asked: string) => unknown
}

const fixed = (id: string, value: unknown): ListShape => ({ id, of: () => value })

/** Lists of every shape. The ids are stable: step ids are made of them. */
export const listShapes: ReadonlyArray<ListShape> = [
  fixed("modern", ["2026-07-28"]),
  fixed("both", ["2025-11-25", "2026-07-28"]),
  fixed("legacy", ["2025-03-26", "2025-06-18", "2025-11-25"]),
  fixed("oldest", ["2024-11-05"]),
  { id: "refused", of: (asked) => [asked] },
  fixed("tomorrow", [tomorrow]),
  fixed("tomorrowAndLegacy", ["2025-06-18", tomorrow]),
  fixed("unknown", ["1999-01-01", "2099-01-01"]),
  fixed("words", ["draft", "latest"]),
  fixed("many", [...Array.from({ length: 60 }, (_, index) => `0${100 + index}-01-01`), "2025-03-26"]),
  fixed("empty", []),
  fixed("numbers", [20260728]),
  fixed("mixed", ["2026-07-28", 7]),
  fixed("text", "2026-07-28"),
  fixed("absent", undefined)
]

/** The revisions that an `initialize` result may name. The ids are the texts. */
export const named: ReadonlyArray<string> = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
  tomorrow,
  "2099-01-01",
  "1999-01-01",
  "draft"
]
