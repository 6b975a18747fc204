// A client of a few lines for the tests of the HTTP server carrier: it sends what it is told, keeps what comes back, and
// knows no more of MCP than how its messages look.
import { HeaderName, MetaKey } from "@parley/core/Envelope"
import * as Sse from "@parley/core/Sse"
import * as Effect from "effect/Effect"
import type { ClientRequest, IncomingMessage } from "node:http"
import { request as startRequest } from "node:http"
import type { Socket } from "node:net"
import { connect } from "node:net"

export const modern = "2026-07-28"
export const client = { info: { name: "caller", version: "1.0.0" }, capabilities: { roots: {}, elicitation: {} } }

export type Json = { readonly [key: string]: unknown }

export const legacy = (id: unknown, method = "tools/list", params?: Json): Json => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? undefined : { params })
})
export const initialize = (id: unknown = "open", version = "2025-11-25"): Json =>
  legacy(id, "initialize", { protocolVersion: version, capabilities: client.capabilities, clientInfo: client.info })
export const notification = (method: string, params?: Json): Json => ({
  jsonrpc: "2.0",
  method,
  ...(params === undefined ? undefined : { params })
})
export const initialized = notification("notifications/initialized")
export const stamped = (id: unknown, method = "tools/list", params: Json = {}, meta: Json = {}): Json =>
  legacy(id, method, {
    ...params,
    _meta: {
      [MetaKey.ProtocolVersion]: modern,
      [MetaKey.ClientInfo]: client.info,
      [MetaKey.ClientCapabilities]: client.capabilities,
      ...meta
    }
  })

export interface Options {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string | ReadonlyArray<string> }
  readonly session?: string | undefined
  /** The bytes of the body in the place of a message. */
  readonly bytes?: Uint8Array
}

/** A response as far as it has come. */
export class Response {
  status = 0
  headers: IncomingMessage["headers"] = {}
  text = ""
  /** The messages of an event stream. */
  readonly events: Array<any> = []
  readonly comments = (): number => this.text.split("\n").filter((line) => line.startsWith(":")).length
  ended = false
  /** Whether it ended before it was complete. */
  cut = false
  request: ClientRequest | undefined
  incoming: IncomingMessage | undefined
  private readonly watching = new Set<() => void>()

  get message(): any {
    return this.events.length > 0 ? this.events.at(-1) : JSON.parse(this.text)
  }

  changed(): void {
    for (const look of this.watching) look()
  }

  /** Waits until something holds. */
  until(holds: (response: Response) => boolean): Effect.Effect<this> {
    return Effect.callback<this>((resume) => {
      const look = (): void => {
        if (!holds(this)) return
        this.watching.delete(look)
        resume(Effect.succeed(this))
      }
      this.watching.add(look)
      look()
      return Effect.sync(() => this.watching.delete(look))
    })
  }

  /** The client goes away. */
  close(): void {
    this.request?.destroy()
  }
}

/** Sends a message and gives the response once its head is there. */
export const open = (url: string, message: Json | ReadonlyArray<Json> | string | undefined, options: Options = {}) =>
  Effect.callback<Response>((resume) => {
    const { bytes, method = "POST" } = options
    const body = bytes ?? (message === undefined ? undefined : Buffer.from(textOf(message)))
    const response = new Response()
    const reader = Sse.reader()
    const request = startRequest(
      url,
      {
        method,
        agent: false,
        headers: { ...base, ...mirrored(message), ...sessionOf(options.session), ...copied(options.headers) }
      },
      (incoming) => {
        response.incoming = incoming
        response.status = incoming.statusCode ?? 0
        response.headers = incoming.headers
        const streams = incoming.headers["content-type"]?.startsWith("text/event-stream") === true
        incoming.setEncoding("utf8").on("data", (chunk: string) => {
          response.text += chunk
          if (streams) {
            for (const item of reader.push(chunk)) {
              if (item._tag === "Event") response.events.push(JSON.parse(item.data))
            }
          }
          response.changed()
        })
        incoming.on("error", () => undefined)
        incoming.on("close", () => {
          response.ended = true
          response.cut = !incoming.complete
          response.changed()
        })
        resume(Effect.succeed(response))
      }
    )
    response.request = request
    request.on("error", (cause) => {
      response.ended = true
      response.cut = true
      response.changed()
      resume(Effect.die(cause))
    })
    request.end(body)
  })

/** Sends a message and gives the response once it is complete. */
export const send = (
  url: string,
  message: Json | ReadonlyArray<Json> | string | undefined,
  options?: Options
): Effect.Effect<Response> =>
  Effect.flatMap(open(url, message, options), (response) => response.until(({ ended }) => ended))

/** Opens a legacy session, and completes its handshake. */
export const openSession = (url: string, options?: Options): Effect.Effect<string> =>
  Effect.gen(function* () {
    const opened = yield* send(url, initialize(), options)
    const session = String(opened.headers[HeaderName.SessionId])
    yield* send(url, initialized, { ...options, session })
    return session
  })

/** A connection over which bytes are written as they are given. */
export class Raw {
  readonly socket: Socket
  text = ""
  ended = false
  private readonly watching = new Set<() => void>()

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.socket = connect(Number(port), hostname)
    this.socket.setEncoding("latin1").on("data", (chunk: string) => {
      this.text += chunk
      this.changed()
    })
    this.socket.on("error", () => undefined)
    this.socket.on("close", () => {
      this.ended = true
      this.changed()
    })
  }

  until(holds: (raw: Raw) => boolean): Effect.Effect<this> {
    return Effect.callback<this>((resume) => {
      const look = (): void => {
        if (!holds(this)) return
        this.watching.delete(look)
        resume(Effect.succeed(this))
      }
      this.watching.add(look)
      look()
      return Effect.sync(() => this.watching.delete(look))
    })
  }

  private changed(): void {
    for (const look of this.watching) look()
  }
}

/** Returns the text of a POST, whose length may be said to be longer than what is given of its body. */
export const postText = (url: string, message: Json | string, headers: Json = {}, length?: number): string => {
  const { host, pathname } = new URL(url)
  const body = textOf(message)
  const all = { host, ...base, ...mirrored(message), "content-length": length ?? Buffer.byteLength(body), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  return `POST ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`
}

export const base = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const textOf = (message: Json | ReadonlyArray<Json> | string): string =>
  typeof message === "string" ? message : JSON.stringify(message)

const sessionOf = (session: string | undefined) =>
  session === undefined ? undefined : { [HeaderName.SessionId]: session }

const copied = (headers: Options["headers"] = {}): Record<string, string | Array<string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]])
  )

// The headers that a modern message has to mirror.
const mirrored = (message: unknown): Record<string, string> => {
  const text = JSON.stringify(message ?? null)
  if (typeof message !== "object" || message === null || !text.includes(MetaKey.ProtocolVersion)) return {}
  const { method, params }: any = message
  return {
    [HeaderName.ProtocolVersion]: modern,
    [HeaderName.Method]: String(method),
    ...(typeof params?.name === "string" ? { [HeaderName.Name]: params.name } : undefined)
  }
}
