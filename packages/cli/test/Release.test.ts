// The version that the command line names is the version that is published.
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { version } from "@parley/cli/Release"

it("The version is that of package.json", () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  expect(manifest).toMatchObject({ version })
})
