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

export const make = (logLevel?: LogLevel): Conversation => {
  // A client may use an id twice at a time: both are served, and a cancellation means the later one.
  const active = new Set<Running>()
  const latest = new Map<Id, Running>()
  const questions = new Map<Id, Question>()
  let prefix: string | undefined
  let asked = 0

  const close = (): void => {
    const waiting = [...questions.values()]
    questions.clear()
    for (const { method, resume } of waiting) resume(Effect.fail(new CannotAsk({ method, why: "disconnected" })))
  }

  return {
    logLevel,
    unanswered: () => active.size,
    begin: (id, running) => {
      active.add(running)
      latest.set(id, running)
    },
    done: (id, running) => {
      active.delete(running)
      if (latest.get(id) === running) latest.delete(id)
    },
    cancel: (id) => {
      if (typeof id === "string" || typeof id === "number") latest.get(id)?.cancel()
    },
    question: (method, resume) => {
      if (questions.size >= mostQuestions) return undefined
      // Another process that serves this client may ask too: its ids must not be ours.
      prefix ??= `parley-${SessionId.make().slice(0, 8)}`
      asked += 1
      const id = `${prefix}-${asked}`
      questions.set(id, { method, resume })
      return id
    },
    forget: (id) => {
      questions.delete(id)
    },
    resolve: (response) => {
      const id = response.id
      const question = id === undefined || id === null ? undefined : questions.get(id)
      if (question === undefined || id === undefined || id === null) return
      questions.delete(id)
      question.resume(
        isSuccess(response) ? Effect.succeed(response.result) : Effect.fail(refusedWith(question.method, response))
      )
    },
    abandon: () => {
      close()
      for (const running of active) running.cancel()
    },
    stopListening: () => {
      for (const running of active) if (running.listens) running.stop()
    },
    close
  }
}

const refusedWith = (method: string, { error }: Exclude<Response, { readonly result: JsonObject }>): AskRefused =>
  new AskRefused({
    method,
    code: error.code,
    clientMessage: head(error.message, 200),
    ...("data" in error ? { data: error.data } : undefined)
  })
