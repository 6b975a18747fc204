// What a channel is asked to carry, in its wire form: a message and its HTTP headers. A pipe ignores the headers.
import type { Message } from "../Message.ts"

/** Header names in lower case. Values are printable ASCII. */
export type Headers = { readonly [name: string]: string }

/**
 * Something to carry. `exchange` numbers it on its channel, so that what comes back can be told apart; every Outgoing
 * of a channel has a number of its own.
 */
export type Outgoing = Post | Listen | Delete

/** A message: a line on a pipe, a POST over HTTP. */
export interface Post {
  readonly _tag: "Post"
  readonly exchange: number
  readonly message: Message
  readonly headers: Headers
}

/** HTTP only, legacy era: open a stream by GET, to listen or (with `last-event-id`) to resume. A pipe ignores it. */
export interface Listen {
  readonly _tag: "Listen"
  readonly exchange: number
  readonly headers: Headers
}

/** HTTP only, legacy era: end the session that the headers name. A pipe ignores it. */
export interface Delete {
  readonly _tag: "Delete"
  readonly exchange: number
  readonly headers: Headers
}
