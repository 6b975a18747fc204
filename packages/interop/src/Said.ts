// Whether two clients did the same: the methods that they sent, in order, and how they ended.
import type { Said } from "./Results.ts"

export const same = (one: Said, other: Said): boolean =>
  one.outcome === other.outcome && one.sent.join() === other.sent.join()
