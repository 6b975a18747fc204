// `parley matrix` as a real process against real servers of other people: the table, the documents, the exit code.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Row } from "@parley/cli/Matrix"
import { dangerous, hostile } from "./Fixture.ts"
import { host, parley, type Running, serve, startHost } from "./Program.ts"

const rowsOf = (stdout: string): ReadonlyArray<Row> => JSON.parse(stdout).rows
const supportOf = (row: Row | undefined) =>
  Object.fromEntries((row?.revisions ?? []).map(({ support, version }) => [version, support]))

describe("parley matrix", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-matrix-"))
  const file = (name: string, value: unknown): string => {
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value))
    return join(folder, name)
  }
  let dual: Running
  let evil: Running
  beforeAll(async () => {
    ;[dual, evil] = await Promise.all([
      startHost("sdk2.ts", "http", "dual"),
      serve((request, response) => {
        request.resume()
        request.on("end", () => {
          response.writeHead(200, { "content-type": "application/json" })
          response.end(
            JSON.stringify({
              jsonrpc: "2.0",
              id: "parley-1",
              result: {
                protocolVersion: "2025-11-25",
                capabilities: { [`<script>${hostile}`]: {} },
                serverInfo: { name: `<b>|${hostile}`, version: "1" }
              }
            })
          )
        })
      })
    ])
  }, 60_000)
  afterAll(async () => {
    await Promise.all([dual.stop(), evil.stop()])
    rmSync(folder, { recursive: true })
  })

  it("finds what a legacy and a dual-era server support, and writes a table and a page", async () => {
    const targets = file("both.json", {
      mcpServers: {
        old: { command: process.execPath, args: [host("sdk1.ts"), "stdio"], env: { API_TOKEN: "hidden-secret-1" } },
        both: { url: dual.url, headers: { Authorization: "Bearer hidden-secret-2" } }
      }
    })
    const page = join(folder, "matrix.html")
    const { code, stderr, stdout } = await parley(["matrix", targets, "--json", "--html", page])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const [old, both] = rowsOf(stdout)
    expect(old).toMatchObject({
      name: "old",
      carrier: "stdio",
      reached: true,
      eras: ["legacy"],
      prefers: "2025-11-25",
      capabilities: ["tools"]
    })
    expect(supportOf(old)).toEqual({
      "2024-11-05": "agreed",
      "2025-03-26": "agreed",
      "2025-06-18": "agreed",
      "2025-11-25": "agreed",
      "2026-07-28": "refused"
    })
    expect(old?.refuses).toEqual({ legacy: "names 2025-11-25" })
    expect(both).toMatchObject({ name: "both", eras: ["legacy", "modern"], prefers: "2026-07-28" })
    expect(supportOf(both)["2026-07-28"]).toBe("agreed")
    expect(both?.refuses.modern).toContain("-32022")
    const html = readFileSync(page, "utf8")
    expect(html).toContain('<th scope="row">both<small>says it is parley-demo-sdk2-dual 2.4.0</small>')
    expect(html).toContain('<span class="chip modern">2026-07-28</span>')
    expect(stdout + html).not.toContain("hidden-secret")
    expect(html).not.toMatch(/src=|href=/)
  })

  it("says which server was not reached, with exit code 1, and tells of the others", async () => {
    const { code, stdout } = await parley(["matrix", file("dead.json", ["http://127.0.0.1:1/mcp", dual.url])])
    expect(code).toBe(1)
    expect(stdout).toMatch(/127\.0\.0\.1:1\S* +not reached: TransportFailure/)
    expect(stdout).toContain("1 of 2 servers reached")
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
  })

  it("writes what a hostile server says as text, in Markdown, in HTML and on the terminal", async () => {
    const page = join(folder, "evil.html")
    const targets = file("evil.json", [{ name: "evil", url: evil.url }])
    const { stdout } = await parley(["matrix", targets, "--markdown", "--html", page])
    expect(stdout.split("\n").filter((line) => line.startsWith("|"))).toHaveLength(3)
    expect(stdout).not.toMatch(dangerous)
    expect(stdout + readFileSync(page, "utf8").replace(/<style>[^]*<\/style>/, "")).not.toMatch(/<script|<b>/)
  })

  it.each([
    ["a file that is not there", "/nowhere/targets.json", "cannot be read"],
    ["a file that is no JSON", file("no.json", "{"), "is no JSON"],
    ["a list without servers", file("empty.json", []), "names no server"],
    ["an object that is no list", file("object.json", { servers: 1 }), "mcpServers"],
    ["a server without url and command", file("bare.json", { mcpServers: { x: {} } }), "x: It has neither"],
    ["a URL of another scheme", file("ftp.json", [{ url: "ftp://example.com" }]), "not ftp:"]
  ])("refuses %s with exit code 2", async (_, path, problem) => {
    const { code, stderr, stdout } = await parley(["matrix", path])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(problem)
    expect(stderr).toContain("See parley matrix --help")
  })
})
