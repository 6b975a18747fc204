// What a language brings to a meeting: its toolchain, and the servers and clients that our small programs make of other
// people's libraries. How each is started and installed is in languages/.

/** A language, and how to get ready to meet it. */
export interface Language {
  readonly name: string
  /** Installs and builds what is needed below the folder, at pinned versions; says why where it cannot. */
  readonly prepare: (folder: string) => Promise<Ready | Missing>
}

/** What can be met. */
export interface Ready {
  readonly _tag: "Ready"
  /** The toolchain's version, as in "CPython 3.11". */
  readonly toolchain: string
  readonly servers: ReadonlyArray<ServerPeer>
  readonly clients: ReadonlyArray<ClientPeer>
  /** Peers that this machine cannot run, each with the reason. */
  readonly skipped: ReadonlyArray<Skipped>
}

/** The language is not on this machine, or its peers could not be built. */
export interface Missing {
  readonly _tag: "Missing"
  readonly why: string
}

export interface Skipped {
  readonly peer: string
  readonly why: string
}

/** How a server is offered: a pipe, HTTP with sessions, HTTP without. */
export type Carriage = "stdio" | "http" | "http-stateless"

export const carriages: ReadonlyArray<Carriage> = ["stdio", "http", "http-stateless"]

export type Era = "legacy" | "dual" | "modern"

/** A server on somebody else's library. */
export interface ServerPeer {
  /** The library and its version: "mcp 2.3.0". */
  readonly library: string
  readonly carriage: Carriage
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly speaks: Era
  /** The newest handshake revision that it serves. */
  readonly newestLegacy: string
  /** What a probe does to it, where it does not answer. */
  readonly probed?: "exits"
}

/** A client on somebody else's library: a program that is given jobs by lines of JSON. */
export interface ClientPeer {
  readonly library: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly modes: ReadonlyArray<Mode>
}

/** A way to connect that a client's library offers. */
export interface Mode {
  readonly name: string
  /** What it leads with and falls back to. */
  readonly speaks: Era
}

export const missing = (why: string): Missing => ({ _tag: "Missing", why })
