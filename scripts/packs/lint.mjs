// What publint and attw (are the types wrong?) say of a tarball, every module that can be imported included.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { modulesOf } from "./manifest.mjs"
import { root, run } from "./run.mjs"

/** Returns the complaints. The packages are ESM: how CommonJS and Node 10 would resolve them is not asked. */
export const lint = async (one) => [...(await published(one)), ...(await typed(one))]

const published = async ({ manifest, name, tarball }) => {
  const { buffer, byteLength, byteOffset } = readFileSync(tarball)
  const packed = { tarball: buffer.slice(byteOffset, byteOffset + byteLength) }
  const { messages } = await publint({ strict: true, pack: packed })
  return messages.map((message) => `${name}: publint: ${formatMessage(message, manifest)}`)
}

const typed = async (one) => {
  const entrypoints = modulesOf(one).map((module) => `.${module.slice(one.name.length)}`)
  const args = [
    one.tarball,
    "--profile",
    "esm-only",
    "--no-definitely-typed",
    "--format",
    "ascii",
    "--no-emoji",
    "--no-color"
  ]
  const said = await run(process.execPath, [
    join(root, "node_modules/@arethetypeswrong/cli/dist/index.js"),
    ...args,
    "--entrypoints",
    ...entrypoints
  ])
  return said.code === 0 ? [] : [`${one.name}: attw: ${said.text}`]
}
