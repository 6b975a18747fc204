// Profiles, messages and headers as clients send them, for the tests of the server.
import { HeaderName, MetaKey } from "@parley/core/Envelope"
import type { Id, JsonObject, Parsed } from "@parley/core/Message"
import type { Compiled } from "@parley/core/server/Compiled"
import { compile } from "@parley/core/server/Compiled"
import type { Command } from "@parley/core/server/Command"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import * as Http from "@parley/core/server/Http"
import * as Profile from "@parley/core/server/Profile"
import { toMessage } from "@parley/core/server/Refusal"
import type { State } from "@parley/core/server/State"

export const modern = "2026-07-28"

export const options: Profile.Options = {
  serverInfo: { name: "sample", version: "1.0.0" },
  capabilities: { tools: { listChanged: true }, logging: {} }
}

export const dual: Compiled = compile(Profile.dual(options))
export const modernOnly: Compiled = compile(Profile.modernOnly(options))
export const handshakeOnly: Compiled = compile(Profile.handshakeOnly(options))
export const sessionless: Compiled = compile(Profile.dual({ ...options, sessions: "none" }))
export const separate: Compiled = compile(Profile.dual({ ...options, interleave: "refuse" }))

export const client = { info: { name: "tester", version: "0.1.0" }, capabilities: { roots: {} } }

export const initialize = (id: Id, protocolVersion: unknown = "2025-11-25", changes: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion, capabilities: client.capabilities, clientInfo: client.info, ...changes }
})

export const initialized: JsonObject = { jsonrpc: "2.0", method: "notifications/initialized" }
export const ping = (id: Id): JsonObject => ({ jsonrpc: "2.0", id, method: "ping" })
export const legacy = (id: Id, method = "tools/list", params?: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? undefined : { params })
})

export const envelope = (version: unknown = modern, changes: JsonObject = {}): JsonObject => ({
  [MetaKey.ProtocolVersion]: version,
  [MetaKey.ClientInfo]: client.info,
  [MetaKey.ClientCapabilities]: client.capabilities,
  ...changes
})

export const stamped = (id: Id, method = "tools/list", params: JsonObject = {}, meta = envelope()): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { ...params, _meta: meta }
})

export const discover = (id: Id, meta = envelope()): JsonObject => stamped(id, "server/discover", {}, meta)

export const base: RequestHeaders = {
  host: "localhost:3000",
  "content-type": "application/json",
  accept: "application/json, text/event-stream"
}

/** The headers that a modern request needs. */
export const modernHeaders = (message: JsonObject, version: string = modern): RequestHeaders => {
  const params = message["params"]
  const name =
    typeof params === "object" && params !== null && "name" in params && typeof params.name === "string"
      ? params.name
      : undefined
  return {
    ...base,
    [HeaderName.ProtocolVersion]: version,
    [HeaderName.Method]: String(message["method"]),
    ...(name === undefined ? undefined : { [HeaderName.Name]: name })
  }
}

export const parsed = (value: unknown): Parsed => ({ ok: true, value })

/** Where a session stands, by its name here. */
export const inSession = (version = "2025-11-25"): State => ({ _tag: "Serving", opening: { version, client } })

/** Sends a request to the ladder as a carrier does: its head, then its body, then in its session. */
export const post = (
  compiled: Compiled,
  value: unknown,
  headers: RequestHeaders = base,
  session: State | undefined = undefined,
  method = "POST"
): Http.Done => {
  const refusal = Http.head(compiled, { method, headers })
  if (refusal !== undefined) {
    return { _tag: "Done", state: inSession(), commands: [{ _tag: "Refuse", refusal }], batched: false }
  }
  const judged = Http.judge(compiled, { method, headers }, method === "POST" ? parsed(value) : undefined)
  return judged._tag === "Done" ? judged : Http.resume(compiled, judged, session)
}

/** A command in a few words. */
export const say = (command: Command): string => {
  switch (command._tag) {
    case "Reply":
      return `reply ${JSON.stringify(command.id)}`
    case "Refuse": {
      const { code } = toMessage(command.refusal).error
      return `refuse ${JSON.stringify(command.refusal.id ?? null)} ${code} ${command.refusal.ground.id}`
    }
    case "Deliver":
      return `deliver ${JSON.stringify(command.request.id)} ${command.admitted.era} ${command.admitted.version}`
    case "Hear":
      return `hear ${command.notification.method}`
    case "Resolve":
      return `resolve ${JSON.stringify(command.response.id)}`
    case "Issue":
      return `issue ${command.opening.version}`
    case "StartDeadline":
      return `start ${command.of} ${command.millis}`
    case "ClearDeadline":
      return `clear ${command.of}`
    case "Close":
      return `close ${command.why}`
  }
}

export const said = (commands: ReadonlyArray<Command>): ReadonlyArray<string> => commands.map(say)

/** The ids that commands answer, in order. */
export const answered = (commands: ReadonlyArray<Command>): ReadonlyArray<Id | undefined> =>
  commands.flatMap((command) =>
    command._tag === "Reply"
      ? [command.id]
      : command._tag === "Refuse"
        ? [command.refusal.id]
        : command._tag === "Deliver"
          ? [command.request.id]
          : []
  )
