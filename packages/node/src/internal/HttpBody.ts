// Reading the body of a request on node:http, within bounds of size and time.
import { Body } from "@parley/core/server/Body"
import type { IncomingMessage } from "node:http"

/** Who is told, once, what became of a body. */
export interface Reading {
  /** Its text, or undefined where its bytes are no UTF-8. */
  readonly whole: (text: string | undefined) => void
  /** It is larger than the limit. */
  readonly overflow: () => void
  /** It took too long. */
  readonly stalled: () => void
}

/**
 * Reads a body and tells of it. What comes after it was refused is read and dropped, for a second where it came too slowly,
 * and then the connection is cut: a client that is cut while it still writes sees no answer.
 */
export const read = (request: IncomingMessage, limit: number, millis: number, told: Reading): void => {
  const body = new Body(limit)
  let isRefused = false
  const passed = (): void => {
    if (isRefused) {
      request.destroy()
      return
    }
    isRefused = true
    timer = setTimeout(passed, Math.min(millis, lingerMillis))
    told.stalled()
  }
  let timer = setTimeout(passed, Math.min(millis, longest))
  request.on("data", (chunk: Buffer) => {
    if (isRefused || body.add(chunk)) return
    isRefused = true
    told.overflow()
  })
  request.on("end", () => {
    clearTimeout(timer)
    if (!isRefused) told.whole(body.take())
  })
  // The client left before the end.
  request.on("close", () => clearTimeout(timer))
}

const lingerMillis = 1_000
// What a timer of Node's can wait, about 24 days; a longer time would be none.
const longest = 2 ** 31 - 1
