// What is committed of the field: its pages are drawn from its data, and a part of it, asked again, says the same.
import type { Row as ServerRow } from "@parley/cli/Matrix"
import type { ClientRow } from "@parley/cli/render/ClientPage"
import * as Field from "@parley/interop/field/Field"
import * as Roster from "@parley/interop/field/Roster"
import * as Survey from "@parley/interop/field/Survey"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const folder = join(Roster.root, "docs/field")
const text = (name: string): Promise<string> => readFile(join(folder, name), "utf8")
const servers = await Field.load<ServerRow>(folder, "servers")
const clients = await Field.load<ClientRow>(folder, "clients")

describe("what is committed of the field", () => {
  it.each([
    ["servers", Field.textOf(servers), Field.pagesOfServers(servers)],
    ["clients", Field.textOf(clients), Field.pagesOfClients(clients)]
  ])("of %s is drawn from its data", async (name, data, pages) => {
    expect(await text(`${name}.json`)).toBe(data)
    expect(await text(`${name}.md`)).toBe(pages.markdown)
    expect(await text(`${name}.html`)).toBe(pages.html)
  })

  it("has a row for every server and client of the roster that needs Node alone", () => {
    expect(servers.rows.map(Field.serverKey)).toEqual(expect.arrayContaining(Roster.servers.map(Field.serverKey)))
    const expected = Roster.clients.flatMap(({ carriers, mode, name }) =>
      carriers.map((transport) => `${name}, ${mode}, ${transport}`)
    )
    const found = clients.rows.map(({ mode, name, observed }) => `${name}, ${mode}, ${observed.transport}`)
    expect(found).toEqual(expect.arrayContaining(expected))
  })
})

describe("the field, asked again", () => {
  it("finds the same in two servers", { timeout: 120_000 }, async () => {
    const asked = Roster.servers.filter(
      ({ carrier, name }) =>
        (name === "TypeScript SDK 1.32.2" && carrier === "stdio") ||
        (name === "TypeScript SDK 2.4.0, both eras" && carrier === "http")
    )
    expect(asked).toHaveLength(2)
    const found = await Effect.runPromise(Survey.servers(asked))
    const before = asked.map((one) => servers.rows.find((row) => Field.serverKey(row) === Field.serverKey(one)))
    const facts = (row: ServerRow | undefined) => ({ ...row, verified: undefined })
    expect(found.map(facts)).toEqual(before.map(facts))
  })

  it.each([
    ["TypeScript SDK 1.32.2", "only"],
    ["effect/ai 4.1.0", "2026-07-28"]
  ])("finds the same in the client %s, %s", { timeout: 120_000 }, async (name, mode) => {
    const asked = Roster.clients.find((one) => one.name === name && one.mode === mode)
    if (asked === undefined) throw new Error("it is not in the roster")
    const found = await Effect.runPromise(Survey.client({ ...asked, carriers: ["http"] }))
    const before = clients.rows.filter(
      (row) => row.name === name && row.mode === mode && row.observed.transport === "http"
    )
    const facts = ({ ends, observed }: ClientRow) => ({ ends, ...observed, verified: undefined })
    expect(found.map(facts)).toEqual(before.map(facts))
    expect(found).toHaveLength(1)
  })
})
