// What is opened: which policy meets which server, and the exchanges that this takes at least. How a contender does it is
// its own.
import {
  discoverBody,
  discoverHeaders,
  initializeBody,
  initializedBody,
  initializedHeaders,
  postHeaders
} from "../../servers/Wire.ts"

/** An opening: the policy of the client, and what the server speaks. */
export interface Opening {
  readonly policy: "discoverFirst" | "auto"
  readonly era: "modern" | "legacy"
}

/** A contender: opens and closes one connection after the other. */
export interface Contender {
  /** Returns what opens a server so many times, or undefined where the contender has no such policy. */
  readonly opener: (opening: Opening, url: string) => ((times: number) => Promise<void>) | undefined
}

/** One request of an opening. */
export interface Exchange {
  readonly headers: { readonly [name: string]: string }
  readonly body: (id: number) => string
}

const discover: Exchange = { headers: discoverHeaders, body: discoverBody }
const initialize: Exchange = { headers: postHeaders, body: initializeBody }
const initialized: Exchange = { headers: initializedHeaders, body: () => initializedBody }

/** Returns the fewest exchanges that an opening takes without a memory. */
export const exchangesOf = ({ era, policy }: Opening): ReadonlyArray<Exchange> => {
  if (policy === "discoverFirst") return era === "modern" ? [discover] : [discover, initialize, initialized]
  return era === "legacy" ? [initialize, initialized] : [initialize, discover]
}

/** The path of the server that speaks an era. */
export const pathOf = ({ era }: Opening): string => `/${era}`
