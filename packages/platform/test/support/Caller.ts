// An HTTP client by hand, one connection for each call, so that a test sees what goes over the wire and when.
import { HeaderName, MetaKey } from "@parley/core/Envelope"
import type { JsonObject } from "@parley/core/Message"
import { Effect } from "effect"
import { type ClientRequest, type IncomingMessage, request } from "node:http"

export const version = "2026-07-28"

/** A request of the modern era. */
export const stamped = (id: number, method: string, params: JsonObject = {}, meta: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  params: {
    ...params,
    _meta: {
      [MetaKey.ProtocolVersion]: version,
      [MetaKey.ClientInfo]: { name: "caller", version: "1.0.0" },
      [MetaKey.ClientCapabilities]: {},
      ...meta
    }
  }
})

/** A call of a tool in the modern era, with a token for its progress. */
export const call = (id: number, name: string): JsonObject =>
  stamped(id, "tools/call", { name, arguments: {} }, { [MetaKey.ProgressToken]: "token" })

/** A subscription to changes of the tools. */
export const subscribe = (id: number): JsonObject =>
  stamped(id, "subscriptions/listen", { notifications: { toolsListChanged: true } })

export const initialize: JsonObject = {
  jsonrpc: "2.0",
  id: "open",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "caller", version: "1.0.0" } }
}

export const initialized: JsonObject = { jsonrpc: "2.0", method: "notifications/initialized" }

export interface SendOptions {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string | undefined }
  /** The whole body, or undefined to write it by hand. */
  readonly body?: string | Uint8Array | undefined
}

/** One call under way. */
export class Call {
  readonly request: ClientRequest
  response: IncomingMessage | undefined
  text = ""
  ended = false
  failure: Error | undefined
  private watching: Array<() => void> = []

  constructor(url: string, { body, headers = {}, method = "POST" }: SendOptions) {
    const all = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const]
    )
    this.request = request(url, { method, agent: false, headers: Object.fromEntries(all) })
    this.request.on("response", (response) => {
      this.response = response
      response.setEncoding("utf8").on("data", (chunk: string) => {
        this.text += chunk
        this.changed()
      })
      response.on("close", () => {
        this.ended = true
        this.changed()
      })
      response.on("error", (error) => this.fail(error))
      this.changed()
    })
    this.request.on("error", (error) => this.fail(error))
    if (body !== undefined) this.request.end(body)
  }

  get status(): number {
    return this.response?.statusCode ?? 0
  }

  get headers(): IncomingMessage["headers"] {
    return this.response?.headers ?? {}
  }

  get message(): any {
    return JSON.parse(this.text)
  }

  /** The messages of the stream so far. */
  get events(): Array<any> {
    return this.text
      .split("\n\n")
      .flatMap((event) => /^data: (.*)$/m.exec(event)?.slice(1) ?? [])
      .map((data) => JSON.parse(data))
  }

  /** Leaves without waiting for the end. */
  leave(): void {
    this.request.destroy()
  }

  until(is: (call: Call) => boolean): Effect.Effect<this> {
    return Effect.callback((resume) => {
      const look = (): void => {
        if (is(this)) resume(Effect.succeed(this))
        else if (this.ended || this.failure !== undefined) resume(Effect.die(this.failure ?? new Error(this.text)))
        else this.watching.push(look)
      }
      look()
    })
  }

  /** Waits until the response is complete. */
  get complete(): Effect.Effect<this> {
    return this.until((call) => call.ended)
  }

  private fail(error: Error): void {
    this.failure = error
    this.changed()
  }

  private changed(): void {
    for (const look of this.watching.splice(0)) look()
  }
}

/** Sends a message as a client of its era would. */
export const post = (url: string, message: JsonObject, headers: SendOptions["headers"] = {}): Call =>
  new Call(url, { body: JSON.stringify(message), headers: { ...headersOf(message), ...headers } })

/** The headers of a message. */
export const headersOf = (message: JsonObject): NonNullable<SendOptions["headers"]> => {
  const params = message["params"]
  const isModern = JSON.stringify(message).includes(MetaKey.ProtocolVersion)
  const name = typeof params === "object" && params !== null && "name" in params ? String(params.name) : undefined
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(isModern
      ? {
          [HeaderName.ProtocolVersion]: version,
          [HeaderName.Method]: String(message["method"]),
          [HeaderName.Name]: name
        }
      : undefined)
  }
}

/** Opens a legacy session and returns its headers. */
export const session = (url: string): Effect.Effect<{ readonly [HeaderName.SessionId]: string }> =>
  Effect.gen(function* () {
    const opened = yield* post(url, initialize).complete
    const id = String(opened.headers[HeaderName.SessionId])
    const headers = { [HeaderName.SessionId]: id }
    yield* post(url, initialized, headers).complete
    return headers
  })

/** Something that happens, to wait for. */
export class Signal {
  private readonly seen: Array<string> = []
  private waiting: Array<() => void> = []

  readonly tell = (what: string): void => {
    this.seen.push(what)
    for (const look of this.waiting.splice(0)) look()
  }

  has(what: string): boolean {
    return this.seen.includes(what)
  }

  until(what: string): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = (): void => {
        if (this.has(what)) resume(Effect.void)
        else this.waiting.push(look)
      }
      look()
    })
  }
}
