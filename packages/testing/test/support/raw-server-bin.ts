// The stdio process of RawServer.
import { createInterface } from "node:readline"
import { makeServer } from "./rawAnswers.ts"

const { options, fault } = JSON.parse(process.argv[2] ?? "{}")
const { answer } = makeServer(options, fault)
createInterface({ input: process.stdin }).on("line", (line) => {
  if (fault === "silent") return
  const reply = answer(line)
  if (fault === "diesOnGarbage" && line.endsWith(":")) process.exit(1)
  if (reply?.body === undefined) return
  for (let copy = 0; copy < (fault === "answersTwice" ? 2 : 1); copy++) {
    process.stdout.write(`${JSON.stringify(reply.body)}\n`)
  }
})
