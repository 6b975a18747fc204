// How a client reaches the observer: a path for each way over HTTP, one process for each way on stdio. What is answered is
// in Observation.
import { HeaderName } from "@parley/core/Envelope"
import type { JsonObject } from "@parley/core/Message"
import { isObject } from "@parley/core/Message"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Answer, Way } from "../Observation.ts"
import { wayNames } from "../Observation.ts"

/** The longest message that is read, in bytes. */
export const mostBytes = 1024 * 1024

/** Returns a server that is not listening yet: a POST to /WAY/mcp is a message in that way. */
export const http = (hear: (way: Way, message: JsonObject, carried: string | undefined) => Answer): Server =>
  createServer((request, response) => {
    const way = wayNames.find((name) => request.url === `/${name}/mcp`)
    if (way === undefined) return void response.writeHead(404).end()
    if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end()
    read(request, (text) => {
      const message = messageOf(text)
      if (message === undefined) return void response.writeHead(400).end()
      const answer = hear(way, message, request.headersDistinct[HeaderName.ProtocolVersion]?.[0])
      if (message["id"] === undefined || message["method"] === undefined) return void response.writeHead(202).end()
      write(response, message["id"], answer)
    })
  })

/** Answers lines of standard input on standard output, in one way, until the input ends. */
export const stdio = (hear: (message: JsonObject) => Answer): Promise<void> =>
  new Promise((resolve) => {
    let rest = ""
    process.stdin.setEncoding("utf8")
    process.stdin.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n")
      rest = (lines.pop() ?? "").slice(0, mostBytes)
      for (const line of lines) {
        const message = messageOf(line)
        const answer = message === undefined ? undefined : hear(message)
        if (message?.["id"] === undefined || message["method"] === undefined || answer === undefined) continue
        if (answer._tag !== "Nothing") process.stdout.write(`${JSON.stringify(response(message["id"], answer))}\n`)
      }
    })
    for (const end of ["end", "error"]) process.stdin.on(end, () => resolve())
    process.stdout.on("error", () => resolve())
  })

const write = (out: ServerResponse, id: unknown, answer: Answer): void => {
  // Silence: the connection stays open until the client, or the observer, ends it.
  if (answer._tag === "Nothing") return
  out.writeHead(answer._tag === "Error" ? answer.status : 200, { "content-type": "application/json" })
  out.end(JSON.stringify(response(id, answer)))
}

const response = (id: unknown, answer: Exclude<Answer, { _tag: "Nothing" }>): JsonObject =>
  answer._tag === "Result"
    ? { jsonrpc: "2.0", id, result: answer.result }
    : {
        jsonrpc: "2.0",
        id,
        error: {
          code: answer.code,
          message: answer.code === -32601 ? "Method not found" : "Unsupported protocol version",
          ...(answer.data === undefined ? undefined : { data: answer.data })
        }
      }

const messageOf = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const read = (request: IncomingMessage, then: (text: string) => void): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  request.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size > mostBytes) request.destroy()
    else chunks.push(chunk)
  })
  request.on("end", () => then(Buffer.concat(chunks).toString("utf8")))
  // A client that goes away is nothing to an observer.
  request.on("error", () => undefined)
}
