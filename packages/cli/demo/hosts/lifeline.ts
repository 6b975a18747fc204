// What every HTTP host of the demo has in common: it announces its address as one JSON line on standard output, and it
// ends when its standard input closes, so that no host outlives the program that started it. No MCP here.
import type { Server } from "node:http"

/** Ends this process when its standard input closes. SIGTERM ends it by default. */
export const endWithStandardInput = (): void => {
  process.stdin.on("end", () => process.exit(0))
  process.stdin.on("error", () => process.exit(0))
  process.stdin.resume()
}

/** Writes the address of a listening server as one JSON line, `{"url": "http://127.0.0.1:PORT/path"}`. */
export const announce = (server: Server, path: string): void => {
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the host listens on no port")
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}${path}` })}\n`)
}

/** Listens on a free loopback port, announces it, and lives as long as standard input does. */
export const listen = (server: Server, path: string): void => {
  endWithStandardInput()
  server.listen(0, "127.0.0.1", () => announce(server, path))
}
