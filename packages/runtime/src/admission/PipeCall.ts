// One pipe on its way through the admission: lines in, lines out, and the end of both. The machine says what a line means;
// here its commands are performed.
import type { Line } from "@parley/core/Lines"
import type { Request } from "@parley/core/Message"
import { Method, success } from "@parley/core/Message"
import type { Command, Deliver, Hear } from "@parley/core/server/Command"
import type { Event } from "@parley/core/server/Event"
import { nowClosing } from "@parley/core/server/Grounds"
import { isLogLevel } from "@parley/core/server/LogLevel"
import * as Pipe from "@parley/core/server/Pipe"
import type { Refusal } from "@parley/core/server/Refusal"
import { toMessage } from "@parley/core/server/Refusal"
import * as Server from "@parley/core/server/Server"
import type { Closed, State } from "@parley/core/server/State"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Conversations from "./Conversation.ts"
import * as Delivery from "./Delivery.ts"
import type { Exchange, Outlet } from "./Exchange.ts"
import * as Exchanges from "./Exchange.ts"
import type { Host } from "./Host.ts"
import * as LogLevels from "./LogLevels.ts"
import * as Notifications from "./Notifications.ts"
import type { Running } from "./Running.ts"

/** A pipe that is served. */
export interface PipeConnection {
  /** Takes the next line. Nothing is read once the pipe has closed. */
  readonly receive: (line: Line) => void
  /** The client closed its end: what is due is still answered, then the pipe is done. */
  readonly end: () => void
  /** Nobody reads our end any more: whatever is under way is interrupted, and the pipe is done. */
  readonly abandon: () => void
  /** Waits until the pipe is closed and the last answer that was due is out, and tells why it closed. */
  readonly done: Effect.Effect<Closed["why"]>
}

/** Who the application says the client of a pipe is. */
export interface PipeOptions {
  /** Who the application says the client is. */
  readonly principal?: string | undefined
}

export const open = (host: Host, outlet: Outlet, options?: PipeOptions): PipeConnection => {
  const conversation = Conversations.make()
  const waiting = new Set<(why: Closed["why"]) => void>()
  const principal = options?.principal
  let state: State = { _tag: "Closed", why: "ended" }
  let deadline: Fiber.Fiber<unknown, unknown> | undefined
  let door: Running | undefined
  let wasOpened = false
  let finished: Closed["why"] | undefined

  const exchange = (): Exchange => Exchanges.pipe(outlet)

  const finish = (): void => {
    if (finished !== undefined || state._tag !== "Closed" || conversation.unanswered() > 0 || door !== undefined) return
    finished = state.why
    for (const resume of waiting) resume(state.why)
    waiting.clear()
  }

  const clearDeadline = (): void => {
    const running = deadline
    deadline = undefined
    running?.interruptUnsafe()
  }

  const startDeadline = (millis: number): void => {
    clearDeadline()
    const passed = Effect.sync(() => {
      deadline = undefined
      step({ _tag: "DeadlinePassed", of: "opening", waitedMillis: millis, unanswered: conversation.unanswered() })
    })
    deadline = host.fork(Effect.andThen(Effect.sleep(millis), passed))
  }

  const origin = () => ({ headers: undefined, sessionId: undefined, principal, conversation })

  const refuse = (to: Exchange, refusal: Refusal): void => {
    host.refused(refusal)
    to.answer(JSON.stringify(toMessage(refusal)), 200)
  }

  const deliver = (to: Exchange, { admitted, request }: Deliver): void => {
    if (host.isClosing()) return refuse(to, nowClosing(request.id))
    host.admitted(admitted.era)
    if (admitted.era === "legacy" && request.method === Method.SetLogLevel) return setLogLevel(to, request)
    Delivery.serve(host, to, request, admitted, origin(), finish)
    return undefined
  }

  const setLogLevel = (to: Exchange, { id, params }: Request): void => {
    const level = params?.["level"]
    if (!isLogLevel(level)) return to.answer(LogLevels.refusal(id), 200)
    conversation.logLevel = level
    return to.answer(LogLevels.taken(id), 200)
  }

  const hear = ({ notification, version: stamped }: Hear): void => {
    if (notification.method === Method.Cancelled) return conversation.cancel(notification.params?.["requestId"])
    const version = stamped ?? ("opening" in state ? state.opening.version : undefined)
    return Notifications.hear(host, notification, { version, sessionId: undefined, principal })
  }

  // The pipe itself is the channel on which a legacy server speaks by itself, once the handshake is complete.
  const openDoor = (): void => {
    if (host.listener === undefined || wasOpened || state._tag !== "Serving") return
    wasOpened = true
    const admitted = { era: "legacy", meta: undefined, ...state.opening } as const
    let ended = false
    const running = Delivery.listen(host, exchange(), admitted, origin(), () => {
      ended = true
      door = undefined
      finish()
    })
    if (!ended) door = running
  }

  const close = (command: Extract<Command, { readonly _tag: "Close" }>): void => {
    if (command.refusal !== undefined) host.refused(command.refusal)
    clearDeadline()
    // No answer of the client can come any more, and nothing that only listens has an answer to wait for.
    conversation.close()
    conversation.stopListening()
    door?.cancel()
  }

  const perform = (commands: ReadonlyArray<Command>, batched: boolean): void => {
    const due = batched ? commands.filter(isAnswering).length : 0
    const members = batched ? Exchanges.batch(exchange(), due) : []
    let at = 0
    for (const command of commands) {
      switch (command._tag) {
        case "Reply":
          ;(members[at++] ?? exchange()).answer(JSON.stringify(success(command.id, command.result)), 200)
          break
        case "Refuse":
          refuse(members[at++] ?? exchange(), command.refusal)
          break
        case "Deliver":
          deliver(members[at++] ?? exchange(), command)
          break
        case "Hear":
          hear(command)
          break
        case "Resolve":
          conversation.resolve(command.response)
          break
        case "StartDeadline":
          startDeadline(command.millis)
          break
        case "ClearDeadline":
          clearDeadline()
          break
        case "Close":
          close(command)
          break
        case "Issue":
          break
      }
    }
  }

  const step = (event: Event): void => {
    const next = Server.step(host.compiled, state, event)
    state = next.state
    perform(next.commands, false)
    finish()
  }

  const begun = Server.begin(host.compiled)
  state = begun.state
  perform(begun.commands, false)

  return {
    receive: (line) => {
      const taken = Pipe.receive(host.compiled, state, line, conversation.unanswered())
      state = taken.state
      perform(taken.commands, taken.batched)
      openDoor()
      finish()
    },
    end: () => step({ _tag: "EndOfInput" }),
    abandon: () => {
      step({ _tag: "EndOfInput" })
      conversation.abandon()
      finish()
    },
    done: Effect.callback((resume) => {
      if (finished !== undefined) {
        resume(Effect.succeed(finished))
        return undefined
      }
      const told = (why: Closed["why"]): void => resume(Effect.succeed(why))
      waiting.add(told)
      return Effect.sync(() => waiting.delete(told))
    })
  }
}

const isAnswering = ({ _tag }: Command): boolean => _tag === "Reply" || _tag === "Refuse" || _tag === "Deliver"
