// The codecs of core against what its machines really make: every event, evidence, state, command and trace of the data
// files goes through JSON and comes back as it was. Values that codecs make up by themselves cannot show a misspelt word.
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Schemas from "@parley/core/Schemas"
import * as Medium from "@parley/core/Medium"
import * as Client from "@parley/core/client/Client"
import type { Event } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import { weigh } from "@parley/core/client/Weigh"
import type { State } from "@parley/core/client/State"
import * as Profile from "@parley/core/server/Profile"
import { toReason } from "@parley/core/server/Refusal"
import { serverSubjects } from "@parley/vectors/server/Subjects"
import { serverWalk } from "@parley/vectors/server/Walk"
import { walkBudgets } from "@parley/vectors/Subjects"
import { json, list, object, word } from "./read.ts"

describe("The codecs of the client", () => {
  const data = json("client.steps.json")
  const events = object(data["events"])

  it("take every event of the data as it is", () => {
    let seen = new Set<unknown>()
    for (const [id, event] of Object.entries(events)) {
      expect([id, back(Schemas.Client.Event, event)]).toEqual([id, event])
      seen = seen.add(object(event)["_tag"])
    }
    expect(seen.size).toBeGreaterThan(5)
  })

  const subjects = [...new Set(list(data["steps"]).map(({ medium, policy }) => `${word(policy)}@${word(medium)}`))]

  it.each(subjects)("carry every state, evidence, command and trace of %s", (subject) => {
    const [name = "", carrier] = subject.split("@")
    const medium = carrier === "stdio" ? Medium.stdio : Medium.http
    const policy = Policy.withBudgets(Policy.presets[name] ?? Policy.pinned(name.replace("pinned:", "")), walkBudgets)
    // The file's events are Events: the test above has read each.
    const step = (state: State, id: unknown) => Client.step(policy, medium, state, events[word(id)] as Event)
    const once = unseen()
    for (const [id, { via }] of Object.entries(object(data["states"])).map(
      ([id, state]) => [id, object(state)] as const
    )) {
      if (!id.startsWith(`${subject}/`) || !Array.isArray(via)) continue
      let { state } = Client.begin(policy, medium)
      for (const event of via) {
        const next = step(state, event)
        if (!Client.isEnding(state))
          same(Schemas.Client.Evidence, weigh(policy, medium, state, events[word(event)] as Event))
        for (const command of next.commands) if (once(command)) same(Schemas.Client.Command, command)
        if (next.trace !== undefined && once(next.trace)) same(Schemas.TraceEntry, next.trace)
        state = next.state
      }
      if (once(state)) same(Schemas.Client.State, state)
    }
    expect(once.count()).toBeGreaterThan(20)
    same(Schemas.Medium, medium)
  })
})

describe("The codecs of the server", () => {
  it.each(serverSubjects.map((subject) => [subject.id, subject] as const))("carry all that %s makes", (_, subject) => {
    const once = unseen()
    for (const { commands, evidence, occurrence, state } of serverWalk(subject).steps) {
      if (once(occurrence.event)) same(Schemas.Server.Event, occurrence.event)
      if (once(evidence)) same(Schemas.Server.Evidence, evidence)
      if (once(state)) same(Schemas.Server.State, state)
      for (const command of commands) {
        if (once(command)) same(Schemas.Server.Command, command)
        if (command._tag === "Refuse" && once(command.refusal.problem)) {
          same(Schemas.AdmissionReason, toReason(command.refusal.problem))
        }
      }
    }
    expect(once.count()).toBeGreaterThan(20)
  })

  it("carry every profile, whatever its owner has chosen", () => {
    const given = { serverInfo: { name: "s", version: "1" }, capabilities: { tools: {} } }
    for (const profile of [
      Profile.dual(given),
      Profile.modernOnly(given),
      Profile.handshakeOnly(given),
      Profile.dual({ ...given, sessions: "none", streams: "none", interleave: "refuse" })
    ]) {
      const { toolHeaders: _, ...told } = profile
      same(Schemas.Server.ProfileData, told)
    }
  })
})

const back = <T>(codec: Schema.Codec<T, unknown>, value: unknown): unknown =>
  JSON.parse(JSON.stringify(Schema.encodeUnknownSync(codec)(Schema.decodeUnknownSync(codec)(value))))

const same = <T>(codec: Schema.Codec<T, unknown>, value: T): void => {
  const written: unknown = JSON.parse(JSON.stringify(Schema.encodeUnknownSync(codec)(value)))
  expect(plain(Schema.decodeUnknownSync(codec)(written))).toEqual(plain(value))
}

// Errors are compared by their fields: where they were made is no part of what they say.
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === undefined || typeof member === "function" || beyond.has(key) ? [] : [[key, plain(member)]]
    )
  )
}

// A refusal's ground is often a whole rung. What a rung has beyond a ground is the ladder's own, and no part of the data.
const beyond = new Set(["judges", "sign", "stage"])

/** Tells which values have not been seen: walks meet the same ones many times. */
const unseen = (): ((value: unknown) => boolean) & { readonly count: () => number } => {
  const seen = new Set<string>()
  const once = (value: unknown): boolean => {
    const before = seen.size
    seen.add(JSON.stringify(value))
    return seen.size > before
  }
  return Object.assign(once, { count: () => seen.size })
}
