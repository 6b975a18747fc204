import { describe, expect, it } from "@effect/vitest"
import type { Fiber } from "effect"
import { Deferred, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import * as Profile from "@parley/core/server/Profile"
import * as Admission from "@parley/runtime/Admission"
import type { RequestContext } from "@parley/runtime/Handler"
import * as Fake from "./Fake.ts"

const speaking = (program: (context: RequestContext) => Effect.Effect<unknown, unknown>, profile = Fake.dual) =>
  Admission.make(profile, (_, context) => Effect.as(program(context), {}), { onFailed: () => Effect.void })

const methods = (messages: ReadonlyArray<any>) =>
  messages.map(({ method, params, error }) => method ?? (error === undefined ? "result" : error.code) ?? params)

describe("what a handler says before its answer", () => {
  it.effect("turns the response into a stream that the answer ends", () =>
    Effect.gen(function* () {
      const admission = yield* speaking((context) => context.notify("notifications/x", { n: 1 }))
      const response = Fake.send(admission, Fake.stamped(1))
      expect([response.status, response.streaming, response.ended, response.writes]).toEqual([200, true, true, 1])
      expect(response.events).toMatchObject([
        { method: "notifications/x", params: { n: 1 } },
        { id: 1, result: { resultType: "complete" } }
      ])
    })
  )

  it.effect("is a line on a pipe", () =>
    Effect.gen(function* () {
      const admission = yield* speaking((context) => context.notify("notifications/x"))
      expect(methods(new Fake.Pipe(admission).send(Fake.stamped(1)).lines)).toEqual(["notifications/x", "result"])
    })
  )

  it.effect("is progress only where the client gave a token for it", () =>
    Effect.gen(function* () {
      const admission = yield* speaking((context) => context.progress({ progress: 1, total: 2, message: "half" }))
      const session = Fake.openSession(admission)
      const withToken = [
        Fake.send(admission, Fake.stamped(1, "tools/list", {}, { progressToken: "t" })),
        Fake.send(admission, Fake.legacy(1, "tools/list", { _meta: { progressToken: 7 } }), { session })
      ]
      expect(withToken.map(({ events }) => events[0])).toEqual([
        {
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: "t", progress: 1, total: 2, message: "half" }
        },
        {
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: 7, progress: 1, total: 2, message: "half" }
        }
      ])
      for (const token of [undefined, null, 1.5, {}]) {
        const meta = token === undefined ? {} : { progressToken: token }
        expect(Fake.send(admission, Fake.stamped(1, "tools/list", {}, meta)).streaming).toBe(false)
      }
    })
  )

  it.effect("is a log line in the modern era only where the request asked for its level", () =>
    Effect.gen(function* () {
      const admission = yield* speaking((context) =>
        Effect.all([
          context.log("debug", "d"),
          context.log("warning", { w: 1 }, "db"),
          context.notify("notifications/message", { level: "error", data: "e" }),
          context.notify("notifications/message", { level: "loud" })
        ])
      )
      const silent = Fake.send(admission, Fake.stamped(1))
      expect(silent.streaming).toBe(false)
      const asked = Fake.send(
        admission,
        Fake.stamped(1, "tools/list", {}, { "io.modelcontextprotocol/logLevel": "warning" })
      )
      expect(asked.events.slice(0, -1).map(({ params }) => params)).toEqual([
        { level: "warning", logger: "db", data: { w: 1 } },
        { level: "error", data: "e" }
      ])
    })
  )

  it.effect("is a log line in the legacy era as logging/setLevel asked, info and above before", () =>
    Effect.gen(function* () {
      const admission = yield* speaking((context) =>
        Effect.all([context.log("debug", "d"), context.log("info", "i"), context.log("error", "e")])
      )
      const session = Fake.openSession(admission)
      const levels = (response: Fake.Response) => response.events.slice(0, -1).map(({ params }) => params.level)
      const list = () => levels(Fake.send(admission, Fake.legacy(1), { session }))
      const set = (level: unknown) =>
        Fake.send(admission, Fake.legacy(2, "logging/setLevel", { level }), { session }).message
      expect(list()).toEqual(["info", "error"])
      expect(set("error")).toEqual({ jsonrpc: "2.0", id: 2, result: {} })
      expect(list()).toEqual(["error"])
      expect(set("debug").result).toEqual({})
      expect(list()).toEqual(["debug", "info", "error"])
      expect(set("loud").error.code).toBe(-32602)
      const pipe = new Fake.Pipe(admission).send(
        Fake.initialize(0),
        Fake.legacy(1, "logging/setLevel", { level: "emergency" }),
        Fake.legacy(2)
      )
      pipe.send(Fake.legacy(3, "logging/setLevel", {}))
      expect(methods(pipe.lines)).toEqual(["result", "result", "result", -32602])
    })
  )

  it.effect("is no log line where the server never declared logging", () =>
    Effect.gen(function* () {
      const profile = Profile.dual({ ...Fake.options, capabilities: { tools: {} } })
      const admission = yield* speaking((context) => context.log("emergency", "e"), profile)
      const session = Fake.openSession(admission)
      expect(Fake.send(admission, Fake.legacy(1), { session }).streaming).toBe(false)
      expect(
        Fake.send(admission, Fake.stamped(1, "tools/list", {}, { "io.modelcontextprotocol/logLevel": "debug" }))
          .streaming
      ).toBe(false)
      expect(
        Fake.send(admission, Fake.legacy(2, "logging/setLevel", { level: "info" }), { session }).message.error.code
      ).toBe(-32601)
    })
  )

  it.effect("is nothing once the answer is out or the client has gone", () =>
    Effect.gen(function* () {
      let context: RequestContext | undefined
      const admission = yield* speaking((given) => Effect.sync(() => void (context = given)))
      const response = Fake.send(admission, Fake.stamped(1))
      yield* context?.notify("notifications/late") ?? Effect.void
      expect([response.streaming, response.events, response.writes]).toEqual([false, [], 1])
    })
  )

  it.effect("waits while the client reads slowly", () =>
    Effect.gen(function* () {
      let said = 0
      const admission = yield* speaking((context) =>
        Effect.forEach([1, 2, 3], () =>
          Effect.andThen(
            context.notify("notifications/x"),
            Effect.sync(() => void (said += 1))
          )
        )
      )
      const session = Fake.openSession(admission)
      const response = Fake.send(admission, Fake.legacy(1), { session })
      expect(said).toBe(3)
      const admission2 = yield* Admission.make(Fake.dual, (_, context) =>
        Effect.gen(function* () {
          yield* context.notify("notifications/first")
          said = 10
          yield* context.notify("notifications/second")
          said = 20
          return {}
        })
      )
      const slow = new Fake.Response()
      slow.flowing = false
      const resumes: Array<() => void> = []
      admission2.http(
        {
          method: "POST",
          headers: {
            host: "localhost",
            "content-type": "application/json",
            "mcp-protocol-version": Fake.modern,
            "mcp-method": "tools/list"
          },
          parsed: { ok: true, value: Fake.stamped(1) }
        },
        {
          whole: () => {},
          stream: () => ({
            send: (json) => {
              slow.events.push(JSON.parse(json))
              return false
            },
            onDrain: (resume) => void resumes.push(resume),
            end: () => {
              slow.ended = true
            }
          })
        }
      )
      expect([slow.events.length, said]).toEqual([1, 3])
      resumes.shift()?.()
      yield* Effect.yieldNow
      expect([slow.events.length, said]).toEqual([2, 10])
      resumes.shift()?.()
      yield* Effect.yieldNow
      expect([methods(slow.events), said, slow.ended]).toEqual([
        ["notifications/first", "notifications/second", "result"],
        20,
        true
      ])
      expect(response.ended).toBe(true)
    })
  )
})

describe("cancellation", () => {
  const counting = () => {
    const seen = { interrupted: 0, finished: 0 }
    const program = Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => void (seen.interrupted += 1))))
    return { seen, program }
  }

  it.effect("of a modern HTTP request is the closed response, before or during its stream", () =>
    Effect.gen(function* () {
      const { seen, program } = counting()
      const admission = yield* speaking((context) => Effect.andThen(context.progress({ progress: 1 }), program))
      const silent = Fake.send(admission, Fake.stamped(1))
      const streaming = Fake.send(admission, Fake.stamped(2, "tools/list", {}, { progressToken: 1 }))
      silent.inFlight?.gone()
      streaming.inFlight?.gone()
      streaming.inFlight?.gone()
      expect(seen.interrupted).toBe(2)
      expect([silent.writes, streaming.events.length]).toEqual([0, 1])
    })
  )

  it.effect("of a legacy HTTP request is a message in its session, never a closed response", () =>
    Effect.gen(function* () {
      const { seen, program } = counting()
      const admission = yield* speaking(() => program)
      const session = Fake.openSession(admission)
      const other = Fake.openSession(admission)
      const response = Fake.send(admission, Fake.legacy(1), { session })
      const gone = Fake.send(admission, Fake.legacy(2), { session })
      gone.inFlight?.gone()
      expect(Fake.send(admission, Fake.cancelled(1), { session: other }).status).toBe(202)
      expect(seen.interrupted).toBe(0)
      expect(Fake.send(admission, Fake.cancelled(1), { session }).status).toBe(202)
      expect(seen.interrupted).toBe(1)
      // An HTTP request must have some response: an empty stream answers nothing.
      expect([response.status, response.streaming, response.events, response.ended]).toEqual([200, true, [], true])
    })
  )

  it.effect("of one member leaves the others of its batch their answers", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const admission = yield* Admission.make(Fake.dual, ({ id }) =>
        id === 1 ? Effect.never : Effect.as(Deferred.await(gate), {})
      )
      const session = String(Fake.send(admission, Fake.initialize(0, "2025-03-26")).headers["mcp-session-id"])
      const response = Fake.send(admission, [Fake.legacy(1), Fake.legacy(2)], { session })
      Fake.send(admission, Fake.cancelled(1), { session })
      yield* Deferred.succeed(gate, undefined)
      yield* response.complete
      expect(response.message.map(({ id }: any) => id)).toEqual([2])
    })
  )
})

describe("asking the client", () => {
  const asking = (method = "elicitation/create") =>
    Admission.make(Fake.dual, (_, context) =>
      context.ask(method, { message: "Name?" }).pipe(
        Effect.map((answer) => ({ answer })),
        Effect.catch((error) =>
          Effect.succeed({ error: error._tag, why: "why" in error ? error.why : "code" in error ? error.code : null })
        )
      )
    )

  it.effect("is a request on the stream of the legacy request, answered by a POST in its session", () =>
    Effect.gen(function* () {
      const admission = yield* asking()
      const session = Fake.openSession(admission)
      const response = Fake.send(admission, Fake.legacy(1), { session })
      const [question] = response.events
      expect(question).toMatchObject({ jsonrpc: "2.0", method: "elicitation/create", params: { message: "Name?" } })
      const stranger = Fake.openSession(admission)
      const reply = (id: unknown, to: string) =>
        Fake.send(admission, { jsonrpc: "2.0", id, result: { action: "accept" } }, { session: to })
      expect(reply(question.id, stranger).status).toBe(202)
      expect(reply("parley-other-1", session).status).toBe(202)
      expect(response.ended).toBe(false)
      expect(reply(question.id, session).status).toBe(202)
      yield* response.complete
      expect(response.message.result).toEqual({ answer: { action: "accept" } })
      expect(reply(question.id, session).status).toBe(202)
    })
  )

  it.effect("is a line on a pipe, and the client may refuse", () =>
    Effect.gen(function* () {
      const admission = yield* asking("roots/list")
      const pipe = new Fake.Pipe(admission).send(Fake.initialize(0), Fake.initialized, Fake.legacy(1))
      pipe.send({ jsonrpc: "2.0", id: pipe.lines[1].id, error: { code: -1, message: "no" } })
      yield* pipe.linesTo(3)
      expect(pipe.lines[2].result).toEqual({ error: "AskRefused", why: -1 })
    })
  )

  it.effect("is not done where the client cannot answer", () =>
    Effect.gen(function* () {
      const told = (response: Fake.Response) => [response.message.result.error, response.message.result.why]
      const admission = yield* asking()
      const undeclared = yield* asking("sampling/createMessage")
      const alone = yield* Admission.make(Profile.dual({ ...Fake.options, sessions: "none" }), (_, context) =>
        Effect.map(Effect.flip(context.ask("roots/list")), (error) => ({
          error: error._tag,
          why: "why" in error ? error.why : null
        }))
      )
      expect(told(Fake.send(admission, Fake.stamped(1)))).toEqual(["CannotAsk", "modernEra"])
      expect(told(Fake.send(alone, Fake.legacy(1)))).toEqual(["CannotAsk", "noSession"])
      const session = Fake.openSession(undeclared)
      expect(told(Fake.send(undeclared, Fake.legacy(1), { session }))).toEqual([
        "MissingRequiredClientCapability",
        null
      ])
    })
  )

  it.effect("ends with a timeout, and the client is told that the question is off", () =>
    Effect.gen(function* () {
      const admission = yield* asking()
      const session = Fake.openSession(admission)
      const response = Fake.send(admission, Fake.legacy(1), { session })
      yield* TestClock.adjust("5 minutes")
      yield* response.complete
      const [question, off, answer] = response.events
      expect(off).toMatchObject({ method: "notifications/cancelled", params: { requestId: question.id } })
      expect(answer.result).toEqual({ error: "Timeout", why: null })
    })
  )

  it.effect("ends when the session does", () =>
    Effect.gen(function* () {
      const admission = yield* asking()
      const session = Fake.openSession(admission)
      const response = Fake.send(admission, Fake.legacy(1), { session })
      Fake.send(admission, undefined, { method: "DELETE", session })
      yield* response.complete
      expect(response.message.result).toEqual({ error: "CannotAsk", why: "disconnected" })
      const pipe = new Fake.Pipe(admission).send(Fake.initialize(0), Fake.legacy(1))
      pipe.connection.end()
      yield* pipe.connection.done
      expect(pipe.lines[2].result).toEqual({ error: "CannotAsk", why: "disconnected" })
    })
  )
})

describe("interact, in both eras", () => {
  const name = { method: "elicitation/create", params: { message: "Name?" } }
  const roots = { method: "roots/list" }
  const greeting = Admission.make(
    Fake.dual,
    (_, context) =>
      Effect.gen(function* () {
        const first = yield* context.interact({ name })
        const second = yield* context.interact({ roots, again: name })
        return { content: [first.name, second.roots, second.again] }
      }),
    { onFailed: () => Effect.void }
  )
  const given = { action: "accept", content: { name: "Ada" } }

  it.effect("asks a legacy client one by one", () =>
    Effect.gen(function* () {
      const admission = yield* greeting
      const pipe = new Fake.Pipe(admission).send(
        Fake.initialize(0),
        Fake.initialized,
        Fake.legacy(1, "tools/call", { name: "greet" })
      )
      for (const at of [1, 2, 3]) {
        yield* pipe.linesTo(at + 1)
        pipe.send({ jsonrpc: "2.0", id: pipe.lines[at].id, result: { at } })
      }
      yield* pipe.linesTo(5)
      expect(methods(pipe.lines)).toEqual([
        "result",
        "elicitation/create",
        "roots/list",
        "elicitation/create",
        "result"
      ])
      expect(pipe.lines[4].result).toEqual({ content: [{ at: 1 }, { at: 2 }, { at: 3 }] })
    })
  )

  it.effect("asks a modern client by input_required, and keeps what was answered before with the client", () =>
    Effect.gen(function* () {
      const admission = yield* greeting
      const call = (id: number, params = {}) =>
        Fake.send(admission, Fake.stamped(id, "tools/call", { name: "greet", ...params })).message.result
      const first = call(1)
      expect(first).toEqual({
        resultType: "input_required",
        inputRequests: { name },
        _meta: { "io.modelcontextprotocol/serverInfo": Fake.options.serverInfo }
      })
      const second = call(2, { inputResponses: { name: given } })
      expect(second).toMatchObject({ resultType: "input_required", inputRequests: { roots, again: name } })
      const half = call(3, { inputResponses: { roots: { roots: [] } }, requestState: second.requestState })
      expect(half.inputRequests).toEqual({ again: name })
      const done = call(4, { inputResponses: { again: given }, requestState: half.requestState })
      expect(done).toMatchObject({ resultType: "complete", content: [given, { roots: [] }, given] })
    })
  )

  it.effect("takes a state that it did not write for none, and asks again", () =>
    Effect.gen(function* () {
      const admission = yield* greeting
      for (const requestState of [
        "",
        "x",
        "null",
        '{"parley":7}',
        '{"parley":{"name":"Ada"}}',
        '{"parley":{"__proto__":{"name":{}}}}',
        5,
        {}
      ]) {
        const response = Fake.send(
          admission,
          Fake.stamped(1, "tools/call", { name: "greet", requestState, inputResponses: [] })
        )
        expect(response.message.result.inputRequests).toEqual({ name })
      }
    })
  )

  it.effect(
    "asks a modern client for nothing that it did not declare, and not in a request that has no such result",
    () =>
      Effect.gen(function* () {
        const admission = yield* greeting
        const without = { "io.modelcontextprotocol/clientCapabilities": {} }
        const undeclared = Fake.send(admission, Fake.stamped(1, "tools/call", { name: "greet" }, without))
        expect([
          undeclared.status,
          undeclared.message.error.code,
          undeclared.message.error.data.requiredCapabilities
        ]).toEqual([400, -32021, { elicitation: {} }])
        expect(Fake.send(admission, Fake.stamped(1, "tools/list")).message.error.code).toBe(-32603)
      })
  )
})

describe("a fiber that serves", () => {
  it.effect("is the handler's own: what it forks ends with it", () =>
    Effect.gen(function* () {
      let child: Fiber.Fiber<unknown, unknown> | undefined
      const admission = yield* Admission.make(Fake.dual, () =>
        Effect.gen(function* () {
          child = yield* Effect.forkChild(Effect.never)
          return {}
        })
      )
      const response = Fake.send(admission, Fake.stamped(1))
      yield* response.complete
      expect(response.status).toBe(200)
      const exit = child?.pollUnsafe()
      expect(exit !== undefined && Exit.isFailure(exit)).toBe(true)
    })
  )
})
