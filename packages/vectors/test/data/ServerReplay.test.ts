// The server's machine takes every step of the data file as it is written, with its words, its commands and its next state.
import { describe, expect, it } from "vitest"
import { serverStepsFile, stateId } from "@parley/vectors/data/ServerSteps"
import * as Server from "@parley/core/server/Server"
import { serverOccurrences } from "@parley/vectors/server/Occurrences"
import { serverSubjects } from "@parley/vectors/server/Subjects"
import { serverWalk } from "@parley/vectors/server/Walk"
import { json, list, object, word, words } from "./read.ts"

describe("The server's steps", () => {
  const data = json("server.steps.json")
  const written = list(data["steps"])
  const moves = Object.fromEntries(Object.entries(object(data["moves"])).map(([name, told]) => [name, word(told)]))
  const told = serverSubjects.filter(({ profile }) => profile !== "sessionless")

  it.each(told.map((subject) => [subject.id, subject] as const))("of %s are as they are written", (id, subject) => {
    const own = written.filter((step) => id === `${String(step["profile"])}@${String(step["carrier"])}`)
    expect(own.length).toBeGreaterThan(20)
    const taken = list(JSON.parse(JSON.stringify(serverStepsFile([serverWalk(subject)], moves)["steps"])))
    for (const [index, step] of own.entries()) expect(taken[index]).toEqual(step)
    expect(taken.length).toBe(own.length)
  })

  it("lead to every state by the way that the file tells, and to exactly that state", () => {
    const states = Object.entries(object(data["states"]))
    expect(states.length).toBeGreaterThan(30)
    for (const [id, entry] of states) {
      const subject = told.find((one) => id.startsWith(`${one.id}/`))
      if (subject === undefined) throw new Error(`no subject of ${id}`)
      const occurrences = new Map(serverOccurrences(subject.carrier).map((one) => [one.id, one.event]))
      let { state } = Server.begin(subject.compiled)
      for (const name of words(object(entry)["via"])) {
        const event = occurrences.get(name.slice(subject.carrier.length + 1))
        if (event === undefined) throw new Error(`no event ${name}`)
        state = Server.step(subject.compiled, state, event).state
      }
      expect(`${subject.id}/${stateId(state)}`).toBe(id)
      expect(JSON.parse(JSON.stringify(state))).toEqual(object(entry)["state"])
    }
  })

  it("refer to states and openings that are there", () => {
    const states = object(data["states"])
    for (const { from, next } of written) expect(word(from) in states && word(next) in states).toBe(true)
    const openings = list(data["openings"])
    expect(openings.map(({ carrier, profile }) => `${String(profile)}@${String(carrier)}`)).toEqual(
      told.map(({ id }) => id)
    )
    for (const { next } of openings) expect(word(next) in states).toBe(true)
  })
})
