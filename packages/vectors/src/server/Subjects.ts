// Which servers are walked: a profile of every kind, on a pipe and in an HTTP session. What they meet is in Occurrences.
import type { Compiled } from "@parley/core/server/Compiled"
import { compile } from "@parley/core/server/Compiled"
import type { Options } from "@parley/core/server/Profile"
import * as Profile from "@parley/core/server/Profile"
import type { ToolHeader } from "@parley/core/ToolHeaders"
import { batchVersion, newestModern } from "@parley/core/Version"
import { tomorrow } from "../Subjects.ts"
import { toolNames } from "./ToolNames.ts"

/** What carries the conversation of a server: a pipe, or an HTTP session. */
export type Carrier = "pipe" | "http"

/** A profile on a carrier. */
export interface ServerSubject {
  /** Unique and stable: `<profile>@<carrier>`. */
  readonly id: string
  readonly profile: string
  readonly carrier: Carrier
  readonly compiled: Compiled
}

const options: Options = {
  serverInfo: { name: "server", version: "1.0.0" },
  capabilities: { tools: { listChanged: true }, logging: {} },
  requires: [{ method: "tools/call", name: toolNames.asking, capabilities: { sampling: {} } }],
  toolHeaders: new Map<string, ReadonlyArray<ToolHeader>>([
    [toolNames.placed, [{ header: "Region", path: ["region"], type: "string" }]]
  ])
}

/** The profiles that are walked, by name. */
export const profiles: { readonly [name: string]: Compiled } = {
  dual: compile(Profile.dual(options)),
  modernOnly: compile(Profile.modernOnly(options)),
  handshakeOnly: compile(Profile.handshakeOnly(options)),
  separate: compile(Profile.dual({ ...options, interleave: "refuse" })),
  sessionless: compile(Profile.dual({ ...options, sessions: "none" })),
  sparse: compile(Profile.make({ ...options, versions: [batchVersion, newestModern] })),
  tomorrow: compile(Profile.make({ ...options, versions: [newestModern, tomorrow] }))
}

/** Every subject of the server's walk. */
export const serverSubjects: ReadonlyArray<ServerSubject> = Object.entries(profiles).flatMap(([profile, compiled]) =>
  (["pipe", "http"] as const).map((carrier) => ({ id: `${profile}@${carrier}`, profile, carrier, compiled }))
)
