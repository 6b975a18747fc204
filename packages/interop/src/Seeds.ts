// The policies that Parley's presets are named after, against the clients that they come from: each is given the same
// scripted servers, the rows of both tables of peers, and what it sends and how it ends is put side by side.
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import type { ClientCase } from "@parley/testing/Case"
import * as CaseFile from "@parley/testing/CaseFile"
import { sentBy } from "@parley/testing/ClientCheck"
import * as ParleyClient from "@parley/testing/ParleyClient"
import * as Driver from "@parley/testing/Driver"
import type { Scripted } from "@parley/testing/Scripted"
import * as ScriptedPeer from "@parley/testing/ScriptedPeer"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import type { ClientPeer } from "./Language.ts"
import { because } from "./Reasons.ts"
import type { Said, SeedRow } from "./Results.ts"
import { same } from "./Said.ts"

/** A real client's policy and the preset that is to do the same. */
export interface Seed {
  readonly name: string
  readonly library: string
  readonly mode: string
  readonly policy: "discoverFirst" | "handshakeOnly" | "hermes" | "stateless"
}

/**
 * Which of a language's clients are seeds. Hermes' `auto` and `stateless` are in no released package: a program of ours
 * does as its repository does, on the SDK that it uses.
 */
export const seeds: ReadonlyArray<Seed> = [
  { name: "Python auto", library: "mcp 2.3.0", mode: "auto", policy: "discoverFirst" },
  { name: "Python legacy", library: "mcp 2.3.0", mode: "legacy", policy: "handshakeOnly" },
  { name: "fast-agent auto", library: "fast-agent-mcp 0.10.48", mode: "auto", policy: "discoverFirst" },
  { name: "Hermes auto (as read)", library: "mcp 2.3.0", mode: "hermes-auto", policy: "hermes" },
  { name: "Hermes stateless (as read)", library: "mcp 2.3.0", mode: "hermes-stateless", policy: "stateless" },
  { name: "Hermes 0.19", library: "hermes-agent 0.19.0", mode: "only", policy: "handshakeOnly" },
  { name: "TypeScript auto", library: "@modelcontextprotocol/client 2.4.0", mode: "auto", policy: "discoverFirst" },
  { name: "TypeScript legacy", library: "@modelcontextprotocol/client 2.4.0", mode: "legacy", policy: "handshakeOnly" }
]

/** Times of a script and of its client are stretched by this: other people's clients start slowly. */
const stretch = 4

/** How long a client waits at most, and where a case says nothing, in milliseconds: some wait for what never comes. */
const most = { timeout: 8_000, probe: 3_000 }
const usual = { timeout: 4_000, probe: 3_000 }

/**
 * Plays every row of the matching table to a real client and to Parley. What is not as it was before, or is not
 * explained, is played once more, alone: on a busy machine a client's clock may pass before its server has started.
 */
export const play = (
  seed: Seed,
  peer: ClientPeer,
  before: ReadonlyArray<SeedRow>
): Effect.Effect<ReadonlyArray<SeedRow>> =>
  Effect.gen(function* () {
    const known = new Set(before.map((row) => JSON.stringify(row)))
    const isNews = (row: SeedRow): boolean =>
      (known.size > 0 && !known.has(JSON.stringify(row))) || (!same(row.real, row.parley) && row.because === undefined)
    const cases = yield* Effect.promise(() => scripts(seed.policy))
    const driver = yield* Driver.start(peer)
    const first = yield* Effect.forEach(cases, (item) => once(seed, driver, item), { concurrency: 8 })
    return yield* Effect.forEach(cases, (item, index) => {
      const row = first[index]
      return row === undefined || isNews(row) ? once(seed, driver, item) : Effect.succeed(row)
    })
  }).pipe(Effect.scoped)

const once = Effect.fnUntraced(function* (
  seed: Seed,
  driver: Driver.Driver,
  item: ClientCase
): Effect.fn.Return<SeedRow> {
  const job = {
    mode: seed.mode,
    timeoutMillis: timeoutOf(item),
    probeMillis: probeOf(item),
    afterwards: "leave"
  } as const
  const real = yield* listen(item, (target) =>
    Effect.map(driver.ask({ ...job, target }), (end) =>
      end.outcome === "established" ? `agreed ${end.version}` : "failed"
    )
  )
  const options = { policy: seed.policy, timeoutMs: timeoutOf(item), probeTimeoutMs: probeOf(item), calls: [] }
  const parley = yield* listen(item, (target) =>
    Effect.map(subject.connect({ ...options, target }), (outcome) =>
      outcome.outcome === "established" ? `agreed ${outcome.version}` : "failed"
    )
  )
  const row = { seed: seed.name, policy: seed.policy, case: item.id, real, parley }
  const reason = same(real, parley) ? undefined : because(row)
  return reason === undefined ? row : { ...row, because: reason }
})

const subject = ParleyClient.subject((target) => ("url" in target ? HttpClient.make(target) : StdioClient.make(target)))

const timeoutOf = ({ client }: ClientCase): number =>
  client?.timeoutMs === undefined ? usual.timeout : Math.min(most.timeout, client.timeoutMs * stretch)

// A probe that the case leaves alone is never silent in it, but some real clients wait for what Parley does not.
const probeOf = ({ client }: ClientCase): number =>
  client?.probeTimeoutMs === undefined ? usual.probe : Math.min(most.probe, client.probeTimeoutMs * stretch)

/** Opens the script anew, lets a client meet it, and returns what it was sent and how the client ended. */
const listen = (
  item: ClientCase,
  connect: (target: Scripted["target"]) => Effect.Effect<string, never, Scope.Scope>
): Effect.Effect<Said> =>
  Effect.scoped(
    Effect.gen(function* () {
      const peer = yield* ScriptedPeer.open(item.transport, item.server)
      const outcome = yield* Effect.scoped(connect(peer.target))
      return { sent: sentBy(yield* peer.record).filter((method) => method !== "tools/list"), outcome }
    })
  )

/** How far a real client gets with these depends on how fast the machine is. */
const unsteady = new Set(["1a-garbage-endless-stdio"])

/** Returns the scripts of a policy's table, one for each thing that its client can tell apart. */
const scripts = async (policy: Seed["policy"]): Promise<ReadonlyArray<ClientCase>> => {
  const probes = policy === "discoverFirst" || policy === "stateless"
  const [name, base] = probes ? ["peers-1b", "discover-first"] : ["peers-1a", "auto"]
  const file = fileURLToPath(new URL(`../../testing/cases/${name}.json`, import.meta.url))
  const { broken, cases } = await CaseFile.load(file)
  if (broken.length > 0) throw new Error(`${file} holds what is no case`)
  const chosen = cases.filter(
    (item): item is ClientCase => item.side === "client" && item.policy === base && !unsteady.has(item.id)
  )
  const seen = new Set<string>()
  return chosen
    .filter((item) => {
      const heard = ({ on }: ClientCase["server"][number]): boolean => on.method === "initialize"
      const rows = policy === "handshakeOnly" ? item.server.filter(heard) : item.server
      const key = JSON.stringify([item.transport, item.client, rows])
      return seen.has(key) ? false : seen.add(key)
    })
    .map(stretched)
}

const stretched = (item: ClientCase): ClientCase => ({
  ...item,
  server: [
    ...item.server.map(({ on, reply }) => ({
      on,
      reply: reply.delayMs === undefined ? reply : { ...reply, delayMs: reply.delayMs * stretch }
    })),
    // What a real client says after the point where Parley's part of the case ends is to be answered too; one of them
    // lists the tools as a part of connecting.
    { on: { method: "notifications/initialized" }, reply: { status: 202 } },
    { on: { method: "tools/list" }, reply: { body: { jsonrpc: "2.0", id: "{{request.id}}", result: { tools: [] } } } }
  ]
})
