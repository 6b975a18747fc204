// Parley's clients of this package meet its servers: both eras, every skin.
import { NodeServices } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import * as HttpClient from "@parley/platform/HttpClient"
import * as StdioClient from "@parley/platform/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import type { Transport } from "@parley/runtime/Transport"
import { Effect, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Example from "./support/Example.ts"
import * as Program from "./support/Program.ts"
import { skins } from "./support/Skins.ts"

type Reached = Effect.Effect<Transport, never, Scope.Scope>

const servers: ReadonlyArray<readonly [name: string, reached: Reached]> = [
  ...skins.map(
    ({ name, serve }) =>
      [
        name,
        Effect.flatMap(Example.admission(), serve).pipe(
          Effect.flatMap(({ url }) => Effect.provide(HttpClient.make({ url }), FetchHttpClient.layer))
        )
      ] as const
  ),
  [
    "the stdio server in a process",
    Effect.provide(StdioClient.make(Program.command({ ...Example.both, transport: "stdio" })), NodeServices.layer)
  ]
]

const policies: ReadonlyArray<readonly [name: string, policy: Policy.Policy, version: string]> = [
  ["auto", Policy.auto, "2025-11-25"],
  ["discoverFirst", Policy.discoverFirst, "2026-07-28"],
  ["pinned to 2024-11-05", Policy.pinned("2024-11-05"), "2024-11-05"],
  ["pinned to 2026-07-28", Policy.pinned("2026-07-28"), "2026-07-28"]
]

describe.each(servers)("%s", (_, reached) => {
  it.live.each(policies)("agrees, lists, and calls a tool that tells its progress, under %s", ([__, policy, version]) =>
    Effect.gen(function* () {
      const client = { info: { name: "meeting", version: "1.0.0" }, capabilities: {} }
      const connection = yield* Connection.connect({ transport: yield* reached, client, policy })
      expect(connection.agreement.version).toBe(version)
      expect(yield* connection.request("tools/list")).toMatchObject({ tools: { length: Example.tools.length } })
      const progress: Array<unknown> = []
      const counted = yield* connection.request(
        "tools/call",
        { name: "count", arguments: {} },
        { onProgress: (told) => void progress.push(told["progress"]) }
      )
      expect(counted).toMatchObject({ content: [{ type: "text", text: "count" }] })
      expect(progress).toEqual([1, 2, 3])
      const unknown = yield* Effect.flip(connection.request("tools/call", { name: "nothing", arguments: {} }))
      expect(unknown).toMatchObject({ reason: { _tag: "ErrorResponse", code: -32602 } })
    })
  )
})
