// Programs as text that connect to a server over HTTP, and less: what is bundled and imported where its size and its start are
// measured.

const parley = (runtime: string, node: string, use: string): string => `
  import * as Effect from "effect/Effect"
  ${runtime}
  ${node}
  export const connect = (url) =>
    Effect.runPromise(Effect.scoped(${use}))
`
const call =
  "Connection.connect({ transport: HttpClient.make({ url }), client: { info: { name: 'a', version: '1' } } })"

/** Parley on node:http, each module by its own name. */
export const deep = parley(
  'import * as Connection from "@parley/runtime/Connection"',
  'import * as HttpClient from "@parley/node/HttpClient"',
  call
)
/** The same through the doors of the packages. */
export const doors = parley(
  'import { Connection } from "@parley/runtime"',
  'import { HttpClient } from "@parley/node"',
  call
)
/** The law alone. */
export const machine = `
  import { http } from "@parley/core/Medium"
  import * as Client from "@parley/core/client/Client"
  import { discoverFirst } from "@parley/core/client/Policy"
  export const begin = () => Client.begin(discoverFirst, http)
  export const step = (state, event) => Client.step(discoverFirst, http, state, event)
`
/** One function. */
export const version = `
  import { Version } from "@parley/core"
  export const eraOf = Version.eraOf
`

/** The least that a program on Effect has. */
export const floor = `
  import * as Effect from "effect/Effect"
  export const run = (value) => Effect.runPromise(Effect.succeed(value))
`

/** Clients of others, that connect over HTTP too. */
export const peers: ReadonlyArray<readonly [name: string, text: string]> = [
  [
    "effect-ai",
    `import * as McpClient from "effect/ai/McpClient"
     import * as McpProtocol from "effect/ai/McpProtocol"
     import * as Effect from "effect/Effect"
     import * as FetchHttpClient from "effect/http/FetchHttpClient"
     const connect = (url) => Effect.flatMap(
       McpClient.http({ url, protocol: McpProtocol.v2026_07_28 }),
       (transport) => Effect.provideService(McpClient.make({ name: "a", version: "1" }), McpClient.Transport, transport)
     )
     export const run = (url) => Effect.runPromise(Effect.scoped(connect(url)).pipe(Effect.provide(FetchHttpClient.layer)))`
  ],
  [
    "sdk1",
    `import { Client } from "@modelcontextprotocol/sdk/client/index.js"
     import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
     export const connect = (url) =>
       new Client({ name: "a", version: "1" }).connect(new StreamableHTTPClientTransport(new URL(url)))`
  ],
  [
    "sdk2",
    `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
     export const connect = (url) =>
       new Client({ name: "a", version: "1" }).connect(new StreamableHTTPClientTransport(new URL(url)))`
  ]
]
