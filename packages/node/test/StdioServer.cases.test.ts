import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerCases from "@parley/testing/ServerCases"
import { overStdio } from "./support/Carried.ts"

describe("every server case over stdio", () => {
  it.live(
    "is right in a process of its own",
    () =>
      Effect.gen(function* () {
        const cases = yield* ServerCases.load("stdio")
        expect(cases.length).toBeGreaterThan(50)
        expect(yield* ServerCases.wrong(cases, overStdio)).toBe("")
      }),
    240_000
  )
})
