// The second door, by properties: codecs agree with the hand-written guards, any bytes decode or fail with a typed error,
// what is encoded is JSON, and it decodes to what it was.
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect, Exit, Schema } from "effect"
import * as Client from "@parley/core/client/Client"
import { arrived } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import * as Errors from "@parley/core/Errors"
import { http, stdio } from "@parley/core/Medium"
import { isMessage, kindOf } from "@parley/core/Message"
import { compile } from "@parley/core/server/Compiled"
import type { Event as ServerEvent } from "@parley/core/server/Event"
import * as Profile from "@parley/core/server/Profile"
import * as Server from "@parley/core/server/Server"
import * as Schemas from "@parley/core/Schemas"

const options = { arbitrary: { runs: 500, size: 16 } }
const many = { arbitrary: { runs: 2000, size: 10 } }

// ---- frames and guards

const kinds = {
  Request: Schemas.Request,
  Notification: Schemas.Notification,
  Success: Schemas.Success,
  Failure: Schemas.Failure
} as const

const agrees = (value: unknown): void => {
  expect(Schema.is(Schemas.Message)(value)).toBe(isMessage(value))
  const decoded = Schema.decodeUnknownExit(Schemas.Message)(value)
  expect(Exit.isSuccess(decoded)).toBe(isMessage(value))
  const kind = kindOf(value)
  if (kind !== "Invalid") expect(Schema.is(kinds[kind])(value)).toBe(true)
}

// Frames with each member right, wrong, absent or strange.
const member = <S extends Schema.Constraint>(right: S) =>
  Schema.optionalKey(Schema.Union([right, right, right, Schema.Json]))
const NearlyMessage = Schema.Struct({
  jsonrpc: Schema.Literals(["2.0", "2.0", "2.0", "2.0", "2.0", "1.0", 2]),
  id: member(Schemas.Id),
  method: member(Schema.Literals(["ping", "initialize", ""])),
  params: member(Schema.Record(Schema.String, Schema.Json)),
  result: member(Schema.Record(Schema.String, Schema.Json)),
  error: member(
    Schema.Struct({
      code: member(Schema.Literals([-32601, 0, 1.5])),
      message: member(Schema.String),
      data: member(Schema.Json)
    })
  )
})

describe("Message", () => {
  it.prop("agrees with the guards on any JSON", [Schema.Json], ([json]) => agrees(json), options)

  it.prop("agrees with the guards on what is nearly a frame", [NearlyMessage], ([value]) => agrees(value), many)

  it.prop(
    "agrees with the guards on frames",
    [Schemas.Message],
    ([message]) => {
      expect(isMessage(message)).toBe(true)
      agrees(message)
    },
    many
  )

  it("generates every kind, and near misses of every kind", () => {
    const sample = (schema: Schema.Schema<unknown>): ReadonlySet<string> =>
      new Set(
        Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 2000, size: 8, seed: 7 })).map(kindOf)
      )
    expect([...sample(Schemas.Message)].toSorted()).toEqual(["Failure", "Notification", "Request", "Success"])
    expect([...sample(NearlyMessage)].toSorted()).toEqual(["Failure", "Invalid", "Notification", "Request", "Success"])
  })

  it.each<[unknown, boolean]>([
    [{ jsonrpc: "2.0", id: 1, method: "m" }, true],
    [{ jsonrpc: "2.0", id: "a", method: "m", params: {} }, true],
    [{ jsonrpc: "2.0", id: 1.5, method: "m" }, false],
    [{ jsonrpc: "2.0", id: 9e15 + 2, method: "m" }, true],
    [{ jsonrpc: "2.0", id: 1e300, method: "m" }, true],
    [{ jsonrpc: "2.0", id: null, method: "m" }, false],
    [{ jsonrpc: "2.0", id: 1, method: "m", params: [] }, false],
    [{ jsonrpc: "2.0", id: 1, method: "m", params: null }, false],
    [{ jsonrpc: "2.0", id: 1, method: "m", result: {}, error: 3 }, true],
    [{ jsonrpc: "2.0", method: "m" }, true],
    [{ jsonrpc: "2.0", id: 1, result: {}, method: null }, false],
    [{ jsonrpc: "2.0", id: 1, result: {} }, true],
    [{ jsonrpc: "2.0", id: 1, result: [] }, false],
    [{ jsonrpc: "2.0", id: 1, result: {}, error: null }, false],
    [{ jsonrpc: "2.0", result: {} }, false],
    [{ jsonrpc: "2.0", id: null, error: { code: -1, message: "" } }, true],
    [{ jsonrpc: "2.0", error: { code: -1, message: "" } }, true],
    [{ jsonrpc: "2.0", id: true, error: { code: -1, message: "" } }, false],
    [{ jsonrpc: "2.0", id: 1, error: { code: -1.5, message: "" } }, false],
    [{ jsonrpc: "2.0", id: 1, error: { code: -1 } }, false],
    [{ jsonrpc: "2.0", id: 1, error: { code: -1, message: "", data: [1] }, result: null }, false],
    [{ jsonrpc: "1.0", id: 1, result: {} }, false],
    [[{ jsonrpc: "2.0", method: "m" }], false],
    ["2.0", false],
    [null, false]
  ])("%#. %j", (value, is) => {
    expect(isMessage(value)).toBe(is)
    agrees(value)
  })

  it("generates ids that are small integers, as peers count them", () => {
    const ids = Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(Schemas.Id), { count: 200, size: 16, seed: 7 }))
    const small = ids.filter((id) => typeof id === "number" && Math.abs(id) < 1_000_000)
    expect(new Set(small).size).toBeGreaterThan(20)
  })

  it("keeps members named like a prototype's as they are", () => {
    const value: unknown = JSON.parse('{"jsonrpc":"2.0","method":"m","params":{"__proto__":{"a":1},"constructor":2}}')
    const message = Schema.decodeUnknownSync(Schemas.Message)(value)
    expect(JSON.stringify(message)).toBe(JSON.stringify(value))
  })

  it("does not look into what it carries, however deep", () => {
    let deep: unknown = 0
    for (let index = 0; index < 100_000; index++) deep = [deep]
    const message = { jsonrpc: "2.0", id: 1, result: { deep } }
    expect(Schema.is(Schemas.Message)(message)).toBe(true)
    expect(Exit.isSuccess(Schema.decodeUnknownExit(Schemas.Message)(message))).toBe(true)
  })
})

// ---- every alphabet

const alphabets: ReadonlyArray<readonly [string, Schema.Codec<unknown, unknown>]> = [
  ["Message", Schemas.Message],
  ["Medium", Schemas.Medium],
  ["TraceEntry", Schemas.TraceEntry],
  ["Era", Schemas.Era],
  ["Implementation", Schemas.Implementation],
  ["ClientIdentity", Schemas.ClientIdentity],
  ["Agreement", Schemas.Agreement],
  ["Client.Event", Schemas.Client.Event],
  ["Client.Evidence", Schemas.Client.Evidence],
  ["Client.State", Schemas.Client.State],
  ["Client.Command", Schemas.Client.Command],
  ["Client.Outgoing", Schemas.Client.Outgoing],
  ["Client.Budgets", Schemas.Client.Budgets],
  ["Client.PolicyData", Schemas.Client.PolicyData],
  ["Server.Event", Schemas.Server.Event],
  ["Server.Evidence", Schemas.Server.Evidence],
  ["Server.State", Schemas.Server.State],
  ["Server.Command", Schemas.Server.Command],
  ["Server.Refusal", Schemas.Server.Refusal],
  ["Server.Answer", Schemas.Server.Answer],
  ["Server.ProfileData", Schemas.Server.ProfileData],
  ["NegotiationReason", Schemas.NegotiationReason],
  ["AdmissionReason", Schemas.AdmissionReason],
  ["RequestReason", Schemas.RequestReason],
  ["NegotiationError", Schemas.NegotiationError],
  ["AdmissionError", Schemas.AdmissionError],
  ["RequestError", Schemas.RequestError],
  ["AnyError", Schemas.AnyError]
]

/** A value as a text that is the same for equal values: members in order, without undefined ones, errors by their class. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  // The cause of an error is not enumerable.
  const cause = value instanceof Error ? [["cause", value.cause] as const] : []
  const members = [...Object.entries(value), ...cause]
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
  return `${value instanceof Error ? value.constructor.name : ""}{${members.toSorted().join(",")}}`
}

/** Whether a value is what JSON can hold: nothing undefined, no number without end, no class. */
const isJson = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.every(isJson)
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean"
  return value === null || (!(value instanceof Error) && Object.values(value).every(isJson))
}

const typed = (exit: Exit.Exit<unknown, unknown>): void => {
  if (Exit.isSuccess(exit)) return
  expect(exit.cause.reasons.length).toBe(1)
  for (const reason of exit.cause.reasons)
    expect(reason._tag === "Fail" && Schema.isSchemaError(reason.error)).toBe(true)
}

describe.each(alphabets)("%s", (_, codec) => {
  const schema: Schema.Schema<unknown> = codec
  const encode = Schema.encodeUnknownSync(codec)
  const decode = Schema.decodeUnknownExit(codec)

  it.prop(
    "encodes to JSON, and decodes from it to what it was",
    [schema],
    ([value]) => {
      const encoded = encode(value)
      expect(isJson(encoded)).toBe(true)
      // Effect's record codecs set the prototype of what they make by such a key, and lose it: no header has this name.
      if ([value, encoded].some((one) => canonical(one).includes('"__proto__":'))) return
      const decoded = decode(JSON.parse(JSON.stringify(encoded)))
      if (!Exit.isSuccess(decoded)) throw new Error(String(decoded.cause))
      expect(canonical(decoded.value)).toBe(canonical(value))
      expect(canonical(encode(decoded.value))).toBe(canonical(encoded))
    },
    { arbitrary: { runs: 200, size: 12 } }
  )

  it.prop(
    "decodes what is nearly right, or fails with a SchemaError",
    [schema, Schema.Natural, Schema.Json],
    ([value, at, json]) => typed(decode(spoiled(encode(value), at, json))),
    { arbitrary: { runs: 200, size: 8 } }
  )
})

describe("any bytes", () => {
  const decoders = alphabets.map(([, codec]) => Schema.decodeUnknownExit(codec))
  const readers = alphabets.map(([, codec]) => Schema.decodeUnknownExit(Schema.fromJsonString(codec)))

  it.prop(
    "that are JSON decode or fail with a SchemaError, never a throw",
    [Schema.Json],
    ([json]) => {
      for (const decode of decoders) typed(decode(json))
      for (const read of readers) typed(read(JSON.stringify(json)))
    },
    { arbitrary: { runs: 200, size: 20 } }
  )

  it.prop(
    "that are text decode or fail with a SchemaError, never a throw",
    [Schema.String],
    ([text]) => {
      for (const read of readers) typed(read(text))
    },
    { arbitrary: { runs: 200, size: 100 } }
  )

  it.prop(
    "that are no text either",
    [Schema.Uint8Array],
    ([bytes]) => {
      const text = new TextDecoder().decode(bytes)
      for (const read of readers) typed(read(text))
    },
    { arbitrary: { runs: 200, size: 100 } }
  )

  it.each([
    ["a million brackets", "[".repeat(1_000_000)],
    ["JSON that is a million deep", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`],
    ["a frame that is a million deep", `{"jsonrpc":"2.0","id":1,"result":{"a":${"[".repeat(1e6)}${"]".repeat(1e6)}}}`],
    ["a key named __proto__", '{"_tag":"Failed","__proto__":{"reason":{"_tag":"Busy","status":1}}}'],
    ["a lone surrogate", '{"_tag":"\\ud800"}']
  ])(
    "are %s",
    (_, text) => {
      for (const read of readers) typed(read(text))
    },
    60_000
  )

  it.each([undefined, Number.NaN, () => 0, Symbol("s"), 1n, new Date(), new Map(), new Error("e")])(
    "are not even JSON: %s",
    (value) => {
      for (const decode of decoders) typed(decode(value))
    }
  )
})

/** A value with one of its members replaced. */
const spoiled = (value: unknown, at: number, by: unknown): unknown => {
  if (typeof value !== "object" || value === null) return by
  const keys = Object.keys(value)
  const key = keys[at % (keys.length + 1)]
  if (key === undefined) return by
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === key ? spoiled(member, Math.floor(at / 7), by) : member
  ])
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

// ---- errors

describe("errors", () => {
  const decoded = (error: Schemas.AnyError): unknown =>
    Schema.decodeUnknownSync(Schemas.AnyError)(
      JSON.parse(JSON.stringify(Schema.encodeUnknownSync(Schemas.AnyError)(error)))
    )

  it("decode to real instances, with the same sentence, fault and advice", () => {
    const error = new Errors.UnsupportedProtocolVersion({ requested: "2025-11-25", supported: ["2026-07-28"] })
    const back = decoded(error)
    expect(back).toBeInstanceOf(Errors.UnsupportedProtocolVersion)
    expect(back).toMatchObject({
      _tag: "UnsupportedProtocolVersion",
      message: error.message,
      fault: error.fault,
      retryable: false
    })
  })

  it("keep a cause of ours, to any depth", () => {
    const inner = new Errors.TransportFailure({ reason: "cut", retryable: true, status: 502 })
    const middle = new Errors.MethodNotFound({ method: "server/discover", cause: inner })
    const error = new Errors.UnsupportedProtocolVersion({ requested: "2025-11-25", supported: [], cause: middle })
    const back = decoded(error)
    expect(canonical(back)).toBe(canonical(error))
    expect(back instanceof Error && back.cause instanceof Errors.MethodNotFound && back.cause.cause).toBeInstanceOf(
      Errors.TransportFailure
    )
  })

  it.each([
    ["an error of someone else", new TypeError("secret at /home/me")],
    ["a text", "secret"],
    ["an object that looks like one of ours", { _tag: "Busy", status: 503 }],
    ["a function", () => "secret"]
  ])("leave out a cause that is %s", (_, cause) => {
    const encoded = Schema.encodeUnknownSync(Schemas.AnyError)(
      new Errors.TransportFailure({ reason: "cut", retryable: true, cause })
    )
    expect(encoded).toEqual({ _tag: "TransportFailure", reason: "cut", retryable: true })
  })

  it("a NegotiationError keeps its reason and its trace", () => {
    const begun = Client.begin(Policy.auto, stdio)
    const step = Client.step(Policy.auto, stdio, begun.state, { _tag: "Closed", exitCode: 3, stderr: "boom" })
    if (step.state._tag !== "Failed" || step.trace === undefined || begun.trace === undefined)
      throw new Error("no error")
    const error = new Errors.NegotiationError({ reason: step.state.reason, trace: [begun.trace, step.trace] })
    const back = decoded(error)
    expect(back).toBeInstanceOf(Errors.NegotiationError)
    expect(canonical(back)).toBe(canonical(error))
    expect(back).toMatchObject({ message: error.message, fault: "peer", retryable: true })
  })

  it("every class has its codec, under its own name", () => {
    const classes = Object.entries(Errors).filter(([, value]) => typeof value === "function")
    expect(classes.length).toBe(22)
    const named: { readonly [name: string]: unknown } = { ...Schemas }
    expect(classes.map(([name]) => name).filter((name) => named[name] === undefined)).toEqual([])
  })
})

// ---- what machines make

describe("who a program is", () => {
  it("keeps every member on its way through a codec of JSON", () => {
    const info = { name: "c", version: "1", title: "T", icons: [{ src: "https://app.example/i.png" }] }
    const json = Schema.toCodecJson(Schemas.Implementation)
    expect(Schema.encodeUnknownSync(json)(info)).toEqual(info)
    expect(Schema.decodeUnknownSync(json)(info)).toEqual(info)
  })
})

describe("states of real runs", () => {
  it.each([stdio, http])("survive JSON on $name, and go on as if nothing had been", (medium) => {
    const through = <T>(codec: Schema.Codec<T, unknown>, value: T): T =>
      Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(Schema.encodeUnknownSync(codec)(value))))
    const refusal = {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32022, message: "no", data: { supported: ["2026-07-28"] } }
    } as const
    const event = through(Schemas.Client.Event, arrived(refusal, 1, { status: 400 }))
    const begun = through(Schemas.Client.State, Client.begin(Policy.auto, medium).state)
    const step = Client.step(Policy.auto, medium, begun, event)
    expect(step).toEqual(Client.step(Policy.auto, medium, Client.begin(Policy.auto, medium).state, event))
    expect(through(Schemas.Client.State, step.state)).toEqual(step.state)
    for (const command of step.commands) expect(through(Schemas.Client.Command, command)).toEqual(command)
  })

  it("a policy is told by its data, without its table", () => {
    for (const policy of Object.values(Policy.presets)) {
      const { fallback: _, ...data } = policy
      expect(Schema.encodeUnknownSync(Schemas.Client.PolicyData)(policy)).toEqual(data)
    }
  })
})

describe("a server's conversation", () => {
  const through = <T>(codec: Schema.Codec<T, unknown>, value: T): T =>
    Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(Schema.encodeUnknownSync(codec)(value))))
  const profile = Profile.dual({ serverInfo: { name: "s", version: "1" }, capabilities: { tools: {} } })
  const compiled = compile(profile)
  const opening = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } }
  }

  it("survives JSON at every step, and goes on as if nothing had been", () => {
    const events: ReadonlyArray<ServerEvent> = [
      { _tag: "Received", value: { jsonrpc: "2.0", id: 0, method: "tools/list" } },
      { _tag: "Received", value: opening },
      { _tag: "Received", value: { jsonrpc: "2.0", method: "notifications/initialized" } },
      { _tag: "Received", value: { jsonrpc: "2.0", id: 2, method: "tools/list" } },
      { _tag: "Received", value: { jsonrpc: "2.0", id: 3, method: "no/such" } },
      { _tag: "EndOfInput" }
    ]
    let state = Server.begin(compiled).state
    const tags: Array<string> = []
    for (const event of events) {
      const step = Server.step(compiled, state, event)
      const stored = Server.step(compiled, through(Schemas.Server.State, state), through(Schemas.Server.Event, event))
      expect(stored).toEqual(step)
      for (const command of step.commands) expect(through(Schemas.Server.Command, command)).toEqual(command)
      tags.push(...step.commands.map(({ _tag }) => _tag))
      state = step.state
    }
    expect(state).toEqual({ _tag: "Closed", why: "ended" })
    expect(tags).toEqual(expect.arrayContaining(["Refuse", "Reply", "Issue", "Deliver", "Close"]))
  })

  it("a header without a value is left out", () => {
    const event = through(Schemas.Server.Event, {
      _tag: "Received",
      value: 1,
      headers: { host: "a", origin: undefined, via: ["b", "c"] }
    })
    expect(event).toStrictEqual({ _tag: "Received", value: 1, headers: { host: "a", via: ["b", "c"] } })
  })

  it("a profile is told by its data, without where headers of tools are found", () => {
    const { toolHeaders: _, ...data } = profile
    expect(through(Schemas.Server.ProfileData, data)).toEqual(data)
  })
})

describe("the main door", () => {
  it("leads to no codec, and to light modules of effect alone", () => {
    const seen = new Set<string>()
    const effect = new Set<string>()
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      for (const [, from = ""] of readFileSync(file, "utf8").matchAll(
        /^(?:import|export) (?!type ).*?from "([^"]+)"/gms
      )) {
        if (from.startsWith(".")) visit(resolve(dirname(file), from))
        else effect.add(from)
      }
    }
    visit(fileURLToPath(new URL("../src/index.ts", import.meta.url)))
    expect(seen.size).toBeGreaterThan(20)
    expect([...seen].filter((file) => /[\\/]schemas[\\/]|Schemas\.ts$/.test(file))).toEqual([])
    expect([...effect].toSorted()).toEqual(["effect/Data"])
  })
})
