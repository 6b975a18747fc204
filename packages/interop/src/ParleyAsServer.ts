// Somebody else's client meets Parley's servers: both eras, each alone, over HTTP with and without sessions and on a
// pipe. Judged by what the client's mode and the served eras have in common.
import * as Effect from "effect/Effect"
import * as Driver from "@parley/testing/Driver"
import * as ParleyServer from "@parley/testing/ParleyServer"
import type { CannotServe } from "@parley/testing/Subject"
import { fileURLToPath } from "node:url"
import { carriages, type ClientPeer, type Era, type Mode } from "./Language.ts"
import type { ClientRow } from "./Results.ts"
import * as Tap from "./Tap.ts"

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** The command line of this workspace, run from its sources. */
const parley = {
  command: process.execPath,
  args: ["--import", at("scripts/register.mjs"), at("packages/cli/src/bin.ts")]
}

const eras: ReadonlyArray<Era> = ["dual", "legacy", "modern"]

/** Meets Parley's servers with one client, in each of its modes. */
export const meet = (peer: ClientPeer): Effect.Effect<ReadonlyArray<ClientRow>, CannotServe> =>
  Effect.gen(function* () {
    const driver = yield* Driver.start(peer)
    const kinds = carriages.flatMap((carriage) =>
      eras.filter((era) => era !== "modern" || carriage !== "http").map((era) => ({ carriage, era }))
    )
    const rows = yield* Effect.forEach(
      kinds,
      ({ carriage, era }) =>
        Effect.scoped(
          Effect.gen(function* () {
            const target = yield* ParleyServer.subject(parley).serve({
              eras: era === "dual" ? ["legacy", "modern"] : [era],
              transport: carriage === "stdio" ? "stdio" : "http",
              sessions: carriage === "http",
              tools: ["echo"]
            })
            return yield* Effect.forEach(peer.modes, (mode) =>
              Effect.scoped(
                Effect.gen(function* () {
                  const tap = yield* Tap.open(target)
                  const job = {
                    mode: mode.name,
                    target: tap.target,
                    timeoutMillis: 20_000,
                    probeMillis: 20_000,
                    afterwards: "call"
                  } as const
                  const end = yield* driver.ask(job)
                  return rowOf(peer, mode, carriage, era, end, yield* tap.heard)
                })
              )
            )
          })
        ),
      { concurrency: 2 }
    )
    return rows.flat()
  }).pipe(Effect.scoped)

const rowOf = (
  peer: ClientPeer,
  mode: Mode,
  carriage: string,
  era: Era,
  end: Driver.End,
  heard: ReadonlyArray<string>
): ClientRow => {
  // The stream that some open meanwhile, and the end of a session, come when they come.
  const sent = heard.filter((what) => !what.startsWith("GET") && !what.startsWith("DELETE"))
  const base = { library: peer.library, mode: mode.name, carriage, eras: era, sent }
  if (end.outcome === "failed") {
    return {
      ...base,
      outcome: end.error,
      wrong: meets(mode.speaks, era) ? [`It must connect; it said: ${end.error}.`] : []
    }
  }
  const called = end.tools?.includes("echo") === true && end.echo === "hello"
  return {
    ...base,
    outcome: end.version,
    called,
    wrong: [
      ...(meets(mode.speaks, era) ? [] : ["It must not connect: client and server share no era."]),
      ...(called ? [] : ["The tool could not be called."])
    ]
  }
}

/** Returns whether a client's mode and a server share an era. */
export const meets = (client: Era, server: Era): boolean => client === "dual" || server === "dual" || client === server
