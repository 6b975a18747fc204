// Plain promises against a server process, with no SDK installed. Argument: the address of the server.
import { connect, negotiate } from "@parley/adapters/promise"

const target = { url: process.argv[2] ?? "" }
const client = { name: "stranger", version: "1.0.0" }

const { version } = await negotiate({ target, client })
const connection = await connect({ target, client, policy: "discover-first" })
console.log(version, connection.agreement.version, JSON.stringify(await connection.request("tools/list")))
await connection.close()

// prints 2025-11-25 2026-07-28 {
