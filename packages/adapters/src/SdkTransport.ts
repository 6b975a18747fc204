// The Transport and the Client of the official SDK, as far as Parley touches them: structure only, the same for 1.x and
// 2.x and for whatever a user wrote or subclassed. No SDK is imported anywhere in this package.
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"

/**
 * What the SDK calls a Transport. Members that are optional here exist in some releases or carriers only: 1.0 knows no
 * session and no `setProtocolVersion`, only Streamable HTTP has `terminateSession`, only 2.x has `hasPerRequestStream`.
 */
export interface SdkTransport {
  start(): Promise<void>
  send(message: unknown, options?: unknown): Promise<void>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  onerror?: OnError | undefined
  onmessage?: OnMessage | undefined
  readonly sessionId?: string | undefined
  setProtocolVersion?: OnVersion | undefined
  setSupportedProtocolVersions?: OnVersions | undefined
  readonly hasPerRequestStream?: boolean | undefined
  terminateSession?: (() => Promise<void>) | undefined
}

/** What the SDK's own protocol layer may say about a message, as far as Parley says it itself. */
export interface SendOptions {
  /** Called when the stream of the answer can be resumed. */
  readonly onresumptiontoken?: ((token: string) => void) | undefined
  /** 2.x: ends the stream of the answer. */
  readonly requestSignal?: AbortSignal | undefined
  /** 2.x: called when the stream ended and will not be resumed. */
  readonly onRequestStreamEnd?: (() => void) | undefined
}

// As method signatures these accept the narrower messages of every SDK's own type, and are accepted for them.
export type OnMessage = { handle(message: unknown, extra?: unknown): void }["handle"]
export type OnError = { handle(error: Error): void }["handle"]
type OnVersion = { handle(version: string): void }["handle"]
type OnVersions = { handle(versions: ReadonlyArray<string>): void }["handle"]

/** A transport to use once, or a way to make a fresh one for every opening: what retries and a reopened pipe need. */
export type Source = SdkTransport | (() => SdkTransport)

/** What the SDK calls a Client, as far as a hand-over needs it. */
export interface SdkClient {
  connect(transport: SdkTransport, options?: unknown): Promise<void>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  readonly transport?: SdkTransport | undefined
}

/** What carries the messages: it decides what silence and a close mean. */
export type Carrier = "http" | "sse" | "stdio" | "pipe"

/**
 * Returns what carries a transport's messages, by what the object can do: ending a session is Streamable HTTP's,
 * finishing an authorization without that is the two-endpoint HTTP+SSE's, a standard error is a child process's. Anything
 * else, in memory, a WebSocket, a user's own, is one ordered pipe.
 */
export const carrierOf = (transport: SdkTransport): Carrier => {
  if (typeof transport.terminateSession === "function" || transport.hasPerRequestStream === true) return "http"
  if ("finishAuth" in transport) return "sse"
  return "stderr" in transport ? "stdio" : "pipe"
}

/** Returns what a carrier means to the machine. Only a child process is opened anew, and only where that can be done. */
export const mediumOf = (carrier: Carrier, fresh: "available" | "unavailable"): Medium => {
  switch (carrier) {
    case "http":
      return { ...http, ids: "text" }
    case "sse":
      return { ...stdio, name: "sse", silence: "nothing", reopens: "never", ids: "text" }
    case "stdio":
      return { ...stdio, reopens: fresh === "available" ? "once" : "never", ids: "text" }
    case "pipe":
      return { ...stdio, name: "pipe", reopens: "never", ids: "text" }
  }
}
