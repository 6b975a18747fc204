// What a bundler makes of the installed packages: nothing of what nobody uses, and little of what uses little. Sizes are
// those of esbuild, minified for a browser or for Node, Effect included.
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"

const connecting = (carrier) => `
  export const program = Connection.connect({
    transport: ${carrier}.make({ url: "http://127.0.0.1:1/mcp" }),
    client: { info: { name: "stranger", version: "1.0.0" }, capabilities: {} }
  })`

const samples = [
  { short: "core", what: "one function of core", code: `export { eraOf } from "@parley/core/Version"` },
  {
    short: "core",
    what: "the same, by the door",
    code: `import { Version } from "@parley/core"; export const f = Version.eraOf`
  },
  { short: "core", what: "the client's machine", code: `export * as Client from "@parley/core/client/Client"` },
  { short: "core", what: "the whole of core", code: `export * from "@parley/core"` },
  {
    short: "platform",
    what: "a client over fetch",
    code: `import * as Connection from "@parley/runtime/Connection"
      import * as FetchClient from "@parley/platform/FetchClient"${connecting("FetchClient")}`
  },
  {
    short: "node",
    what: "a client over node:http",
    code: `import { Connection } from "@parley/runtime"; import { HttpClient } from "@parley/node"${connecting("HttpClient")}`
  },
  {
    short: "node",
    what: "the whole of runtime and node",
    code: `export * from "@parley/runtime"; export * from "@parley/node"`
  }
]

/** Returns a line for each sample, and what is wrong: a package that leaves something behind, or does not shake. */
export const sizes = async (packages, folder) => {
  const problems = []
  for (const { manifest, name, short } of packages) {
    if (manifest.exports["."] === undefined) continue
    const { length } = await bundle(join(folder, short), `import * as unused from "${name}"`)
    if (length > 0) problems.push(`${name}: a bundle that uses nothing of it holds ${length} bytes`)
  }
  const found = new Map()
  const lines = []
  for (const { code, short, what } of samples) {
    const bytes = await bundle(join(folder, short), code)
    found.set(what, bytes.length)
    lines.push(`  ${what.padEnd(30)} ${kilo(bytes.length)} kB, ${kilo(gzipSync(bytes).length)} kB gzipped`)
  }
  const smaller = (part, whole, times) =>
    found.get(part) * times < found.get(whole) ||
    problems.push(`${part} is no ${times}th of ${whole}:\n${lines.join("\n")}`)
  smaller("one function of core", "the whole of core", 50)
  smaller("the same, by the door", "the whole of core", 50)
  smaller("the client's machine", "the whole of core", 2)
  smaller("a client over node:http", "the whole of runtime and node", 1.2)
  return { lines: ["packs: what a bundle holds, Effect included (nothing used: 0 bytes)", ...lines], problems }
}

const kilo = (bytes) => (bytes / 1000).toFixed(1).padStart(6)

const bundle = async (project, contents) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "node",
    logLevel: "silent"
  })
  return Buffer.from(outputFiles[0].contents)
}
