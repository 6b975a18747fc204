// Stands between a client and a server on stdio and writes down what the client wrote, line by line:
// `relay.mjs <file> <command> [argument…]`. Plain JavaScript, so that starting it costs little.
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"

const [file, command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] })
let rest = ""
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk.toString()).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) appendFileSync(file, `${line}\n`)
  child.stdin.write(chunk)
})
process.stdin.on("end", () => child.stdin.end())
process.on("SIGTERM", () => child.kill("SIGTERM"))
child.stdin.on("error", () => undefined)
child.on("error", () => process.exit(127))
child.on("close", (code, signal) => process.exit(signal === null ? code : 1))
