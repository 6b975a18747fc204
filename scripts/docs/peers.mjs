// The peers that documents and examples are run with: a server for their clients, and a client for their servers.
import { spawn } from "node:child_process"
import { connect, createServer } from "node:net"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import "../register.mjs"

const { HttpClient, HttpServer, StdioClient } = await import("@parley/node")
const { Admission, Connection } = await import("@parley/runtime")
const { Policy } = await import("@parley/core")
const Redis = await import("@parley/testing/Redis")
const { Effect, Exit, Scope } = await import("effect")
const { handler, profile } = await import("../../docs/examples/clock.ts")

const root = fileURLToPath(new URL("../..", import.meta.url))
const client = { info: { name: "docs", version: "1.0.0" }, capabilities: {} }

/** Starts the server of the examples on a free port. */
export const startServer = async () => {
  const scope = Scope.makeUnsafe()
  const serving = Effect.flatMap(Admission.make(profile, handler), (admission) => HttpServer.serve({ admission }))
  const { url } = await Effect.runPromise(Scope.provide(serving, scope))
  return { url, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Starts a server that listens at a port of its own choice, calls it in both eras, and returns what was not as it should be. */
export const checkPort = async (port, args) => {
  const child = spawn(process.execPath, args, { cwd: root, timeout: 90_000, stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.on("data", (chunk) => (said += chunk))
  const ended = new Promise((done) => child.on("close", done))
  try {
    while (!(await isListening(port))) {
      if (child.exitCode !== null || child.signalCode !== null) return `ended before it listened: ${said.slice(-1500)}`
      await setTimeout(100)
    }
    return await call(HttpClient.make({ url: `http://127.0.0.1:${port}/mcp` }))
  } catch (error) {
    return `${error} ${said.slice(-1500)}`
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}

/** Returns a port that is free. */
export const freePort = () =>
  new Promise((done) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })

const isListening = (port) =>
  new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => done(true))
    socket.on("error", () => done(false))
    socket.on("connect", () => socket.destroy())
  })

/** Starts a Redis on a free port and returns its address and its end; undefined where there is no redis-server. */
export const startRedis = async () => {
  if (!Redis.isInstalled()) return undefined
  const scope = Scope.makeUnsafe()
  const { port } = await Effect.runPromise(Scope.provide(Redis.start, scope))
  return { url: `redis://127.0.0.1:${port}`, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Starts an example that is a server, calls it in both eras, ends it, and returns what was not as it should be. */
export const checkServer = async (name, args) => {
  try {
    if (name.startsWith("stdio")) return await call(StdioClient.make({ command: process.execPath, args, cwd: root }))
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, PORT: "0" }, timeout: 90_000 })
    const ended = new Promise((done) => child.on("close", done))
    try {
      return await call(HttpClient.make({ url: await addressOf(child) }))
    } finally {
      child.kill("SIGTERM")
      await ended
    }
  } catch (error) {
    return String(error)
  }
}

const call = async (transport) => {
  for (const [policy, version] of [
    [Policy.auto, "2025-11-25"],
    [Policy.discoverFirst, "2026-07-28"]
  ]) {
    const talking = Effect.gen(function* () {
      const connection = yield* Connection.connect({ transport, policy, client })
      return { version: connection.agreement.version, listed: yield* connection.request("tools/list") }
    })
    const { listed, version: agreed } = await Effect.runPromise(Effect.scoped(talking))
    if (agreed !== version) return `agreed on ${agreed} where ${version} was expected`
    if (listed.tools[0]?.name !== "now") return `listed ${JSON.stringify(listed)}`
  }
  return undefined
}

const addressOf = (child) =>
  new Promise((done, fail) => {
    let text = ""
    const hear = (chunk) => {
      text += chunk
      const url = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(text)?.[0]
      if (url !== undefined) done(url)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.on("close", () => fail(new Error(`ended before it listened: ${text.slice(-1500)}`)))
  })
