// Connections that outlive their channels: shared, cut where something is under way, and gone with the pool.
import { describe, expect, it } from "@effect/vitest"
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import * as Message from "@parley/core/Message"
import * as HttpClient from "@parley/node/HttpClient"
import { type Cause, Effect, Exit, Queue, Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as HttpServer from "./HttpServer.ts"

const post: Outgoing = { _tag: "Post", exchange: 1, message: Message.request(1, "tools/list"), headers: {} }
const answer: HttpServer.Handler = (response) => {
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }))
}

const ask = (options: HttpClient.Options): Effect.Effect<Event, Cause.Done | object> =>
  Effect.scoped(
    Effect.flatMap(HttpClient.make(options).open, (channel) =>
      Effect.andThen(channel.send(post), Queue.take(channel.events))
    )
  )

const withServer = <A, E>(
  handler: HttpServer.Handler,
  body: (server: HttpServer.HttpServer) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, E> => Effect.scoped(Effect.flatMap(HttpServer.start(handler), body))

describe("HttpClient.pool", () => {
  it.live("opens channel after channel over one connection, and closes it with its scope", () =>
    withServer(answer, (server) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const pool = yield* Scope.provide(HttpClient.pool(), scope)
        for (let time = 0; time < 3; time++) {
          expect(yield* ask({ url: server.url, pool })).toMatchObject({ _tag: "Arrived", exchange: 1 })
          // The answer is told a moment before its connection is free.
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }
        expect(server.connections()).toBe(1)
        expect(server.sockets.size).toBe(1)
        yield* Scope.close(scope, Exit.void)
        yield* server.openAtMost(0)
      })
    )
  )

  it.live("gives every channel connections of its own where there is none", () =>
    withServer(answer, (server) =>
      Effect.gen(function* () {
        for (let time = 0; time < 3; time++) yield* ask({ url: server.url })
        expect(server.connections()).toBe(3)
        yield* server.openAtMost(0)
      })
    )
  )

  it.live("keeps nothing that a closed channel had under way: unanswered, or answered on a stream that goes on", () =>
    withServer(
      (response, { body }, { note }) => {
        if (body.includes("hang")) return note("asked")
        response.writeHead(200, { "content-type": "text/event-stream" })
        return void response.write('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')
      },
      (server) =>
        Effect.gen(function* () {
          const pool = yield* HttpClient.pool()
          expect(yield* ask({ url: server.url, pool })).toMatchObject({ _tag: "Arrived" })
          yield* server.openAtMost(0)
          yield* Effect.scoped(
            Effect.gen(function* () {
              const channel = yield* HttpClient.make({ url: server.url, pool }).open
              yield* channel.send({ ...post, message: Message.request(1, "hang") })
              yield* Queue.take(server.notes)
            })
          )
          yield* server.openAtMost(0)
        })
    )
  )

  it.live("asks over connections that are not kept once it is closed", () =>
    withServer(answer, (server) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const pool = yield* Scope.provide(HttpClient.pool(), scope)
        yield* Scope.close(scope, Exit.void)
        expect(yield* ask({ url: server.url, pool })).toMatchObject({ _tag: "Arrived" })
        yield* server.openAtMost(0)
      })
    )
  )

  it.live("does not keep a process alive that has nothing else to do", () =>
    withServer(answer, (server) =>
      Effect.promise(async () => {
        const register = fileURLToPath(new URL("../../../scripts/register.mjs", import.meta.url))
        const program = fileURLToPath(new URL("./support/pool-user-bin.ts", import.meta.url))
        const child = spawn(process.execPath, ["--import", register, program, server.url], { stdio: "inherit" })
        expect(await once(child, "exit")).toEqual([0, null])
        expect(server.seen).toHaveLength(2)
      })
    )
  )
})
