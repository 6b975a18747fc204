// What is kept of a peer's lists and errors, and how much of it. What it means is weighed elsewhere.
import type { Failure } from "../Message.ts"
import { head, isObject } from "../Message.ts"

/** How much is kept of a revision's name, in characters. */
export const longestVersion = 64
const longestList = 50

/** Returns the list of revisions in the data of a refusal, or undefined where it is absent, empty or not all strings. */
export const listOf = (data: unknown): ReadonlyArray<string> | undefined => {
  const list = isObject(data) ? data["supported"] : undefined
  return Array.isArray(list) && list.length > 0 && list.every((one): one is string => typeof one === "string")
    ? list
    : undefined
}

/** Returns a list of revisions as it may be kept: at most 50, each at most 64 characters. */
export const kept = (theirs: ReadonlyArray<string>): ReadonlyArray<string> =>
  theirs.slice(0, longestList).map((one) => head(one, longestVersion))

/** Returns the code, the words (one line, at most 200 characters) and the data (while small) of an error response. */
export const errorOf = (message: Failure): { code: number; message: string; data?: unknown } => {
  const { code, data, message: words } = message.error
  return { code, message: head(words, 200), ...(isSmall(data) ? { data } : undefined) }
}

// Error data is kept for people only while it is small: a peer chooses its size.
const isSmall = (data: unknown): boolean => data !== undefined && isSmallText(data)
const isSmallText = (data: unknown): boolean => {
  try {
    return JSON.stringify(data).length <= 4096
  } catch {
    return false
  }
}
