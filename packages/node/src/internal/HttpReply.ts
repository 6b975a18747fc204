// Writing the answer to a request on node:http: whole, or as a stream of events that keeps itself alive.
import type { Answer } from "@parley/core/server/Answer"
import { streamHeaders } from "@parley/core/server/EventStream"
import * as Sse from "@parley/core/Sse"
import type { Events, Reply } from "@parley/runtime/Admission"
import type { ServerResponse } from "node:http"

/** The answer to one request. */
export class NodeReply implements Reply {
  private readonly response: ServerResponse
  private readonly silentMillis: number
  private readonly extra: Answer["headers"]

  /** `extra` are headers that every answer gets, where its own say nothing else. */
  constructor(response: ServerResponse, silentMillis: number, extra: Answer["headers"]) {
    this.response = response
    this.silentMillis = silentMillis
    this.extra = extra
  }

  whole({ body, headers, status }: Answer): void {
    const { response } = this
    if (response.headersSent || response.destroyed) return
    if (status === 204) {
      response.writeHead(status, { ...this.extra, ...headers }).end()
    } else {
      const length = body === undefined ? 0 : Buffer.byteLength(body)
      response.writeHead(status, { ...this.extra, ...headers, "content-length": length }).end(body)
    }
  }

  stream(headers: Answer["headers"]): Events {
    const { response } = this
    response.writeHead(200, { ...streamHeaders, ...this.extra, ...headers })
    // The head goes out with the first event where that comes at once.
    response.cork()
    response.flushHeaders()
    process.nextTick(() => response.uncork())
    return new NodeEvents(response, this.silentMillis)
  }
}

class NodeEvents implements Events {
  private readonly response: ServerResponse
  private readonly timer: NodeJS.Timeout | undefined
  private readonly waiting = new Set<() => void>()
  private over: boolean

  constructor(response: ServerResponse, silentMillis: number) {
    this.response = response
    this.over = response.destroyed
    // A timer of Node's cannot wait longer than 24 days; it would not wait at all.
    if (silentMillis < 2 ** 31) this.timer = setInterval(() => this.comment(), silentMillis).unref()
    response.on("error", ignore)
    response.on("drain", () => this.wake())
    response.on("close", () => this.finish())
    if (this.over) this.finish()
  }

  send(json: string): boolean {
    return this.over || this.response.write(Sse.encode(json))
  }

  onDrain(resume: () => void): void {
    if (this.over || !this.response.writableNeedDrain) resume()
    else this.waiting.add(resume)
  }

  end(): void {
    if (this.over) return
    this.finish()
    this.response.end()
  }

  private comment(): void {
    // Who does not read what is written gets no comments on top of it.
    if (!this.over && !this.response.writableNeedDrain) this.response.write(keepAlive)
  }

  private finish(): void {
    this.over = true
    clearInterval(this.timer)
    this.wake()
  }

  private wake(): void {
    const waiting = [...this.waiting]
    this.waiting.clear()
    for (const resume of waiting) resume()
  }
}

const ignore = (): void => {}
const keepAlive = Sse.comment("keep-alive")
