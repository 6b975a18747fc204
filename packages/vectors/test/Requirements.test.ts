// The requirements: each has an owner, every owner exists, and two that nothing else keeps are kept here.
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { isObject, isSuccess, Method } from "@parley/core/Message"
import { allVersions } from "@parley/core/Version"
import * as Client from "@parley/core/client/Client"
import type { Event } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import { grounds } from "@parley/core/server/Grounds"
import { ladder } from "@parley/core/server/Ladder"
import * as Server from "@parley/core/server/Server"
import { cells, isMarkedUnreachable } from "@parley/vectors/Cells"
import { keyOf } from "@parley/vectors/Key"
import { clientLaws } from "@parley/vectors/Laws"
import { pairLaws } from "@parley/vectors/product/Laws"
import { requirements } from "@parley/vectors/requirements/All"
import { leftOut } from "@parley/vectors/requirements/LeftOut"
import type { Owner } from "@parley/vectors/requirements/Requirement"
import { serverCells } from "@parley/vectors/server/Cells"
import { serverLaws } from "@parley/vectors/server/Laws"
import { serverSubjects } from "@parley/vectors/server/Subjects"
import { serverKeyOf, serverWalk } from "@parley/vectors/server/Walk"
import { subjects } from "@parley/vectors/Subjects"
import { isEnding, walk } from "@parley/vectors/Walk"
import { quick } from "./quick.ts"

const packages = fileURLToPath(new URL("../../", import.meta.url))

const caseIds = (): ReadonlySet<string> => {
  const folder = `${packages}testing/cases`
  const ids = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const data: unknown = JSON.parse(readFileSync(`${folder}/${name}`, "utf8"))
      const list: unknown = isObject(data) ? data["cases"] : data
      return Array.isArray(list) ? list.map((one) => (isObject(one) ? String(one["id"]) : "")) : []
    })
  return new Set(ids)
}

const known: { readonly [T in Exclude<Owner["_tag"], "Test">]: ReadonlySet<string> } = {
  Cell: new Set([...cells.filter((cell) => !isMarkedUnreachable(cell)), ...serverCells].map(({ id }) => id)),
  Law: new Set([...clientLaws, ...serverLaws, ...pairLaws].map(({ id }) => id)),
  Rung: new Set([...ladder, ...grounds].map(({ id }) => id)),
  Case: caseIds()
}

const texts = new Map<string, string>()
const textOf = (file: string): string => {
  const text = texts.get(file) ?? readFileSync(`${packages}${file}`, "utf8")
  texts.set(file, text)
  return text
}

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/.test(line)

// A title stands in a text of the file: what only a comment says is no test.
const isTitledIn = (file: string, title: string): boolean =>
  textOf(file)
    .split("\n")
    .some((line) => !isComment(line) && /["'`]/.test(line.split(title)[0] ?? "") && line.includes(title))

const exists = (owner: Owner): boolean =>
  owner._tag === "Test" ? isTitledIn(owner.file, owner.title) : known[owner._tag].has(owner.id)

describe("The requirements", () => {
  it("each has an owner, a place, words and revisions", () => {
    const bad = requirements.filter(
      ({ keptBy, place, revisions, says }) =>
        keptBy.length === 0 ||
        !place.includes("/") ||
        says.length < 10 ||
        revisions.length === 0 ||
        !revisions.every((version) => allVersions.includes(version))
    )
    expect(bad).toEqual([])
    expect(requirements.length).toBeGreaterThan(100)
    expect(leftOut.every(({ why }) => why.length > 20)).toBe(true)
  })

  it("every owner that is named exists", () => {
    const missing = requirements.flatMap(({ keptBy, says }) =>
      keptBy.filter((owner) => !exists(owner)).map((owner) => `${JSON.stringify(owner)} of: ${says}`)
    )
    expect(missing).toEqual([])
  })

  it("a title that stands in a comment alone is no owner", () => {
    const file = "vectors/test/Requirements.test.ts"
    expect(exists({ _tag: "Test", file, title: "every owner that is named exists" })).toBe(true)
    const comment = ["The requirements", "each has an owner"].join(": ")
    expect(textOf(file)).toContain(comment)
    expect(isTitledIn(file, comment)).toBe(false)
    expect(exists({ _tag: "Law", id: "no-such-law" })).toBe(false)
  })

  it.each(allVersions)("the pages of %s on messages, opening and transports all have some", (version) => {
    const places = requirements.filter(({ revisions }) => revisions.includes(version)).map(({ place }) => place)
    const opening = version === "2026-07-28" ? ["basic/versioning", "server/discover"] : ["basic/lifecycle"]
    const http = version === "2026-07-28" ? ["basic/transports/stdio", "basic/transports/streamable-http"] : []
    const messages = version === "2024-11-05" ? "basic/messages" : "basic/index"
    const pages = [messages, ...opening, "basic/transports", ...http]
    expect(pages.filter((page) => !places.some((place) => place.split("#")[0] === page))).toEqual([])
  })

  it("no demand stands twice at one place", () => {
    const keys = requirements.map(({ place, revisions, says, who }) => `${revisions.join()} ${place} ${who} ${says}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it("every law of the server, and every rung, keeps something", () => {
    const owners = new Set(
      requirements.flatMap(({ keptBy }) => keptBy.map((one) => (one._tag === "Test" ? "" : one.id)))
    )
    const idle = ladder.map(({ id }) => id).filter((id) => !owners.has(id))
    // Bounds and JSON itself are ours: the specification does not speak of them.
    expect(idle.toSorted()).toEqual(["json", "size"])
    expect(serverLaws.map(({ id }) => id).filter((id) => !owners.has(id))).toEqual([])
  })
})

describe("What nothing else keeps", () => {
  it("a refusal uses no code that is reserved, withdrawn or of the past", () => {
    const codes = [...new Set([...ladder, ...grounds].map(({ code }) => code))]
    const reserved = codes.filter((code) => code <= -32020 && code >= -32099)
    expect(reserved.toSorted()).toEqual([-32020, -32021, -32022])
    expect(codes.filter((code) => code <= -32000 && code > -32020)).toEqual([])
    expect(codes.filter((code) => code < -32099 && ![-32700, -32600, -32601, -32602, -32603].includes(code))).toEqual(
      []
    )
  })

  it("who a server says it is changes no decision of a client", () => {
    let compared = 0
    const otherwise: Array<string> = []
    for (const subject of subjects.filter(({ preset }) => preset)) {
      const { medium } = subject
      const policy = Policy.withBudgets(subject.policy, { outOfTurn: 0, noise: 0 })
      for (const { from, occurrence, to } of quick(() => walk({ ...subject, policy })).steps) {
        const other = renamed(occurrence.event)
        if (other === undefined || isEnding(from.state)) continue
        compared += 1
        const { state } = Client.step(policy, medium, from.state, other)
        if (keyOf(state) !== to.key) otherwise.push(`${subject.id} ${from.key} ${occurrence.id}`)
      }
    }
    expect(otherwise).toEqual([])
    expect(compared).toBeGreaterThan(1000)
  }, 120_000)

  it("who a client says it is changes no decision of a server", () => {
    let compared = 0
    for (const subject of serverSubjects) {
      for (const { commands, from, occurrence, to } of serverWalk(subject).steps) {
        const { event } = occurrence
        if (event._tag !== "Received" || from.state._tag === "Closed") continue
        const text = JSON.stringify(event.value)
        const value: unknown = JSON.parse(
          text.replaceAll('{"name":"client","version":"1.0.0"}', '{"name":"x","version":"9"}')
        )
        if (JSON.stringify(value) === text) continue
        compared += 1
        const next = Server.step(subject.compiled, from.state, { ...event, value })
        expect(serverKeyOf(next.state)).toBe(to.key)
        expect(next.commands.map(({ _tag }) => _tag)).toEqual(commands.map(({ _tag }) => _tag))
      }
    }
    expect(compared).toBeGreaterThan(500)
  })
})

const renamed = (event: Event): Event | undefined => {
  if (event._tag !== "Arrived" || !isSuccess(event.message)) return undefined
  const { message } = event
  if (message.result["serverInfo"] === undefined) return undefined
  return {
    ...event,
    message: { ...message, result: { ...message.result, serverInfo: { name: Method.Ping, version: "9" } } }
  }
}
