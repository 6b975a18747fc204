// effect/ai 4.1.0, which negotiates nothing: it is told the revision that the server speaks.
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { client } from "../../servers/Wire.ts"
import type { Contender } from "./Starting.ts"

export const contender: Contender = {
  opener: ({ era, policy }, { args, command }) => {
    if ((policy === "discoverFirst") !== (era === "modern")) return undefined
    const protocol = era === "modern" ? McpProtocol.v2026_07_28 : McpProtocol.v2025_11_25
    return (ready) =>
      McpClient.stdio({ command: ChildProcess.make(command, args), protocol }).pipe(
        Effect.flatMap((transport) => Effect.provideService(McpClient.make(client), McpClient.Transport, transport)),
        Effect.map(ready),
        Effect.scoped,
        Effect.provide(NodeServices.layer),
        Effect.runPromise
      )
  }
}
