// One of the servers of a long run of shared sessions: Parley's admission on node:http, its sessions in Redis. Argument: the
// port of Redis. Writes the port on which it listens, and answers every call with whose it was.
import * as Profile from "@parley/core/server/Profile"
import * as HttpServer from "@parley/node/HttpServer"
import * as Admission from "@parley/runtime/Admission"
import { SessionStore } from "@parley/runtime/SessionStore"
import * as SharedSessions from "@parley/runtime/SharedSessions"
import * as Effect from "effect/Effect"
import * as Redis from "./Redis.ts"

const profile = Profile.handshakeOnly({
  serverInfo: { name: "sessions-node", version: "1.0.0" },
  capabilities: { tools: {} }
})

const program = Effect.gen(function* () {
  const store = yield* SharedSessions.make(yield* Redis.store(Number(process.argv[2])), { millis: 1_000 })
  const admission = yield* Admission.make(profile, (_, { principal, sessionId }) =>
    Effect.succeed({ principal: principal ?? "", sessionId: sessionId ?? "", node: process.pid })
  ).pipe(Effect.provideService(SessionStore, store))
  const { port } = yield* HttpServer.serve({
    admission,
    principal: (request) => {
      const name = request.headers["x-principal"]
      return typeof name === "string" ? name : undefined
    }
  })
  process.stdout.write(`${port}\n`)
  yield* Effect.never
})

Effect.runFork(Effect.scoped(program))
