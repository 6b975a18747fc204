// What must hold of a client and a server on a link that loses, repeats, delays, reorders, cuts and ends.
import * as Client from "@parley/core/client/Client"
import type { Settled } from "@parley/core/client/State"
import * as Envelope from "@parley/core/Envelope"
import { isObject, Method, parse, request } from "@parley/core/Message"
import { isModern } from "@parley/core/Version"
import { cycleIn, pathTo } from "../Explore.ts"
import * as Law from "../laws/Law.ts"
import { identity } from "../link/Wire.ts"
import type { Product, ProductStep } from "./Pairs.ts"
import { share, speaks } from "./Pairs.ts"
import type { Pair, World, WorldLabel } from "./World.ts"

/** A law of the pair. */
export type PairLaw = Law.Law<Product, ProductStep>

/** A run of a pair that breaks a law. */
export type PairViolation = Law.Violation<Product, ProductStep>

const { onEveryStep, only } = Law.ways<World, WorldLabel, Product>()

/** A law about worlds in which nothing more happens: the client has ended, and all that it sent has arrived or is lost. */
const atTheEnd = (
  id: string,
  sentence: string,
  judge: (world: World, pair: Pair) => Law.Verdict,
  applies: (pair: Pair) => boolean = () => true
): PairLaw => {
  const law: PairLaw = {
    id,
    sentence,
    check: (walk) => {
      if (!applies(walk.pair)) return undefined
      for (const node of walk.nodes) {
        if ((walk.leaving[node.index]?.length ?? 0) > 0) continue
        const problem = judge(node.state, walk.pair)
        if (problem !== undefined) return { law, walk, problem, path: pathTo(node) }
      }
      return undefined
    }
  }
  return law
}

/** Issue 6, Product: they always end. */
export const pairsEnd: PairLaw = {
  id: "pairs-end",
  sentence:
    "Whatever the link does, the pair comes to an end: no run goes round, and none stops while the client waits.",
  check: (walk) => {
    const path = cycleIn(walk)
    if (path !== undefined) return { law: pairsEnd, walk, problem: "the pair can go round for ever", path }
    return nobodyWaits.check(walk)
  }
}

const nobodyWaits = atTheEnd("pairs-end", pairsEnd.sentence, ({ client }) =>
  Client.isEnding(client) ? undefined : `nothing more happens, and the client is ${client._tag}`
)

/** Issue 6, Product: they agree on the version. */
export const agreedIsAgreed: PairLaw = atTheEnd(
  "agreed-is-agreed",
  "Where the client has settled, the server serves it: the next request on those terms is admitted, and a handshake stands at the same revision on both sides; but for a pipe that has closed meanwhile, which tells both.",
  (world, pair) => {
    const { client } = world
    if (client._tag !== "Settled" || world.pipe === "closed") return undefined
    const conversation = client.sessionId === undefined ? world.server.pipe : world.server.sessions[client.sessionId]
    const standing = conversation !== undefined && "opening" in conversation ? conversation.opening.version : undefined
    const stateless = pair.medium.streams === "perRequest" && client.sessionId === undefined
    if (!isModern(client.version) && !stateless && standing !== client.version) {
      return `the client settled on ${client.version}, and the server stands at ${standing ?? "nothing"}`
    }
    const code = nextRequest(pair, world, client)
    return code === undefined
      ? undefined
      : `the client settled on ${client.version}; its next request is refused: ${code}`
  },
  // A server that does not mix eras may have been opened by a handshake whose answer never came.
  (pair) => pair.peer.name !== "separate"
)

/** The same for a profile that does not interleave: the refusal of the next request says what to do. */
export const separateSaysSo: PairLaw = atTheEnd(
  "separate-says-so",
  "Where a server does not mix eras on a pipe, a client may settle on the late answer of its probe while the server was opened by its handshake, and only when the link delayed the one and kept back the other; the next request is then refused with -32600, and nothing is served on other terms.",
  (world, pair) => {
    const { client } = world
    if (client._tag !== "Settled" || world.pipe === "closed") return undefined
    const code = nextRequest(pair, world, client)
    if (code === undefined) return undefined
    const late = isModern(client.version) && world.probeSilent && world.blame.length > 0
    return late && code === -32600 ? undefined : `its next request is refused: ${code}`
  },
  (pair) => pair.peer.name === "separate"
)

const nextRequest = (pair: Pair, { server }: World, { sessionId, version }: Settled): number | undefined => {
  const agreement = { version, client: identity, sessionId }
  const { headers, message } = Envelope.stamp(agreement, request("next", Method.ToolsList))
  const exchange = Client.firstFreeExchange + 99
  const heard = pair.peer.hear(
    server,
    {
      exchange,
      httpMethod: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      text: JSON.stringify(message),
      outgoing: { _tag: "Post", exchange, message, headers }
    },
    pair.medium
  )
  const [came] = heard.came
  if (came === undefined || came._tag === "Exited") return 0
  const answer = parse(came.text ?? "")
  const error = answer.ok && isObject(answer.value) ? answer.value["error"] : undefined
  return isObject(error) && typeof error["code"] === "number" ? error["code"] : undefined
}

/** Issue 6, Product: or both know that they do not. */
export const failedIsKnown: PairLaw = atTheEnd(
  "failed-is-known",
  "Where the client has failed, the server knows: its pipe is closed, and every session that the client heard of is deleted, unless the link lost the message that says so.",
  (world, { medium }) => {
    if (world.client._tag !== "Failed") return undefined
    if (medium.streams === "shared") {
      return world.server.pipe._tag === "Closed" ? undefined : `the server is ${world.server.pipe._tag}`
    }
    if (world.blame.some((fault) => fault === "lose" || fault === "cut")) return undefined
    const left = Object.entries(world.server.sessions).filter(
      ([id, state]) => state._tag !== "Closed" && world.heardOf.includes(id)
    )
    return left.length === 0 ? undefined : `it leaves ${left.map(([id]) => id).join()}`
  }
)

/** Issue 6, Product: a dual-era pair never ends in failure unless the link is to blame. */
export const dualPairsAgree: PairLaw = atTheEnd(
  "dual-pairs-agree",
  "A client of both eras and a server with which it shares a revision never end in failure unless the link is to blame.",
  (world) =>
    world.client._tag === "Failed" && world.blame.length === 0
      ? `it fails with ${world.client.reason._tag}, and the link did nothing wrong`
      : undefined,
  (pair) =>
    speaks(pair.policy, "legacy") && speaks(pair.policy, "modern") && (share(pair, "legacy") || share(pair, "modern"))
)

/** Issue 6, Product: a modern pair never ends legacy except where the policy says so. */
export const modernPairsStayModern: PairLaw = atTheEnd(
  "modern-pairs-stay-modern",
  "A client that opens with server/discover and a server with which it shares a modern revision never end legacy, but where the policy takes a silent probe, or a process that ended on it, for a legacy server.",
  (world, { medium }) => {
    const { client } = world
    if (client._tag !== "Settled" || isModern(client.version)) return undefined
    const silent = medium.silence === "maybeLegacy" && world.probeSilent
    const ended = medium.reopens === "once" && world.blame.some((fault) => fault === "cut" || fault === "end")
    return silent || ended ? undefined : `it settles on ${client.version}`
  },
  (pair) => pair.policy.open === "discover" && share(pair, "modern")
)

/** Section 9 over the link: nobody settles on what the other side does not serve. */
export const settlesOnShared: PairLaw = onEveryStep(
  "settles-on-shared",
  "A client settles only on a revision that the server serves.",
  ({ state: { client } }, { pair }) => {
    if (client._tag !== "Settled") return undefined
    const era = isModern(client.version) ? "modern" : "legacy"
    const alone = { ...pair, policy: { ...pair.policy, versions: [client.version] } }
    return share(alone, era) ? undefined : `it settles on ${client.version}`
  }
)

/** The matrix is well defined: a link without faults leaves no choice. */
export const idealIsDetermined: PairLaw = only(() => true, {
  id: "ideal-is-determined",
  sentence: "Over a link that does nothing wrong a pair has exactly one outcome.",
  check: (walk) => {
    const outcomes = new Map<string, ReadonlyArray<ProductStep>>()
    for (const node of walk.nodes) {
      const { blame, client } = node.state
      if (blame.length > 0 || (walk.leaving[node.index]?.length ?? 0) > 0) continue
      const said =
        client._tag === "Settled" ? client.version : client._tag === "Failed" ? client.reason._tag : client._tag
      outcomes.set(said, pathTo(node))
    }
    const [, second] = [...outcomes.values()]
    return outcomes.size === 1
      ? undefined
      : { law: idealIsDetermined, walk, problem: [...outcomes.keys()].join(" or "), path: second ?? [] }
  }
})

/** The laws of the pair. */
export const pairLaws: ReadonlyArray<PairLaw> = [
  pairsEnd,
  agreedIsAgreed,
  separateSaysSo,
  failedIsKnown,
  dualPairsAgree,
  modernPairsStayModern,
  settlesOnShared,
  idealIsDetermined
]

/** Returns the violations of a product: one for each broken law, with its shortest run. */
export const pairViolations = (
  product: Product,
  laws: ReadonlyArray<PairLaw> = pairLaws
): ReadonlyArray<PairViolation> => laws.flatMap((law) => law.check(product) ?? [])

/** Returns a broken law for people: its sentence, what is wrong, and the shortest run, a step a line. */
export const sayPairViolation = ({ law, path, problem, walk }: PairViolation): string =>
  [
    `Broken: ${law.sentence}`,
    `  by ${walk.pair.id}: ${problem}`,
    ...path.map(({ state, what }, index) => {
      const { client } = state
      const now =
        client._tag === "Settled"
          ? `Settled ${client.version}`
          : client._tag === "Failed"
            ? `Failed ${client.reason._tag}`
            : client._tag
      return `  ${index + 1}. ${what}: the client is ${now}`
    })
  ].join("\n")
