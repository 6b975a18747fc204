// A modern-only server on effect/ai's McpServer: `effect.ts <stdio|http>`. It names no revision to a legacy client.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import { announce, endWithStandardInput } from "./lifeline.ts"

const tools = Toolkit.make(
  Tool.make("echo", {
    description: "Returns the text it is given",
    parameters: Schema.Struct({ text: Schema.String }),
    success: Schema.Struct({ text: Schema.String })
  }),
  Tool.make("clock", {
    description: "Returns the time, in milliseconds since 1970",
    success: Schema.Struct({ millis: Schema.Finite })
  })
)

const registrations = McpServer.toolkit(tools).pipe(
  Layer.provide(
    tools.toLayer({
      echo: ({ text }) => Effect.succeed({ text }),
      clock: () => Effect.map(Clock.currentTimeMillis, (millis) => ({ millis }))
    })
  )
)

const identity = {
  name: "parley-demo-effect-modern",
  version: "4.1.0",
  protocols: [McpProtocol.v2026_07_28],
  registrations
} as const

// Standard output belongs to the announcement over HTTP and to MCP on stdio.
const logging = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

const overHttp = (): Layer.Layer<never, unknown> => {
  const server = createServer()
  server.once("listening", () => announce(server, "/mcp"))
  endWithStandardInput()
  return HttpRouter.serve(McpServer.layerHttp({ ...identity, path: "/mcp" }), { disableLogger: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 })),
    Layer.provide(logging)
  )
}

const overStdio = (): Layer.Layer<never, unknown> =>
  Layer.effectDiscard(Effect.void).pipe(
    Layer.provide(McpServer.layerStdio(identity)),
    Layer.provide(NodeStdio.layer),
    Layer.provide(logging)
  )

Layer.launch(process.argv[2] === "http" ? overHttp() : overStdio()).pipe(NodeRuntime.runMain)
