// The tarballs: made by `npm pack`, and what they must and must not hold.
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { run } from "./run.mjs"

/** Removes what a source that is no more has left in dist: it would be published. */
export const sweep = ({ folder }) => {
  const dist = join(folder, "dist")
  for (const path of existsSync(dist) ? readdirSync(dist, { recursive: true }) : []) {
    const source = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(path)?.[1]
    if (source !== undefined && !existsSync(join(folder, "src", `${source}.ts`))) rmSync(join(dist, path))
  }
}

/** Packs them into the folder, notes `tarball`, `files` and `size` at each, and returns what is wrong. */
export const pack = async (packages, folder) => {
  const args = packages.flatMap(({ name }) => ["--workspace", name])
  const packed = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...args])
  const start = packed.out.search(/^[[{]/m)
  const reports = start < 0 ? [] : Object.values(JSON.parse(packed.out.slice(start)))
  return packages.flatMap((one) => {
    const report = reports.find(({ name }) => name === one.name)
    if (report === undefined) return [`${one.name}: npm pack fails: ${packed.text}`]
    one.tarball = join(folder, report.filename)
    one.files = report.files.map(({ path }) => path)
    one.size = report.size
    return contents(one)
  })
}

const contents = ({ files, manifest: { bin, exports }, name }) => {
  const stray = files.filter((path) => /\.tsbuildinfo$|(?:^|\/)(?:test|node_modules)\/|\.test\./.test(path))
  const named = [...Object.values(exports), bin ?? {}]
    .flatMap((one) => (one === null ? [] : typeof one === "string" ? [one] : Object.values(one)))
    .filter((target) => !target.includes("*"))
  return [
    ...stray.map((path) => `${name}: packs ${path}`),
    ...["README.md", "LICENSE"].filter((path) => !files.includes(path)).map((path) => `${name}: does not pack ${path}`),
    ...named
      .filter((target) => !files.includes(target.replace("./", "")))
      .map((target) => `${name}: names ${target}, which is not packed`)
  ]
}
