// The official SDK 2.4.0 with the DiscoverResult of an earlier connection: nothing is asked.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { client as identity, discovered } from "../../servers/Wire.ts"
import type { Contender } from "./Opening.ts"

const prior = {
  kind: "modern" as const,
  discover: { ...discovered, supportedVersions: [...discovered.supportedVersions] }
}

export const contender: Contender = {
  opener: ({ era }, url) => {
    if (era !== "modern") return undefined
    const address = new URL(url)
    return async (times) => {
      for (let time = 0; time < times; time++) {
        const client = new Client(identity)
        await client.connect(new StreamableHTTPClientTransport(address), { prior })
        await client.close()
      }
    }
  }
}
