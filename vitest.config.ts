import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const packages = fileURLToPath(new URL("./packages", import.meta.url))

export default defineConfig({
  resolve: {
    alias: readdirSync(packages).flatMap((name) => [
      { find: new RegExp(`^@parley/${name}$`), replacement: `${packages}/${name}/src/index.ts` },
      { find: new RegExp(`^@parley/${name}/(.+)$`), replacement: `${packages}/${name}/src/$1.ts` }
    ])
  },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    pool: "threads",
    testTimeout: 30_000,
    // Real processes and sockets on a machine that others use too. Vitest reports each test that needed a second try.
    retry: process.env["CI"] === undefined ? 0 : 2,
    coverage: { provider: "v8", include: ["packages/*/src/**"], reporter: ["text-summary"] }
  }
})
