// `parley probe` as a real process against real servers: exit code, standard output, standard error.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Document } from "@parley/cli/render/Json"
import { dangerous } from "./Fixture.ts"
import { host, lives, parley, type Running, serve, startHost, until } from "./Program.ts"

const node = process.execPath
const script = (source: string): ReadonlyArray<string> => ["--", node, "-e", source]
const documentOf = (stdout: string): Document => JSON.parse(stdout)

describe.concurrent("parley probe, over HTTP", () => {
  let legacy: Running
  let dual: Running
  let modern: Running
  let effect: Running
  beforeAll(async () => {
    ;[legacy, dual, modern, effect] = await Promise.all([
      startHost("sdk1.ts", "http"),
      startHost("sdk2.ts", "http", "dual"),
      startHost("sdk2.ts", "http", "modern"),
      startHost("effect.ts", "http")
    ])
  }, 60_000)
  afterAll(() => Promise.all([legacy, dual, modern, effect].map(({ stop }) => stop())))

  it("says in one line what a legacy server speaks", async () => {
    const { code, stderr, stdout } = await parley(["probe", legacy.url])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(
      /^parley-demo-sdk1 1\.32\.2 speaks 2025-11-25 \(legacy\): tools\. 1 round trip, [\d.]+ m?s\.\n$/
    )
  })

  it("reaches a modern-only server in two round trips, and in one with discoverFirst", async () => {
    const auto = await parley(["probe", modern.url])
    expect(auto.stdout).toMatch(/speaks 2026-07-28 \(modern\): tools\. 2 round trips/)
    const first = await parley(["probe", "--policy", "discoverFirst", modern.url])
    expect(first.stdout).toMatch(/speaks 2026-07-28 \(modern\): tools\. 1 round trip,/)
    expect([auto.code, first.code]).toEqual([0, 0])
  })

  it("settles with a dual-era server as the policy asks", async () => {
    const auto = await parley(["probe", dual.url])
    const pinned = await parley(["probe", "--policy", "pin:2025-06-18", dual.url])
    const first = await parley(["probe", "--policy=discoverFirst", dual.url])
    expect(auto.stdout).toContain("speaks 2025-11-25 (legacy)")
    expect(pinned.stdout).toContain("speaks 2025-06-18 (legacy)")
    expect(first.stdout).toContain("speaks 2026-07-28 (modern)")
  })

  it("explains why handshakeOnly fails against a modern-only server", async () => {
    const { code, stderr, stdout } = await parley(["probe", "--policy", "handshakeOnly", modern.url])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`No agreement with ${modern.url}: UnsupportedProtocolVersion`)
    expect(stderr).toMatch(/tried +initialize offers 2025-11-25 → -32022/)
    expect(stderr).toMatch(/why +2025-11-25 was refused; on offer: 2026-07-28/)
    expect(stderr).toMatch(/fault +this side's policy/)
    expect(stderr).toMatch(/do +Try --policy auto/)
  })

  it("explains why hermes fails against effect/ai, which answers -32020", async () => {
    const { code, stderr } = await parley(["probe", "--policy", "hermes", effect.url])
    expect(code).toBe(1)
    expect(stderr).toContain("HeaderMismatch")
    expect(stderr).toContain("-32020")
    expect(stderr).toContain("--policy auto")
  })

  it("warns of a policy that it does not know, and uses auto", async () => {
    const { code, stderr, stdout } = await parley(["probe", "--policy", "fastest", legacy.url])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^warning: "fastest" is no protocol setting; auto is used/)
    expect(stdout).toContain("speaks 2025-11-25")
  })

  it("prints a document for programs", async () => {
    const { code, stderr, stdout } = await parley(["probe", "--json", legacy.url])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(documentOf(stdout)).toMatchObject({
      format: 1,
      outcome: "agreed",
      target: { carrier: "http", name: legacy.url },
      policy: "auto",
      agreement: { version: "2025-11-25", era: "legacy", session: true, capabilities: { tools: {} } },
      timings: { roundTrips: 1 }
    })
    expect(documentOf(stdout).trace.at(-1)).toMatchObject({ move: "settle", next: "Settled" })
  })

  it("prints a document for programs when it fails too", async () => {
    const { code, stdout } = await parley(["probe", "--json", "--diagram", "--policy", "legacy", modern.url])
    expect(code).toBe(1)
    const document = documentOf(stdout)
    expect(document).toMatchObject({
      outcome: "failed",
      policy: "handshakeOnly",
      error: {
        tag: "UnsupportedProtocolVersion",
        fault: "owner",
        retryable: false,
        reason: { requested: "2025-11-25", supported: ["2026-07-28"] }
      }
    })
    expect(document.diagram).toMatch(/^sequenceDiagram\n/)
    expect(document.agreement).toBeUndefined()
  })

  it("--trace shows every step and its reason", async () => {
    const { code, stdout } = await parley(["probe", "--trace", modern.url])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^parley-demo-sdk2-modern/)
    expect(stdout).toContain("Idle → initialize")
    expect(stdout).toMatch(/Initializing: Corrected 2026-07-28 → \w+\n +versioning/)
    expect(stdout).toMatch(/Discovering: Agreed 2026-07-28 → settle/)
    expect(
      stdout
        .split("\n")
        .slice(1)
        .every((line) => line.length <= 80)
    ).toBe(true)
  })

  it("--diagram prints Mermaid and nothing else", async () => {
    const { stdout } = await parley(["probe", "--diagram", "--trace", modern.url])
    const [first, ...rest] = stdout.trimEnd().split("\n")
    expect(first).toBe("sequenceDiagram")
    expect(rest.every((line) => /^ {4}(?:%% |participant |Note over |parley-|server-)/.test(line))).toBe(true)
    expect(stdout).toMatch(/parley->>server: initialize: offers 2025-11-25\n +server--xparley: -32022.*\(HTTP 400\)/)
    expect(stdout).toMatch(
      /parley->>server: server\/discover: at 2026-07-28\n +server-->>parley: result: lists 2026-07-28/
    )
  })

  it("colours its line only where colour is wanted", async () => {
    const forced = await parley(["probe", legacy.url], { FORCE_COLOR: "1" })
    const refused = await parley(["probe", legacy.url], { FORCE_COLOR: "1", NO_COLOR: "1" })
    expect(forced.stdout).toContain("\u001b[32m2025-11-25\u001b[0m")
    expect(refused.stdout).not.toContain("\u001b")
  })

  it("sends the headers that it is given, and repeats none of them", async () => {
    let seen: string | undefined
    const server = await serve((request, response) => {
      seen = request.headers.authorization
      response.writeHead(401, { "www-authenticate": 'Bearer realm="test"' }).end()
    })
    const { code, stderr } = await parley(["probe", "--header", "Authorization: Bearer s3cret", server.url])
    await server.stop()
    expect({ code, seen }).toEqual({ code: 1, seen: "Bearer s3cret" })
    expect(stderr).toContain("Unauthorized")
    expect(stderr).toMatch(/fault +yours/)
    expect(stderr).not.toContain("s3cret")
  })

  it("tells a web page from a server, harmlessly", async () => {
    const server = await serve((_, response) => {
      response.writeHead(404, { "content-type": "text/html" }).end("<html>\u001b[31mnot here\u009b2J</html>")
    })
    const { code, stderr } = await parley(["probe", server.url])
    await server.stop()
    expect(code).toBe(1)
    expect(stderr).toMatch(/TransportFailure|MethodNotFound/)
    expect(stderr).toContain("404")
    expect(stderr).toContain("/mcp")
    expect(stderr).not.toMatch(dangerous)
  })

  it("says that nobody listens", async () => {
    const server = await serve(() => undefined)
    await server.stop()
    const { code, stderr } = await parley(["probe", server.url])
    expect(code).toBe(1)
    expect(stderr).toContain("TransportFailure")
    expect(stderr).toContain("Check that the server is running")
  })

  it("waits no longer than it was told", async () => {
    const server = await serve(() => undefined)
    const { code, millis, stderr } = await parley(["probe", "--timeout", "300ms", server.url])
    await server.stop()
    expect(code).toBe(1)
    expect(stderr).toContain("Timeout")
    expect(stderr).toContain("No answer to initialize")
    expect(stderr).toMatch(/do +Allow more time: --timeout/)
    expect(millis).toBeLessThan(10_000)
  })
})

describe.concurrent("parley probe, with a command", () => {
  it("says in one line what a server on stdio speaks", async () => {
    const { code, stderr, stdout } = await parley(["probe", "--", node, host("sdk2.ts"), "stdio", "modern"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^parley-demo-sdk2-modern 2\.4\.0 speaks 2026-07-28 \(modern\): tools\. 2 round trips/)
  })

  it("passes flags behind -- to the command, and keeps its own", async () => {
    const { code, stdout } = await parley(["probe", "--json", "--", node, host("sdk1.ts"), "stdio", "--json", "--help"])
    expect(code).toBe(0)
    expect(documentOf(stdout)).toMatchObject({ outcome: "agreed", target: { carrier: "stdio" } })
  })

  it("says that there is no such command", async () => {
    const { code, stderr } = await parley(["probe", "--", "no-such-command-anywhere", "--token", "s3cret"])
    expect(code).toBe(1)
    expect(stderr).toContain("no-such-command-anywhere was not found")
    expect(stderr).not.toContain("s3cret")
  })

  it("shows the exit code and the standard error of a command that dies, harmlessly", async () => {
    const { code, stderr } = await parley([
      "probe",
      ...script('process.stderr.write("\\u001b[31mError: no \\u202eDATABASE_URL\\u001b[0m\\n"); process.exit(3)')
    ])
    expect(code).toBe(1)
    expect(stderr).toMatch(/closed \(exit code 3\)|exited with code 3/)
    expect(stderr).toMatch(/stderr +Error: no �DATABASE_URL/)
    expect(stderr).not.toMatch(dangerous)
  })

  it("agrees in spite of a banner before the answer, and warns of it harmlessly", async () => {
    const { code, stderr, stdout } = await parley([
      "probe",
      ...script(
        'console.log("\\u001b[2JWelcome"); import("node:readline").then(({ createInterface }) => createInterface(process.stdin).on("line", (line) => { const { id, method } = JSON.parse(line); if (method === "initialize") console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "\\u001b[31mloud", version: "1" } } })) }))'
      )
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^loud 1 speaks 2024-11-05 \(legacy\): no capabilities\. 1 round trip/)
    expect(stderr).toMatch(/^warning: .*Welcome/)
    expect(stdout + stderr).not.toMatch(dangerous)
  })

  // A server that says nothing, writes its process id to a file, and holds on to life.
  const stubborn = (file: string): ReadonlyArray<string> =>
    script(
      `require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`
    )

  const inDirectory = async <A>(use: (file: string) => Promise<A>): Promise<A> => {
    const directory = mkdtempSync(join(tmpdir(), "parley-"))
    try {
      return await use(join(directory, "pid"))
    } finally {
      rmSync(directory, { recursive: true })
    }
  }

  it("ends a command that neither answers nor goes away", () =>
    inDirectory(async (file) => {
      const { code, millis, stderr } = await parley(["probe", "--timeout", "2s", ...stubborn(file)])
      expect(code).toBe(1)
      expect(stderr).toContain("Timeout")
      expect(lives(Number(readFileSync(file, "utf8")))).toBe(false)
      expect(millis).toBeLessThan(15_000)
    }))

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends the command when it is ended itself by %s", (signal) =>
    inDirectory(async (file) => {
      const { code, stdout } = await parley(["probe", ...stubborn(file)], {}, (child) => {
        void until(() => existsSync(file) && readFileSync(file, "utf8") !== "").then(() => child.kill(signal))
      })
      expect({ code, stdout }).toEqual({ code: 130, stdout: "" })
      expect(lives(Number(readFileSync(file, "utf8")))).toBe(false)
    })
  )

  it("ends in order when nobody reads its output", async () => {
    const { code, stderr } = await parley(["probe", "--json", "--", node, host("sdk1.ts"), "stdio"], {}, (child) =>
      child.stdout?.destroy()
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })
})
