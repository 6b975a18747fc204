// Every server case of this package's files over one transport, for whoever carries a server: each carrier passes them all.
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import type { ServerCase } from "./Case.ts"
import * as CaseFile from "./CaseFile.ts"
import * as CaseRunner from "./CaseRunner.ts"
import * as Report from "./Report.ts"
import type { ServerSubject } from "./Subject.ts"

/** Returns the server cases of `reports` and `peers-2` that the transport can play. */
export const load = (transport: ServerCase["transport"]): Effect.Effect<ReadonlyArray<ServerCase>> =>
  Effect.map(
    Effect.forEach(files, (name) =>
      Effect.promise(() => CaseFile.load(fileURLToPath(new URL(`../cases/${name}.json`, import.meta.url))))
    ),
    (loaded) =>
      loaded.flatMap(({ cases }) =>
        cases.flatMap((item) => (item.side === "server" && item.transport === transport ? [item] : []))
      )
  )

/** Plays cases against a subject, and returns what a person reads of those that are wrong: nothing where all are right. */
export const wrong = (
  cases: ReadonlyArray<ServerCase>,
  server: ServerSubject,
  options?: CaseRunner.Options
): Effect.Effect<string> =>
  Effect.map(CaseRunner.runAll(cases, { server }, options), (verdicts) =>
    verdicts
      .map((verdict) => Report.block("", verdict))
      .filter((block) => block !== "")
      .join("\n")
  )

const files = ["reports", "peers-2"]
