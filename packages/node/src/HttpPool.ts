// Connections that outlive the channels which use them: one agent for http: and one for https:, closed with a scope. What is
// sent over them is HttpClient's.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Https from "node:https"

/** A pool of connections to any number of servers. Its idle connections do not keep the process alive. */
export interface Pool {
  /** Returns the agent for `http:` or `https:`. */
  readonly agentFor: (protocol: string) => Http.Agent
}

/**
 * Makes a pool. Connections are made when they are needed, kept alive, and reused by every channel that is given the pool;
 * a channel that closes leaves its idle ones to the next. The scope closes them all; what is asked after that makes
 * connections that are not kept. The options are those of Node's agents: `maxSockets`, `maxFreeSockets` (default 256 for
 * each origin), TLS material.
 */
export const make = (options?: Https.AgentOptions): Effect.Effect<Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Agents(options)),
    (agents) => Effect.sync(() => agents.close())
  )

/** Returns a new agent for `http:` or `https:`. It keeps its connections alive, unless the options say otherwise. */
export const agentFor = (protocol: string, options: Https.AgentOptions | undefined): Http.Agent =>
  new (libraryFor(protocol).Agent)({ keepAlive: true, ...options })

/** Returns node:http or node:https. As an import node:http would load undici for its lazy exports: 20 ms of a start. */
export const libraryFor = (protocol: string): typeof Http | typeof Https =>
  protocol === "https:"
    ? (libraries.https ??= process.getBuiltinModule("node:https"))
    : (libraries.http ??= process.getBuiltinModule("node:http"))

const libraries: { http?: typeof Http; https?: typeof Https } = {}

class Agents implements Pool {
  private readonly options: Https.AgentOptions | undefined
  private readonly made = new Map<string, Http.Agent>()
  private closed = false

  constructor(options: Https.AgentOptions | undefined) {
    this.options = options
  }

  agentFor(protocol: string): Http.Agent {
    const known = this.made.get(protocol)
    if (known !== undefined) return known
    const agent = agentFor(protocol, this.closed ? { ...this.options, keepAlive: false } : this.options)
    this.made.set(protocol, agent)
    return agent
  }

  close(): void {
    this.closed = true
    for (const agent of this.made.values()) agent.destroy()
    this.made.clear()
  }
}
