// The clients of this workspace under a Driver: every release of the official SDK that is installed, effect/ai, the
// Inspector's command line, and Parley's own. Argument: which. They connect and leave; no tool is called.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Client as Client240, StreamableHTTPClientTransport as Http240 } from "@modelcontextprotocol/client"
import { StdioClientTransport as Stdio240 } from "@modelcontextprotocol/client/stdio"
import { Client as Client132 } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as Stdio132 } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as Http132 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Policy from "@parley/core/client/Policy"
import * as ParleyHttp from "@parley/node/HttpClient"
import * as ParleyStdio from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import { Client as Client200, StreamableHTTPClientTransport as Http200 } from "client-2.0"
import { StdioClientTransport as Stdio200 } from "client-2.0/stdio"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ChildProcess from "effect/process/ChildProcess"
import { Client as Client104 } from "sdk-1.0/client/index.js"
import { StdioClientTransport as Stdio104 } from "sdk-1.0/client/stdio.js"
import { Client as Client112 } from "sdk-1.12/client/index.js"
import { StdioClientTransport as Stdio112 } from "sdk-1.12/client/stdio.js"
import { StreamableHTTPClientTransport as Http112 } from "sdk-1.12/client/streamableHttp.js"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Job, serveJobs } from "../Jobs.ts"

type Meet = (job: Job) => Promise<string>

const info = { name: "field", version: "0.0.0" }

/** What every release of the official SDK has in common. A method, so that their transports need not be each other's. */
interface Sdk {
  connect(transport: unknown, options?: { readonly timeout: number }): Promise<void>
  close(): Promise<void>
  getNegotiatedProtocolVersion?(): string | undefined
}

const met = async (client: Sdk, transport: unknown, job: Job): Promise<string> => {
  try {
    await client.connect(transport, { timeout: job.timeout * 1000 })
    await left()
    return client.getNegotiatedProtocolVersion?.() ?? "unknown"
  } finally {
    await client.close().catch(() => undefined)
  }
}

// To close at once would take back what the handshake still has to say.
const left = (): Promise<void> => new Promise((leave) => setTimeout(leave, 300))

const commandOf = (job: Job): { command: string; args: Array<string>; stderr: "ignore" } => {
  const [command = "", ...args] = job.command ?? []
  return { command, args, stderr: "ignore" }
}
const urlOf = (job: Job): URL => new URL(job.url ?? "")

// Each release has transports of its own, and its client takes those alone: to the compiler they are strangers.
const as = (client: unknown): Sdk => client as Sdk

const negotiating = ({ mode, probe }: Job): object => {
  if (mode === "default") return {}
  return {
    versionNegotiation: {
      mode: mode.startsWith("pin:") ? { pin: mode.slice(4) } : mode,
      ...(probe === undefined ? {} : { probe: { timeoutMs: probe * 1000 } })
    }
  }
}

const effectAi: Meet = (job) => {
  const protocol = job.mode === "2026-07-28" ? McpProtocol.v2026_07_28 : McpProtocol.v2025_11_25
  const timeout = `${job.timeout} seconds` as const
  const { args, command } = commandOf(job)
  const layer =
    job.url === undefined
      ? McpClient.layerStdio({ ...info, command: ChildProcess.make(command, args), protocol, timeout }).pipe(
          Layer.provide(NodeServices.layer)
        )
      : McpClient.layerHttp({ ...info, url: job.url, protocol, timeout }).pipe(Layer.provide(FetchHttpClient.layer))
  const program = Effect.as(Effect.andThen(McpClient.McpClient, Effect.sleep(300)), job.mode)
  return Effect.runPromise(Effect.provide(program, layer))
}

const inspector: Meet = (job) =>
  new Promise((resolve, reject) => {
    const cli = join(packageOf("@modelcontextprotocol/inspector"), "clients/launcher/build/index.js")
    const call = ["--method", "tools/list"]
    const { args, command } = commandOf(job)
    const where = job.url === undefined ? [...call, "--", command, ...args] : [job.url, "--transport", "http", ...call]
    const child = spawn(process.execPath, [cli, "--cli", ...where], { stdio: "ignore" })
    // It has no timeout that can be set: whoever waits longer gives it up.
    const timer = setTimeout(() => child.kill("SIGTERM"), job.timeout * 1000)
    child.on("error", reject)
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code === 0) resolve("unknown")
      else reject(new Error(`exit code ${code}`))
    })
  })

const packageOf = (name: string): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (folder !== dirname(folder)) {
    const found = join(folder, "node_modules", name)
    if (existsSync(found)) return found
    folder = dirname(folder)
  }
  return name
}

const parley: Meet = (job) => {
  const millis = job.timeout * 1000
  const { args, command } = commandOf(job)
  return Effect.runPromise(
    Effect.scoped(
      Effect.map(
        Connection.connect({
          transport: job.url === undefined ? ParleyStdio.make({ command, args }) : ParleyHttp.make({ url: job.url }),
          policy: Policy.withBudgets(Policy.fromSetting(job.mode).policy, {
            exchangeMillis: millis,
            probeMillis: (job.probe ?? job.timeout) * 1000
          }),
          client: { info, capabilities: {} }
        }),
        ({ agreement }) => agreement.version
      )
    ).pipe(Effect.provide(Logger.layer([])))
  )
}

const clients: { readonly [name: string]: Meet } = {
  "sdk-1.0.4": (job) => met(as(new Client104(info, { capabilities: {} })), new Stdio104(commandOf(job)), job),
  "sdk-1.12.3": (job) =>
    met(as(new Client112(info)), job.url === undefined ? new Stdio112(commandOf(job)) : new Http112(urlOf(job)), job),
  "sdk-1.32.2": (job) =>
    met(as(new Client132(info)), job.url === undefined ? new Stdio132(commandOf(job)) : new Http132(urlOf(job)), job),
  "client-2.0.0": (job) =>
    met(
      as(new Client200(info, negotiating(job))),
      job.url === undefined ? new Stdio200(commandOf(job)) : new Http200(urlOf(job)),
      job
    ),
  "client-2.4.0": (job) =>
    met(
      as(new Client240(info, negotiating(job))),
      job.url === undefined ? new Stdio240(commandOf(job)) : new Http240(urlOf(job)),
      job
    ),
  "effect-ai": effectAi,
  inspector,
  parley
}

const meet = clients[process.argv[2] ?? ""]
if (meet === undefined) {
  process.stderr.write(`Which client? ${Object.keys(clients).join(", ")}\n`)
  process.exit(2)
}
const run = (job: Job): Promise<object> =>
  meet(job).then(
    (version) => ({ outcome: "established", version }),
    (cause: unknown) => ({ outcome: "failed", error: cause instanceof Error ? cause.constructor.name : "Error" })
  )
await serveJobs(run)
