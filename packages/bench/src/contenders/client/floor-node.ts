// The floor of what asks by node:http: the same exchanges over one agent that keeps its connections, their answers read and
// parsed, and nothing else.
import { Agent, request } from "node:http"
import { type Contender, type Exchange, exchangesOf } from "./Opening.ts"

const agent = new Agent({ keepAlive: true })

const ask = (url: URL, { body, headers }: Exchange, id: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const asked = request({
      agent,
      method: "POST",
      hostname: url.hostname,
      port: url.port,
      path: url.pathname,
      headers
    })
    asked.on("error", reject)
    asked.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("error", reject)
      response.on("data", (chunk: string) => {
        text += chunk
      })
      response.on("end", () => resolve(text === "" ? undefined : JSON.parse(text)))
    })
    asked.end(body(id))
  })

export const contender: Contender = {
  opener: (opening, address) => {
    const exchanges = exchangesOf(opening)
    const url = new URL(address)
    return async (times) => {
      for (let time = 0; time < times; time++) {
        let id = 1
        for (const exchange of exchanges) await ask(url, exchange, id++)
      }
    }
  }
}
