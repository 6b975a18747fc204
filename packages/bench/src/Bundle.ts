// Bundles as an application would ship them: what esbuild makes of a few lines, minified and compressed. Parley's modules are
// taken from their sources.
import { build, type Plugin } from "esbuild"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

/** What came of a bundle. */
export interface Bundled {
  readonly code: string
  readonly gzipBytes: number
  readonly minifiedBytes: number
  /** Every module of which some code is left, by its path within the workspace, and how many bytes those are. */
  readonly modules: ReadonlyMap<string, number>
}

/** Bundles a module given as text, for Node. */
export const bundle = async (contents: string): Promise<Bundled> => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    logLevel: "silent",
    metafile: true,
    minify: true,
    platform: "node",
    plugins: [workspace],
    target: "node22",
    write: false
  })
  const code = outputFiles[0]?.text ?? ""
  const modules = new Map<string, number>()
  for (const output of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      if (bytesInOutput > 0) modules.set(path, bytesInOutput)
    }
  }
  return { gzipBytes: gzipSync(code, { level: 9 }).length, code, minifiedBytes: Buffer.byteLength(code), modules }
}

const root = fileURLToPath(new URL("../../../", import.meta.url))

const workspace: Plugin = {
  name: "workspace",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@parley\// }, ({ path }) => {
      const [, name, module = "index"] = /^@parley\/([a-z]+)(?:\/(.+))?$/.exec(path) ?? []
      return { path: `${root}packages/${name}/src/${module}.ts`, sideEffects: false }
    })
  }
}
