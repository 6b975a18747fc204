// The reports of a client and of a server: which conversations are held, and what came of them.
import * as Launch from "@parley/core/Launch"
import type { Target } from "@parley/testing/Scripted"
import * as Effect from "effect/Effect"
import { oneLine } from "../render/Text.ts"
import type * as Client from "./Client.ts"
import * as ClientRun from "./ClientRun.ts"
import { conversations } from "./Data.ts"
import type { LeftOut } from "./Difference.ts"
import * as Facts from "./Facts.ts"
import type { Report } from "./Report.ts"
import * as Script from "./Script.ts"
import * as ServerRun from "./ServerRun.ts"

/** How conversations are held. */
export interface Options {
  /** Whether one is wanted, by its id. */
  readonly wants: (id: string) => boolean
  /** How long one answer may take, in milliseconds. */
  readonly timeoutMillis: number
  /** How many are held at the same time. */
  readonly concurrency: number
  /** Counted up while they are held. */
  readonly progress: { held: number; done: number }
}

/** Holds the conversations of a policy on a medium with a client. Fails where it ends in none of them. */
export const clientReport = (
  client: Client.Client,
  policy: string,
  medium: "http" | "stdio",
  { concurrency, progress, timeoutMillis, wants }: Options
): Effect.Effect<Report, Client.NeverEnds> =>
  Effect.suspend(() => {
    const data = conversations()
    const own = data.client.filter((one) => one.policies.includes(policy) && one.medium === medium && wants(one.id))
    const spared = client.patience === "told" ? [] : own.filter(Script.waits)
    const held = own.filter((one) => !spared.includes(one))
    progress.held += held.length
    const leftOut: ReadonlyArray<LeftOut> = spared.map(({ id }) => ({
      id,
      why: "nothing comes in it, and how long the client waits is its own"
    }))
    const options = {
      table: data.policies[policy]?.table ?? policy,
      timeoutMillis,
      concurrency,
      onDone: () => void (progress.done += 1)
    }
    return Effect.map(ClientRun.run(held, client, options), (verdicts): Report => ({
      side: "client",
      subject: client.name,
      medium,
      heldTo: policy,
      verdicts,
      leftOut
    }))
  })

/** Asks a server what it is and holds the conversations of its profile with it. Undefined where it answers no opening. */
export const serverReport = (
  target: Target,
  profile: Facts.ProfileName | undefined,
  { concurrency, progress, timeoutMillis, wants }: Options
): Effect.Effect<Report | undefined> =>
  Effect.gen(function* () {
    const medium = "url" in target ? "http" : "stdio"
    const found = yield* Effect.promise((signal) => Facts.find(target, timeoutMillis, signal))
    if (found === undefined) return undefined
    const facts = profile === undefined ? found : { ...found, profile }
    const { held, leftOut } = ServerRun.select(conversations().server, facts, medium)
    const wanted = held.filter(({ id }) => wants(id))
    progress.held += wanted.length
    const verdicts = yield* ServerRun.run(wanted, target, {
      facts,
      timeoutMillis,
      concurrency,
      onDone: () => void (progress.done += 1)
    })
    const subject = "url" in target ? oneLine(target.url.replace(/\?.*/, ""), 120) : Launch.targetOf(target)
    return {
      side: "server",
      subject,
      medium,
      heldTo: facts.profile,
      facts,
      verdicts,
      leftOut: leftOut.filter(({ id }) => wants(id))
    }
  })
