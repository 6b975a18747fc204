// The other end of a server's pipe bounds what a server may write: whoever floods it is ended, and that is told.
import * as StdioSender from "@parley/testing/StdioSender"
import { describe, expect, it } from "vitest"

const start = (source: string) => StdioSender.start({ command: process.execPath, args: ["-e", source] })

const endOf = async (pipe: StdioSender.Pipe): Promise<string | undefined> => {
  await pipe.answerTo({ body: { jsonrpc: "2.0", id: 1, method: "ping" } }, "any", 20_000)
  const end = pipe.ended()
  await pipe.close()
  return end
}

describe("StdioSender", () => {
  it("ends a server that writes a line without an end", async () => {
    const pipe = start(
      `const more = () => { while (process.stdout.write("x".repeat(65536))); process.stdout.once("drain", more) }; more()`
    )
    expect(await endOf(pipe)).toBe("ended by us, as it wrote a line of more than 8388608 characters")
  }, 30_000)

  it("ends a server that writes lines without an end", async () => {
    const line = JSON.stringify({ jsonrpc: "2.0", id: "nobody's", result: { text: "x".repeat(65_536) } })
    const pipe = start(
      `const more = () => { while (process.stdout.write(${JSON.stringify(`${line}\n`)})); process.stdout.once("drain", more) }; more()`
    )
    expect(await endOf(pipe)).toBe("ended by us, as it wrote more than 33554432 characters that answer nothing")
  }, 30_000)

  it("takes what answers, however much was taken before", async () => {
    const pipe = start(
      `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id } = JSON.parse(line)
        process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { text: "x".repeat(1_000_000) } }) + "\\n")
      })`
    )
    for (let id = 1; id <= 40; id++) {
      pipe.write({ body: { jsonrpc: "2.0", id, method: "ping" } })
      const answer = await pipe.answerTo({ body: { jsonrpc: "2.0", id, method: "ping" } }, "any", 10_000)
      expect(answer?.text.length).toBeGreaterThan(1_000_000)
    }
    expect(pipe.ended()).toBeUndefined()
    await pipe.close()
  }, 30_000)
})
