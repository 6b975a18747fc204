// The program that the transport contract starts over stdio. It decides nothing: what it reads on its input it reports
// to the port of its first argument, and it does what comes back from there. A process of its own, so it imports little.
import { connect, Socket } from "node:net"

const control = connect(Number(process.argv[2]), "127.0.0.1")
// Whether process.stdout blocks this process when nobody reads differs by system; a flood must notice it instead.
const output = new Socket({ fd: 1, readable: false, writable: true })
const dammedMillis = 500

const report = (fact: unknown): void => void control.write(`${JSON.stringify(fact)}\n`)

const lines = (stream: NodeJS.ReadableStream, take: (line: string) => void): void => {
  let pieces: Array<string> = []
  stream.setEncoding("utf8")
  stream.on("data", (text: string) => {
    const parts = text.split("\n")
    for (const part of parts.slice(0, -1)) {
      take(pieces.concat(part).join(""))
      pieces = []
    }
    pieces.push(parts.at(-1) ?? "")
  })
}

const flood = (limitBytes: number, line: string): void => {
  let written = 0
  let messages = 0
  const next = (): void => {
    while (written < limitBytes) {
      const text = line.replace('"n":0', `"n":${messages}`)
      messages += 1
      written += text.length
      if (!output.write(text)) {
        const dammed = setTimeout(() => {
          output.off("drain", onDrain)
          report({ flooded: { messages, isDammed: true } })
        }, dammedMillis)
        const onDrain = (): void => {
          clearTimeout(dammed)
          next()
        }
        output.once("drain", onDrain)
        return
      }
    }
    report({ flooded: { messages, isDammed: false } })
  }
  next()
}

lines(control, (line) => {
  const command: unknown = JSON.parse(line)
  if (typeof command !== "object" || command === null) return
  if ("write" in command) output.write(String(command.write))
  else if ("flood" in command && "line" in command) flood(Number(command.flood), String(command.line))
  else if ("exit" in command) process.exit(Number(command.exit))
})
control.on("close", () => process.exit(0))
output.on("error", () => process.exit(1))
lines(process.stdin, (line) => report({ line }))
process.stdin.on("end", () => process.exit(0))
