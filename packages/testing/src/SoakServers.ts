// The servers of a soak: real ones, one of each kind of era, over HTTP in this process and on pipes in their own. Each
// answers `tools/call` with the arguments that it was given, and with its process, and speaks by itself to who listens.
import * as Profile from "@parley/core/server/Profile"
import type { Era } from "@parley/core/Version"
import * as HttpServer from "@parley/node/HttpServer"
import * as Admission from "@parley/runtime/Admission"
import type { Door, Handler } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"

/** What a server lives in. */
export type Kind = Era | "dual"

export const kinds: ReadonlyArray<Kind> = ["legacy", "modern", "dual"]

const options: Profile.Options = {
  serverInfo: { name: "soak", version: "1.0.0" },
  capabilities: { tools: { listChanged: true } },
  // Sessions whose end was lost on the way are over within a part of the run, so that what is left at its end is a leak.
  deadlines: { idleMillis: 20_000 }
}

export const profileOf = (kind: Kind): Profile.Profile =>
  kind === "dual"
    ? Profile.dual(options)
    : kind === "modern"
      ? Profile.modernOnly(options)
      : Profile.handshakeOnly(options)

export const echo: Handler = (request, context) =>
  Effect.as(context.progress({ progress: 1, total: 1 }), {
    content: [],
    echo: request.params?.["arguments"] ?? null,
    pid: process.pid
  })

/** Says that the tools changed, again and again. */
export const speak = (door: Door): Effect.Effect<never> =>
  Effect.forever(Effect.delay(door.notify("notifications/tools/list_changed"), "40 millis"))

/** Starts a server over HTTP in this process. */
export const http = (kind: Kind) =>
  Effect.flatMap(Admission.make(profileOf(kind), echo, { listener: speak }), (admission) =>
    HttpServer.serve({ admission, stopMillis: 200 })
  )

/** How a server on a pipe is started. The mark is of no use to it: it tells whose it is, where it should be left over. */
export const command = (kind: Kind) => ({
  command: process.execPath,
  args: [...process.execArgv, fileURLToPath(new URL("soak-stdio-bin.ts", import.meta.url)), kind, mark]
})

/** What the command line of every process of this run ends in. */
export const mark = `of-${process.pid}`
