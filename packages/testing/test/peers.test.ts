import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { Case } from "@parley/testing/Case"
import * as CaseFile from "@parley/testing/CaseFile"

const load = (name: string) => CaseFile.load(fileURLToPath(new URL(`../cases/${name}.json`, import.meta.url)))
const initialize = await load("peers-1a")
const discover = await load("peers-1b")
const admission = await load("peers-2")

type Media = "both" | "http" | "stdio"

// The rows of the two tables of peers, and where each can happen.
const rowsOfInitialize: ReadonlyArray<[string, Media]> = [
  ["ok, version offered", "both"],
  ["ok, older supported version", "both"],
  ["ok, names 2026-07-28", "both"],
  ["ok, names an unknown version", "both"],
  ["ok, wrong result shape", "both"],
  ["-32022, any data", "both"],
  ["-32601", "both"],
  ["-32602", "both"],
  ["-32600 / -32000 / other", "both"],
  ["-32020 / -32021", "both"],
  ["HTTP 400, no JSON-RPC", "http"],
  ["401 / 403", "http"],
  ["404", "http"],
  ["405", "http"],
  ["429 + Retry-After", "http"],
  ["5xx", "http"],
  ["redirect", "http"],
  ["200 non-JSON / broken JSON / 202", "http"],
  ["timeout (stdio or HTTP)", "both"],
  ["closed / process exit", "both"],
  ["stdout garbage first", "stdio"],
  ["SSE reply", "http"],
  ["wrong id", "both"],
  ["error with null id", "both"],
  ["server request / notification first", "both"]
]
const rowsOfDiscover: ReadonlyArray<[string, Media]> = [
  ["ok, overlap", "both"],
  ["ok, only unknown/legacy versions", "both"],
  ["ok, wrong shape", "both"],
  ["-32022, overlap", "both"],
  ["-32022, modern-only disjoint", "both"],
  ["-32022, legacy-only list", "both"],
  ["-32022, malformed/missing data", "both"],
  ["-32601 / -32602 / -32600 / -32000 / other", "both"],
  ["-32020 / -32021", "both"],
  ["HTTP 400 without JSON-RPC body", "http"],
  ["401, 403", "http"],
  ["404 bare", "http"],
  ["405", "http"],
  ["429 + Retry-After", "http"],
  ["5xx (with or without JSON-RPC)", "http"],
  ["redirect", "http"],
  ["200 non-JSON / broken JSON / 204", "http"],
  ["202", "http"],
  ["timeout, stdio", "stdio"],
  ["timeout, HTTP", "http"],
  ["closed, HTTP", "http"],
  ["closed / process exit, stdio", "stdio"],
  ["stdout garbage first", "stdio"],
  ["SSE reply / SSE ending without reply", "http"],
  ["wrong id", "both"],
  ["error with null id", "both"],
  ["server request / notification first", "both"],
  ["slow modern server (starts after the probe timeout)", "stdio"]
]

const rowsOfAdmission: ReadonlyArray<[string, Media]> = [
  ["initialize ok", "both"],
  ["initialize, unknown version", "both"],
  ["initialize naming 2026-07-28", "both"],
  ["initialize on a modern-only server", "both"],
  ["initialize without protocolVersion, clientInfo, capabilities or params", "both"],
  ["initialize twice", "both"],
  ["request before initialize, stdio", "stdio"],
  ["request before initialize, HTTP", "http"],
  ["request before notifications/initialized", "both"],
  ["ping before initialize", "both"],
  ["initialize, id null", "both"],
  ["initialize, id missing", "both"],
  ["batch (legacy)", "both"],
  ["batch with a modern element", "both"],
  ["modern request, full envelope", "both"],
  ["`supportedVersions` of a dual server", "both"],
  ["envelope without version, modern header", "both"],
  ["envelope without capabilities", "both"],
  ["envelope without clientInfo", "both"],
  ["version header missing, envelope present", "http"],
  ["version header / body disagree", "http"],
  ["Mcp-Method missing or wrong", "http"],
  ["Mcp-Name missing, wrong, bad base64", "http"],
  ["duplicated version header", "http"],
  ["unsupported modern version", "both"],
  ["envelope naming a legacy version", "both"],
  ["unsupported legacy header on a legacy request", "http"],
  ["unknown method, modern", "both"],
  ["wrong Content-Type", "http"],
  ["Accept incomplete", "http"],
  ["bad Origin", "http"],
  ["bad Host", "http"],
  ["body too large", "both"],
  ["invalid JSON / empty body", "both"],
  ["invalid UTF-8", "both"],
  ["fractional id", "both"],
  ["session id unknown or expired", "http"],
  ["GET", "http"],
  ["DELETE", "http"],
  ["notification POST", "both"],
  ["response POST", "both"],
  ["stdio: discover, then initialize", "stdio"],
  ["stdio: modern call, then initialize", "stdio"],
  ["stdio: initialize, then modern call", "stdio"],
  ["stdio: modern, then request without envelope", "stdio"],
  ["initialize carrying a modern envelope", "both"],
  ["stdio garbage line", "stdio"]
]

const mediaOf = (cases: ReadonlyArray<Case>, kind: string, policy: string) =>
  new Set(
    cases.flatMap((item) =>
      item.kind === kind && item.side === "client" && item.policy === policy ? [item.transport] : []
    )
  )

describe("the hostile peers", () => {
  it.each([
    ["1a", initialize],
    ["1b", discover]
  ])("of table %s are whole cases", (_, file) => {
    expect(file.broken).toEqual([])
    expect(file.ignored).toEqual([])
    for (const item of file.cases) {
      expect(item.side === "client" && item.right.sent !== undefined && item.basis !== undefined).toBe(true)
    }
  })

  it.each(rowsOfInitialize)("answer initialize as in the row %s", (kind, media) => {
    const seen = mediaOf(initialize.cases, kind, "auto")
    expect([...seen].toSorted()).toEqual(media === "both" ? ["http", "stdio"] : [media])
  })

  it.each(rowsOfDiscover)("answer server/discover as in the row %s", (kind, media) => {
    const seen = mediaOf(discover.cases, kind, "discover-first")
    expect([...seen].toSorted()).toEqual(media === "both" ? ["http", "stdio"] : [media])
  })
})

describe("the admissions", () => {
  it("are whole cases", () => {
    expect(admission.broken).toEqual([])
    expect(admission.ignored).toEqual([])
    expect(new Set(admission.cases.map(({ id }) => id)).size).toBe(admission.cases.length)
    for (const item of admission.cases) expect(item.side === "server" && item.basis !== undefined).toBe(true)
  })

  it.each(rowsOfAdmission)("open a server as in the row %s", (kind, media) => {
    const seen = new Set(admission.cases.flatMap((item) => (item.kind === kind ? [item.transport] : [])))
    expect([...seen].toSorted()).toEqual(media === "both" ? ["http", "stdio"] : [media])
  })
})
