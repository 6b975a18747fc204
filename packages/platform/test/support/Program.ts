// The stdio server of the tests as a program of its own: how to start it.
import type { ServeOptions } from "@parley/testing/Subject"
import { fileURLToPath } from "node:url"

/** Returns the command that serves what a case asks for on its standard input and output. */
export const command = (serve: ServeOptions, openingMillis?: number) => ({
  command: process.execPath,
  args: [
    "--import",
    fileURLToPath(new URL("../../../../scripts/register.mjs", import.meta.url)),
    fileURLToPath(new URL("stdio-server-bin.ts", import.meta.url)),
    JSON.stringify({ serve, openingMillis })
  ]
})
