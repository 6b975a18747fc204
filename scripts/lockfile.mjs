// Fails when the lockfile lost an optional platform package: `npm install` drops one that the registry lacks in
// silence, and the next `npm ci` then refuses the whole tree.
import { readFileSync } from "node:fs"

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"))
const paths = Object.keys(packages)
const missing = Object.entries(packages).flatMap(([path, entry]) =>
  Object.keys(entry.optionalDependencies ?? {})
    .filter(
      (name) => !paths.some((other) => other === `node_modules/${name}` || other.endsWith(`/node_modules/${name}`))
    )
    .map((name) => `${path || "package.json"} -> ${name}`)
)

if (missing.length > 0) {
  process.stderr.write(`package-lock.json lacks optional packages:\n  ${missing.join("\n  ")}\n`)
  process.exit(1)
}
process.stdout.write(`lockfile: ${paths.length} packages, no optional package missing\n`)
