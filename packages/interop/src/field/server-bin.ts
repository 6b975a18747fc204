// Servers on the official SDK that the demo does not have: `server-bin.ts <sdk-1.0.4|sdk-1.12.3|sdk-2.4.0-sessions|effect-ai>
// <stdio|http>`. Over HTTP each announces its address and ends with its standard input.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { createMcpHandler, isLegacyRequest, McpServer as Server240 } from "@modelcontextprotocol/server"
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from "@modelcontextprotocol/node"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { Server as Server104 } from "sdk-1.0/server/index.js"
import { StdioServerTransport as Stdio104 } from "sdk-1.0/server/stdio.js"
import { Server as Server112 } from "sdk-1.12/server/index.js"
import { StdioServerTransport as Stdio112 } from "sdk-1.12/server/stdio.js"
import { StreamableHTTPServerTransport as Http112 } from "sdk-1.12/server/streamableHttp.js"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

const announce = (server: Server): void => {
  for (const end of ["end", "error"]) process.stdin.on(end, () => process.exit(0))
  process.stdin.resume()
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the host listens on no port")
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}/mcp` })}\n`)
}
const listen = (server: Server): void => void server.listen(0, "127.0.0.1", () => announce(server))

interface Handles {
  readonly handleRequest: (request: IncomingMessage, response: ServerResponse, body?: unknown) => Promise<void>
}

/** Keeps a transport for each session; `open` makes one and connects a server to it. */
const sessionful = (open: (onOpened: (id: string, transport: Handles) => void) => Promise<Handles>) => {
  const sessions = new Map<string, Handles>()
  return async (request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> => {
    const id = request.headers["mcp-session-id"]
    const known = typeof id === "string" ? sessions.get(id) : undefined
    if (typeof id === "string" && known === undefined) {
      response.writeHead(404, { "content-type": "application/json" })
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}')
      return
    }
    const transport = known ?? (await open((opened, made) => sessions.set(opened, made)))
    await transport.handleRequest(request, response, body)
  }
}

const tools = { capabilities: { tools: {} } }
const named = (version: string) => ({ name: "parley-field", version })

const sdk104 = (): Promise<void> => new Server104(named("1.0.4"), tools).connect(new Stdio104())

const sdk112 = async (carrier: string): Promise<void> => {
  if (carrier === "stdio") return await new Server112(named("1.12.3"), tools).connect(new Stdio112())
  const serve = sessionful(async (onOpened) => {
    const transport: Http112 = new Http112({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => onOpened(id, transport)
    })
    const server = new Server112(named("1.12.3"), tools)
    // The SDK's own types disagree under exactOptionalPropertyTypes.
    await server.connect(transport as Parameters<typeof server.connect>[0])
    return transport
  })
  return listen(createServer((request, response) => void serve(request, response)))
}

// As its documentation says: legacy requests go to sessions of one's own, in front of a handler that rejects them.
const sdk240 = (): void => {
  const make = (): Server240 => {
    const server = new Server240(named("2.4.0"), tools)
    server.registerTool("clock", { description: "Returns the time" }, () => ({
      content: [{ type: "text", text: String(Date.now()) }]
    }))
    return server
  }
  const modern = toNodeHandler(createMcpHandler(make, { legacy: "reject" }))
  const legacy = sessionful(async (onOpened) => {
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => onOpened(id, transport)
    })
    await make().connect(transport)
    return transport
  })
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Node says `method?: string | undefined`, the SDK `method?: string`: the same request either way.
    const plain = request as Parameters<typeof modern>[0]
    const text = await bodyOf(request)
    const body: unknown = text === "" ? undefined : JSON.parse(text)
    if (await isLegacyRequest(await toWebRequest(plain, body))) await legacy(request, response, body)
    else await modern(plain, response, body)
  }
  listen(createServer((request, response) => void serve(request, response).catch(() => response.destroy())))
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

const effectAi = (carrier: string): void => {
  const toolkit = Toolkit.make(Tool.make("clock", { description: "Returns the time", success: Schema.Finite }))
  const options = {
    ...named("4.1.0"),
    protocols: [
      McpProtocol.v2026_07_28,
      McpProtocol.v2025_11_25,
      McpProtocol.v2025_06_18,
      McpProtocol.v2025_03_26,
      McpProtocol.v2024_11_05
    ],
    registrations: McpServer.toolkit(toolkit).pipe(
      Layer.provide(toolkit.toLayer({ clock: () => Effect.sync(() => Date.now()) }))
    )
  } as const
  const logging = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
  const server = createServer()
  server.once("listening", () => announce(server))
  const layer =
    carrier === "stdio"
      ? Layer.effectDiscard(Effect.void).pipe(
          Layer.provide(McpServer.layerStdio(options)),
          Layer.provide(NodeStdio.layer),
          Layer.provide(logging)
        )
      : HttpRouter.serve(McpServer.layerHttp({ ...options, path: "/mcp" }), { disableLogger: true }).pipe(
          Layer.provide(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 })),
          Layer.provide(logging)
        )
  Layer.launch(layer as Layer.Layer<never, unknown>).pipe(NodeRuntime.runMain)
}

const [, , which = "", carrier = "stdio"] = process.argv
switch (which) {
  case "sdk-1.0.4":
    await sdk104()
    break
  case "sdk-1.12.3":
    await sdk112(carrier)
    break
  case "sdk-2.4.0-sessions":
    sdk240()
    break
  case "effect-ai":
    effectAi(carrier)
    break
  default:
    process.stderr.write("Which server? sdk-1.0.4, sdk-1.12.3, sdk-2.4.0-sessions, effect-ai\n")
    process.exit(2)
}
