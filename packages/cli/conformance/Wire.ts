// Everything that Parley's client and Parley's server say to each other at one revision, recorded off a real channel: for
// holding it against the schemas that others publish. What a schema demands is not here.
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import * as Policy from "@parley/core/client/Policy"
import type { Id, Message } from "@parley/core/Message"
import { isRequest, isResponse } from "@parley/core/Message"
import { eraOf } from "@parley/core/Version"
import * as StdioClient from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import type { Transport } from "@parley/runtime/Transport"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { fileURLToPath } from "node:url"

/** One message on the wire. `method` is its own, or that of the request which it answers. */
export interface Said {
  readonly by: "client" | "server"
  readonly version: string
  readonly method: string
  readonly message: Message
}

/** Speaks to `parley serve` on a pipe at one revision, and returns all that was said. */
export const record = (version: string): Promise<ReadonlyArray<Said>> => {
  const said: Array<Said> = []
  const methods = new Map<Id, string>()

  const hear = (by: Said["by"], message: Message): void => {
    if (isRequest(message)) methods.set(message.id, message.method)
    const method = isResponse(message) ? methods.get(message.id ?? "") : message.method
    said.push({ by, version, method: method ?? "unknown", message })
  }

  const program = Effect.gen(function* () {
    const connection = yield* Connection.connect({
      transport: recording(server, hear),
      policy: Policy.pinned(version),
      client: { info: { name: "wire", version: "1.0.0" }, capabilities: { sampling: {}, elicitation: {}, roots: {} } },
      onRequest: () => Effect.fail({ code: -32601, message: "Not served." })
    })
    const legacy = eraOf(version) === "legacy"
    const calls: ReadonlyArray<readonly [string, { readonly [key: string]: unknown }?]> = [
      ["tools/list"],
      ["tools/call", { name: "add_numbers", arguments: { a: 1, b: 2 } }],
      ["prompts/list"],
      ["prompts/get", { name: "test_simple_prompt" }],
      ["resources/list"],
      ["resources/templates/list"],
      ["resources/read", { uri: "test://static-text" }],
      ...(legacy ? ([["ping"], ["logging/setLevel", { level: "info" }]] as const) : []),
      ["shelf/rearrange"],
      ["tools/call", { name: "no such tool" }],
      ["tools/call", { name: "test_missing_capability", arguments: {} }],
      ["resources/read", { uri: "test://nothing" }]
    ]
    for (const [method, params] of calls) yield* Effect.ignore(connection.request(method, params))
    const countdown = { name: "countdown", arguments: { seconds: 60 } }
    yield* Effect.ignore(connection.request("tools/call", countdown, { millis: 500, onProgress: () => {} }))
  })
  return Effect.runPromise(Effect.scoped(program)).then(() => said)
}

const recording = (inner: Transport, hear: (by: Said["by"], message: Message) => void): Transport => ({
  ...inner,
  open: Effect.gen(function* () {
    const channel = yield* inner.open
    const events = yield* Queue.unbounded<Event, never>()
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.map(Queue.take(channel.events), (event) => {
          if (event._tag === "Arrived") hear("server", event.message)
          Queue.offerUnsafe(events, event)
        })
      ).pipe(Effect.ignore)
    )
    return {
      ...channel,
      events,
      send: (outgoing: Outgoing) => {
        if (outgoing._tag === "Post") hear("client", outgoing.message)
        return channel.send(outgoing)
      }
    }
  })
})

const root = fileURLToPath(new URL("../../../", import.meta.url))
const server = StdioClient.make({
  command: process.execPath,
  args: [
    "--import",
    `${root}scripts/register.mjs`,
    `${root}packages/cli/src/bin.ts`,
    "serve",
    "--era",
    "dual",
    "--transport",
    "stdio"
  ]
})
