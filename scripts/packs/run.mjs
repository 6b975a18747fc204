// How the packs script starts programs: each with its output and a time limit, some at a time; npm on the Node that is meant.
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Runs a program to its end. Resolves with its exit code (a signal's name, or an error's), output, and both outputs cut. */
export const run = (file, args, cwd = root, env = {}) =>
  new Promise((done) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: 180_000, stdio: ["ignore", "pipe", "pipe"] }
    const child = spawn(file, args, options)
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk) => (out += chunk))
    child.stderr.on("data", (chunk) => (err += chunk))
    child.on("error", (error) => done({ code: error.code, out, text: String(error) }))
    child.on("close", (code, signal) => done({ code: code ?? signal, out, text: `${err}${out}`.trim().slice(0, 3000) }))
  })

/** Runs npm on a Node: `npm` is a program of whichever `node` is first on the path. What an `npm run` set is not handed on. */
export const npm = (node, args, cwd) => {
  const own = Object.keys(process.env).filter((name) =>
    /^npm_(?!config_(?:registry|cache|proxy|https_proxy)$)/i.test(name)
  )
  return run(
    "npm",
    [
      ...args,
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      "--fetch-retry-mintimeout=1000",
      "--fetch-retry-maxtimeout=5000"
    ],
    cwd,
    {
      ...Object.fromEntries(own.map((name) => [name, undefined])),
      PATH: `${dirname(node.file)}:${process.env["PATH"].replace(join(root, "node_modules/.bin"), "")}`
    }
  )
}

/** Runs jobs, so many at a time. */
export const pool = async (jobs, width) => {
  const rest = [...jobs]
  const worker = async () => {
    for (let job = rest.shift(); job !== undefined; job = rest.shift()) await job()
  }
  await Promise.all(Array.from({ length: width }, worker))
}
