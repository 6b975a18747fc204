// Carriers without bytes, for the tests of the admission: an HTTP client and a pipe in memory, and what they were told.
import { HeaderName, MetaKey } from "@parley/core/Envelope"
import type { Id, JsonObject } from "@parley/core/Message"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import * as Profile from "@parley/core/server/Profile"
import type { Admission, InFlight, PipeConnection } from "@parley/runtime/Admission"
import * as Effect from "effect/Effect"

export const modern = "2026-07-28"
export const options: Profile.Options = {
  serverInfo: { name: "fake", version: "1.0.0" },
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} }
}
export const dual = Profile.dual(options)

export const client = { info: { name: "tester", version: "0.1.0" }, capabilities: { roots: {}, elicitation: {} } }

export const initialize = (id: Id, version = "2025-11-25"): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion: version, capabilities: client.capabilities, clientInfo: client.info }
})

export const notification = (method: string, params?: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  method,
  ...(params === undefined ? undefined : { params })
})

export const initialized = notification("notifications/initialized")
export const cancelled = (requestId: Id): JsonObject => notification("notifications/cancelled", { requestId })

export const legacy = (id: Id, method = "tools/list", params?: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? undefined : { params })
})

export const stamped = (id: Id, method = "tools/list", params: JsonObject = {}, meta: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  params: {
    ...params,
    _meta: {
      [MetaKey.ProtocolVersion]: modern,
      [MetaKey.ClientInfo]: client.info,
      [MetaKey.ClientCapabilities]: client.capabilities,
      ...meta
    }
  }
})

const base: RequestHeaders = {
  host: "localhost:3000",
  "content-type": "application/json",
  accept: "application/json, text/event-stream"
}

const modernHeaders = (message: JsonObject): RequestHeaders => {
  const params = message["params"]
  const name = typeof params === "object" && params !== null && "name" in params ? params.name : undefined
  return {
    [HeaderName.ProtocolVersion]: modern,
    [HeaderName.Method]: String(message["method"]),
    ...(typeof name === "string" ? { [HeaderName.Name]: name } : undefined)
  }
}

const isStamped = (message: unknown): message is JsonObject => JSON.stringify(message).includes(MetaKey.ProtocolVersion)

/** What came back for one HTTP request so far. */
export class Response {
  status: number | undefined
  headers: RequestHeaders = {}
  body: string | undefined
  /** The messages of the stream, if it is one. */
  readonly events: Array<any> = []
  streaming = false
  ended = false
  writes = 0
  inFlight: InFlight | undefined
  /** Whether the stream takes more; when it does not, `drain` lets it go on. */
  flowing = true
  private waiting: Array<() => void> = []
  private watching: Array<() => void> = []

  get message(): any {
    return this.streaming ? this.events.at(-1) : this.body === undefined ? undefined : JSON.parse(this.body)
  }

  drain(): void {
    this.flowing = true
    for (const resume of this.waiting.splice(0)) resume()
  }

  changed(): void {
    for (const look of this.watching.splice(0)) look()
  }

  wait(resume: () => void): void {
    this.waiting.push(resume)
  }

  watch(look: () => void): void {
    this.watching.push(look)
  }

  /** Waits until the response is complete. */
  readonly complete: Effect.Effect<Response> = Effect.suspend(() =>
    this.ended ? Effect.succeed(this) : this.next(() => this.ended)
  )

  /** Waits until so many events have come. */
  eventsTo(count: number): Effect.Effect<ReadonlyArray<any>> {
    return Effect.suspend(() => this.next(() => this.events.length >= count)).pipe(Effect.map(() => this.events))
  }

  private next(is: () => boolean): Effect.Effect<Response> {
    return Effect.callback<Response>((resume) => {
      const look = (): void => {
        if (is()) resume(Effect.succeed(this))
        else this.watch(look)
      }
      look()
    })
  }
}

export interface SendOptions {
  readonly headers?: RequestHeaders
  readonly session?: string | undefined
  readonly principal?: string
  readonly method?: string
}

/** Sends a request as a carrier would that has read its body, and returns what has come back so far. */
export const send = (admission: Admission, message: unknown, options: SendOptions = {}): Response => {
  const response = new Response()
  const { method = "POST", principal } = options
  const headers: RequestHeaders = {
    ...base,
    ...(isStamped(message ?? null) ? modernHeaders(message as JsonObject) : undefined),
    ...(options.session === undefined ? undefined : { [HeaderName.SessionId]: options.session }),
    ...options.headers
  }
  const body = typeof message === "string" ? message : JSON.stringify(message)
  response.inFlight = admission.http(
    { method, headers, body, principal },
    {
      whole: (answer) => {
        response.writes += 1
        response.status = answer.status
        response.headers = answer.headers
        response.body = answer.body
        response.ended = true
        response.changed()
      },
      stream: (headers) => {
        response.writes += 1
        response.status = 200
        response.headers = headers
        response.streaming = true
        response.changed()
        return {
          send: (json) => {
            response.events.push(JSON.parse(json))
            response.changed()
            return response.flowing
          },
          onDrain: (resume) => response.wait(resume),
          end: () => {
            response.ended = true
            response.changed()
          }
        }
      }
    }
  )
  return response
}

/** Opens a legacy session and completes its handshake. Returns its id. */
export const openSession = (admission: Admission, options: SendOptions = {}): string => {
  const response = send(admission, initialize("open"), options)
  const session = String(response.headers[HeaderName.SessionId])
  send(admission, initialized, { ...options, session })
  return session
}

/** A pipe in memory. */
export class Pipe {
  readonly lines: Array<any> = []
  readonly connection: PipeConnection
  private watching: Array<() => void> = []

  constructor(admission: Admission) {
    this.connection = admission.pipe({
      write: (json) => {
        this.lines.push(JSON.parse(json))
        for (const look of this.watching.splice(0)) look()
        return true
      },
      onDrain: (resume) => resume()
    })
  }

  send(...messages: ReadonlyArray<unknown>): this {
    for (const message of messages) {
      this.connection.receive({ _tag: "Text", text: typeof message === "string" ? message : JSON.stringify(message) })
    }
    return this
  }

  /** Waits until so many lines were written. */
  linesTo(count: number): Effect.Effect<ReadonlyArray<any>> {
    return Effect.callback((resume) => {
      const look = (): void => {
        if (this.lines.length >= count) resume(Effect.succeed(this.lines))
        else this.watching.push(look)
      }
      look()
    })
  }
}
