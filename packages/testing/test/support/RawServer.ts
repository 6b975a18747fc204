// A small server by hand for the case runner's own tests: right by default, wrong in one way on demand. Not Parley's.
import { createServer, type IncomingMessage } from "node:http"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type { ServerSubject, ServeOptions } from "@parley/testing/Subject"
import { type Fault, type Headers, makeServer } from "./rawAnswers.ts"

export type { Fault } from "./rawAnswers.ts"

export const subject = (fault?: Fault): ServerSubject => ({
  serve: (options) =>
    options.transport === "stdio"
      ? Effect.succeed({
          command: process.execPath,
          args: [fileURLToPath(new URL("raw-server-bin.ts", import.meta.url)), JSON.stringify({ options, fault })]
        })
      : Effect.map(
          Effect.acquireRelease(
            Effect.promise(() => listen(options, fault)),
            ({ close }) => Effect.promise(close)
          ),
          ({ url }) => ({ url })
        )
})

const listen = async (options: ServeOptions, fault?: Fault): Promise<{ url: string; close: () => Promise<void> }> => {
  const { answer } = makeServer(options, fault)
  const server = createServer(async (request, response) => {
    if (fault === "silent") return
    if (request.method !== "POST") return void response.writeHead(405).end()
    const reply = answer(await bodyOf(request), joined(request)) ?? { status: 500 }
    if (reply.sessionId !== undefined) response.setHeader("mcp-session-id", reply.sessionId)
    const json = reply.body === undefined ? undefined : JSON.stringify(reply.body)
    if (fault === "answersAsSse" && json !== undefined) {
      response.writeHead(reply.status, { "content-type": "text/event-stream" })
      // The stream stays open after the answer, as real servers let it.
      response.write(`id: 1\r\ndata:\r\n\r\nevent: message\r\ndata: ${json}\r\n\r\n`)
    } else response.writeHead(reply.status, { "content-type": "application/json" }).end(json)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

const joined = (request: IncomingMessage): Headers =>
  Object.fromEntries(Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(", ")]))
