// Sends what a server case says to a URL and brings back the answer, JSON or SSE. Independent of Parley's own carriers,
// since it judges them.
import { request as startRequest, type IncomingMessage } from "node:http"
import type { Send } from "./Case.ts"
import type { Answer } from "./ServerCheck.ts"

/** How long a stream that answers no request of ours is listened to, in milliseconds. */
const quietMillis = 250
const bodyLimit = 8 * 1024 * 1024

/**
 * Sends one message and returns its answer: at the end of the response, or as soon as an SSE stream has held the
 * response to it. Undefined if none came within `waitMillis`. Rejects only where the message cannot be sent at all.
 */
export const send = (url: string, message: Send, waitMillis: number): Promise<Answer | undefined> =>
  new Promise((resolve, reject) => {
    const body = bodyOf(message)
    const finish = (answer: Answer | undefined) => {
      clearTimeout(timer)
      resolve(answer)
      request.destroy()
    }
    const request = startRequest(
      url,
      { method: message.httpMethod ?? "POST", agent: false, headers: headersOf(message, body) },
      (response) => collect(response, idsOf(body), finish)
    )
    const timer = setTimeout(() => finish(undefined), waitMillis)
    request.on("error", (cause) => {
      clearTimeout(timer)
      reject(new Error(`the connection to ${url} broke: ${cause.message}`, { cause }))
    })
    request.end(body)
  })

const bodyOf = (message: Send): string | Buffer | undefined => {
  if (message.lineBase64 !== undefined) return Buffer.from(message.lineBase64, "base64")
  return message.raw ?? (message.body === undefined ? undefined : JSON.stringify(message.body))
}

const headersOf = (message: Send, body: string | Buffer | undefined): Record<string, string | Array<string>> => {
  const headers: Record<string, string | Array<string>> = {}
  for (const [name, value] of Object.entries(message.headers ?? {})) {
    headers[name] = typeof value === "string" ? value : [...value]
  }
  const sized = Object.keys(headers).some((name) => /^(content-length|transfer-encoding)$/i.test(name))
  if (body !== undefined && !sized) headers["content-length"] = String(Buffer.byteLength(body))
  return headers
}

const collect = (
  response: IncomingMessage,
  ids: ReadonlyArray<unknown>,
  finish: (answer: Answer | undefined) => void
): void => {
  const headers: Record<string, string> = {}
  for (const [name, values] of Object.entries(response.headersDistinct)) headers[name] = (values ?? []).join(", ")
  const streams = (headers["content-type"] ?? "").startsWith("text/event-stream")
  const chunks: Array<Buffer> = []
  let size = 0
  const answer = (): Answer => {
    const text = Buffer.concat(chunks).toString("utf8")
    const message = streams ? messageIn(text, ids) : parse(text)
    return {
      status: response.statusCode ?? 0,
      headers,
      text,
      ...(message === undefined ? undefined : { message })
    }
  }
  let quiet = streams && ids.length === 0 ? setTimeout(() => finish(answer()), quietMillis) : undefined
  response.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size > bodyLimit) return finish(answer())
    chunks.push(chunk)
    if (quiet !== undefined) quiet = quiet.refresh()
    if (streams && ids.length > 0) {
      const now = answer()
      if (now.message !== undefined) finish(now)
    }
  })
  response.on("error", () => undefined)
  response.on("close", () => {
    clearTimeout(quiet)
    finish(answer())
  })
}

/** The ids of the requests in a body, as far as it can be read. */
const idsOf = (body: string | Buffer | undefined): ReadonlyArray<unknown> => {
  const value = typeof body === "string" ? parse(body) : undefined
  return (Array.isArray(value) ? value : [value]).flatMap((item) =>
    isObject(item) && "id" in item ? [item["id"]] : []
  )
}

/** The first response in the events of a stream: the one with our id, or an error that names none. */
const messageIn = (text: string, ids: ReadonlyArray<unknown>): unknown => {
  for (const event of text.replaceAll(/\r\n?/g, "\n").split("\n\n").slice(0, -1)) {
    const data = event
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).replace(/^ /, ""))
    const message = parse(data.join("\n"))
    const first = Array.isArray(message) ? message[0] : message
    if (!isObject(first) || "method" in first) continue
    if (ids.includes(first["id"]) || first["id"] === undefined || first["id"] === null) return message
  }
  return undefined
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null
