// The official SDK 2.4.0: its `auto` probes with server/discover.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { client as identity } from "../../servers/Wire.ts"
import { each, type Meet } from "./Meeting.ts"

export const meet: Meet = async ({ closes, deadlineMillis, inFlight, urls }, connected) => {
  const open: Array<Client> = []
  await each(urls, inFlight, async (url) => {
    const client = new Client(identity, {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: deadlineMillis } }
    })
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(url)), { timeout: deadlineMillis })
      connected()
      if (closes === "together") open.push(client)
      else await client.close()
    } catch {
      // It did not answer in time, and closed itself.
    }
  })
  for (const client of open) await client.close()
}
