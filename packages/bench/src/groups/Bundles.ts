// What an application ships in order to connect over HTTP: the size of its bundle.
import { type Bundled, bundle } from "../Bundle.ts"
import { deep, doors, floor, machine, peers, version } from "../contenders/programs.ts"
import type { Group } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import type { Entry, Row } from "../Row.ts"

const name = "bundle"

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
    const parts =
      `Of ${kib(own.minifiedBytes)} KiB before compression ${kib(effect)} KiB are Effect's, ` +
      `${kib(bytesOf(own, "packages/core/"))} KiB the law, ${kib(bytesOf(own, "packages/runtime/"))} KiB the runtime and ` +
      `${kib(bytesOf(own, "packages/node/"))} KiB the carrier. The fibers, scopes, queues and clocks of Effect that a ` +
      "connection needs are two fifths of it, and the reasons and sentences of tables and errors compress, but are text."
    return [
      row("connect over HTTP: core, runtime and node", own, 30, 20, { peers: others, heldBackBy: parts }),
      row("the same, imported through the packages' doors", await bundle(doors), 30, 20, { heldBackBy: parts }),
      row("the client's machine alone, without Effect's runtime", await bundle(machine), 20, 12, {
        heldBackBy:
          "It is the law itself: the cells of every policy and medium with their reasons, and what reads an answer."
      }),
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
