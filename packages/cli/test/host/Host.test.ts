import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { HeaderName, MetaKey } from "@parley/core/Envelope"
import * as Host from "@parley/cli/host/Host"
import type { JsonObject } from "@parley/core/Message"
import * as Admission from "@parley/runtime/Admission"

const capabilities = { elicitation: {}, sampling: {}, roots: {} }
const stamped = (id: number, method: string, params: JsonObject = {}, meta: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  params: {
    ...params,
    _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: capabilities, ...meta }
  }
})

/** One host on a pipe in memory. */
const onPipe = (options: Partial<Host.Options> = {}) =>
  Effect.gen(function* () {
    const host = Host.make({ eras: ["legacy", "modern"], sessions: "issued", ...options })
    const admission = yield* Admission.make(host.profile, host.handler, { listener: host.listener })
    const lines: Array<any> = []
    const pipe = admission.pipe({ write: (json) => lines.push(JSON.parse(json)) > 0, onDrain: (resume) => resume() })
    const say = (...messages: ReadonlyArray<JsonObject>): void => {
      for (const message of messages) pipe.receive({ _tag: "Text", text: JSON.stringify(message) })
    }
    const ask = (method: string, params?: JsonObject, meta?: JsonObject) => {
      say(stamped(lines.length, method, params, meta))
      return lines.at(-1)
    }
    return { host, admission, lines, say, ask }
  })
const called = (name: string, given: JsonObject = {}, more: JsonObject = {}) => ({ name, arguments: given, ...more })

describe("Host", () => {
  it.effect("lists a tool first that needs nothing, and what the conformance suite needs", () =>
    Effect.gen(function* () {
      const { ask } = yield* onPipe()
      const tools: ReadonlyArray<any> = ask("tools/list").result.tools
      expect(tools[0]).toMatchObject({ name: "who_am_i", inputSchema: { type: "object", properties: {} } })
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          "add_numbers",
          "test_missing_capability",
          "test_streaming_elicitation",
          "test_logging_tool",
          "test_trigger_tool_change",
          "test_trigger_prompt_change"
        ])
      )
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
      for (const { description, inputSchema } of tools) {
        expect([typeof description, inputSchema.type]).toEqual(["string", "object"])
      }
    })
  )

  it.effect("offers the tools that it is told to, and those only", () =>
    Effect.gen(function* () {
      const { ask } = yield* onPipe({ tools: ["größe", "add_numbers"] })
      expect(ask("tools/list").result.tools.map(({ name }: { name: string }) => name)).toEqual(["größe", "add_numbers"])
      expect(ask("tools/call", called("größe", { a: [1] })).result.content).toEqual([
        { type: "text", text: '{"a":[1]}' }
      ])
      expect(ask("tools/call", called("add_numbers", { a: 1, b: 2.5 })).result.content[0].text).toBe("3.5")
      expect(ask("tools/call", called("echo", { message: "hi" })).error.code).toBe(-32602)
    })
  )

  it.effect("tells a client on what terms it was admitted", () =>
    Effect.gen(function* () {
      const { ask } = yield* onPipe()
      const { text } = ask("tools/call", called("who_am_i")).result.content[0]
      expect(JSON.parse(text)).toEqual({
        era: "modern",
        version: "2026-07-28",
        client: null,
        capabilities,
        session: "none",
        principal: null,
        logLevel: null
      })
    })
  )

  it.effect.each<[string, JsonObject]>([
    ["add_numbers", { a: "1", b: 2 }],
    ["echo", {}],
    ["countdown", { seconds: -1 }],
    ["weather", { region: 7 }],
    ["touch_resource", {}],
    ["test_sampling", {}],
    ["test_elicitation", { message: 1 }]
  ])("tells the model what is wrong with a call of %s with %j", ([name, given]) =>
    Effect.gen(function* () {
      const { ask } = yield* onPipe()
      expect(ask("tools/call", called(name, given)).result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^Give /) }]
      })
    })
  )

  it.effect("expects the region of the weather in a header too", () =>
    Effect.gen(function* () {
      const { admission } = yield* onPipe()
      const send = (headers: Record<string, string>) => {
        let seen = {}
        admission.http(
          {
            method: "POST",
            headers: {
              "content-type": "application/json",
              [HeaderName.ProtocolVersion]: "2026-07-28",
              [HeaderName.Method]: "tools/call",
              [HeaderName.Name]: "weather",
              ...headers
            },
            body: JSON.stringify(stamped(1, "tools/call", called("weather", { region: "north" })))
          },
          {
            whole: ({ body, status }) => (seen = { status, ...JSON.parse(body ?? "{}") }),
            stream: () => ({ send: () => true, onDrain: () => undefined, end: () => undefined })
          }
        )
        return seen
      }
      expect(send({ "mcp-param-region": "north" })).toMatchObject({
        status: 200,
        result: { content: [{ text: "The weather in north is fine." }] }
      })
      expect(send({})).toMatchObject({ status: 400, error: { code: -32020 } })
    })
  )

  it.effect("counts down in real time, tells its progress, and can be cancelled", () =>
    Effect.gen(function* () {
      const { lines, say } = yield* onPipe()
      say(stamped(1, "tools/call", called("countdown", { seconds: 3 }), { progressToken: "p" }))
      yield* TestClock.adjust("2 seconds")
      expect(lines.map(({ params }) => params.progress)).toEqual([0, 1, 2])
      yield* TestClock.adjust("1 second")
      expect(lines.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "3 s have passed." }] } })
      say(stamped(2, "tools/call", called("countdown", { seconds: 3 })))
      say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } })
      yield* TestClock.adjust("10 seconds")
      expect(lines).toHaveLength(4)
    })
  )

  it.effect("asks a modern client by a result, and greets with its answer", () =>
    Effect.gen(function* () {
      const { ask } = yield* onPipe()
      const asked = ask("tools/call", called("ask_name")).result
      expect(asked).toMatchObject({
        resultType: "input_required",
        inputRequests: { name: { method: "elicitation/create" } }
      })
      const inputResponses = { name: { action: "accept", content: { name: "Ada" } } }
      const greeted = ask("tools/call", called("ask_name", {}, { inputResponses }))
      expect(greeted.result.content[0].text).toBe("Hello, Ada!")
      const declined = ask("tools/call", called("ask_name", {}, { inputResponses: { name: { action: "decline" } } }))
      expect(declined.result.content[0].text).toBe("Hello, whoever you are!")
    })
  )

  it.effect("asks in rounds, and refuses a state that is not its own", () =>
    Effect.gen(function* () {
      const { ask } = yield* onPipe()
      const name = "test_input_required_result_multi_round"
      const answered = (key: string) => ({ [key]: { action: "accept", content: {} } })
      const first = ask("tools/call", called(name)).result
      expect(Object.keys(first.inputRequests)).toEqual(["step1"])
      const again = ask(
        "tools/call",
        called(name, {}, { inputResponses: answered("other"), requestState: first.requestState })
      )
      expect(Object.keys(again.result.inputRequests)).toEqual(["step1"])
      const second = ask(
        "tools/call",
        called(name, {}, { inputResponses: answered("step1"), requestState: first.requestState })
      ).result
      expect(Object.keys(second.inputRequests)).toEqual(["step2"])
      expect(second.requestState).not.toBe(first.requestState)
      const third = ask(
        "tools/call",
        called(name, {}, { inputResponses: answered("step2"), requestState: second.requestState })
      )
      expect(third.result.resultType).toBe("complete")
      for (const requestState of ["", "2", `2${String(first.requestState).slice(1)}`, `${second.requestState}x`, 7]) {
        expect(ask("tools/call", called(name, {}, { requestState })).error.code).toBe(-32602)
      }
    })
  )

  it.effect("tells those who listen what has changed, as far as they asked", () =>
    Effect.gen(function* () {
      const { ask, lines, say } = yield* onPipe()
      const notifications = { toolsListChanged: true, resourceSubscriptions: ["test://watched-resource"] }
      say(stamped(90, "subscriptions/listen", { notifications }))
      yield* Effect.yieldNow
      for (const tool of ["test_trigger_tool_change", "test_trigger_prompt_change"]) ask("tools/call", called(tool))
      for (const uri of ["test://watched-resource", "test://static-text"]) {
        ask("tools/call", called("touch_resource", { uri }))
      }
      yield* Effect.yieldNow
      yield* TestClock.adjust(1)
      expect(lines.flatMap(({ method, params }) => (method === undefined ? [] : [[method, params.uri]]))).toEqual([
        ["notifications/subscriptions/acknowledged", undefined],
        ["notifications/tools/list_changed", undefined],
        ["notifications/resources/updated", "test://watched-resource"]
      ])
    })
  )

  it.effect("tells a legacy client of the resources that it subscribed to", () =>
    Effect.gen(function* () {
      const { lines, say } = yield* onPipe()
      const legacy = (id: number, method: string, params: JsonObject): JsonObject => ({
        jsonrpc: "2.0",
        id,
        method,
        params
      })
      const uri = "test://watched-resource"
      const updated = () => lines.filter(({ method }) => method === "notifications/resources/updated").length
      say(
        legacy(1, "initialize", {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "tester", version: "1.0.0" }
        }),
        { jsonrpc: "2.0", method: "notifications/initialized" }
      )
      yield* Effect.yieldNow
      const touch = Effect.gen(function* () {
        say(legacy(9, "tools/call", called("touch_resource", { uri })))
        yield* Effect.yieldNow
        yield* TestClock.adjust(1)
        return updated()
      })
      expect(yield* touch).toBe(0)
      say(legacy(2, "resources/subscribe", { uri }))
      expect(yield* touch).toBe(1)
      say(legacy(3, "resources/unsubscribe", { uri }))
      expect(yield* touch).toBe(1)
    })
  )

  it.effect("serves prompts and resources, and refuses what it does not have", () =>
    Effect.gen(function* () {
      const { ask } = yield* onPipe()
      const { prompts } = ask("prompts/list").result
      expect(prompts[0]).toMatchObject({ name: "introduce", arguments: [{ name: "name", required: true }] })
      expect(ask("prompts/get", called("introduce", { name: "Ada" })).result.messages[0].content.text).toBe(
        "Introduce Ada in one sentence."
      )
      expect(ask("prompts/get", called("introduce")).error).toMatchObject({ code: -32602 })
      expect(ask("prompts/get", called("none")).error.code).toBe(-32602)
      for (const { uri } of ask("resources/list").result.resources) {
        expect(ask("resources/read", { uri }).result.contents[0].uri).toBe(uri)
      }
      expect(ask("resources/read", { uri: "test://template/7/data" }).result.contents[0].text).toContain('"id":"7"')
      expect(ask("resources/read", { uri: "test://none" }).error).toMatchObject({
        code: -32602,
        data: { uri: "test://none" }
      })
      expect(ask("resources/templates/list").result.resourceTemplates).toHaveLength(1)
      expect(ask("tools/list", { cursor: "x" }).error.code).toBe(-32602)
      const ref = { type: "ref/prompt", name: "introduce" }
      expect(
        ask("completion/complete", { ref, argument: { name: "name", value: "Par" } }).result.completion.values
      ).toEqual(["paris", "park city"])
    })
  )

  it.effect("refuses a modern call that needs a capability before it is made", () =>
    Effect.gen(function* () {
      const { ask } = yield* onPipe()
      const needy = called("test_missing_capability")
      expect(ask("tools/call", needy, { [MetaKey.ClientCapabilities]: {} }).error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { sampling: {} } }
      })
      expect(ask("tools/call", needy).result.content[0].text).toBe("The client can sample.")
    })
  )
})
