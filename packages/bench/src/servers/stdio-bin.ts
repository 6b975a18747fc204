// The server that every stdio contender starts: `stdio-bin.ts <kind> <millis> <file>`. It reads nothing for so many
// milliseconds, as a program does that has much to load, and notes in the file that it was started. `modern` and `legacy`
// speak one era; `fragile` is a legacy one that ends when it is probed. It imports nothing that it does not need.
import { appendFileSync } from "node:fs"

const [kind = "legacy", millis = "0", file = ""] = process.argv.slice(2)
if (file !== "") appendFileSync(file, `${process.pid}\n`)

const version = { modern: "2026-07-28", legacy: "2025-11-25" }
const serverInfo = { name: "bench-server", version: "1.0.0" }

const discovered = {
  resultType: "complete",
  supportedVersions: [version.modern],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": serverInfo }
}
const initialized = { protocolVersion: version.legacy, capabilities: { tools: {} }, serverInfo }

const answer = (method: string): object => {
  if (kind === "modern") {
    return method === "server/discover"
      ? { result: discovered }
      : {
          error: {
            code: -32022,
            message: "Unsupported protocol version",
            data: { supported: [version.modern], requested: version.legacy }
          }
        }
  }
  return method === "initialize" ? { result: initialized } : { error: { code: -32601, message: "Method not found" } }
}

const heard = (line: string): void => {
  const { id, method } = JSON.parse(line) as { readonly id?: unknown; readonly method: string }
  if (kind === "fragile" && method === "server/discover") process.exit(1)
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer(method) })}\n`)
}

const listen = (): void => {
  let rest = ""
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.trim() !== "") heard(line)
  })
  process.stdin.on("end", () => process.exit(0))
}

if (millis === "0") listen()
else setTimeout(listen, Number(millis))
