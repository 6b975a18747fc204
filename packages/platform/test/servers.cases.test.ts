// One set of cases, every skin: what is right is the same whoever carries it.
import { describe, expect, it } from "@effect/vitest"
import * as CaseFile from "@parley/testing/CaseFile"
import * as CaseRunner from "@parley/testing/CaseRunner"
import * as Report from "@parley/testing/Report"
import type { ServerSubject } from "@parley/testing/Subject"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import * as Example from "./support/Example.ts"
import * as Program from "./support/Program.ts"
import { type Skin, skins } from "./support/Skins.ts"

const overHttp = ({ serve }: Skin): ServerSubject => ({
  serve: (options) => Effect.flatMap(Example.admission(options), serve)
})

const overStdio: ServerSubject = { serve: (options) => Effect.succeed(Program.command(options)) }

const casesOver = (transport: "http" | "stdio") =>
  Effect.promise(async () => {
    const path = fileURLToPath(new URL("../../testing/cases/reports.json", import.meta.url))
    const file = await CaseFile.load(path)
    expect(file.broken).toEqual([])
    return file.cases.filter((one) => one.side === "server" && one.transport === transport)
  })

const wrong = (verdicts: ReadonlyArray<CaseRunner.Verdict>): string =>
  verdicts
    .map((verdict) => Report.block("reports.json", verdict))
    .join("\n")
    .trim()

describe("the server cases", () => {
  it.live.each(skins.map((skin) => [skin.name, skin] as const))(
    "pass over HTTP through %s",
    ([_, skin]) =>
      Effect.gen(function* () {
        const cases = yield* casesOver("http")
        expect(cases).toHaveLength(33)
        expect(wrong(yield* CaseRunner.runAll(cases, { server: overHttp(skin) }))).toBe("")
      }),
    60_000
  )

  it.live(
    "pass on a pipe through Effect's Stdio, in a process of its own",
    () =>
      Effect.gen(function* () {
        const cases = yield* casesOver("stdio")
        expect(cases).toHaveLength(18)
        const options = { concurrency: 2, waits: { replyMillis: 10_000, optionalMillis: 400, silenceMillis: 120 } }
        expect(wrong(yield* CaseRunner.runAll(cases, { server: overStdio }, options))).toBe("")
      }),
    120_000
  )
})
