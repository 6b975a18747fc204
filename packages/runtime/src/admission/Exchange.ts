// Where the answer of one request goes, and what may go before it: an HTTP response, a line on a pipe, a place in the
// array of a batch. Knows no method and no era. Each writes its answer once, whatever it is told.
import type { Answer } from "@parley/core/server/Answer"
import { jsonHeaders } from "@parley/core/server/Answer"

/** A carrier's way to answer an HTTP request. Exactly one of `whole` and `stream` is called, once. Neither may throw. */
export interface Reply {
  /** Writes a whole response and ends it. */
  readonly whole: (answer: Answer) => void
  /** Begins a 200 `text/event-stream` response, with these headers besides those of every stream. */
  readonly stream: (headers: Answer["headers"]) => Events
}

/** A carrier's open event stream. After `end`, and after the client has gone, everything is a no-op. */
export interface Events {
  /** Writes one event of one JSON text. Returns false when the client reads slowly: wait for `onDrain` before more. */
  readonly send: (json: string) => boolean
  /** Calls back once, when more may be written or nothing ever will. */
  readonly onDrain: (resume: () => void) => void
  readonly end: () => void
}

/** A carrier's way to write to a pipe. None of them may throw. */
export interface Outlet {
  /** Writes one line: the JSON text and a newline. Returns false when the client reads slowly. */
  readonly write: (json: string) => boolean
  readonly onDrain: (resume: () => void) => void
}

/** Where one request's answer goes. */
export interface Exchange {
  /** Writes the one answer: its JSON text, and over HTTP the status that it has where nothing was streamed before. */
  readonly answer: (json: string, status: number) => void
  /** Writes a message ahead of the answer. Returns false when the client reads slowly. A no-op once it is over. */
  readonly push: (json: string) => boolean
  readonly onDrain: (resume: () => void) => void
  /** Ends without an answer: the client cancelled. */
  readonly end: () => void
  /** Whether nothing more can be written: it was answered, ended, or the client has gone. */
  readonly isOver: () => boolean
}

/** An HTTP exchange, with what the carrier tells of it. */
export interface HttpExchange extends Exchange {
  /** Writes a whole response instead of an answer. A no-op once it is over. */
  readonly whole: (answer: Answer) => void
  /** Begins the stream now, for whoever is to speak on it. */
  readonly open: () => void
  /** The client has gone before the response was complete. */
  readonly gone: () => void
}

/** Returns an exchange that answers with JSON, or with a stream if anything is said before the answer. */
export const http = (reply: Reply): HttpExchange => new OverHttp(reply)

/** Returns an exchange that writes to a pipe. */
export const pipe = (outlet: Outlet): Exchange => new OnPipe(outlet)

/**
 * Returns the exchanges of the members of a batch. Their answers go to the whole as one array once all are in; a member that
 * ends without an answer has no place in it.
 */
export const batch = (whole: Exchange, size: number): ReadonlyArray<Exchange> => {
  const gathering = { answers: [], due: size }
  return Array.from({ length: size }, () => new InBatch(whole, gathering))
}

class OverHttp implements HttpExchange {
  private readonly reply: Reply
  private events: Events | undefined = undefined
  private over = false

  constructor(reply: Reply) {
    this.reply = reply
  }

  answer(json: string, status: number): void {
    if (this.over) return
    this.over = true
    if (this.events === undefined) {
      this.reply.whole({ status, headers: jsonHeaders, body: json })
    } else {
      this.events.send(json)
      this.events.end()
    }
  }

  whole(answer: Answer): void {
    if (this.over) return
    this.over = true
    this.reply.whole(answer)
  }

  open(): void {
    if (!this.over) this.streaming()
  }

  push(json: string): boolean {
    return this.over || this.streaming().send(json)
  }

  onDrain(resume: () => void): void {
    if (this.over || this.events === undefined) resume()
    else this.events.onDrain(resume)
  }

  end(): void {
    if (this.over) return
    this.over = true
    this.streaming().end()
  }

  isOver(): boolean {
    return this.over
  }

  gone(): void {
    this.over = true
  }

  private streaming(): Events {
    return (this.events ??= this.reply.stream(noHeaders))
  }
}

class OnPipe implements Exchange {
  private readonly outlet: Outlet
  private over = false

  constructor(outlet: Outlet) {
    this.outlet = outlet
  }

  answer(json: string): void {
    if (this.over) return
    this.over = true
    this.outlet.write(json)
  }

  push(json: string): boolean {
    return this.over || this.outlet.write(json)
  }

  onDrain(resume: () => void): void {
    if (this.over) resume()
    else this.outlet.onDrain(resume)
  }

  end(): void {
    this.over = true
  }

  isOver(): boolean {
    return this.over
  }
}

interface Gathering {
  readonly answers: Array<string>
  due: number
}

class InBatch implements Exchange {
  private readonly whole: Exchange
  private readonly gathering: Gathering
  private over = false

  constructor(whole: Exchange, gathering: Gathering) {
    this.whole = whole
    this.gathering = gathering
  }

  answer(json: string): void {
    if (this.over) return
    this.gathering.answers.push(json)
    this.end()
  }

  push(json: string): boolean {
    return this.over || this.whole.push(json)
  }

  onDrain(resume: () => void): void {
    if (this.over) resume()
    else this.whole.onDrain(resume)
  }

  end(): void {
    if (this.over) return
    this.over = true
    this.gathering.due -= 1
    if (this.gathering.due > 0) return
    if (this.gathering.answers.length === 0) this.whole.end()
    else this.whole.answer(`[${this.gathering.answers.join(",")}]`, 200)
  }

  isOver(): boolean {
    return this.over || this.whole.isOver()
  }
}

const noHeaders: Answer["headers"] = {}
