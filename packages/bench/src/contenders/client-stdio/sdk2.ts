// The official SDK 2.4.0: its `auto` probes with server/discover, its `legacy` is the handshake alone.
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { client as identity } from "../../servers/Wire.ts"
import type { Contender } from "./Starting.ts"

export const contender: Contender = {
  opener: ({ era, policy }, { args, command }) => {
    if (policy === "auto" && era === "modern") return undefined
    const mode = policy === "auto" ? "legacy" : "auto"
    return async (ready) => {
      const client = new Client(identity, { versionNegotiation: { mode } })
      await client.connect(new StdioClientTransport({ command, args: [...args], stderr: "ignore" }))
      ready()
      await client.close()
    }
  }
}
