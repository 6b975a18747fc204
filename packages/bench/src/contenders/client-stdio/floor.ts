// The floor: one process, its pipes, the same exchanges, their answers parsed, and nothing else.
import { spawn } from "node:child_process"
import { exchangesOf } from "../client/Opening.ts"
import type { Contender } from "./Starting.ts"

export const contender: Contender = {
  opener: (opening, { args, command }) => {
    const exchanges = exchangesOf(opening)
    return (ready) =>
      new Promise((resolve, reject) => {
        const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] })
        child.on("error", reject)
        child.on("exit", () => resolve())
        let next = 0
        let rest = ""
        const say = (): void => {
          const exchange = exchanges[next]
          if (exchange === undefined) {
            ready()
            child.stdin.end()
            return
          }
          next += 1
          const body = exchange.body(next)
          child.stdin.write(`${body}\n`)
          // A notification has no answer.
          if (!body.includes('"id"')) say()
        }
        child.stdout.setEncoding("utf8")
        child.stdout.on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n")
          rest = lines.pop() ?? ""
          for (const line of lines) {
            JSON.parse(line)
            say()
          }
        })
        say()
      })
  }
}
