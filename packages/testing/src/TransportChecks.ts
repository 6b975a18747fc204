// The checks of the transport contract, one after the other. Each gets a peer of its own.
import type { Arrived, Event } from "@parley/core/client/Event"
import type { Headers, Outgoing } from "@parley/core/client/Outgoing"
import type { JsonObject, Message } from "@parley/core/Message"
import { isNotification, isRequest, notification, request, success } from "@parley/core/Message"
import type { Channel } from "@parley/runtime/Transport"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import type { Check, Peer, Received } from "./ContractPeer.ts"
import { ContractBroken } from "./ContractPeer.ts"

/** Everything that a transport owes its users. */
export const checks: ReadonlyArray<Check> = [
  {
    title: "a request reaches the peer as it was sent, and its answer comes back",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      const message = request(1, "tools/call", { name: "x", arguments: { deep: [{ a: null }, 1.5, true] } })
      yield* channel.send(post(1, message))
      const received = yield* receive(peer)
      yield* same("the message as it was sent", received.message, message)
      yield* received.say(success(1, { content: [] }))
      yield* isAnswer(peer, yield* arrival(channel), 1, { content: [] })
    })
  },
  {
    title: "a notification reaches the peer",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      const message = notification("notifications/initialized")
      yield* channel.send(post(1, message))
      yield* same("the notification", (yield* receive(peer)).message, message)
    })
  },
  {
    title: "headers travel where each request has a stream of its own",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      yield* channel.send(post(1, request(1, "ping"), { "mcp-protocol-version": "2026-07-28", "mcp-method": "ping" }))
      const { headers } = yield* receive(peer)
      if (peer.transport.medium.streams === "shared") return
      yield* same("the method's header", headers["mcp-method"], "ping")
      yield* same("the revision's header", headers["mcp-protocol-version"], "2026-07-28")
    })
  },
  {
    title: "many requests are in flight at once, and answers come in any order",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      const count = 20
      for (let id = 1; id <= count; id++) yield* channel.send(post(id, request(id, "ping")))
      const received = yield* receiveMany(peer, count)
      for (const item of received.toReversed()) {
        yield* item.say(success(idOf(item), { of: idOf(item) }))
        yield* isAnswer(peer, yield* arrival(channel), idOf(item), { of: idOf(item) })
      }
    })
  },
  {
    title: "messages of one stream arrive in the order in which they were written",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      yield* channel.send(post(1, request(1, "tools/call")))
      const received = yield* receive(peer)
      for (let n = 0; n < 50; n++) yield* received.say(notification("notifications/progress", { n }))
      yield* received.say(success(1, {}))
      for (let n = 0; n < 50; n++) yield* same(`progress ${n}`, paramsOf((yield* arrival(channel)).message), { n })
      yield* isAnswer(peer, yield* arrival(channel), 1, {})
    })
  },
  {
    title: "send returns although the peer does not answer",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      for (let id = 1; id <= 3; id++) {
        const sent = yield* Effect.timeoutOption(channel.send(post(id, request(id, "ping"))), "5 seconds")
        yield* same("send to return", sent._tag, "Some")
      }
      yield* receiveMany(peer, 3)
    })
  },
  {
    title: "text beyond ASCII survives both ways",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      const text = 'Příliš žluťoučký 🐎 漢字 \u2028\u2029\u0085\u0000\u001f\\ "\r\n\t\ufeff\ud800'
      yield* channel.send(post(1, request(1, "echo", { text })))
      const received = yield* receive(peer)
      yield* same("the text", paramsOf(received.message), { text })
      yield* received.say(success(1, { text }))
      yield* isAnswer(peer, yield* arrival(channel), 1, { text })
    })
  },
  {
    title: "a message of 1 MiB survives both ways",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      const text = "0123456789abcdef".repeat(65_536)
      yield* channel.send(post(1, request(1, "echo", { text })))
      const received = yield* receive(peer)
      yield* same("1 MiB to reach the peer", paramsOf(received.message)?.["text"] === text, true)
      yield* received.say(success(1, { text }))
      const { message } = yield* arrival(channel)
      yield* same("1 MiB to come back", "result" in message && message.result["text"] === text, true)
    })
  },
  {
    title: "noise before an answer does not hide it",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      yield* channel.send(post(1, request(1, "ping")))
      const received = yield* receive(peer)
      yield* received.noise
      yield* received.say(success(1, {}))
      yield* isAnswer(peer, yield* arrival(channel), 1, {})
    })
  },
  {
    title: "a peer that floods is held back, and nothing of what it wrote is lost",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      yield* channel.send(post(1, request(1, "flood")))
      const received = yield* receive(peer)
      // What may lie between the two ends: the socket buffers of the system, and the channel's own queue.
      const { messages, isDammed } = yield* received.flood(48 * 1024 * 1024)
      yield* same("the peer to be held back while nobody reads", isDammed, true)
      // Behind what was held back: it may take until that is read.
      yield* Effect.forkChild(received.say(success(1, {})))
      for (let n = 0; n < messages; n++)
        yield* same(`notification ${n}`, paramsOf((yield* arrival(channel)).message)?.["n"], n)
      yield* isAnswer(peer, yield* arrival(channel), 1, {})
    })
  },
  {
    title: "abandoning stops what belongs to one exchange, and nothing else",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      yield* channel.send(post(1, request(1, "first")))
      const first = yield* receive(peer)
      yield* channel.send(post(2, request(2, "second")))
      const second = yield* receive(peer)
      yield* channel.abandon(1)
      yield* channel.abandon(99)
      if (peer.transport.medium.streams === "perRequest") yield* promptly("the abandoned stream to close", first.gone)
      yield* first.say(success(1, {}))
      yield* second.say(success(2, {}))
      const event = yield* arrival(channel)
      // On a pipe a late answer may still come; it is the machine that drops it.
      const isLate = peer.transport.medium.streams === "shared" && "id" in event.message && event.message.id === 1
      yield* isAnswer(peer, isLate ? yield* arrival(channel) : event, 2, {})
    })
  },
  {
    title: "a peer that ends is told exactly once, and soon",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      yield* channel.send(post(1, request(1, "ping")))
      const received = yield* receive(peer)
      yield* received.end
      const end = yield* promptly("Closed or Lost", firstEnd(channel))
      if (end._tag === "Lost" && peer.transport.medium.streams === "perRequest")
        yield* same("its exchange", end.exchange, 1)
      yield* promptly("the way to close at the peer", received.gone)
      yield* channel.close
      const rest = yield* Queue.collect(channel.events)
      yield* same("no second end", rest.filter(isEnd), [])
    })
  },
  {
    title: "closing ends the events and leaves nothing open",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      yield* channel.send(post(1, request(1, "ping")))
      yield* receive(peer)
      yield* promptly("close to return", channel.close)
      yield* promptly("the events to end", Queue.collect(channel.events))
      yield* promptly("nothing to be left open", peer.idle)
    })
  },
  {
    title: "closing twice, and sending, abandoning after it, is harmless",
    run: Effect.fnUntraced(function* (peer) {
      const channel = yield* peer.transport.open
      yield* channel.close
      yield* channel.close
      yield* promptly("send to return", channel.send(post(1, request(1, "ping"))))
      yield* channel.abandon(1)
      yield* promptly("the events to end", Queue.collect(channel.events))
      yield* same("nothing to reach the peer", yield* Queue.size(peer.received), 0)
    })
  },
  {
    title: "the end of its scope closes a channel",
    run: Effect.fnUntraced(function* (peer) {
      const scope = yield* Scope.make()
      const channel = yield* Scope.provide(peer.transport.open, scope)
      yield* channel.send(post(1, request(1, "ping")))
      yield* receive(peer)
      yield* promptly("the scope to close", Scope.close(scope, Exit.void))
      yield* promptly("the events to end", Queue.collect(channel.events))
      yield* promptly("nothing to be left open", peer.idle)
    })
  },
  {
    title: "interruption closes a channel, also while events are unread and a reader waits",
    run: Effect.fnUntraced(function* (peer) {
      const user = yield* Effect.forkChild(
        Effect.scoped(
          Effect.gen(function* () {
            const channel = yield* peer.transport.open
            yield* channel.send(post(1, request(1, "first")))
            yield* Effect.forkChild(Queue.take(channel.events))
            return yield* Effect.never
          })
        )
      )
      const received = yield* receive(peer)
      const unread = Array.from({ length: 200 }, (_, n) => received.say(notification("x", { n })))
      yield* Effect.forkChild(Effect.all(unread), { startImmediately: true })
      yield* promptly("the interruption", Fiber.interrupt(user))
      yield* promptly("nothing to be left open", peer.idle)
    })
  },
  {
    title: "opening twice gives two channels that do not know each other",
    run: Effect.fnUntraced(function* (peer) {
      const one = yield* peer.transport.open
      const two = yield* peer.transport.open
      yield* one.send(post(1, request("one", "ping")))
      const ofOne = yield* receive(peer)
      yield* two.send(post(1, request("two", "ping")))
      const ofTwo = yield* receive(peer)
      yield* ofTwo.say(success("two", {}))
      yield* isAnswer(peer, yield* arrival(two), "two", {}, 1)
      yield* ofOne.say(success("one", {}))
      yield* isAnswer(peer, yield* arrival(one), "one", {}, 1)
      yield* one.close
      yield* two.send(post(2, request("again", "ping")))
      const again = yield* receive(peer)
      yield* again.say(success("again", {}))
      yield* isAnswer(peer, yield* arrival(two), "again", {}, 2)
    })
  }
]

const post = (exchange: number, message: Message, headers: Headers = {}): Outgoing => ({
  _tag: "Post",
  exchange,
  message,
  headers
})

const receive = (peer: Peer): Effect.Effect<Received, ContractBroken> =>
  promptly("the message to reach the peer", Queue.take(peer.received))

const receiveMany = (peer: Peer, count: number): Effect.Effect<ReadonlyArray<Received>, ContractBroken> =>
  Effect.forEach(Array.from({ length: count }), () => receive(peer))

/** The next message, past noise and the responses that only accept a notification. */
const arrival = (channel: Channel): Effect.Effect<Arrived, unknown> =>
  Effect.flatMap(promptly("an event", Queue.take(channel.events)), (event) =>
    event._tag === "Arrived"
      ? Effect.succeed(event)
      : event._tag === "Stray" || event._tag === "Unanswered"
        ? arrival(channel)
        : broken("a message", event)
  )

const isEnd = (event: Event): boolean => event._tag === "Closed" || event._tag === "Lost"

const firstEnd = (channel: Channel): Effect.Effect<Event, unknown> =>
  Effect.flatMap(Queue.take(channel.events), (event) => (isEnd(event) ? Effect.succeed(event) : firstEnd(channel)))

const isAnswer = (
  peer: Peer,
  event: Arrived,
  id: string | number,
  result: JsonObject,
  exchange: number = Number(id)
): Effect.Effect<void, ContractBroken> =>
  Effect.andThen(
    same("the answer", event.message, success(id, result)),
    peer.transport.medium.streams === "shared"
      ? same("no exchange on a pipe", event.exchange, undefined)
      : same("the exchange that it answers", event.exchange, exchange)
  )

const idOf = (received: Received): string | number => (isRequest(received.message) ? received.message.id : "")

const paramsOf = (message: Message): JsonObject | undefined =>
  isRequest(message) || isNotification(message) ? message.params : undefined

const promptly = <A, E>(expected: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E | ContractBroken> =>
  Effect.timeoutOrElse(effect, { duration: "10 seconds", orElse: () => broken(expected, "nothing within 10 seconds") })

const same = (expected: string, received: unknown, wanted: unknown): Effect.Effect<void, ContractBroken> =>
  JSON.stringify(received) === JSON.stringify(wanted)
    ? Effect.void
    : broken(`${expected}, ${JSON.stringify(wanted)?.slice(0, 200)}`, received)

const broken = (expected: string, received: unknown): Effect.Effect<never, ContractBroken> =>
  Effect.fail(new ContractBroken({ expected, received }))
