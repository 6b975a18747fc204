// A soak: real clients and real servers with harm between them, for as long as is wanted. What must never be is counted as
// a finding: a hang, an untyped failure, a wrong era, an answer to another question, anything left over at the end.
import * as Policy from "@parley/core/client/Policy"
import { NegotiationError, RequestError } from "@parley/core/Errors"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import * as EraMemory from "@parley/runtime/EraMemory"
import type { Transport } from "@parley/runtime/Transport"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as FaultProxy from "./FaultProxy.ts"
import type { Random } from "./Random.ts"
import * as Servers from "./SoakServers.ts"

export interface Figures {
  connections: number
  agreed: number
  answered: number
  interrupted: number
  /** Notifications that servers sent by themselves, and progress, as they came. */
  heard: number
  /** Failures by the tag of their reason. */
  readonly failed: { [tag: string]: number }
  readonly met: { [fault: string]: number }
  /** What must never be, in a sentence each; the first 50. */
  readonly findings: Array<string>
}

export const empty = (): Figures => ({
  connections: 0,
  agreed: 0,
  answered: 0,
  interrupted: 0,
  heard: 0,
  failed: {},
  met: {},
  findings: []
})

interface Place {
  readonly kind: Servers.Kind
  readonly transport: Transport
  /** Whether nothing on the way changes bytes: then an answer must be exactly the right one. */
  readonly isExact: boolean
  readonly isPipe: boolean
}

/** Runs so many clients at a time until the time is over. The scope ends the servers. */
export const run = (
  figures: Figures,
  random: Random,
  options: { readonly millis: number; readonly clients: number }
): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const places: Array<Place> = []
    const proxies: Array<FaultProxy.FaultProxy> = []
    for (const kind of Servers.kinds) {
      const { port } = yield* Servers.http(kind)
      for (const isExact of [true, false]) {
        const kept = FaultProxy.faults.filter((one) => !isExact || (one !== "corrupt" && one !== "duplicate"))
        const proxy = yield* FaultProxy.make({ port, random, faults: kept })
        proxies.push(proxy)
        const transport = HttpClient.make({ url: `http://127.0.0.1:${proxy.port}/mcp` })
        for (let weight = 0; weight < 5; weight++) places.push({ kind, transport, isExact, isPipe: false })
      }
      places.push({ kind, transport: StdioClient.make(Servers.command(kind)), isExact: true, isPipe: true })
    }
    const memory = EraMemory.memory()
    const until = (yield* Clock.currentTimeMillis) + options.millis

    const worker = Effect.gen(function* () {
      while ((yield* Clock.currentTimeMillis) < until) {
        const place = places[random.below(places.length)]
        if (place !== undefined) yield* watched(figures, random, place, memory)
      }
    })
    yield* Effect.forEach(Array.from({ length: options.clients }), () => worker, {
      concurrency: "unbounded",
      discard: true
    })
    for (const { met } of proxies) {
      for (const [fault, count] of Object.entries(met)) figures.met[fault] = (figures.met[fault] ?? 0) + count
    }
  })

const find = (figures: Figures, what: string): void => {
  if (figures.findings.length < 50) figures.findings.push(what)
}

// One client's life, and what is said of it. Each is over in time, or it hangs.
const watched = (figures: Figures, random: Random, place: Place, memory: EraMemory.Shape): Effect.Effect<void> =>
  Effect.suspend(() => {
    figures.connections += 1
    const hurried = random.below(10) === 0
    const life = Effect.exit(Effect.scoped(lived(figures, random, place, random.below(2) === 0 ? memory : undefined)))
    return Effect.flatMap(Effect.timeoutOption(life, hurried ? random.below(400) : hangMillis), (ended) =>
      Effect.sync(() => {
        if (Option.isNone(ended)) {
          if (hurried) figures.interrupted += 1
          else find(figures, `${place.transport.target}: a client was not done after ${hangMillis} ms`)
        } else if (Exit.isFailure(ended.value)) judge(figures, place, ended.value.cause)
      })
    )
  })

const judge = (figures: Figures, place: Place, cause: Cause.Cause<unknown>): void => {
  for (const reason of cause.reasons) {
    const error = reason._tag === "Fail" ? reason.error : undefined
    if (error instanceof NegotiationError || error instanceof RequestError) {
      const { reason: why } = error
      const tag = why._tag === "NegotiationError" ? why.reason._tag : why._tag
      figures.failed[tag] = (figures.failed[tag] ?? 0) + 1
    } else find(figures, `${place.transport.target}: ${Cause.pretty(cause).slice(0, 500)}`)
  }
}

const lived = (figures: Figures, random: Random, place: Place, memory: EraMemory.Shape | undefined) =>
  Effect.gen(function* () {
    const connection = yield* Connection.connect({
      transport: place.transport,
      client: { info: { name: "soak", version: "1.0.0" }, capabilities: {} },
      policy: Policy.withBudgets(
        policies[random.below(policies.length)] ?? Policy.auto,
        place.isPipe ? budgets.pipe : budgets.http
      ),
      memory,
      requestMillis: place.isPipe ? 10_000 : 800,
      reopen: Schedule.upTo(Schedule.spaced("20 millis"), { times: 3 })
    })
    figures.agreed += 1
    if (random.below(3) === 0) yield* Effect.forkScoped(hearing(figures, connection))
    for (let left = 1 + random.below(4); left > 0; left--) {
      const nonce = `${random.below(1e9)}`.padEnd(1 + random.below(2_000), "x")
      const dies = place.isPipe && random.below(4) === 0
      const asked = connection.request(
        "tools/call",
        { name: dies ? "die" : "echo", arguments: { nonce } },
        { onProgress: () => void (figures.heard += 1) }
      )
      const { era } = connection.agreement
      if (place.kind !== "dual" && place.kind !== era) {
        find(figures, `${place.transport.target}: a ${place.kind} server was agreed with as ${era}`)
      }
      // Where the process dies the failure is the right answer; the next call meets the next process.
      if (dies) {
        const exit = yield* Effect.exit(asked)
        if (Exit.isSuccess(exit)) find(figures, `${place.transport.target}: a dead process answered`)
        continue
      }
      const { echo } = yield* asked
      figures.answered += 1
      if (place.isExact && JSON.stringify(echo) !== JSON.stringify({ nonce })) {
        find(figures, `${place.transport.target}: an answer to another question`)
      }
    }
  })

// Listens as the era wants it: to the stream of a session, or by a subscription. Whether it ends well is not asked.
const hearing = (figures: Figures, connection: Connection.Shape) =>
  Effect.gen(function* () {
    const incoming = yield* connection.incoming
    if (connection.agreement.era === "modern") {
      const listening = connection.request("subscriptions/listen", { notifications: { toolsListChanged: true } })
      yield* Effect.forkScoped(Effect.ignore(listening))
    }
    while (true) {
      yield* Queue.take(incoming)
      figures.heard += 1
    }
  }).pipe(Effect.ignore)

const policies = [Policy.auto, Policy.discoverFirst, Policy.stateless, Policy.hermes]

// A process takes its time to start; what is silent over HTTP was made so, and is not worth waiting for.
const budgets = {
  pipe: { probeMillis: 8_000, exchangeMillis: 8_000, negotiationMillis: 12_000 },
  http: { probeMillis: 1_000, exchangeMillis: 1_000, negotiationMillis: 3_000 }
}

// Longer than every budget together: a negotiation, a renewal, four calls, and the end of a process.
const hangMillis = 90_000
