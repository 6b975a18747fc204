import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { Case } from "@parley/testing/Case"
import * as CaseFile from "@parley/testing/CaseFile"

const load = (name: string) => CaseFile.load(fileURLToPath(new URL(`../cases/${name}.json`, import.meta.url)))
const initialize = await load("peers-1a")
const discover = await load("peers-1b")

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
