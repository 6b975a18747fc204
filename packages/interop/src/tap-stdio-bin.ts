// A wrapper around a stdio server: hands every byte on, and writes the method of each of the client's lines to a file.
// Arguments: the file, then the command. It must start fast, so it imports only node: modules.
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"

const [file = "", command = "", ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] })
let rest = ""
child.stdin.on("error", () => undefined)
child.on("close", (code) => process.exit(code ?? 1))
process.stdin.on("data", (chunk: Buffer) => {
  const lines = (rest + chunk.toString()).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) note(line)
  child.stdin.write(chunk)
})
process.stdin.on("end", () => child.stdin.end())

function note(line: string): void {
  try {
    const value: unknown = JSON.parse(line)
    const method = typeof value === "object" && value !== null && "method" in value ? value.method : undefined
    appendFileSync(file, `${typeof method === "string" ? method : "(response)"}\n`)
  } catch {
    appendFileSync(file, "(no JSON)\n")
  }
}
