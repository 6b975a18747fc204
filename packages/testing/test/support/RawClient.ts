// A small client by hand for the case runner's own tests: right by default, wrong in one way on demand. Not Parley's.
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import type { ClientOptions, ClientOutcome, ClientSubject } from "@parley/testing/Subject"

/** The ways in which it can be wrong. */
export type Fault =
  | "reportsTheOffer"
  | "sendsNoInitialized"
  | "probesOnSilence"
  | "cancelsInitialize"
  | "dropsTheSession"
  | "sendsItsSessionWithInitialize"
  | "leavesTheProcess"
  | "probesFirst"
  | "namesAnotherError"
  | "knocksAgain"
  | "hangs"
  | "hangsOnClose"
  | "dies"

interface Wire {
  /** Undefined is silence until the timeout. */
  readonly request: (method: string, params?: object) => Promise<Json | undefined>
  readonly notify: (method: string, params?: object) => Promise<void>
  readonly agreed: (version: string) => void
  readonly close: () => void
}
type Json = { readonly [name: string]: unknown }

class Refused extends Error {
  readonly tag: string
  readonly fields: object
  constructor(tag: string, message: string, fields: object = {}) {
    super(message)
    this.tag = tag
    this.fields = fields
  }
}

export const subject = (fault?: Fault): ClientSubject => ({
  connect: (options) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(async () => {
          const wire =
            "url" in options.target ? http(options.target.url, options, fault) : stdio(options.target, options)
          return { wire, outcome: await attempt(wire, options, fault) }
        }),
        ({ wire }) =>
          fault === "hangsOnClose"
            ? Effect.never
            : Effect.sync(() => (fault === "leavesTheProcess" ? undefined : wire.close()))
      ),
      ({ outcome }) => outcome
    )
})

const attempt = async (wire: Wire, options: ClientOptions, fault?: Fault): Promise<ClientOutcome> => {
  if (fault === "hangs") return new Promise(() => undefined)
  if (fault === "dies") throw new Error("the client fell over")
  try {
    return await open(wire, options, fault)
  } catch (cause) {
    if (!(cause instanceof Refused)) throw cause
    const error = fault === "namesAnotherError" ? "SomethingElse" : cause.tag
    return { outcome: "failed", error, message: cause.message, fields: cause.fields }
  }
}

const open = async (wire: Wire, options: ClientOptions, fault?: Fault): Promise<ClientOutcome> => {
  if (fault === "probesFirst") await wire.request("server/discover")
  const offer = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
  let answer = await wire.request("initialize", offer)
  if (fault === "knocksAgain" && answer?.["error"] !== undefined) answer = await wire.request("initialize", offer)
  if (answer === undefined) {
    if (fault === "cancelsInitialize") await wire.notify("notifications/cancelled", { requestId: 1 })
    if (fault === "probesOnSilence") await wire.request("server/discover")
    throw new Refused("Timeout", "no answer")
  }
  const { error, result } = answer
  if (isObject(error)) {
    if (![-32022, -32601, -32020].includes(Number(error["code"]))) {
      throw new Refused("InitializeRejected", "refused", { code: error["code"] })
    }
    const discovered = await wire.request("server/discover")
    if (!isObject(discovered?.["result"])) throw new Refused("MethodNotFound", "neither is known")
    return { outcome: "established", era: "modern", version: "2026-07-28", calls: [] }
  }
  const version = isObject(result) ? result["protocolVersion"] : undefined
  if (typeof version !== "string") throw new Refused("MalformedInit", "no version")
  if (!["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].includes(version)) {
    throw new Refused("UnsupportedProtocolVersion", `the server named ${version}`, { named: version })
  }
  wire.agreed(version)
  if (fault === "sendsItsSessionWithInitialize") await wire.request("initialize", offer)
  if (fault !== "sendsNoInitialized") await wire.notify("notifications/initialized")
  for (const method of options.calls) await wire.request(method)
  return {
    outcome: "established",
    era: "legacy",
    version: fault === "reportsTheOffer" ? "2025-11-25" : version,
    agreement: { version },
    calls: options.calls.map((method) => ({ method }))
  }
}

const http = (url: string, options: ClientOptions, fault?: Fault): Wire => {
  const controller = new AbortController()
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream"
  }
  let id = 0
  const post = async (body: object): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.any([controller.signal, AbortSignal.timeout(options.timeoutMs)])
    })
  return {
    request: async (method, params) => {
      try {
        const response = await post({ jsonrpc: "2.0", id: ++id, method, params })
        const session = response.headers.get("mcp-session-id")
        if (session !== null && fault !== "dropsTheSession") headers["mcp-session-id"] = session
        const text = await response.text()
        const data = /^data: ?(\{.*)$/m.exec(text)?.[1] ?? text
        const message: unknown = data.startsWith("{") ? JSON.parse(data) : undefined
        if (response.status === 401) throw new Refused("Unauthorized", "401")
        if (!isObject(message)) throw new Refused("TransportFailure", `${response.status}`, { status: response.status })
        return message
      } catch (cause) {
        if (cause instanceof Error && cause.name === "TimeoutError") return undefined
        throw cause
      }
    },
    notify: async (method, params) => {
      const response = await post({ jsonrpc: "2.0", method, params })
      await response.text()
    },
    agreed: (version) => {
      headers["mcp-protocol-version"] = version
    },
    close: () => controller.abort()
  }
}

const stdio = (target: { command: string; args: ReadonlyArray<string> }, options: ClientOptions): Wire => {
  const child: ChildProcess = spawn(target.command, target.args, { stdio: ["pipe", "pipe", "ignore"] })
  let id = 0
  const waiting = new Map<number, (message: Json | undefined) => void>()
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error("no pipes")
  stdin.on("error", () => undefined)
  createInterface({ input: stdout }).on("line", (line) => {
    let message: unknown
    try {
      message = JSON.parse(line.replace(/^\uFEFF/, ""))
    } catch {
      return
    }
    if (isObject(message)) waiting.get(Number(message["id"]))?.(message)
  })
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(undefined), options.timeoutMs)
        waiting.set(++id, (message) => {
          clearTimeout(timer)
          resolve(message)
        })
        child.on("exit", (exitCode) => {
          clearTimeout(timer)
          reject(new Refused("TransportFailure", "it exited", { exitCode }))
        })
        stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
      }),
    notify: async (method, params) => void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`),
    agreed: () => undefined,
    close: () => {
      stdin.end()
      child.kill()
    }
  }
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
