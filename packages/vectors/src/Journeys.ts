// The ten journeys that people meet most: who meets whom, over what. Each is run, so that what is told of it is what happens.
import * as Policy from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import { compile } from "@parley/core/server/Compiled"
import * as Profile from "@parley/core/server/Profile"
import { allVersions, newestModern } from "@parley/core/Version"
import type { Peer, Standing } from "./link/Peer.ts"
import { busy, deaf, frail, misnaming, parley } from "./link/Peer.ts"
import type { Run } from "./link/Run.ts"
import { run } from "./link/Run.ts"
import { profiles } from "./server/Subjects.ts"
import { tomorrow } from "./Subjects.ts"

/** A journey: a client and a server that meet. */
export interface Journey {
  readonly id: string
  readonly title: string
  /** What there is to see, in a sentence or two. */
  readonly about: string
  readonly policy: Policy.Policy
  readonly medium: Medium
  readonly peer: Peer<Standing>
}

const server = (name: string): Peer<Standing> => {
  const compiled = profiles[name]
  return parley(name, compiled ?? compile(Profile.dual({ serverInfo: { name, version: "1.0.0" } })))
}

const only = (version: string): Peer<Standing> =>
  parley(version, compile(Profile.make({ serverInfo: { name: "server", version: "1.0.0" }, versions: [version] })))

/** The journeys, the commonest first. */
export const journeys: ReadonlyArray<Journey> = [
  {
    id: "legacy",
    title: "A server of today",
    about: "The default opens with the handshake, and a legacy server answers it: one round trip, as ever.",
    policy: Policy.auto,
    medium: stdio,
    peer: server("handshakeOnly")
  },
  {
    id: "modern-only",
    title: "A server that speaks nothing but the modern era",
    about: "It refuses the handshake with -32022 and names its revisions; the client goes on to what both speak.",
    policy: Policy.auto,
    medium: http,
    peer: server("modernOnly")
  },
  {
    id: "discover",
    title: "The specification's probe at a dual-era server",
    about: "One round trip, and the client stays modern.",
    policy: Policy.discoverFirst,
    medium: http,
    peer: server("dual")
  },
  {
    id: "fallback",
    title: "The probe at a legacy server",
    about: "An error that no modern server gives: fall back to the handshake.",
    policy: Policy.discoverFirst,
    medium: http,
    peer: server("handshakeOnly")
  },
  {
    id: "older",
    title: "A server of an older revision",
    about: "It answers with the revision that it speaks; the client speaks it too.",
    policy: Policy.auto,
    medium: stdio,
    peer: only("2024-11-05")
  },
  {
    id: "silent",
    title: "A server that does not answer the probe",
    about:
      "On a pipe, silence within the probe's time means a legacy server; the client keeps listening for a late answer.",
    policy: Policy.discoverFirst,
    medium: stdio,
    peer: deaf(server("handshakeOnly"))
  },
  {
    id: "frail",
    title: "A server whose process ends on the probe",
    about: "One fresh process is started, and it never sees the probe.",
    policy: Policy.discoverFirst,
    medium: stdio,
    peer: frail(server("handshakeOnly"))
  },
  {
    id: "held",
    title: "A handshake that names a modern revision",
    about:
      "Some servers answer the handshake with a revision that has none. Where `server/discover` is not to be had, the handshake is repeated and held at the revision offered.",
    policy: Policy.auto,
    medium: http,
    peer: misnaming(server("handshakeOnly"), newestModern)
  },
  {
    id: "corrected",
    title: "A client that is newer than the server",
    about: "The refusal lists what the server speaks; the client asks again at that revision, once.",
    policy: Policy.withVersions(Policy.discoverFirst, [...allVersions, tomorrow]),
    medium: http,
    peer: server("modernOnly")
  },
  {
    id: "busy",
    title: "A server under load",
    about: "No verdict on the era: the client fails with what it was told, and its owner may retry.",
    policy: Policy.auto,
    medium: http,
    peer: busy(server("dual"))
  }
]

/** Returns how a journey went. */
export const travel = ({ medium, peer, policy }: Journey): Run<Standing> => run(policy, medium, peer)
