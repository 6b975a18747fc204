// Imports test files from their TypeScript sources, as often as wanted and each time anew, and knows what imports what.
import { readFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = pathToFileURL(`${process.cwd()}/`).href
const shim = new URL("./shim.mjs", import.meta.url).href
const arbitrary = new URL("./arbitrary.mjs", import.meta.url).href
const imports = new Map()
const stripped = new Map()
let generation = 0

registerHooks({
  resolve(specifier, from, next) {
    if (specifier === "vitest" && from.parentURL !== shim) return { url: shim, shortCircuit: true }
    if (specifier === "effect/Arbitrary" && from.parentURL !== arbitrary) return { url: arbitrary, shortCircuit: true }
    const own = /^@parley\/([a-z]+)(?:\/(.+))?$/.exec(specifier)
    const target = own === null ? specifier : `${root}packages/${own[1]}/src/${own[2] ?? "index"}.ts`
    const found = next(target, from)
    if (!found.url.startsWith(`${root}packages/`) || !found.url.endsWith(".ts")) return found
    const parent = plain(from.parentURL ?? "")
    if (!imports.has(parent)) imports.set(parent, new Set())
    imports.get(parent).add(found.url)
    return { ...found, url: `${found.url}?generation=${generationOf(from.parentURL)}` }
  },
  load(url, context, next) {
    if (!url.includes("?generation=")) return next(url, context)
    const file = plain(url)
    if (!stripped.has(file)) stripped.set(file, stripTypeScriptTypes(readFileSync(fileURLToPath(file), "utf8")))
    return { format: "module", source: stripped.get(file), shortCircuit: true }
  }
})

const plain = (url) => url.replace(/\?.*$/, "")
const generationOf = (url) => /\?generation=(\d+)$/.exec(url ?? "")?.[1] ?? String(generation)

/** Starts modules anew: what is imported from now on shares nothing with what was imported before. */
export const renew = () => (generation += 1)

/** Imports a test file, by its path below the root, in a generation. */
export const load = (file, of) => import(`${root}${file}?generation=${of}`)

/** Whether a test file imports a source file, by whatever way. */
export const reaches = (file, source) => {
  const wanted = `${root}${source}`
  const seen = new Set()
  const open = [`${root}${file}`]
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (url === wanted) return true
    if (seen.has(url)) continue
    seen.add(url)
    open.push(...(imports.get(url) ?? []))
  }
  return false
}
