// The matrix from the machines, and the data for other languages.
import { Matrix } from "@parley/vectors"
import conversations from "@parley/vectors/data/conversations.json" with { type: "json" }
import { Medium } from "@parley/core"

const client = Matrix.clients.find(({ name }) => name === "auto")
const server = Matrix.servers.find(({ name }) => name === "modern")
if (client !== undefined && server !== undefined)
  console.log(`auto meets modern: ${Matrix.meet(client, server, Medium.http).version}`)
console.log(`data ${conversations.dataVersion}`)

// prints auto meets modern: 2026-07-28
// prints data 1.
