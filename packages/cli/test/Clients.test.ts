// Real clients of other people, and Parley's own under every policy, against `parley serve` of each kind over both
// carriers: who connects, at which revision, and that a tool can be listed and called.
import * as Policy from "@parley/core/client/Policy"
import * as ParleyHttp from "@parley/node/HttpClient"
import * as ParleyStdio from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import { Client as Sdk2 } from "@modelcontextprotocol/client"
import { StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client"
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio"
import { Client as Sdk1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const serve = (era: Era, transport: "http" | "stdio"): ReadonlyArray<string> => [
  "--import",
  `${root}scripts/register.mjs`,
  `${root}packages/cli/src/bin.ts`,
  "serve",
  "--era",
  era,
  "--transport",
  transport,
  ...(transport === "http" ? ["--port", "0"] : [])
]

type Era = "dual" | "modern" | "legacy"
type Target = { readonly url: string } | { readonly command: string; readonly args: Array<string> }

/** What a client found: the sum that the server's tool gave it, or that it could not connect. */
interface Found {
  readonly listed: boolean
  readonly sum: string
}

interface RealClient {
  readonly name: string
  readonly meet: (target: Target) => Promise<Found>
  /** The kinds of server that it must reach; with the others it must fail. */
  readonly reaches: ReadonlyArray<Era>
}

const info = { name: "clients-test", version: "1.0.0" }
const given = { a: 19, b: 23 }
const read = (tools: ReadonlyArray<{ readonly name: string }>, result: unknown): Found => ({
  listed: tools.some(({ name }) => name === "add_numbers"),
  sum: JSON.stringify(result)
})

const sdk1: RealClient = {
  name: "@modelcontextprotocol/sdk 1.32.2",
  reaches: ["dual", "legacy"],
  meet: async (target) => {
    const client = new Sdk1(info)
    try {
      await client.connect(
        "url" in target ? new Http1(new URL(target.url)) : new Stdio1({ ...target, stderr: "ignore" })
      )
      const { tools } = await client.listTools()
      return read(tools, await client.callTool({ name: "add_numbers", arguments: given }))
    } finally {
      await client.close()
    }
  }
}

const sdk2 = (label: string, mode: "legacy" | "auto" | { pin: string }, reaches: ReadonlyArray<Era>): RealClient => ({
  name: `@modelcontextprotocol/client 2.4.0 ${label}`,
  reaches,
  meet: async (target) => {
    const client = new Sdk2(info, { versionNegotiation: { mode } })
    try {
      await client.connect(
        "url" in target ? new Http2(new URL(target.url)) : new Stdio2({ ...target, stderr: "ignore" })
      )
      const { tools } = await client.listTools()
      return read(tools, await client.callTool({ name: "add_numbers", arguments: given }))
    } finally {
      await client.close()
    }
  }
})

const effectAi = (
  version: string,
  protocol: typeof McpProtocol.v2025_11_25 | typeof McpProtocol.v2026_07_28,
  reaches: ReadonlyArray<Era>
): RealClient => ({
  name: `effect/ai 4.1.0 ${version}`,
  reaches,
  meet: (target) => {
    const layer =
      "url" in target
        ? McpClient.layerHttp({ ...info, url: target.url, protocol }).pipe(Layer.provide(FetchHttpClient.layer))
        : McpClient.layerStdio({ ...info, command: ChildProcess.make(target.command, target.args), protocol }).pipe(
            Layer.provide(NodeServices.layer)
          )
    return Effect.runPromise(
      Effect.gen(function* () {
        const client = yield* McpClient.McpClient
        const tools = yield* client.listTools()
        const tool = tools.find(({ name }) => name === "add_numbers")
        return tool === undefined ? read([], "") : read(tools, yield* client.callTool({ tool, arguments: given }))
      }).pipe(Effect.provide(layer))
    )
  }
})

const parley = (setting: string, reaches: ReadonlyArray<Era>): RealClient => ({
  name: `Parley ${setting}`,
  reaches,
  meet: (target) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* Connection.connect({
            transport: "url" in target ? ParleyHttp.make(target) : ParleyStdio.make(target),
            policy: Policy.fromSetting(setting).policy,
            client: { info, capabilities: {} }
          })
          const { tools } = yield* connection.request("tools/list")
          const result = yield* connection.request("tools/call", { name: "add_numbers", arguments: given })
          return read(Array.isArray(tools) ? tools : [], result)
        })
      )
    )
})

const inspector: RealClient = {
  name: "@modelcontextprotocol/inspector 2.12.0 CLI",
  reaches: ["dual", "legacy"],
  meet: (target) =>
    new Promise((resolve, reject) => {
      const cli = `${root}node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`
      const where = "url" in target ? [target.url, "--transport", "http"] : [target.command, ...target.args]
      const call = ["--method", "tools/call", "--tool-name", "add_numbers", "--tool-arg", "a=19", "--tool-arg", "b=23"]
      const args = "url" in target ? [cli, "--cli", ...where, ...call] : [cli, "--cli", ...call, "--", ...where]
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
      let output = ""
      child.stdout.on("data", (chunk) => (output += chunk))
      child.stderr.on("data", (chunk) => (output += chunk))
      child.on("error", reject)
      child.on("close", (code) =>
        code === 0 ? resolve({ listed: true, sum: output }) : reject(new Error(output.slice(0, 2000)))
      )
    })
}

const clients: ReadonlyArray<RealClient> = [
  sdk1,
  sdk2("legacy", "legacy", ["dual", "legacy"]),
  sdk2("auto", "auto", ["dual", "modern", "legacy"]),
  sdk2("pin", { pin: "2026-07-28" }, ["dual", "modern"]),
  effectAi("2025-11-25", McpProtocol.v2025_11_25, ["dual", "legacy"]),
  effectAi("2026-07-28", McpProtocol.v2026_07_28, ["dual", "modern"]),
  inspector,
  parley("auto", ["dual", "modern", "legacy"]),
  parley("hermes", ["dual", "modern", "legacy"]),
  parley("discoverFirst", ["dual", "modern", "legacy"]),
  parley("stateless", ["dual", "modern", "legacy"]),
  parley("handshakeOnly", ["dual", "legacy"]),
  parley("pin:2026-07-28", ["dual", "modern"]),
  parley("pin:2025-06-18", ["dual", "legacy"])
]

describe.each<Era>(["dual", "modern", "legacy"])("a %s server", (era) => {
  let url = ""
  const server = { stop: () => Promise.resolve() }

  beforeAll(async () => {
    const child = spawn(process.execPath, serve(era, "http"), { stdio: ["pipe", "pipe", "ignore"] })
    server.stop = () =>
      new Promise((resolve) => {
        child.on("exit", () => resolve())
        child.kill("SIGTERM")
      })
    url = await new Promise<string>((resolve, reject) => {
      child.on("exit", (code) => reject(new Error(`parley serve ended with ${code}`)))
      createInterface({ input: child.stdout }).on("line", (line) => {
        const found = /http:\/\/\S+/.exec(line)?.[0]
        if (found !== undefined) resolve(found)
      })
    })
  }, 30_000)
  afterAll(() => server.stop())

  describe.each(clients)("and $name", (client) => {
    const reaches = client.reaches.includes(era)
    it.each(["http", "stdio"] as const)(
      reaches ? "agree over %s: a tool is listed and called" : "do not agree over %s, and the client is told",
      async (carrier) => {
        const target = carrier === "http" ? { url } : { command: process.execPath, args: [...serve(era, "stdio")] }
        const met = client.meet(target)
        if (reaches) expect(await met).toMatchObject({ listed: true, sum: expect.stringContaining("42") })
        else await expect(met).rejects.toBeInstanceOf(Error)
      },
      60_000
    )
  })
})
