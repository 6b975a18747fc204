// A response that is a stream of events, for every carrier: its headers, and how long it may be silent.
import type { Answer } from "./Answer.ts"

/** The headers of a response that is a stream of events. */
export const streamHeaders: Answer["headers"] = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // nginx and its like hold a response back until it is complete, unless they are told not to.
  "x-accel-buffering": "no"
}

/** How long a stream may be silent before a comment is written, in milliseconds: proxies cut what is silent. */
export const keepAliveMillis = 15_000
