import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Profile from "@parley/core/server/Profile"
import * as Admission from "@parley/runtime/Admission"
import type { Door } from "@parley/runtime/Handler"
import * as Fake from "./Fake.ts"

const key = "io.modelcontextprotocol/subscriptionId"
const all = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["file:///a", 7]
}
const listen = (id: number | string, notifications: unknown = all) =>
  Fake.stamped(id, "subscriptions/listen", { notifications })

/** A server whose doors are handed to the test, each with a switch that lets its listener end. */
const doors = (profile = Fake.dual) =>
  Effect.gen(function* () {
    const opened = yield* Queue.unbounded<{
      readonly door: Door
      readonly close: (effect: Effect.Effect<unknown, unknown>) => void
    }>()
    const ended: Array<string> = []
    const failed: Array<string> = []
    const admission = yield* Admission.make(profile, () => Effect.succeed({}), {
      listener: (door) =>
        Effect.callback<unknown, unknown>((resume) => {
          Queue.offerUnsafe(opened, { door, close: resume })
        }).pipe(Effect.onExit((exit) => Effect.sync(() => ended.push(exit._tag)))),
      onFailed: (method) => Effect.sync(() => failed.push(method))
    })
    return { admission, ended, failed, next: Queue.take(opened), opened }
  })

describe("a modern subscription", () => {
  it.effect("is acknowledged first with what is honoured, tagged with its id, and kept open", () =>
    Effect.gen(function* () {
      const { admission, next } = yield* doors()
      const response = Fake.send(admission, listen(5))
      const { door } = yield* next
      expect([response.status, response.streaming, response.ended]).toEqual([200, true, false])
      expect(response.events).toEqual([
        {
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: {
            _meta: { [key]: 5 },
            // prompts are not declared, and 7 is no URI.
            notifications: { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ["file:///a"] }
          }
        }
      ])
      expect([door.era, door.version, door.filter?.promptsListChanged]).toEqual(["modern", Fake.modern, false])
    })
  )

  it.effect("carries what was asked for, tagged, and nothing else", () =>
    Effect.gen(function* () {
      const { admission, next } = yield* doors()
      const response = Fake.send(
        admission,
        listen("s", { toolsListChanged: true, resourceSubscriptions: ["file:///a"] })
      )
      const { door } = yield* next
      yield* door.notify("notifications/tools/list_changed")
      yield* door.notify("notifications/resources/list_changed")
      yield* door.notify("notifications/prompts/list_changed")
      yield* door.notify("notifications/resources/updated", { uri: "file:///a", _meta: { mine: 1 } })
      yield* door.notify("notifications/resources/updated", { uri: "file:///b" })
      yield* door.notify("notifications/resources/updated")
      yield* door.notify("notifications/progress", { progressToken: 1, progress: 1 })
      yield* door.log("emergency", "x")
      expect(response.events.slice(1)).toEqual([
        { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: { [key]: "s" } } },
        {
          jsonrpc: "2.0",
          method: "notifications/resources/updated",
          params: { uri: "file:///a", _meta: { mine: 1, [key]: "s" } }
        }
      ])
    })
  )

  it.effect("is closed by its result when the listener ends, and torn down when it fails", () =>
    Effect.gen(function* () {
      const { admission, failed, next } = yield* doors()
      const graceful = Fake.send(admission, listen(1))
      ;(yield* next).close(Effect.void)
      yield* graceful.complete
      expect(graceful.message).toEqual({
        jsonrpc: "2.0",
        id: 1,
        result: {
          resultType: "complete",
          _meta: { [key]: 1, "io.modelcontextprotocol/serverInfo": Fake.options.serverInfo }
        }
      })
      const broken = Fake.send(admission, listen(2))
      ;(yield* next).close(Effect.fail("secret"))
      yield* broken.complete
      expect(broken.events.slice(1)).toMatchObject([
        { method: "notifications/cancelled", params: { requestId: 2, _meta: { [key]: 2 } } },
        { id: 2, error: { code: -32603 } }
      ])
      expect(failed).toEqual(["subscriptions/listen"])
    })
  )

  it.effect("ends when its client goes, or cancels it on a pipe", () =>
    Effect.gen(function* () {
      const { admission, ended, next } = yield* doors()
      const response = Fake.send(admission, listen(1))
      yield* next
      response.inFlight?.gone()
      expect(ended).toEqual(["Failure"])
      const pipe = new Fake.Pipe(admission).send(listen(1), listen(2))
      yield* next
      yield* next
      pipe.send(Fake.cancelled(1))
      expect(ended).toHaveLength(2)
      expect(pipe.lines.map(({ params }) => params._meta[key])).toEqual([1, 2])
    })
  )

  it.effect("does not keep a pipe from being done: it is closed gracefully at the end of input", () =>
    Effect.gen(function* () {
      const { admission, next } = yield* doors()
      const pipe = new Fake.Pipe(admission).send(listen(1))
      yield* next
      pipe.connection.end()
      expect(yield* pipe.connection.done).toBe("ended")
      expect(pipe.lines[1]).toMatchObject({ id: 1, result: { resultType: "complete", _meta: { [key]: 1 } } })
    })
  )

  it.effect("without a filter is refused, and without a capability is no method", () =>
    Effect.gen(function* () {
      const { admission } = yield* doors()
      const refused = Fake.send(admission, Fake.stamped(1, "subscriptions/listen"))
      expect([refused.streaming, refused.message.error.code]).toEqual([false, -32602])
      const plain = yield* Admission.make(Profile.dual({ ...Fake.options, capabilities: { tools: {} } }), () =>
        Effect.succeed({})
      )
      expect(Fake.send(plain, listen(1)).status).toBe(404)
    })
  )

  it.effect("only waits where the owner has no listener", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, () => Effect.succeed({}))
      const response = Fake.send(admission, listen(1))
      yield* TestClock.adjust("1 day")
      expect([response.events.length, response.ended]).toEqual([1, false])
    })
  )
})

describe("the stream of a legacy session", () => {
  it.effect("opens by GET, carries notifications and questions, and ends with its listener", () =>
    Effect.gen(function* () {
      const { admission, next } = yield* doors()
      const session = Fake.openSession(admission)
      const stream = Fake.send(admission, undefined, { method: "GET", session })
      const { close, door } = yield* next
      expect([stream.streaming, door.era, door.version, door.sessionId, door.filter]).toEqual([
        true,
        "legacy",
        "2025-11-25",
        session,
        undefined
      ])
      yield* door.notify("notifications/tools/list_changed")
      yield* door.log("debug", "x")
      yield* door.log("error", "y")
      const asked = yield* Effect.forkChild(door.ask("roots/list"))
      yield* stream.eventsTo(3)
      expect(stream.events.map(({ method }) => method)).toEqual([
        "notifications/tools/list_changed",
        "notifications/message",
        "roots/list"
      ])
      Fake.send(admission, { jsonrpc: "2.0", id: stream.events[2].id, result: { roots: [] } }, { session })
      expect(yield* Fiber.join(asked)).toEqual({ roots: [] })
      close(Effect.void)
      yield* stream.complete
      expect(stream.events).toHaveLength(3)
    })
  )

  it.effect("is one at a time: the latest takes the place of the one before", () =>
    Effect.gen(function* () {
      const { admission, ended, next } = yield* doors()
      const session = Fake.openSession(admission)
      const first = Fake.send(admission, undefined, { method: "GET", session })
      yield* next
      const second = Fake.send(admission, undefined, { method: "GET", session })
      const { door } = yield* next
      expect([first.ended, second.ended, ended.length]).toEqual([true, false, 1])
      yield* door.notify("notifications/tools/list_changed")
      expect([first.events.length, second.events.length]).toEqual([0, 1])
      second.inFlight?.gone()
      expect(ended).toHaveLength(2)
    })
  )

  it.effect("keeps its session from being idle, and ends with it", () =>
    Effect.gen(function* () {
      const { admission, ended, next } = yield* doors()
      const session = Fake.openSession(admission)
      const stream = Fake.send(admission, undefined, { method: "GET", session })
      yield* next
      yield* TestClock.adjust("5 hours")
      expect(Fake.send(admission, Fake.legacy(1), { session }).status).toBe(200)
      expect(Fake.send(admission, undefined, { method: "DELETE", session }).status).toBe(204)
      expect([stream.ended, ended]).toEqual([true, ["Failure"]])
      expect(Fake.send(admission, undefined, { method: "GET", session }).status).toBe(404)
    })
  )

  it.effect("is 405 where the owner has no listener, and refused without a session or with another's", () =>
    Effect.gen(function* () {
      const { admission } = yield* doors()
      const mute = yield* Admission.make(Fake.dual, () => Effect.succeed({}))
      const refused = Fake.send(mute, undefined, { method: "GET", session: Fake.openSession(mute) })
      expect([refused.status, refused.headers["allow"]]).toEqual([405, "POST, DELETE"])
      expect(Fake.send(admission, undefined, { method: "GET" }).status).toBe(400)
      const session = Fake.openSession(admission, { principal: "ada" })
      expect(Fake.send(admission, undefined, { method: "GET", session, principal: "eve" }).status).toBe(404)
      expect(
        Fake.send(admission, undefined, {
          method: "GET",
          session,
          principal: "ada",
          headers: { "mcp-protocol-version": "2024-11-05" }
        }).status
      ).toBe(400)
    })
  )
})

describe("the pipe of a legacy client", () => {
  it.effect("is where the server speaks by itself, from the completed handshake to the end of input", () =>
    Effect.gen(function* () {
      const { admission, ended, next, opened } = yield* doors()
      const pipe = new Fake.Pipe(admission).send(Fake.initialize(0))
      expect(yield* Queue.size(opened)).toBe(0)
      pipe.send(Fake.initialized, Fake.legacy(1, "ping"), Fake.initialized)
      const { door } = yield* next
      yield* door.notify("notifications/tools/list_changed")
      expect(pipe.lines[2]).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
      expect(yield* Queue.size(opened)).toBe(0)
      pipe.connection.end()
      expect(yield* pipe.connection.done).toBe("ended")
      expect(ended).toEqual(["Failure"])
    })
  )

  it.effect("is not spoken on again once the listener has ended", () =>
    Effect.gen(function* () {
      const { admission, next, opened } = yield* doors()
      const pipe = new Fake.Pipe(admission).send(Fake.initialize(0), Fake.initialized)
      ;(yield* next).close(Effect.void)
      yield* Effect.yieldNow
      pipe.send(Fake.legacy(1, "ping"), Fake.legacy(2))
      expect(yield* Queue.size(opened)).toBe(0)
      expect(pipe.lines).toHaveLength(3)
    })
  )
})
