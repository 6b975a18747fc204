// `parley doctor` as a real process: this machine, good and bad servers, and no secret in the report.
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Checkup from "@parley/cli/Checkup"
import * as Secrets from "@parley/cli/Secrets"
import { host, parley, type Running, serve } from "./Program.ts"

describe("parley doctor", () => {
  let closed: Running
  let received: string | undefined
  beforeAll(async () => {
    closed = await serve((request, response) => {
      received = request.headers.authorization
      request.resume()
      response.writeHead(401, { "www-authenticate": 'Bearer realm="mine"' }).end()
    })
  })
  afterAll(() => closed.stop())

  it("checks Node and the loopback network, and finds nothing wrong", async () => {
    const { code, stderr, stdout } = await parley(["doctor"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`ok    Node ${process.versions.node}`)
    expect(stdout).toContain("ok    127.0.0.1 can be served and reached")
    expect(stdout).toContain("Nothing is wrong here.")
  })

  it("asks a server under auto and under discoverFirst, with every step and message", async () => {
    const { code, stdout } = await parley(["doctor", "--", process.execPath, host("sdk1.ts"), "stdio"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/under auto\nparley-demo-sdk1 1\.32\.2 speaks 2025-11-25 \(legacy\)/)
    expect(stdout).toMatch(/under discoverFirst\n/)
    expect(stdout).toContain("client request server/discover")
    expect(stdout).toMatch(/Initializing: Agreed 2025-11-25 → settle/)
  })

  it("says what is wrong with exit code 1, and prints no secret that it was given", async () => {
    const { code, stdout } = await parley(
      ["doctor", "--header", "Authorization: Bearer very-secret-value", `${closed.url}?key=query-secret`],
      { SOME_API_KEY: "env-secret-value" }
    )
    expect(received).toBe("Bearer very-secret-value")
    expect(code).toBe(1)
    expect(stdout).toContain("Unauthorized")
    expect(stdout).toContain("Something is wrong")
    expect(stdout).not.toMatch(/very-secret|query-secret|env-secret/)
  })

  it("takes a secret out of what a server writes to standard error", async () => {
    const leak = 'console.error("cannot log in with " + process.env.SOME_API_KEY); process.exit(1)'
    const { code, stdout } = await parley(["doctor", "--", process.execPath, "-e", leak], {
      SOME_API_KEY: "env-secret-value"
    })
    expect(code).toBe(1)
    expect(stdout).toContain("cannot log in with ***")
    expect(stdout).not.toContain("env-secret-value")
  })

  it("refuses what is no target with exit code 2", async () => {
    const { code, stderr, stdout } = await parley(["doctor", "nonsense"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("See parley doctor --help")
  })
})

it("names the oldest Node of package.json, and compares by numbers", () => {
  const engines: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).engines
  expect(engines).toEqual({ node: `>=${Checkup.oldestNode}` })
  expect(Checkup.node("22.19.0").state).toBe("ok")
  expect(Checkup.node("24.1.0").state).toBe("ok")
  expect(Checkup.node("22.9.0").state).toBe("bad")
  expect(Checkup.node("20.20.2").state).toBe("bad")
})

it.each([
  ["https://me:pw@example.com/mcp?token=abc", "https://***@example.com/mcp?***"],
  ["Authorization: Bearer abc.def", "Authorization: Bearer ***"],
  ["ghp_0123456789abcdef is mine", "*** is mine"]
])("takes what looks like a secret out of %s", (text, cleaned) => {
  expect(Secrets.remover([])(text)).toBe(cleaned)
})
