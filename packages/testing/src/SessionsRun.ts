// A long run of legacy sessions that several servers share, while servers are killed and Redis is restarted. Every session
// goes on, or is told 404 and opens again; none crosses principals; none is lost silently. Counts; the program prints.
import * as Policy from "@parley/core/client/Policy"
import type { RequestError } from "@parley/core/Errors"
import * as HttpClient from "@parley/node/HttpClient"
import * as Connection from "@parley/runtime/Connection"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Redis from "./Redis.ts"
import * as SessionNodes from "./SessionNodes.ts"

export interface Options {
  readonly sessions: number
  readonly seconds: number
  readonly servers: number
}

export interface Figures {
  readonly sessions: number
  readonly calls: number
  readonly answered: number
  /** Calls that failed, by the tag of the reason: each is typed. */
  readonly failed: { readonly [tag: string]: number }
  readonly kills: number
  readonly redisRestarts: number
  /** Sessions that were taken out of the store, as by an expiry. */
  readonly forgotten: number
  /** Sessions that were told 404 and opened again: the forgotten ones, and what Redis lost when it was restarted. */
  readonly reopened: number
  /** Requests with another principal's session: how many were tried, and how many were not told 404. */
  readonly strangers: number
  readonly crossed: number
  /** Answers that named another session or principal than the client's own. */
  readonly mixedUp: number
  /** Sessions that could not be used at the end. */
  readonly lost: number
  /** Answers of each server. */
  readonly served: ReadonlyArray<number>
  /** Sessions in the store when every client had ended its own: of openings whose answer was cut. They are swept later. */
  readonly orphans: number
}

interface Client {
  readonly connection: Connection.Shape
  readonly principal: string
  session: string | undefined
}

/** Runs it. Fails only where the servers or Redis cannot be started. */
export const run = (
  options: Options,
  redis: Redis.Redis
): Effect.Effect<Figures, SessionNodes.NodeFailure | Redis.RedisFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const nodes = yield* SessionNodes.make(options.servers, redis.port)
    const store = yield* Redis.store(redis.port)
    const pool = yield* HttpClient.pool({ maxSockets: 128 })
    const seen = {
      calls: 0,
      answered: 0,
      kills: 0,
      redisRestarts: 0,
      forgotten: 0,
      reopened: 0,
      strangers: 0,
      crossed: 0,
      mixedUp: 0
    }
    const failed: { [tag: string]: number } = {}

    const open = (index: number): Effect.Effect<Client, never, Scope.Scope> => {
      const principal = `p${index % 100}`
      const transport = HttpClient.make({ url: nodes.url, headers: { "x-principal": principal }, pool })
      return Connection.connect({ transport, client, policy: Policy.handshakeOnly, requestMillis: 30_000 }).pipe(
        Effect.retry(Schedule.spaced("200 millis")),
        Effect.orDie,
        Effect.map((connection) => ({ connection, principal, session: connection.agreement.sessionId }))
      )
    }

    const call = (one: Client): Effect.Effect<void, RequestError> =>
      Effect.suspend(() => {
        seen.calls += 1
        return one.connection.request("tools/call", { name: "whose" })
      }).pipe(
        Effect.map((answer) => {
          seen.answered += 1
          const { sessionId } = one.connection.agreement
          // Another session than before is only had by a 404 and a new handshake: there is no other way to it.
          if (one.session !== sessionId) seen.reopened += 1
          one.session = sessionId
          if (answer["principal"] !== one.principal || answer["sessionId"] !== sessionId) seen.mixedUp += 1
        }),
        Effect.tapError((error) =>
          Effect.sync(() => {
            const tag = error.reason._tag === "NegotiationError" ? error.reason.reason._tag : error.reason._tag
            failed[tag] = (failed[tag] ?? 0) + 1
          })
        )
      )

    // Somebody else's session, by its id: whatever happens to servers and store, it is never admitted.
    const trespass = (one: Client): Effect.Effect<void> =>
      Effect.promise(async () => {
        if (one.session === undefined) return
        const response = await fetch(nodes.url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-session-id": one.session,
            "x-principal": "mallory"
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whose" } })
        }).catch(() => undefined)
        await response?.arrayBuffer().catch(() => undefined)
        seen.strangers += 1
        if (response !== undefined && ![404, 502, 503].includes(response.status)) seen.crossed += 1
      })

    const clients = yield* Effect.forEach(
      Array.from({ length: options.sessions }, (_, index) => index),
      open,
      { concurrency: 64 }
    )

    const until = (yield* Clock.currentTimeMillis) + options.seconds * 1000
    const working = Effect.gen(function* () {
      for (let at = 0; (yield* Clock.currentTimeMillis) < until; at++) {
        const one = clients[Math.floor(Math.random() * clients.length)]
        if (one === undefined) return
        yield* Effect.ignore(call(one))
        if (at % 50 === 0) yield* trespass(one)
      }
    })
    const forget = (one: Client) =>
      Effect.suspend(() => store.remove(`parley-session-${one.session}r`)).pipe(
        Effect.map(() => {
          seen.forgotten += 1
        }),
        Effect.orDie
      )
    const harming = Effect.gen(function* () {
      const pause = (options.seconds * 1000) / 12
      for (let round = 0; round < 6; round++) {
        yield* Effect.sleep(pause)
        if (round === 2) {
          yield* redis.restart(1_500)
          seen.redisRestarts += 1
          yield* Effect.forEach(
            clients.filter((_, index) => index % 20 === 0),
            forget,
            { discard: true }
          )
        } else {
          const index = round % options.servers
          nodes.kill(index)
          seen.kills += 1
          yield* Effect.sleep(pause / 4)
          yield* nodes.start(index)
        }
      }
    })
    const harm = yield* Effect.forkChild(harming)
    yield* Effect.forEach(Array.from({ length: 64 }), () => working, { concurrency: "unbounded", discard: true })
    yield* Fiber.join(harm)

    // The end: everything is up again, so every session answers, in itself or in a new one.
    let lost = 0
    const last = (one: Client) =>
      call(one).pipe(
        Effect.retry(Schedule.upTo(Schedule.spaced("200 millis"), { times: 25 })),
        Effect.catch(() => Effect.sync(() => void (lost += 1)))
      )
    yield* Effect.forEach(clients, last, { concurrency: 64, discard: true })
    yield* Effect.forEach(clients, ({ connection }) => connection.close, { concurrency: 64, discard: true })
    const keys = yield* Effect.orDie(store.keys)
    const orphans = keys.filter((key) => key.endsWith("r")).length
    return { sessions: clients.length, ...seen, failed, lost, served: [...nodes.served], orphans }
  })

const client = { info: { name: "sessions", version: "1.0.0" }, capabilities: {} }
