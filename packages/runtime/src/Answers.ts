// The answers to what a legacy server asks of the client by itself: a ping at once, anything else through the owner, so
// many at a time. In the modern era servers ask nothing, and nothing of this is used.
import type { ErrorObject, JsonObject, Request, Response } from "@parley/core/Message"
import { Code, failure, Method, success } from "@parley/core/Message"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** Answers a request of the server, or refuses it. */
export type OnRequest = (request: Request) => Effect.Effect<JsonObject, ErrorObject>

/** What the answers need of their link. */
export interface Given {
  readonly onRequest: OnRequest
  readonly scope: Scope.Scope
  /** Sends an answer, on an exchange of its own. */
  readonly post: (exchange: number, answer: Response) => Effect.Effect<void>
  readonly nextExchange: () => number
  /** Whether the carrier tells how the POST of an answer ended. A pipe does not. */
  readonly concludes: boolean
}

export interface Answers {
  /** Takes a request of the server. Returns when it is answered or under way. */
  readonly take: (request: Request) => Effect.Effect<void>
  /** Stops answering a request that the server cancelled: no response follows. Returns whether there was one. */
  readonly cancel: (id: unknown) => boolean
  /** Takes the end of the POST of an answer. Returns whether it was one. */
  readonly conclude: (exchange: number) => boolean
}

/** How many requests of a server are answered at a time. What comes beside is refused, or over HTTP passed over. */
export const most = 64

interface Running {
  fiber: Fiber.Fiber<void> | undefined
  isCancelled: boolean
}

export const make = ({ concludes, nextExchange, onRequest, post, scope }: Given): Answers => {
  const running = new Map<unknown, Running>()
  const posted = new Set<number>()

  // A server that takes no answers is given no more of them: each would hold a connection, or memory.
  const reply = (answer: Response): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (posted.size >= most) return Effect.void
      const exchange = nextExchange()
      posted.add(exchange)
      const sending = post(exchange, answer)
      return concludes
        ? sending
        : Effect.ensuring(
            sending,
            Effect.sync(() => posted.delete(exchange))
          )
    })

  // Whoever reads the channel must not wait until the server reads: it may be waiting itself.
  const replyMeanwhile = (answer: Response): Effect.Effect<void> =>
    Effect.asVoid(Effect.forkIn(reply(answer), scope, { startImmediately: true }))

  const work = (request: Request, own: Running): Effect.Effect<void> =>
    Effect.suspend(() => onRequest(request)).pipe(
      Effect.matchCauseEffect({
        onSuccess: (result) => reply(success(request.id, result)),
        onFailure: (cause) =>
          own.isCancelled
            ? Effect.void
            : Effect.andThen(
                Cause.hasFails(cause) ? Effect.void : Effect.logWarning("Answering the server failed.", cause),
                reply(failure(request.id, errorOf(cause)))
              )
      }),
      Effect.ensuring(Effect.sync(() => running.delete(request.id)))
    )

  return {
    take: (request) => {
      if (request.method === Method.Ping) return replyMeanwhile(success(request.id, {}))
      // A resumed stream may bring a request once more.
      if (running.has(request.id)) return Effect.void
      if (running.size + posted.size >= most) {
        return concludes ? Effect.void : replyMeanwhile(failure(request.id, tooMany))
      }
      const own: Running = { fiber: undefined, isCancelled: false }
      running.set(request.id, own)
      return Effect.map(Effect.forkIn(work(request, own), scope), (fiber) => {
        own.fiber = fiber
      })
    },
    cancel: (id) => {
      const own = running.get(id)
      if (own === undefined) return false
      own.isCancelled = true
      own.fiber?.interruptUnsafe()
      return true
    },
    conclude: (exchange) => posted.delete(exchange)
  }
}

/** Refuses whatever the server asks: what a client answers that was given no way to. */
export const refuse: OnRequest = (request) =>
  Effect.fail({ code: Code.MethodNotFound, message: `This client does not serve ${request.method.slice(0, 100)}.` })

const errorOf = (cause: Cause.Cause<ErrorObject>): ErrorObject => {
  for (const reason of cause.reasons) {
    if (reason._tag !== "Fail") continue
    const { code, data, message } = reason.error
    return data === undefined ? { code, message } : { code, message, data }
  }
  return { code: Code.InternalError, message: "The client could not answer." }
}

const tooMany: ErrorObject = { code: Code.InternalError, message: "The client answers enough requests already." }
