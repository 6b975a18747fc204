// Whose clients and servers are held to the conversations, and to which policy each client. How each is started is Roster's.
import * as Roster from "../field/Roster.ts"

/** A client in one of its modes, and the policy that it comes nearest to. */
export interface ClientSubject {
  readonly side: "client"
  readonly name: string
  readonly mode: string
  readonly policy: string
  readonly client: Roster.Client
}

/** A server over the carriers that it has. What profile it is of is found out. */
export interface ServerSubject {
  readonly side: "server"
  readonly name: string
  readonly servers: ReadonlyArray<Roster.Server>
}

export type Subject = ClientSubject | ServerSubject

// The policy that stands for a mode: what it opens with, and what it falls back to.
const policies: ReadonlyArray<readonly [name: string, mode: string, policy: string]> = [
  ["TypeScript SDK 1.32.2", "only", "handshakeOnly"],
  ["TypeScript SDK client 2.4.0", "legacy", "handshakeOnly"],
  ["TypeScript SDK client 2.4.0", "auto", "discoverFirst"],
  ["TypeScript SDK client 2.4.0", "pin:2026-07-28", "pinned:2026-07-28"],
  ["effect/ai 4.1.0", "2025-11-25", "pinned:2025-11-25"],
  ["effect/ai 4.1.0", "2026-07-28", "pinned:2026-07-28"],
  // The same runner on Parley itself: what it would find there is wrong here.
  [Roster.parleyName, "auto", "auto"],
  [Roster.parleyName, "discoverFirst", "discoverFirst"]
]

// On a pipe each conversation is a process: of Parley's servers the one of both eras is held to it there, the others by tests.
const overHttpAlone: ReadonlySet<string> = new Set(["parley serve --era legacy", "parley serve --era modern"])

const servers: ReadonlyArray<string> = [
  "TypeScript SDK 1.32.2",
  "TypeScript SDK 2.4.0, both eras",
  "TypeScript SDK 2.4.0, legacy rejected",
  "effect/ai 4.1.0, all five protocols",
  "effect/ai 4.1.0, 2026-07-28 alone",
  "parley serve --era dual",
  "parley serve --era legacy",
  "parley serve --era modern"
]

/** Everyone, the clients first. */
export const subjects: ReadonlyArray<Subject> = [
  ...policies.map(([name, mode, policy]): Subject => {
    const client = Roster.clients.find((one) => one.name === name && one.mode === mode)
    if (client === undefined) throw new Error(`the roster has no client ${name}, ${mode}`)
    return { side: "client", name, mode, policy, client }
  }),
  ...servers.map((name): Subject => {
    const found = Roster.servers.filter(
      (one) => one.name === name && (one.carrier === "http" || !overHttpAlone.has(name))
    )
    if (found.length === 0) throw new Error(`the roster has no server ${name}`)
    return { side: "server", name, servers: found }
  })
]

/** Returns the name of a subject as a title. */
export const titleOf = (subject: Subject): string =>
  subject.side === "server" ? subject.name : subject.mode === "only" ? subject.name : `${subject.name}, ${subject.mode}`

/** Returns the command that repeats a subject on a carrier, as it can be typed at the root of the repository. */
export const repeat = (subject: Subject, medium: "http" | "stdio"): string => {
  if (subject.side === "client") {
    const { client, mode, policy } = subject
    return `npm run -s parley -- conform --client "${Roster.shown(client)}" --jobs ${mode} --policy ${policy} --transport ${medium}`
  }
  const server = subject.servers.find(({ carrier }) => carrier === medium)
  if (server === undefined) return ""
  return medium === "stdio"
    ? `npm run -s parley -- conform --server "${Roster.shown(server)}"`
    : `${Roster.shown(server)} # says its URL; then: npm run -s parley -- conform --server URL`
}
