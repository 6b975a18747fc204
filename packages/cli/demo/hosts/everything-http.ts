// The official server-everything over Streamable HTTP, untouched but for where it listens: its own program takes a port
// and binds every interface, a demo wants a free port on loopback, so `listen` is answered here. Its log goes to stderr.
import { Console } from "node:console"
import { Server } from "node:http"
import { announce, endWithStandardInput } from "./lifeline.ts"

const original = Server.prototype.listen

// The overloads of `listen` cannot be spelled as one function type; the server calls it with a port and a callback.
const onLoopback = function (this: Server, _port: unknown, ...rest: ReadonlyArray<unknown>): Server {
  const callback = rest.find((argument): argument is () => void => typeof argument === "function")
  this.once("listening", () => announce(this, "/mcp"))
  return original.call(this, { port: 0, host: "127.0.0.1" }, callback)
}
Object.defineProperty(Server.prototype, "listen", { value: onLoopback })

globalThis.console = new Console(process.stderr)
endWithStandardInput()
// The package ships no types, so the specifier is a value to the compiler.
const program: string = "@modelcontextprotocol/server-everything/dist/transports/streamableHttp.js"
await import(program)
