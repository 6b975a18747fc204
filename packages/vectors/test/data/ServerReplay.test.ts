// The server's machine takes every step of the data file as it is written, with its words, its commands and its next state.
import { describe, expect, it } from "vitest"
import { serverStepsFile } from "@parley/vectors/data/ServerSteps"
import { serverSubjects } from "@parley/vectors/server/Subjects"
import { serverWalk } from "@parley/vectors/server/Walk"
import { json, list } from "./read.ts"

describe("The server's steps", () => {
  const written = list(json("server.steps.json")["steps"])
  const told = serverSubjects.filter(({ profile }) => profile !== "sessionless")

  it.each(told.map((subject) => [subject.id, subject] as const))("of %s are as they are written", (id, subject) => {
    const own = written.filter((step) => id === `${String(step["profile"])}@${String(step["carrier"])}`)
    expect(own.length).toBeGreaterThan(20)
    const taken = list(JSON.parse(JSON.stringify(serverStepsFile([serverWalk(subject)])["steps"])))
    for (const [index, step] of own.entries()) expect(taken[index]).toEqual(step)
    expect(taken.length).toBe(own.length)
  })
})
