// Python: mcp of both major versions, fastmcp, fast-agent-mcp and hermes-agent, each in an environment of its own. They
// are made by uv, itself installed at a pinned version, from the lists of exact versions in peers/python.
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { carriages, type ClientPeer, type Language, type Missing, missing, type Mode, type Ready } from "../Language.ts"
import type { ServerPeer, Skipped } from "../Language.ts"
import { run, versionOf } from "../Process.ts"

const uv = "uv==0.13.9"
const file = (name: string): string => fileURLToPath(new URL(`../../peers/python/${name}`, import.meta.url))

/** A library at one version: its environment, and which of our programs' branches it takes. */
interface Library {
  readonly name: string
  readonly version: string
  /** The oldest minor version of CPython 3 that it runs on. */
  readonly python: number
  readonly server?: { readonly branch: string; readonly speaks: "legacy" | "dual" }
  readonly client: { readonly branch: string; readonly modes: ReadonlyArray<Mode> }
}

const negotiating: ReadonlyArray<Mode> = [
  { name: "auto", speaks: "dual" },
  { name: "legacy", speaks: "legacy" },
  { name: "pinned", speaks: "modern" }
]
const both: ReadonlyArray<Mode> = [
  ...negotiating,
  { name: "initialize", speaks: "legacy" },
  { name: "discover", speaks: "modern" }
]

const libraries: ReadonlyArray<Library> = [
  {
    name: "mcp",
    version: "2.3.0",
    python: 11,
    server: { branch: "mcp", speaks: "dual" },
    client: { branch: "mcp2", modes: both }
  },
  {
    name: "mcp",
    version: "2.0.0",
    python: 11,
    server: { branch: "mcp", speaks: "dual" },
    client: { branch: "mcp2", modes: both }
  },
  {
    name: "mcp",
    version: "1.28.1",
    python: 11,
    server: { branch: "mcp", speaks: "legacy" },
    client: { branch: "mcp1", modes: [{ name: "initialize", speaks: "legacy" }] }
  },
  {
    name: "fastmcp",
    version: "4.1.6",
    python: 11,
    server: { branch: "fastmcp", speaks: "dual" },
    client: { branch: "fastmcp", modes: negotiating }
  },
  {
    name: "fast-agent-mcp",
    version: "0.10.48",
    python: 12,
    client: {
      branch: "fast-agent",
      modes: [
        { name: "auto", speaks: "dual" },
        { name: "legacy", speaks: "legacy" },
        { name: "modern", speaks: "modern" }
      ]
    }
  },
  {
    name: "hermes-agent",
    version: "0.19.0",
    python: 11,
    // Its configuration has no `protocol` key yet: it knows the handshake alone.
    client: { branch: "hermes", modes: [{ name: "only", speaks: "legacy" }] }
  }
]

export const python: Language = { name: "python", prepare: (folder) => prepare(join(folder, "python")) }

const prepare = async (folder: string): Promise<Ready | Missing> => {
  const found = await interpreters()
  const newest = found[0]
  if (newest === undefined) return missing("there is no CPython 3.11 or newer")
  await mkdir(folder, { recursive: true })
  const tool = join(folder, "uv", "bin", "uv")
  if (!existsSync(tool) || !(await versionOf(tool, ["--version"]))?.includes(uv.slice(4))) {
    const inside = join(folder, "uv", "bin", "python")
    await run(newest.path, ["-m", "venv", "--without-pip", join(folder, "uv")])
    await run(newest.path, ["-m", "pip", "--python", inside, "install", "--quiet", uv])
  }
  const servers: Array<ServerPeer> = []
  const clients: Array<ClientPeer> = []
  const skipped: Array<Skipped> = []
  const used = new Set<string>()
  for (const library of libraries) {
    const id = `${library.name} ${library.version}`
    // The oldest that will do: the ones that come with a system are the best tried.
    const chosen = found.findLast(({ minor }) => minor >= library.python)
    if (chosen === undefined) {
      skipped.push({ peer: id, why: `it needs CPython 3.${library.python}` })
      continue
    }
    used.add(`3.${chosen.minor}`)
    const command = await install(folder, tool, library, chosen.path)
    const { client, server } = library
    if (server !== undefined) {
      for (const carriage of carriages) {
        const args = [file("server.py"), server.branch, carriage]
        servers.push({ library: id, carriage, command, args, speaks: server.speaks, newestLegacy: "2025-11-25" })
      }
    }
    clients.push({ library: id, command, args: [file("client.py"), client.branch], modes: client.modes })
  }
  return { _tag: "Ready", toolchain: `CPython ${[...used].toSorted().join(", ")}`, servers, clients, skipped }
}

/** Makes the environment of a library where it is not there yet, and returns its interpreter. */
const install = async (folder: string, tool: string, library: Library, interpreter: string): Promise<string> => {
  const id = `${library.name}-${library.version}`
  const place = join(folder, id)
  const command = join(place, "bin", "python")
  const list = file(`${id}.txt`)
  const wanted = await readFile(list, "utf8")
  const done = join(place, "installed.txt")
  if (existsSync(command) && (await readFile(done, "utf8").catch(() => "")) === wanted) return command
  const env = {
    ...process.env,
    UV_CACHE_DIR: join(folder, "cache"),
    UV_PYTHON_DOWNLOADS: "never",
    UV_SYSTEM_CERTS: "true"
  }
  await run(tool, ["venv", "--quiet", "--clear", "--python", interpreter, place], { env })
  await run(tool, ["pip", "install", "--quiet", "--no-deps", "--python", command, "--requirement", list], { env })
  await writeFile(done, wanted)
  return command
}

interface Interpreter {
  readonly path: string
  readonly minor: number
}

/** The interpreters of this machine, newest first, one a minor version: those on the path and those of pyenv. */
const interpreters = async (): Promise<ReadonlyArray<Interpreter>> => {
  const versions = join(process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"), "versions")
  const names = await readdir(versions).catch(() => [])
  const candidates = [
    "python3",
    ...[11, 12, 13].map((minor) => `python3.${minor}`),
    ...names.map((name) => join(versions, name, "bin", "python3"))
  ]
  const found = new Map<number, Interpreter>()
  for (const path of candidates) {
    const minor = Number(/^Python 3\.(\d+)\./.exec((await versionOf(path, ["--version"])) ?? "")?.[1])
    if (minor >= 11 && minor <= 13 && !found.has(minor)) found.set(minor, { path, minor })
  }
  return [...found.values()].toSorted((one, other) => other.minor - one.minor)
}
