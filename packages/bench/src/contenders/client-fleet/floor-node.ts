// The floor of what asks by node:http: the same exchanges with each server, within the same time, over one agent that keeps
// its connections.
import { Agent, request } from "node:http"
import { type Exchange, exchangesOf } from "../client/Opening.ts"
import { each, type Meet } from "./Meeting.ts"

export const meet: Meet = async ({ deadlineMillis, inFlight, urls }, connected) => {
  const agent = new Agent({ keepAlive: true })
  const ask = (url: URL, { body, headers }: Exchange, id: number, late: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { hostname, pathname, port } = url
      const asked = request({ agent, method: "POST", hostname, port, path: pathname, headers })
      const timer = setTimeout(() => asked.destroy(new Error("late")), Math.max(0, late - performance.now()))
      asked.on("error", (error) => {
        clearTimeout(timer)
        reject(error)
      })
      asked.on("response", (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
        })
        response.on("end", () => {
          clearTimeout(timer)
          resolve(text === "" ? undefined : JSON.parse(text))
        })
      })
      asked.end(body(id))
    })
  await each(urls, inFlight, async (address) => {
    const era = address.endsWith("/modern") ? "modern" : "legacy"
    const late = performance.now() + deadlineMillis
    const url = new URL(address)
    try {
      let id = 1
      for (const exchange of exchangesOf({ policy: "discoverFirst", era })) await ask(url, exchange, id++, late)
      connected()
    } catch {
      // It did not answer in time.
    }
  })
  agent.destroy()
}
