// Guards who may import whom. Workspaces are hoisted, so that an undeclared import would resolve; here it fails.
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

// A package may import those to its right, and nothing else of the workspace.
const allowed = {
  core: [],
  runtime: ["core"],
  node: ["core", "runtime"],
  platform: ["core", "runtime"],
  adapters: ["core", "runtime", "node", "platform"],
  testing: ["core", "runtime", "node", "platform"],
  vectors: ["core"],
  cli: ["core", "runtime", "node", "platform", "adapters", "testing", "vectors"],
  interop: ["core", "runtime", "node", "platform", "adapters", "testing", "vectors", "cli"],
  bench: ["core", "runtime", "node", "platform", "adapters", "testing", "vectors", "cli"]
}

const problems = []
let files = 0

for (const name of readdirSync(join(root, "packages"))) {
  const folder = join(root, "packages", name)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  for (const file of sources(join(folder, "src"))) {
    files += 1
    for (const specifier of imports(readFileSync(file, "utf8"))) {
      const problem = judge(name, manifest, declared, folder, file, specifier)
      if (problem !== undefined) problems.push(`${relative(root, file)}: ${specifier}: ${problem}`)
    }
  }
}

if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`)
  process.exit(1)
}
process.stdout.write(`layers: ${files} files import only what they may\n`)

function judge(name, manifest, declared, folder, file, specifier) {
  if (specifier === "effect") return "import deep (effect/Effect): the barrel costs start-up and size"
  if (specifier.startsWith(".")) {
    const target = resolve(dirname(file), specifier)
    if (!target.startsWith(folder)) return "reaches into another package by a path"
    if (name !== "core") return undefined
    const from = relative(join(folder, "src"), file).split("/")[0]
    const to = relative(join(folder, "src"), target).split("/")[0]
    if (from === "client" && to === "server") return "the client never imports the server"
    if (from === "server" && to === "client") return "the server never imports the client"
    const isDoor = from === "Schemas.ts" || from === "schemas"
    if (!isDoor && (to === "Schemas.ts" || to === "schemas")) return "the Schema codecs have a door of their own"
    return undefined
  }
  const workspace = /^@parley\/([a-z]+)/.exec(specifier)?.[1]
  if (workspace !== undefined) {
    if (workspace === name) return "a package imports its own files by a path"
    if (!(allowed[name] ?? []).includes(workspace)) return `${name} may not import ${workspace}`
    return declared.includes(`@parley/${workspace}`) ? undefined : "not declared in package.json"
  }
  if (name === "core") {
    if (specifier === "effect/Data") return undefined
    const isDoor = /src\/(?:Schemas\.ts|schemas\/)/.test(file)
    return isDoor && specifier.startsWith("effect/") ? undefined : "core imports nothing but effect/Data"
  }
  if (specifier.startsWith("node:")) {
    return ["runtime", "platform"].includes(name) ? `${name} runs anywhere and imports no Node module` : undefined
  }
  const dependency = specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : specifier.split("/")[0]
  return manifest.private === true || declared.includes(dependency) ? undefined : "not declared in package.json"
}

function sources(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|mts|js|mjs)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

// Imports and re-exports at the beginning of a line, and dynamic ones; examples in comments do not count.
function imports(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "")
  return [
    ...code.matchAll(
      /^(?:import|export)\s+(?:type\s+)?(?:[\w*$]+(?:\s+as\s+[\w$]+)?\s*,?\s*)?(?:\{[^}]*\}\s*)?from\s+"([^"]+)"/gm
    ),
    ...code.matchAll(/^import\s+"([^"]+)"/gm),
    ...code.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g)
  ].map((match) => match[1])
}
