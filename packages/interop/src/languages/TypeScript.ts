// TypeScript: the official client 2.4 of this workspace, for its own negotiation is one of those that Parley's presets
// stand beside. Its servers, and the older SDK, are met by the demo and the adapters.
import { fileURLToPath } from "node:url"
import type { Language } from "../Language.ts"

export const typescript: Language = {
  name: "typescript",
  prepare: () =>
    Promise.resolve({
      _tag: "Ready",
      toolchain: "Node.js 24",
      servers: [],
      clients: [
        {
          library: "@modelcontextprotocol/client 2.4.0",
          command: process.execPath,
          args: [fileURLToPath(new URL("../sdk2-client-bin.ts", import.meta.url))],
          modes: [
            { name: "auto", speaks: "dual" },
            { name: "legacy", speaks: "legacy" },
            { name: "pinned", speaks: "modern" }
          ]
        }
      ],
      skipped: []
    })
}
