// The official SDK 2.4.0: its `auto` probes with server/discover, its `legacy` is the handshake alone.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { client as identity } from "../../servers/Wire.ts"
import type { Contender } from "./Opening.ts"

export const contender: Contender = {
  opener: ({ era, policy }, url) => {
    if (policy === "auto" && era === "modern") return undefined
    const mode = policy === "auto" ? "legacy" : "auto"
    const address = new URL(url)
    return async (times) => {
      for (let time = 0; time < times; time++) {
        const client = new Client(identity, { versionNegotiation: { mode } })
        await client.connect(new StreamableHTTPClientTransport(address))
        await client.close()
      }
    }
  }
}
