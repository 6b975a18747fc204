// Starts `parley` with these arguments and a free port, and announces the address that it says, as `{"url": …}`: so that it is
// found as every other server of the field is. It ends with its standard input, and takes what it started along.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { parleyCommand } from "./Roster.ts"

const [node = "", ...parley] = parleyCommand
const child = spawn(node, [...parley, ...process.argv.slice(2), "--port", "0"], { stdio: ["pipe", "pipe", "ignore"] })
createInterface({ input: child.stdout }).on("line", (line) => {
  const url = /http:\/\/\S+/.exec(line)?.[0]
  if (url !== undefined) process.stdout.write(`${JSON.stringify({ url })}\n`)
})
child.on("exit", (code) => process.exit(code ?? 1))
for (const end of ["end", "error"]) process.stdin.on(end, () => child.stdin.end())
process.stdin.resume()
