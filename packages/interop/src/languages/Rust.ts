// Rust: rmcp 3, and rmcp 0.8, whose stdio server ends on any request before `initialize`. Two programs, built from
// peers/rust with the versions of their lock files.
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { carriages, type Language, missing, type Mode } from "../Language.ts"
import { run, versionOf } from "../Process.ts"

interface Library {
  readonly name: string
  readonly folder: "new" | "old"
  readonly speaks: "dual" | "legacy"
  readonly newestLegacy: string
  readonly modes: ReadonlyArray<Mode>
}

const libraries: ReadonlyArray<Library> = [
  {
    name: "rmcp 3.11.0",
    folder: "new",
    speaks: "dual",
    newestLegacy: "2025-11-25",
    modes: [
      { name: "auto", speaks: "dual" },
      { name: "initialize", speaks: "legacy" },
      { name: "discover", speaks: "modern" }
    ]
  },
  {
    name: "rmcp 0.8.5",
    folder: "old",
    speaks: "legacy",
    newestLegacy: "2025-03-26",
    modes: [{ name: "initialize", speaks: "legacy" }]
  }
]

export const rust: Language = {
  name: "rust",
  prepare: async (folder) => {
    const version = await versionOf("cargo", ["--version"])
    if (version === undefined) return missing("there is no cargo")
    const target = join(folder, "rust", "target")
    const env = { ...process.env, CARGO_TARGET_DIR: target }
    for (const library of libraries) {
      const cwd = fileURLToPath(new URL(`../../peers/rust/${library.folder}`, import.meta.url))
      await run("cargo", ["build", "--quiet", "--locked"], { cwd, env })
    }
    const program = (library: Library): string => join(target, "debug", `interop-rmcp-${library.folder}`)
    return {
      _tag: "Ready",
      toolchain: version.replace(/^cargo (\S+).*$/, "Rust $1"),
      servers: libraries.flatMap((library) =>
        carriages.map((carriage) => ({
          library: library.name,
          carriage,
          command: program(library),
          args: ["server", carriage],
          speaks: library.speaks,
          newestLegacy: library.newestLegacy,
          ...(library.folder === "old" && carriage === "stdio" ? { probed: "exits" as const } : {})
        }))
      ),
      clients: libraries.map((library) => ({
        library: library.name,
        command: program(library),
        args: ["client"],
        modes: library.modes
      })),
      skipped: []
    }
  }
}
