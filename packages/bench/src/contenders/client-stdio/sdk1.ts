// The official SDK 1.32.2: the handshake alone.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { client as identity } from "../../servers/Wire.ts"
import type { Contender } from "./Starting.ts"

export const contender: Contender = {
  opener: ({ era, policy }, { args, command }) => {
    if (policy !== "auto" || era !== "legacy") return undefined
    return async (ready) => {
      const client = new Client(identity)
      const transport = new StdioClientTransport({ command, args: [...args], stderr: "ignore" })
      // The SDK's own types disagree under exactOptionalPropertyTypes.
      await client.connect(transport as Parameters<Client["connect"]>[0])
      ready()
      await client.close()
    }
  }
}
