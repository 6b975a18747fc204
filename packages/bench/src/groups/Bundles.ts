// What an application ships in order to connect over HTTP: the size of its bundle.
import { type Bundled, bundle } from "../Bundle.ts"
import type { Group } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import type { Entry, Row } from "../Row.ts"

const name = "bundle"

const parley = (runtime: string, node: string, use: string): string => `
  import * as Effect from "effect/Effect"
  ${runtime}
  ${node}
  export const connect = (url) =>
    Effect.runPromise(Effect.scoped(${use}))
`
const call =
  "Connection.connect({ transport: HttpClient.make({ url }), client: { info: { name: 'a', version: '1' } } })"

const deep = parley(
  'import * as Connection from "@parley/runtime/Connection"',
  'import * as HttpClient from "@parley/node/HttpClient"',
  call
)
const doors = parley('import { Connection } from "@parley/runtime"', 'import { HttpClient } from "@parley/node"', call)
const machine = `
  import { http } from "@parley/core/Medium"
  import * as Client from "@parley/core/client/Client"
  import { discoverFirst } from "@parley/core/client/Policy"
  export const begin = () => Client.begin(discoverFirst, http)
  export const step = (state, event) => Client.step(discoverFirst, http, state, event)
`
const version = `
  import { Version } from "@parley/core"
  export const eraOf = Version.eraOf
`

const floor = `
  import * as Effect from "effect/Effect"
  export const run = (value) => Effect.runPromise(Effect.succeed(value))
`

const peers: ReadonlyArray<readonly [name: string, text: string]> = [
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

export const bundlesGroup: Group = {
  name,
  about:
    "A program that connects to a server over HTTP, bundled and minified by esbuild for Node and compressed by gzip at its " +
    "best, everything that it imports included. The rows below the first show what is left out of what is not used.",
  caveats: [
    "Parley's bundle asks by node:http through its own pool, effect/ai's and the SDKs' by fetch, which is in Node and weighs " +
      "nothing here.",
    "The SDKs bring the validation of every message of MCP; Parley checks what negotiation needs and hands on the rest."
  ],
  run: async () => {
    const bare = await bundle(floor)
    const own = await bundle(deep)
    const others: Array<Entry> = []
    for (const [peer, text] of peers) others.push(sized(peer, await bundle(text)))
    const effect = bytesOf(own, "node_modules/effect/")
    const row = (title: string, bundled: Bundled, most: number, aim: number, more?: Partial<Row>): Row => ({
      group: name,
      title,
      unit: "KiB",
      floor: `Effect core ${kib(bare.gzipBytes)} KiB`,
      parley: sized("parley", bundled),
      peers: [],
      hold: { most },
      aim: { most: aim },
      ...more
    })
    const none = (title: string, path: RegExp): Row => ({
      group: name,
      title,
      unit: "",
      floor: "0",
      parley: {
        name: "parley",
        figure: Rounds.exactly([...own.modules.keys()].filter((module) => path.test(module)).length)
      },
      peers: [],
      hold: { exactly: 0 },
      isExact: true
    })
    return [
      row("connect over HTTP: core, runtime and node", own, 30, 20, {
        peers: others,
        heldBackBy:
          `Of ${kib(own.minifiedBytes)} KiB before compression ${kib(effect)} KiB are Effect's, ` +
          `${kib(bytesOf(own, "packages/core/"))} KiB the law, ${kib(bytesOf(own, "packages/runtime/"))} KiB the runtime and ` +
          `${kib(bytesOf(own, "packages/node/"))} KiB the carrier.`
      }),
      row("the same, imported through the packages' doors", await bundle(doors), 30, 20),
      row("the client's machine alone, without Effect's runtime", await bundle(machine), 20, 12),
      row("one function of core's door", await bundle(version), 2, 1),
      none(
        "modules of effect/Schema, effect/http and the server in it",
        /effect\/.*\/(?:Schema|http\/)|core\/src\/server\//
      )
    ]
  }
}

const sized = (name: string, { gzipBytes, minifiedBytes }: Bundled): Entry => ({
  name,
  figure: Rounds.exactly(Number(kib(gzipBytes))),
  cost: `${kib(minifiedBytes)} KiB minified`
})

const bytesOf = ({ modules }: Bundled, prefix: string): number =>
  [...modules].reduce((sum, [path, bytes]) => (path.startsWith(prefix) ? sum + bytes : sum), 0)

const kib = (bytes: number): string => (bytes / 1024).toFixed(1)
