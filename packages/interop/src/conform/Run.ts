// Holds the conversations with a subject over its carriers, and keeps what came of it as rows.
import * as Client from "@parley/cli/conform/Client"
import { kinds } from "@parley/cli/conform/Difference"
import type { Report } from "@parley/cli/conform/Report"
import { countsOf, reasons } from "@parley/cli/conform/Report"
import type { Options } from "@parley/cli/conform/Reports"
import { clientReport, serverReport } from "@parley/cli/conform/Reports"
import type { Target } from "@parley/testing/Scripted"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Process from "../Process.ts"
import type * as Roster from "../field/Roster.ts"
import type { Row } from "./Results.ts"
import type { Subject } from "./Subjects.ts"
import { repeat, titleOf } from "./Subjects.ts"

/** Returns the rows of a subject, one for each carrier. */
export const run = (
  subject: Subject,
  media: ReadonlyArray<"http" | "stdio"> = ["http", "stdio"]
): Effect.Effect<ReadonlyArray<Row>, Process.CommandFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const isAsked = (carrier: "http" | "stdio"): boolean => media.includes(carrier)
      const reports = yield* subject.side === "client"
        ? ofClient({ ...subject.client, carriers: subject.client.carriers.filter(isAsked) }, subject.policy)
        : Effect.forEach(
            subject.servers.filter(({ carrier }) => isAsked(carrier)),
            (server) => Effect.scoped(ofServer(server))
          )
      return reports.map((report) => rowOf(subject, report))
    })
  )

const ofClient = (
  { args, carriers, command, mode }: Roster.Client,
  policy: string
): Effect.Effect<ReadonlyArray<Report>, Process.CommandFailed, Scope.Scope> =>
  Effect.flatMap(Client.ofJobs({ command, args }, mode), (client) =>
    Effect.forEach(carriers, (carrier) => clientReport(client, policy, carrier, options(carrier, 5_000)))
  ).pipe(
    Effect.catchTag("NeverEnds", () =>
      Effect.fail(new Process.CommandFailed({ command, said: "it ends in no conversation" }))
    )
  )

const ofServer = (server: Roster.Server): Effect.Effect<Report, Process.CommandFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { args, carrier, command, name } = server
    const target: Target = carrier === "http" ? { url: yield* Process.serve(command, args) } : { command, args }
    const report = yield* serverReport(target, undefined, options(carrier, carrier === "http" ? 5_000 : 1_000))
    return report === undefined
      ? yield* new Process.CommandFailed({ command: name, said: "it answers neither opening" })
      : report
  })

// A pipe is a process for each conversation: many more of them than processors only make each other late.
const options = (carrier: "http" | "stdio", timeoutMillis: number): Options => ({
  wants: () => true,
  timeoutMillis,
  concurrency: carrier === "http" ? 8 : 4,
  progress: { held: 0, done: 0 }
})

const rowOf = (subject: Subject, report: Report): Row => ({
  title: titleOf(subject),
  side: report.side,
  medium: report.medium,
  heldTo: report.heldTo,
  repeat: repeat(subject, report.medium),
  counts: countsOf(report),
  kinds: kinds(report.verdicts).map(({ about, came, clause, expected, ids }) => ({
    about,
    expected,
    came,
    clause,
    times: ids.length,
    example: ids[0] ?? ""
  })),
  leftOut: reasons(report)
})
