// The data is true: whoever has nothing but the files and the machines finds every step and every conversation again.
import { describe, expect, it } from "vitest"
import { isObject } from "@parley/core/Message"
import * as Medium from "@parley/core/Medium"
import * as Client from "@parley/core/client/Client"
import type { Event } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import type { State } from "@parley/core/client/State"
import { shown, stateId } from "@parley/vectors/data/ClientSteps"
import { walkBudgets } from "@parley/vectors/Subjects"
import { parley } from "@parley/vectors/link/Peer"
import type { Sent } from "@parley/vectors/link/Wire"
import { eventsOf, sentBy } from "@parley/vectors/link/Wire"
import { profiles } from "@parley/vectors/server/Subjects"
import type { Json } from "./read.ts"
import { json, list, object, word } from "./read.ts"

const mediumOf = (name: unknown): Medium.Medium => (name === "stdio" ? Medium.stdio : Medium.http)
const policyOf = (name: unknown): Policy.Policy => {
  const text = word(name)
  return Policy.presets[text] ?? Policy.pinned(text.replace("pinned:", ""))
}
const walkedOf = (name: unknown): Policy.Policy => Policy.withBudgets(policyOf(name), walkBudgets)

describe("Replay", () => {
  const data = json("client.steps.json")
  const events = object(data["events"])
  const states = object(data["states"])

  // What is in the file is what an Event looks like; the schema and the walk have said so.
  const eventOf = (id: unknown): Event => events[word(id)] as Event

  const arrive = (policy: Policy.Policy, medium: Medium.Medium, id: string): State => {
    let { state } = Client.begin(policy, medium)
    const { via } = object(states[id])
    if (!Array.isArray(via)) throw new Error(`no way to ${id}`)
    for (const event of via) ({ state } = Client.step(policy, medium, state, eventOf(event)))
    return state
  }

  const written = (state: State): unknown => JSON.parse(JSON.stringify(shown(state)))
  const stateOf = (id: unknown): unknown => object(states[word(id)])["state"]

  it("tells the budgets that people have, and those of the walk beside them", () => {
    expect(data["walkBudgets"]).toEqual(walkBudgets)
    expect(json("conversations.json")["walkBudgets"]).toEqual(walkBudgets)
    for (const [name, row] of Object.entries(object(data["policies"]))) {
      expect(object(row)["budgets"]).toEqual({ ...policyOf(name).budgets })
    }
  })

  it("leads to every state by the way that it tells, and to exactly that state", () => {
    expect(Object.keys(states).length).toBeGreaterThan(500)
    for (const id of Object.keys(states)) {
      const [policy, medium] = id.slice(0, id.indexOf("/")).split("@")
      expect({ id, state: written(arrive(walkedOf(policy), mediumOf(medium), id)) }).toEqual({ id, state: stateOf(id) })
    }
  })

  const steps = list(data["steps"])
  const subjects = [...new Set(steps.map(({ medium, policy }) => `${word(policy)}@${word(medium)}`))]

  it.each(subjects)("finds every step of %s again, by the way that the file tells", (subject) => {
    const own = steps.filter(({ medium, policy }) => subject === `${word(policy)}@${word(medium)}`)
    let found = 0
    for (const step of own) {
      const policy = walkedOf(step["policy"])
      const medium = mediumOf(step["medium"])
      const from = arrive(policy, medium, word(step["from"]))
      expect(`${subject}/${stateId(from)}`).toBe(step["from"])
      expect(written(from)).toEqual(stateOf(step["from"]))
      const next = Client.step(policy, medium, from, eventOf(step["event"]))
      expect(`${subject}/${stateId(next.state)}`).toBe(step["next"])
      // What an awaiting state remembers may read otherwise; an ending is what the file says, word for word.
      if (Client.isEnding(next.state)) expect(written(next.state)).toEqual(stateOf(step["next"]))
      expect(JSON.parse(JSON.stringify(next.commands))).toEqual(step["commands"])
      expect([next.trace?.move, next.trace?.because]).toEqual([step["move"], step["because"]])
      found += 1
    }
    expect(found).toBe(own.length)
    expect(found).toBeGreaterThan(20)
  })

  it.each(["auto", "hermes", "discoverFirst", "stateless", "handshakeOnly", "pinned:2026-07-28", "pinned:2025-11-25"])(
    "holds every conversation of %s as it is written",
    (policy) => {
      const own = list(json("conversations.json")["client"]).filter(({ policies }) =>
        String(policies).split(",").includes(policy)
      )
      expect(own.length).toBeGreaterThan(20)
      for (const conversation of own) {
        const outcome = hold(walkedOf(policy), conversation)
        // Where it needs the bounds of the walk it says so; it holds with those that people have otherwise.
        const { bounds, id } = conversation
        const holdsWithOwn = (): void =>
          expect({ id, outcome: hold(policyOf(policy), conversation) }).toEqual({ id, outcome })
        if (bounds === undefined) holdsWithOwn()
        else expect(holdsWithOwn).toThrow("to deeply equal")
        expect({ id: conversation["id"], outcome }).toEqual({
          id: conversation["id"],
          outcome: conversation["outcome"]
        })
      }
    }
  )

  it("finds every answer of the server again", () => {
    for (const { medium, profile, turns } of list(json("conversations.json")["server"])) {
      const compiled = profiles[word(profile)]
      if (compiled === undefined) throw new Error(`no profile ${String(profile)}`)
      const peer = parley(word(profile), compiled)
      let state = peer.begin()
      for (const turn of list(turns)) {
        const said = object(turn["in"])
        const heard = peer.hear(state, sentOf(said), mediumOf(medium))
        state = heard.state
        const [first] = heard.came
        const out = object(turn["out"])
        if ("handled" in out)
          expect(first !== undefined && "text" in first && first.text?.includes('"result"')).toBe(true)
        else if ("lines" in out) expect(heard.came.map((one) => ("text" in one ? one.text : ""))).toEqual(out["lines"])
        else expect(first?._tag === "Answer" ? first.status : undefined).toBe(out["status"])
      }
    }
  })
})

const sentOf = (said: Json): Sent => ({
  exchange: 1,
  httpMethod: (said["method"] ?? "POST") as Sent["httpMethod"],
  headers: object(said["headers"] ?? {}) as Sent["headers"],
  text: (said["text"] ?? said["line"]) as string | undefined,
  outgoing: { _tag: "Delete", exchange: 1, headers: {} }
})

/** Holds a conversation with the script as the server; returns the outcome. */
const hold = (policy: Policy.Policy, conversation: Json): unknown => {
  const medium = mediumOf(conversation["medium"])
  const sent = new Map<number, Sent>()
  const outs: Array<unknown> = []
  let free = Client.firstFreeExchange
  const opening = Client.begin(policy, medium)
  let { state } = opening
  const speak = (commands: typeof opening.commands): void => {
    for (const command of commands) {
      if (command._tag === "Reopen") outs.push({ reopen: true })
      const one = sentBy(medium, command, () => free++)
      if (one === undefined) continue
      sent.set(one.exchange, one)
      const { headers, httpMethod: method, text } = one
      outs.push(
        medium.streams === "shared" ? { line: text } : { method, headers, ...(text === undefined ? {} : { text }) }
      )
    }
  }
  speak(opening.commands)
  for (const turn of list(conversation["turns"])) {
    if ("out" in turn) {
      expect(outs.shift()).toEqual(turn["out"])
      continue
    }
    expect(outs).toEqual([])
    const exchange = Client.isEnding(state) ? 0 : state.ledger.exchanges
    for (const event of told(object(turn["in"]), exchange, sent.get(exchange))) {
      const next = Client.step(policy, medium, state, event)
      state = next.state
      speak(next.commands)
    }
  }
  expect(outs).toEqual([])
  if (state._tag === "Settled") {
    const { named, version } = state
    return { agreed: { version, named, era: version > "2025-11-25" ? "modern" : "legacy" } }
  }
  if (state._tag !== "Failed") return state._tag
  const { _tag, fault, retryable } = state.reason
  const { facts } = object(object(conversation["outcome"])["failed"])
  for (const [name, value] of Object.entries(object(facts))) {
    const own: unknown = Reflect.get(state.reason, name)
    expect(name === "cause" ? Reflect.get(object(own), "_tag") : own).toEqual(value)
  }
  return { failed: { error: _tag, fault, retryable, facts } }
}

const told = (said: Json, exchange: number, sent: Sent | undefined): ReadonlyArray<Event> => {
  if ("line" in said) return eventsOf({ _tag: "Line", text: word(said["line"]) }, undefined)
  if ("silentMillis" in said) {
    return [{ _tag: "DeadlinePassed", of: exchange, waitedMillis: Number(said["silentMillis"]) }]
  }
  if ("cut" in said) return [{ _tag: "Lost", exchange, cause: "The connection was cut." }]
  if (isObject(said["ended"])) {
    const { exitCode, signal } = said["ended"]
    return [
      {
        _tag: "Closed",
        stderr: "",
        ...(typeof exitCode === "number" ? { exitCode } : undefined),
        ...(typeof signal === "string" ? { signal } : undefined)
      }
    ]
  }
  const headers = object(said["headers"])
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, word(value)]))
  const text = said["text"] === undefined ? undefined : word(said["text"])
  return eventsOf({ _tag: "Answer", exchange, status: Number(said["status"]), headers: texts, text }, sent?.outgoing)
}
