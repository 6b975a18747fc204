// Go: the official SDK and mcp-go, both in one program that is built once, from the module in peers/go.
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { carriages, type Language, missing } from "../Language.ts"
import { run, versionOf } from "../Process.ts"

const sources = fileURLToPath(new URL("../../peers/go", import.meta.url))

const libraries = [
  { name: "go-sdk 1.8.0", branch: "sdk" },
  { name: "mcp-go 1.2.1", branch: "mcp-go" }
]

export const go: Language = {
  name: "go",
  prepare: async (folder) => {
    const version = await versionOf("go", ["version"])
    if (version === undefined) return missing("there is no go")
    const command = join(folder, "go", "peer")
    const env = {
      ...process.env,
      GOMODCACHE: join(folder, "go", "modules"),
      GOTOOLCHAIN: "local",
      GOFLAGS: "-modcacherw"
    }
    await run("go", ["build", "-o", command, "."], { cwd: sources, env })
    return {
      _tag: "Ready",
      toolchain: version.replace(/^go version go(\S+).*$/, "Go $1"),
      servers: libraries.flatMap(({ branch, name }) =>
        carriages.map((carriage) => ({
          library: name,
          carriage,
          command,
          args: ["server", branch, carriage],
          // With sessions the official SDK lists the handshake revisions alone, and serves no others.
          speaks: branch === "sdk" && carriage === "http" ? ("legacy" as const) : ("dual" as const),
          newestLegacy: "2025-11-25"
        }))
      ),
      clients: libraries.map(({ branch, name }) => ({
        library: name,
        command,
        args: ["client", branch],
        modes: [
          { name: "auto", speaks: "dual" },
          { name: "legacy", speaks: "legacy" }
        ]
      })),
      skipped: []
    }
  }
}
