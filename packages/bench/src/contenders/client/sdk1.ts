// The official SDK 1.32.2: the handshake alone.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { client as identity } from "../../servers/Wire.ts"
import type { Contender } from "./Opening.ts"

export const contender: Contender = {
  opener: ({ era, policy }, url) => {
    if (policy !== "auto" || era !== "legacy") return undefined
    const address = new URL(url)
    return async (times) => {
      for (let time = 0; time < times; time++) {
        const client = new Client(identity)
        const transport = new StreamableHTTPClientTransport(address)
        // The SDK's own types disagree under exactOptionalPropertyTypes.
        await client.connect(transport as Parameters<Client["connect"]>[0])
        await client.close()
      }
    }
  }
}
