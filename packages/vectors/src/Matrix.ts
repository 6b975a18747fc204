// Who agrees with whom: clients of every era and policy against servers of every era and revision, each pair run over an
// ideal link on both media; and what the specification's own matrix expects of each pair of eras.
import * as Policy from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import type { Compiled } from "@parley/core/server/Compiled"
import { compile } from "@parley/core/server/Compiled"
import * as Profile from "@parley/core/server/Profile"
import type { Era } from "@parley/core/Version"
import { allVersions, eraOf, legacyVersions, modernVersions } from "@parley/core/Version"
import { parley } from "./link/Peer.ts"
import { run } from "./link/Run.ts"
import { media } from "./Subjects.ts"

/** What a side speaks. */
export type Sides = "modern" | "dual" | "legacy"

/** A row of the specification's Compatibility Matrix, in our words, and two that it leaves to its text. */
export interface Expected {
  readonly client: Sides
  readonly server: Sides
  readonly outcome: "works" | "fails"
  /** The era of the agreement; undefined where the client's opening decides it. */
  readonly era: Era | undefined
  readonly why: string
}

/** 2026-07-28, basic/versioning, Compatibility Matrix, in its order; the last two follow from the text below it. */
export const specified: ReadonlyArray<Expected> = [
  {
    client: "modern",
    server: "modern",
    outcome: "works",
    era: "modern",
    why: "a mismatch of revisions is refused with a list, and the client asks again"
  },
  {
    client: "modern",
    server: "legacy",
    outcome: "fails",
    era: undefined,
    why: "the client tells its user why, with what can be done"
  },
  {
    client: "dual",
    server: "modern",
    outcome: "works",
    era: "modern",
    why: "the client stays modern, or comes to it"
  },
  {
    client: "dual",
    server: "legacy",
    outcome: "works",
    era: "legacy",
    why: "what is no modern answer leads to the handshake"
  },
  {
    client: "legacy",
    server: "modern",
    outcome: "fails",
    era: undefined,
    why: "the handshake is refused, and the client has no way forward"
  },
  { client: "legacy", server: "dual", outcome: "works", era: "legacy", why: "the server answers the handshake" },
  { client: "legacy", server: "legacy", outcome: "works", era: "legacy", why: "as the legacy revision says" },
  {
    client: "modern",
    server: "dual",
    outcome: "works",
    era: "modern",
    why: "a request with its envelope is served statelessly"
  },
  {
    client: "dual",
    server: "dual",
    outcome: "works",
    era: undefined,
    why: "the server follows how the client opens"
  }
]

/** The clients of the matrix. */
export const clients: ReadonlyArray<{ readonly name: string; readonly sides: Sides; readonly policy: Policy.Policy }> =
  [
    { name: "pinned:2026-07-28", sides: "modern", policy: Policy.pinned("2026-07-28") },
    { name: "auto", sides: "dual", policy: Policy.auto },
    { name: "hermes", sides: "dual", policy: Policy.hermes },
    { name: "discoverFirst", sides: "dual", policy: Policy.discoverFirst },
    { name: "stateless", sides: "dual", policy: Policy.stateless },
    { name: "handshakeOnly", sides: "legacy", policy: Policy.handshakeOnly },
    { name: "pinned:2025-11-25", sides: "legacy", policy: Policy.pinned("2025-11-25") }
  ]

const serverInfo = { name: "server", version: "1.0.0" }
const serving = (versions: ReadonlyArray<string>): Compiled => compile(Profile.make({ serverInfo, versions }))

/** The servers of the matrix: each era, and each revision alone. */
export const servers: ReadonlyArray<{ readonly name: string; readonly sides: Sides; readonly compiled: Compiled }> = [
  { name: "modern", sides: "modern", compiled: serving(modernVersions) },
  { name: "dual-era", sides: "dual", compiled: serving(allVersions) },
  { name: "legacy", sides: "legacy", compiled: serving(legacyVersions) },
  ...legacyVersions.map((version) => ({
    name: `${version} alone`,
    sides: "legacy" as const,
    compiled: serving([version])
  }))
]

/** How a client and a server came out. */
export interface Outcome {
  readonly client: string
  readonly clientSides: Sides
  readonly server: string
  readonly serverSides: Sides
  readonly medium: string
  /** What was agreed, or undefined. */
  readonly version: string | undefined
  readonly era: Era | undefined
  /** The tag of the error, where they failed. */
  readonly error: string | undefined
  /** The requests that it took. */
  readonly requests: number
}

/** Returns how a policy and a server come out on a medium. */
export const meet = (client: (typeof clients)[number], server: (typeof servers)[number], medium: Medium): Outcome => {
  const { ending, happenings } = run(client.policy, medium, parley(server.name, server.compiled))
  const version = ending._tag === "Settled" ? ending.version : undefined
  const requests = happenings.filter(
    (happening) => happening._tag === "Sent" && happening.sent.text?.includes('"id":') === true
  )
  return {
    client: client.name,
    clientSides: client.sides,
    server: server.name,
    serverSides: server.sides,
    medium: medium.name,
    version,
    era: version === undefined ? undefined : eraOf(version),
    error: ending._tag === "Failed" ? ending.reason._tag : undefined,
    requests: requests.length
  }
}

/** Returns the whole matrix. */
export const matrix = (): ReadonlyArray<Outcome> =>
  clients.flatMap((client) => servers.flatMap((server) => media.map((medium) => meet(client, server, medium))))

/**
 * Returns the outcomes that are otherwise than the specification's matrix. A server of one legacy revision is no row of
 * its own: whether a legacy client speaks that revision is not what the row is about.
 */
export const deviations = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> =>
  outcomes.filter((outcome) => {
    if (outcome.server.endsWith("alone")) return false
    const row = specified.find(({ client, server }) => client === outcome.clientSides && server === outcome.serverSides)
    if (row === undefined) return true
    const works = outcome.version !== undefined
    return works !== (row.outcome === "works") || (row.era !== undefined && outcome.era !== row.era)
  })
