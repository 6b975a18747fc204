// The public packages of the workspace, and what their manifests must say.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./run.mjs"

/** Returns the packages that are published: folder, name and manifest. */
export const publicPackages = () =>
  readdirSync(join(root, "packages"))
    .map((short) => ({ short, folder: join(root, "packages", short) }))
    .map((one) => ({ ...one, manifest: JSON.parse(readFileSync(join(one.folder, "package.json"), "utf8")) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map((one) => ({ ...one, name: one.manifest.name }))

/** Returns what is wrong with a package's manifest, and with the files that npm shows. */
export const manifestProblems = ({ folder, manifest, name }) => {
  const { bin, engines, exports, files, license, peerDependencies, publishConfig, sideEffects, type, ...rest } =
    manifest
  const problems = []
  const need = (is, what) => is || problems.push(`${name}: ${what}`)
  need(type === "module", "type is not module")
  need(sideEffects === false, "sideEffects is not false, so that bundlers keep what nobody uses")
  need(license === "MIT", "license is not MIT")
  need(typeof rest.description === "string" && rest.keywords?.length > 0, "description or keywords are missing")
  need(engines?.node === ">=22.19.0", "engines.node is not >=22.19.0")
  need(
    publishConfig?.access === "public" && publishConfig?.provenance === true,
    "publishConfig lacks access or provenance"
  )
  need(files?.includes("dist") && files.includes("CHANGELOG.md"), "files lacks dist or CHANGELOG.md")
  need(exports?.["./internal/*"] === null, "exports does not close internal/*")
  need(
    Object.values(exports ?? {}).every((to) => to === null || typeof to === "string" || to.types !== undefined),
    "an export has no types"
  )
  // One copy of Effect in an application: only a program of its own may bring one along.
  need(bin !== undefined || peerDependencies?.effect !== undefined, "effect is no peer dependency")
  need(bin !== undefined || rest.dependencies?.effect === undefined, "effect is a dependency")
  need(existsSync(join(folder, "README.md")), "README.md is missing")
  const own = join(folder, "LICENSE")
  const same = existsSync(own) && readFileSync(own, "utf8") === readFileSync(join(root, "LICENSE"), "utf8")
  need(same, "LICENSE is missing, or is not the workspace's")
  return problems
}

/** Returns the names of ours that a package needs, itself first. */
export const closure = (name, packages) => {
  const found = new Set([name])
  for (const one of found)
    for (const next of Object.keys(packages.find((other) => other.name === one)?.manifest.dependencies ?? {}))
      if (next.startsWith("@parley/")) found.add(next)
  return [...found]
}

/** Returns every module that the exports let in, as the name that imports it, out of the paths of a tarball. */
export const modulesOf = ({ files, manifest: { exports }, name }) =>
  files
    .filter((path) => /^dist\/(?!internal\/).+\.js$/.test(path) && !/(?:[/-]|^)bin\.js$/.test(path))
    .map((path) => path.slice("dist/".length, -".js".length))
    .filter((path) => (path === "index" ? exports["."] !== undefined : isModule(exports, `./${path}`)))
    .map((path) => (path === "index" ? name : `${name}/${path}`))

// The longest pattern that fits decides, and may lead to what is no module, such as data.
const isModule = (exports, path) => {
  const fitting = Object.keys(exports).filter((key) => key.endsWith("*") && path.startsWith(key.slice(0, -1)))
  const [longest] = fitting.toSorted((a, b) => b.length - a.length)
  return longest !== undefined && exports[longest]?.default?.endsWith(".js") === true
}
