// The requests that are classified, as a server has them once their bodies are read: every kind of an opening, a call of
// either era, and what is refused. Nothing of Parley is used here.
import { asked, type Asked, type Kind } from "./Requests.ts"
import {
  discoverBody,
  discoverHeaders,
  initializeBody,
  initializedBody,
  initializedHeaders,
  postHeaders
} from "./Wire.ts"

/** A request whose headers are as node:http has them. */
export interface Inbound {
  readonly method: "POST"
  readonly headers: { readonly [name: string]: string }
  readonly text: string
}

/** What comes to be served, and what comes to be refused. */
export type Share = "admitted" | "refused"

/** Returns the requests of a share. */
export const inbound = (share: Share): ReadonlyArray<Inbound> => (share === "admitted" ? admitted : refused)

const inboundOf = ({ body, headers }: Asked): Inbound => ({
  method: "POST",
  headers: { host: "127.0.0.1:3000", connection: "keep-alive", ...headers, "content-length": String(body.length) },
  text: body
})

const ping: Asked = { headers: initializedHeaders, body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" }) }

const admitted = [
  { headers: discoverHeaders, body: discoverBody(1) },
  { headers: postHeaders, body: initializeBody(1) },
  { headers: initializedHeaders, body: initializedBody },
  ping,
  asked("modern", 8, undefined),
  asked("legacy", 9, undefined)
].map(inboundOf)

const refusals: ReadonlyArray<Kind> = ["version", "header", "method"]

const bare = (body: object): Asked => ({ headers: postHeaders, body: JSON.stringify(body) })

const refused = [
  ...refusals.map((kind) => asked(kind, 8, undefined)),
  bare({ jsonrpc: "2.0", id: 9, method: "tools/burn", params: {} }),
  bare({ jsonrpc: "1.0", id: 10, method: "ping" }),
  bare([])
].map(inboundOf)
