// Both machines and the link between them, as one pure thing that steps: what is in flight, which deadlines run, how
// often the link may still misbehave. What must hold of it is in Laws.
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event } from "@parley/core/client/Event"
import type { Policy } from "@parley/core/client/Policy"
import type { State } from "@parley/core/client/State"
import type { Medium } from "@parley/core/Medium"
import { keyOf } from "../Key.ts"
import type { Peer, Standing } from "../link/Peer.ts"
import type { Came, Sent } from "../link/Wire.ts"
import { eventsOf, isAside, sentBy } from "../link/Wire.ts"
import { serverKeyOf } from "../server/Walk.ts"

/** Everything at one moment. */
export interface World {
  readonly client: State
  readonly server: Standing
  /** What is on its way to the server. On a pipe the first arrives first; over HTTP any may. */
  readonly toServer: ReadonlyArray<Sent>
  readonly toClient: ReadonlyArray<Coming>
  /** The deadlines that run, by what they are of. */
  readonly running: ReadonlyArray<number | "negotiation">
  readonly nextFree: number
  /** How often the link may still misbehave. */
  readonly faultsLeft: number
  /** What the link did wrong, each kind once, in the order of the alphabet. */
  readonly blame: ReadonlyArray<Fault>
  /** The sessions whose ids reached the client. */
  readonly heardOf: ReadonlyArray<string>
  /** Whether the pipe is open: over HTTP always. */
  readonly pipe: "open" | "closed"
  /** Whether the opening probe's deadline passed. */
  readonly probeSilent: boolean
}

/** An answer on its way, with the request that it answers over HTTP. */
export interface Coming {
  readonly came: Came
  readonly to: Sent | undefined
}

/** What a link can do wrong. */
export type Fault = "cut" | "delay" | "duplicate" | "end" | "lose"

/** A pair on a medium. */
export interface Pair {
  readonly id: string
  readonly policy: Policy
  readonly medium: Medium
  readonly peer: Peer<Standing>
}

/** Returns the beginning: the client has opened, and its first request is on its way. */
export const begin = ({ medium, peer, policy }: Pair, faults: number): World => {
  const { commands, state } = Client.begin(policy, medium)
  const empty: World = {
    client: state,
    server: peer.begin(),
    toServer: [],
    toClient: [],
    running: [],
    nextFree: Client.firstFreeExchange,
    faultsLeft: faults,
    blame: [],
    heardOf: [],
    pipe: "open",
    probeSilent: false
  }
  return perform({ medium, peer }, empty, commands)
}

/** What a step of the world says. */
export interface WorldLabel {
  readonly what: string
}

/** Returns everything that can happen next. Nothing, once the client has ended and all that it sent has arrived. */
export const next = (pair: Pair, world: World): ReadonlyArray<WorldLabel & { readonly state: World }> => {
  const found: Array<WorldLabel & { readonly state: World }> = []
  const add = (what: string, state: World): void => void found.push({ what, state })
  const inOrder = pair.medium.streams === "shared"
  const ended = Client.isEnding(world.client)

  for (const [index, sent] of world.toServer.entries()) {
    if (index === 0 || !inOrder) add(`the server hears ${say(sent)}`, hear(pair, world, index))
    if (world.faultsLeft > 0) {
      add(`the link loses ${say(sent)}`, fault(without(world, "toServer", index), "lose"))
      add(`the link repeats ${say(sent)}`, fault({ ...world, toServer: [...world.toServer, sent] }, "duplicate"))
    }
  }
  if (!ended) {
    for (const [index, coming] of world.toClient.entries()) {
      if (index === 0 || !inOrder) add(`the client hears ${sayCame(coming.came)}`, listen(pair, world, index))
      if (world.faultsLeft > 0) {
        add(`the link loses ${sayCame(coming.came)}`, fault(without(world, "toClient", index), "lose"))
        add(
          `the link repeats ${sayCame(coming.came)}`,
          fault({ ...world, toClient: [...world.toClient, coming] }, "duplicate")
        )
      }
    }
    found.push(...time(pair, world), ...breaks(pair, world))
  } else if (world.toServer.length === 0 && world.client._tag === "Failed" && inOrder && world.pipe === "open") {
    add("the client closes the pipe", { ...world, server: pair.peer.hangUp(world.server), pipe: "closed" })
  }
  return found
}

// A deadline may pass at any time. Where something is still on its way, the link was slow; where nothing is, it was lost.
const time = (pair: Pair, world: World): ReadonlyArray<WorldLabel & { readonly state: World }> => {
  const slow = world.toServer.length > 0 || world.toClient.length > 0
  if (slow && world.faultsLeft === 0) return []
  return world.running.map((of) => {
    const passed: World = { ...world, running: world.running.filter((other) => other !== of) }
    const opening = world.client._tag === "Discovering" && of === 1
    const state = feed(
      pair,
      { ...(slow ? fault(passed, "delay") : passed), probeSilent: passed.probeSilent || opening },
      [{ _tag: "DeadlinePassed", of, waitedMillis: 1 }]
    )
    return { what: `the deadline of ${of === "negotiation" ? "the whole" : `#${of}`} passes`, state }
  })
}

const breaks = (pair: Pair, world: World): ReadonlyArray<WorldLabel & { readonly state: World }> => {
  if (world.faultsLeft === 0) return []
  if (pair.medium.streams === "shared") {
    if (world.pipe === "closed") return []
    const gone: World = { ...world, server: pair.peer.hangUp(world.server), toServer: [], pipe: "closed" }
    const cut = feed(pair, fault({ ...gone, toClient: [] }, "cut"), [{ _tag: "Closed", stderr: "" }])
    const exited: Coming = { came: { _tag: "Exited", exitCode: 0, stderr: "" }, to: undefined }
    return [
      { what: "the pipe is cut", state: cut },
      {
        what: "the server ends, and what it wrote arrives",
        state: fault({ ...gone, toClient: [...gone.toClient, exited] }, "end")
      }
    ]
  }
  const lost = (exchange: number, rest: World) =>
    feed(pair, fault(rest, "cut"), [{ _tag: "Lost", exchange, cause: "The connection was cut." }])
  return [
    ...world.toServer.map((sent, index) => ({
      what: `the connection is cut before ${say(sent)} arrives`,
      state: lost(sent.exchange, without(world, "toServer", index))
    })),
    ...world.toClient.flatMap(({ came }, index) =>
      came._tag === "Answer"
        ? [
            {
              what: `the connection is cut before ${sayCame(came)} arrives`,
              state: lost(came.exchange, without(world, "toClient", index))
            }
          ]
        : []
    )
  ]
}

const hear = ({ medium, peer }: Pair, world: World, index: number): World => {
  const sent = world.toServer[index]
  if (sent === undefined) return world
  const heard = peer.hear(world.server, sent, medium)
  const to = medium.streams === "shared" ? undefined : sent
  const coming = heard.came.map((came) => ({ came, to }))
  return {
    ...without(world, "toServer", index),
    server: heard.state,
    // Nobody listens any more once the client has ended.
    toClient: Client.isEnding(world.client) ? [] : [...world.toClient, ...coming]
  }
}

const listen = (pair: Pair, world: World, index: number): World => {
  const coming = world.toClient[index]
  if (coming === undefined) return world
  const { came, to } = coming
  const session = came._tag === "Answer" ? came.headers["mcp-session-id"] : undefined
  const heardOf =
    session === undefined || world.heardOf.includes(session) ? world.heardOf : [...world.heardOf, session].toSorted()
  return feed(pair, { ...without(world, "toClient", index), heardOf }, eventsOf(came, to?.outgoing))
}

const feed = (pair: Pair, world: World, events: ReadonlyArray<Event>): World => {
  let at = world
  for (const event of events) {
    if (Client.isEnding(at.client)) break
    if (isAside(event)) continue
    const { commands, state } = Client.step(pair.policy, pair.medium, at.client, event)
    at = perform(pair, { ...at, client: state }, commands)
  }
  return Client.isEnding(at.client) ? { ...at, toClient: [], running: [] } : at
}

const perform = (
  { medium, peer }: Pick<Pair, "medium" | "peer">,
  world: World,
  commands: ReadonlyArray<Command>
): World => {
  let { nextFree, pipe, running, server, toClient, toServer } = world
  for (const command of commands) {
    switch (command._tag) {
      case "StartDeadline":
        running = running.concat(command.of)
        break
      case "ClearDeadline":
        running = running.filter((of) => of !== command.of)
        break
      case "Reopen":
        server = peer.begin()
        toServer = []
        toClient = []
        pipe = "open"
        break
      default: {
        const sent = sentBy(medium, command, () => nextFree)
        if (sent === undefined || pipe === "closed") break
        nextFree = Math.max(nextFree, sent.exchange + 1)
        toServer = toServer.concat(sent)
      }
    }
  }
  return { ...world, nextFree, pipe, running, server, toClient, toServer }
}

const without = (world: World, side: "toServer" | "toClient", index: number): World => ({
  ...world,
  [side]: world[side].toSpliced(index, 1)
})

const fault = (world: World, kind: Fault): World => ({
  ...world,
  faultsLeft: world.faultsLeft - 1,
  blame: world.blame.includes(kind) ? world.blame : [...world.blame, kind].toSorted()
})

/** Returns the key of a world: everything that decides how it goes on. */
export const worldKey = (world: World): string =>
  [
    keyOf(world.client),
    serverKeyOf(world.server.pipe),
    ...Object.entries(world.server.sessions).map(([id, state]) => `${id}: ${serverKeyOf(state)}`),
    world.toServer.map((sent) => `${sent.exchange}>${say(sent)}`).join("; "),
    world.toClient.map(({ came }) => sayCame(came)).join("; "),
    world.running.join(),
    world.faultsLeft,
    world.blame.join(),
    world.heardOf.join(),
    world.pipe,
    world.probeSilent ? "silent" : ""
  ].join(" | ")

const say = ({ exchange, headers, httpMethod, text }: Sent): string =>
  text === undefined ? `${httpMethod} ${headers["mcp-session-id"] ?? ""}` : `#${exchange} ${brief(text)}`

const sayCame = (came: Came): string => {
  switch (came._tag) {
    case "Line":
      return brief(came.text)
    case "Answer":
      return `#${came.exchange} ${came.status} ${came.headers["mcp-session-id"] ?? ""} ${brief(came.text ?? "")}`
    case "Exited":
      return "the end of the process"
  }
}

// The whole text tells worlds apart; for people its beginning would do, but keys must not lie.
const brief = (text: string): string => {
  const parsed: unknown = text === "" ? undefined : JSON.parse(text)
  if (typeof parsed !== "object" || parsed === null) return text
  const id = "id" in parsed ? `${JSON.stringify(parsed.id)} ` : ""
  if ("method" in parsed) return `${id}${String(parsed.method)} ${"params" in parsed ? versionsIn(parsed.params) : ""}`
  if ("error" in parsed) return `${id}error ${JSON.stringify(parsed.error)}`
  return `${id}result ${"result" in parsed ? versionsIn(parsed.result) : ""}`
}

const versionsIn = (value: unknown): string => (JSON.stringify(value) ?? "").match(/\d{4}-\d{2}-\d{2}/g)?.join() ?? ""
