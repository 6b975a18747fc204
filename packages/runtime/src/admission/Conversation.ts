// What is under way with one client: the requests that are being served, by their ids, and the questions that wait for its
// answer. One for each pipe, and one for each legacy HTTP session while something is under way in it.
import type { Id, JsonObject, Response } from "@parley/core/Message"
import { head, isSuccess } from "@parley/core/Message"
import type { LogLevel } from "@parley/core/server/LogLevel"
import * as Effect from "effect/Effect"
import type { AskError } from "../Handler.ts"
import { AskRefused, CannotAsk } from "../Handler.ts"
import type { Running } from "./Running.ts"
import * as SessionId from "./SessionId.ts"

/** How many questions of the server may wait for one client's answers. */
export const mostQuestions = 1_000

export interface Conversation {
  /** What `logging/setLevel` asked for last. */
  logLevel: LogLevel | undefined
  /** How many requests are being served. */
  readonly unanswered: () => number
  readonly begin: (id: Id, running: Running) => void
  readonly done: (id: Id, running: Running) => void
  /** Cancels a request that is being served: it is interrupted and gets no answer. An unknown id is ignored. */
  readonly cancel: (id: unknown) => void
  /** Registers a question and returns its id, or undefined where too many wait already. */
  readonly question: (method: string, resume: Resume) => string | undefined
  /** Forgets a question: nobody waits for its answer any more. */
  readonly forget: (id: string) => void
  /** Hands an answer of the client to the question that it answers, if one waits. */
  readonly resolve: (response: Response) => void
  /** The client has gone for good: its questions fail, and whatever is being served is interrupted. */
  readonly abandon: () => void
  /** Ends what only listens, with the answer that it then gets. */
  readonly stopListening: () => void
  /** The questions to the client fail; what is being served goes on. */
  readonly close: () => void
}

export type Resume = (answer: Effect.Effect<JsonObject, AskError>) => void

interface Question {
  readonly method: string
  readonly resume: Resume
}

export const make = (logLevel?: LogLevel): Conversation => new OfClient(logLevel)

// Each legacy request over HTTP begins one, mostly for itself alone: what few need is made when it is needed.
class OfClient implements Conversation {
  logLevel: LogLevel | undefined
  private readonly latest = new Map<Id, Running>()
  /** A client may use an id twice at a time: both are served, and a cancellation means the later one. */
  private earlier: Set<Running> | undefined
  private questions: Map<Id, Question> | undefined
  private prefix: string | undefined
  private asked = 0

  constructor(logLevel: LogLevel | undefined) {
    this.logLevel = logLevel
  }

  unanswered(): number {
    return this.latest.size + (this.earlier?.size ?? 0)
  }

  begin(id: Id, running: Running): void {
    const known = this.latest.get(id)
    if (known !== undefined) (this.earlier ??= new Set()).add(known)
    this.latest.set(id, running)
  }

  done(id: Id, running: Running): void {
    if (this.latest.get(id) === running) this.latest.delete(id)
    else this.earlier?.delete(running)
  }

  cancel(id: unknown): void {
    if (typeof id === "string" || typeof id === "number") this.latest.get(id)?.cancel()
  }

  question(method: string, resume: Resume): string | undefined {
    const questions = (this.questions ??= new Map())
    if (questions.size >= mostQuestions) return undefined
    // Another process that serves this client may ask too: its ids must not be ours.
    this.prefix ??= `parley-${SessionId.make().slice(0, 8)}`
    this.asked += 1
    const id = `${this.prefix}-${this.asked}`
    questions.set(id, { method, resume })
    return id
  }

  forget(id: string): void {
    this.questions?.delete(id)
  }

  resolve(response: Response): void {
    const id = response.id
    const question = id === undefined || id === null ? undefined : this.questions?.get(id)
    if (question === undefined || id === undefined || id === null) return
    this.questions?.delete(id)
    question.resume(
      isSuccess(response) ? Effect.succeed(response.result) : Effect.fail(refusedWith(question.method, response))
    )
  }

  abandon(): void {
    this.close()
    for (const running of this.active()) running.cancel()
  }

  stopListening(): void {
    for (const running of this.active()) if (running.listens) running.stop()
  }

  close(): void {
    const waiting = [...(this.questions?.values() ?? [])]
    this.questions = undefined
    for (const { method, resume } of waiting) resume(Effect.fail(new CannotAsk({ method, why: "disconnected" })))
  }

  private active(): ReadonlyArray<Running> {
    return [...(this.earlier ?? []), ...this.latest.values()]
  }
}

const refusedWith = (method: string, { error }: Exclude<Response, { readonly result: JsonObject }>): AskRefused =>
  new AskRefused({
    method,
    code: error.code,
    clientMessage: head(error.message, 200),
    ...("data" in error ? { data: error.data } : undefined)
  })
