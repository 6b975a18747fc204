import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import * as CaseFile from "@parley/testing/CaseFile"
import * as CaseRunner from "@parley/testing/CaseRunner"
import * as ParleyClient from "@parley/testing/ParleyClient"
import * as Report from "@parley/testing/Report"

const client = ParleyClient.subject((target) => ("url" in target ? HttpClient.make(target) : StdioClient.make(target)))

describe("Parley's client, over real processes and sockets", () => {
  it.live.each<[string, number]>([
    ["reports", 66],
    ["peers-1a", 272],
    ["peers-1b", 188],
    ["strict", 50],
    ["interop", 9]
  ])(
    "passes the client cases of %s",
    ([name, count]) =>
      Effect.gen(function* () {
        const path = fileURLToPath(new URL(`../cases/${name}.json`, import.meta.url))
        const file = yield* Effect.promise(() => CaseFile.load(path))
        const cases = file.cases.filter(({ side }) => side === "client")
        expect(file.broken).toEqual([])
        expect(cases).toHaveLength(count)
        const verdicts = yield* CaseRunner.runAll(cases, { client })
        expect(
          verdicts
            .map((verdict) => Report.block(file.file, verdict))
            .join("\n")
            .trim()
        ).toBe("")
      }),
    120_000
  )
})
