// The servers of a soak: real ones, one of each kind of era, over HTTP in this process and on pipes in their own. Each
// answers `tools/call` with the arguments that it was given, and with its process.
import * as Profile from "@parley/core/server/Profile"
import type { Era } from "@parley/core/Version"
import * as HttpServer from "@parley/node/HttpServer"
import * as Admission from "@parley/runtime/Admission"
import type { Handler } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"

/** What a server lives in. */
export type Kind = Era | "dual"

export const kinds: ReadonlyArray<Kind> = ["legacy", "modern", "dual"]

const options: Profile.Options = {
  serverInfo: { name: "soak", version: "1.0.0" },
  capabilities: { tools: {} }
}

export const profileOf = (kind: Kind): Profile.Profile =>
  kind === "dual"
    ? Profile.dual(options)
    : kind === "modern"
      ? Profile.modernOnly(options)
      : Profile.handshakeOnly(options)

export const echo: Handler = (request) =>
  Effect.succeed({ content: [], echo: request.params?.["arguments"] ?? null, pid: process.pid })

/** Starts a server over HTTP in this process. */
export const http = (kind: Kind) =>
  Effect.flatMap(Admission.make(profileOf(kind), echo), (admission) => HttpServer.serve({ admission, stopMillis: 200 }))

/** How a server on a pipe is started. */
export const command = (kind: Kind) => ({
  command: process.execPath,
  args: [...process.execArgv, fileURLToPath(new URL("soak-stdio-bin.ts", import.meta.url)), kind]
})
