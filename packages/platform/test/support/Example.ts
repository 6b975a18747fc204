// A server for the tests: as a case asks for it, with tools that answer, that speak while they work, and that wait.
import * as Profile from "@parley/core/server/Profile"
import { legacyVersions, modernVersions } from "@parley/core/Version"
import * as Admission from "@parley/runtime/Admission"
import { type Handler, type Listener, Rejection } from "@parley/runtime/Handler"
import type { ServeOptions } from "@parley/testing/Subject"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What a case asks for, as a profile. */
export const profile = (options: ServeOptions, more?: Partial<Profile.Options>): Profile.Profile =>
  Profile.make({
    serverInfo: { name: "example", version: "1.0.0" },
    capabilities: { tools: { listChanged: true }, logging: {} },
    versions: options.eras.flatMap((era) => (era === "legacy" ? legacyVersions : modernVersions)),
    sessions: options.sessions ? "issued" : "none",
    ...(options.allowedOrigins === undefined ? undefined : { origins: options.allowedOrigins }),
    ...more
  })

/** What happened in the handlers, for tests to wait for. */
export interface Watch {
  readonly begun: (name: string) => void
  readonly interrupted: (name: string) => void
}

const unwatched: Watch = { begun: () => undefined, interrupted: () => undefined }

/**
 * `tools/list`, and tools that return their name, but for `count` (three progress notifications, then the answer), `flood`
 * (notifications without an end), `wait` (for ever) and `large` (2 MiB).
 */
export const handler =
  (tools: ReadonlyArray<string>, watch: Watch): Handler<Rejection> =>
  (request, context) =>
    Effect.gen(function* () {
      if (request.method === "tools/list") {
        return { tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) }
      }
      const name = String(request.params?.["name"])
      if (!tools.includes(name)) return yield* new Rejection({ code: -32602, message: `There is no tool ${name}.` })
      watch.begun(name)
      if (name === "count") {
        for (const progress of [1, 2, 3]) yield* context.progress({ progress, total: 3 })
      }
      if (name === "flood") {
        const block = "x".repeat(10_000)
        for (let progress = 1; ; progress++) {
          yield* context.progress({ progress, message: block })
          yield* Effect.yieldNow
          flood.sent = progress
        }
      }
      if (name === "wait") yield* Effect.never
      return { content: [{ type: "text", text: name === "large" ? "é".repeat(1_048_576) : name }] }
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => watch.interrupted(String(request.params?.["name"])))))

/** How many blocks the tool `flood` has sent. */
export const flood = { sent: 0 }

export const tools = ["echo", "count", "flood", "wait", "large"]

/** What the tests of one skin ask for by default: both eras, with sessions. */
export const both: ServeOptions = { eras: ["legacy", "modern"], transport: "http", sessions: true }

export const admission = (
  options: ServeOptions = both,
  more: {
    readonly profile?: Partial<Profile.Options>
    readonly watch?: Watch
    readonly listener?: Listener
  } = {}
): Effect.Effect<Admission.Admission, never, Scope.Scope> =>
  Admission.make(
    profile(options, more.profile),
    handler(options.tools ?? tools, more.watch ?? unwatched),
    more.listener === undefined ? undefined : { listener: more.listener }
  )
