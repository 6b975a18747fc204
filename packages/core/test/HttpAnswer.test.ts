import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as HttpAnswer from "@parley/core/HttpAnswer"
import * as Sse from "@parley/core/Sse"
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { Message } from "@parley/core/Message"

const asking = (message: Message = { jsonrpc: "2.0", id: 7, method: "initialize" }): Outgoing => ({
  _tag: "Post",
  exchange: 3,
  message,
  headers: {}
})
const request = asking()
const notification = asking({ jsonrpc: "2.0", method: "notifications/initialized" })
const response = asking({ jsonrpc: "2.0", id: "s1", result: {} })
const deletion: Outgoing = { _tag: "Delete", exchange: 3, headers: {} }
const listen: Outgoing = { _tag: "Listen", exchange: 3, headers: {} }
const resume: Outgoing = { _tag: "Listen", exchange: 3, headers: { "last-event-id": "e1" } }

const json = "application/json"
const sse = "text/event-stream"

interface Script {
  readonly outgoing?: Outgoing
  readonly status?: number
  readonly type?: string | undefined
  readonly encoding?: string
  readonly limit?: number
}

const open = ({ outgoing = request, status = 200, type = json, encoding, limit }: Script): HttpAnswer.Reader =>
  HttpAnswer.reader({
    outgoing,
    status,
    header: (name) =>
      name === "content-type" && type !== "" ? type : name === "content-encoding" ? encoding : undefined,
    now: () => 0,
    limit
  })

const run = (script: Script, chunks: ReadonlyArray<string>, ending: "end" | "cut" | "none" = "end") => {
  const reader = open(script)
  const events: Array<Event> = [...reader.push("")]
  for (const chunk of chunks) events.push(...reader.push(chunk))
  if (ending === "end") events.push(...reader.end())
  if (ending === "cut") events.push(...reader.cut("The wire was cut."))
  return { events, phase: reader.phase() }
}

/** An event in a few words: its tag, and what tells it from others of the tag. */
const brief = (event: Event): unknown => {
  if (event._tag === "Arrived") return event.message
  if (event._tag === "Unanswered") return `unanswered ${event.head.status}: ${event.problem}`
  if (event._tag === "Lost")
    return event.resume === undefined
      ? "lost"
      : `lost, resume ${event.resume.lastEventId} after ${event.resume.retryMillis}`
  return event._tag
}
const told = (script: Script, chunks: ReadonlyArray<string>, ending: "end" | "cut" | "none" = "end") =>
  run(script, chunks, ending).events.map(brief)

const result = (id: string | number): Message => ({ jsonrpc: "2.0", id, result: {} })
const error = (id?: string | number | null): Message => ({
  jsonrpc: "2.0",
  ...(id === undefined ? {} : { id }),
  error: { code: -32000, message: "no" }
})
const progress: Message = { jsonrpc: "2.0", method: "notifications/progress", params: {} }
const ping: Message = { jsonrpc: "2.0", id: "s1", method: "ping" }
const text = (value: unknown): string => JSON.stringify(value)
const event = (value: unknown, fields?: Parameters<typeof Sse.encode>[1]): string => Sse.encode(text(value), fields)

describe("A JSON answer to a request", () => {
  const cases: ReadonlyArray<readonly [title: string, body: string, events: ReadonlyArray<unknown>]> = [
    ["a result with our id answers", text(result(7)), [result(7)]],
    ["an error with our id answers", text(error(7)), [error(7)]],
    ["an error answers whatever its id", text(error("no-id")), [error("no-id")]],
    ["an error with a null id answers", text(error(null)), [error(null)]],
    ["an error without an id answers", text(error()), [error()]],
    ["a leading BOM is dropped", `\ufeff${text(result(7))}`, [result(7)]],
    [
      "a result with another id arrives and does not answer",
      text(result(8)),
      [result(8), "unanswered 200: the result has another id"]
    ],
    [
      "an id of another type is another id",
      text(result("7")),
      [result("7"), "unanswered 200: the result has another id"]
    ],
    ["an array is searched for our id", text([result(8), progress, result(7), error(9)]), [progress, result(7)]],
    ["in an array our own id comes before an error without one", text([error(null), result(7)]), [result(7)]],
    ["in an array without our id an error answers", text([result(8), error(null), ping]), [error(null), ping]],
    [
      "an array of strangers answers nothing",
      text([result(8), result(9)]),
      [result(8), result(9), "unanswered 200: the result has another id"]
    ],
    [
      "an array without a response answers nothing",
      text([progress]),
      [progress, "unanswered 200: the body holds no answer"]
    ],
    ["what is no message in an array is dropped", text([1, null, { a: 1 }, result(7)]), [result(7)]],
    ["an empty array answers nothing", "[]", ["unanswered 200: the body is no JSON-RPC message but application/json"]],
    ["a request of the server answers nothing", text(ping), [ping, "unanswered 200: the body holds no answer"]],
    ["an empty body answers nothing", "", ["unanswered 200: the response has no body"]],
    ["a blank body answers nothing", "\r\n ", ["unanswered 200: the response has no body"]],
    [
      "broken JSON answers nothing",
      '{"jsonrpc":"2.0","id":7,"res',
      ["unanswered 200: the body is no JSON but application/json"]
    ],
    [
      "other JSON answers nothing",
      '{"error":"invalid_token"}',
      ["unanswered 200: the body is no JSON-RPC message but application/json"]
    ],
    [
      "a result without an id answers nothing",
      '{"jsonrpc":"2.0","result":{}}',
      ["unanswered 200: the body is no JSON-RPC message but application/json"]
    ]
  ]
  it.each(cases)("%s", (_title, body, events) => {
    expect(told({}, [body])).toEqual(events)
    expect(told({}, body.split(""))).toEqual(events)
    expect(run({}, [body]).phase).toBe("done")
  })

  it("arrives with its exchange and the head of its response", () => {
    expect(run({ status: 400 }, [text(error(7))]).events).toEqual([
      { _tag: "Arrived", message: error(7), exchange: 3, head: { status: 400, contentType: json } }
    ])
  })

  it("is read whatever the content type says, and the problem names the type", () => {
    expect(told({ type: "text/plain" }, [text(result(7))])).toEqual([result(7)])
    expect(told({ type: "" }, [text(result(7))])).toEqual([result(7)])
    expect(told({ type: "text/html; charset=utf-8" }, ["<!doctype html>"])).toEqual([
      "unanswered 200: the body is no JSON but text/html; charset=utf-8"
    ])
    expect(told({ type: "" }, ["x"])).toEqual(["unanswered 200: the body is no JSON and has no content type"])
  })

  it("says so when a body is encoded, which no carrier undoes", () => {
    expect(told({ encoding: "gzip" }, ["\u001f\ufffd"])).toEqual([
      "unanswered 200: the body is encoded as gzip, which was not asked for"
    ])
    expect(told({ encoding: "gzip" }, [text(result(7))])).toEqual([result(7)])
  })

  it("keeps the beginning of a body that answers nothing, on one line and at most 200 characters", () => {
    const [found] = run({ status: 502, type: "text/html" }, ["<h1>\n\u001b[31m", "x".repeat(5000)]).events
    expect(found?._tag === "Unanswered" && found.body).toMatch(/^<h1> \[31mx+…?$/)
    expect(found?._tag === "Unanswered" && found.body.length).toBeLessThanOrEqual(200)
  })

  it("is lost when it is cut, however much of it came", () => {
    expect(run({}, [text(result(7))], "cut").events).toEqual([
      { _tag: "Lost", exchange: 3, cause: "The wire was cut." }
    ])
  })

  it("is told as soon as it is over the limit, and nothing after it", () => {
    const reader = open({ limit: 100 })
    expect(reader.push("x".repeat(100))).toEqual([])
    expect(reader.push("x").map(brief)).toEqual(["unanswered 200: the body is longer than 100 characters"])
    expect(reader.phase()).toBe("done")
    expect([...reader.push("y"), ...reader.end(), ...reader.cut("late")]).toEqual([])
  })

  it("is read from single characters in linear time", () => {
    const body = text({ jsonrpc: "2.0", id: 7, result: { text: "x".repeat(1024 * 1024) } })
    expect(run({}, body.split("")).events).toHaveLength(1)
  })
})

describe("A stream that answers a request", () => {
  const cases: ReadonlyArray<readonly [title: string, stream: string, events: ReadonlyArray<unknown>]> = [
    ["its result answers", event(result(7)), [result(7)]],
    [
      "what comes before and after the result arrives",
      event(progress) + event(result(7)) + event(ping),
      [progress, result(7), ping]
    ],
    ["an error without an id answers", event(error(null)), [error(null)]],
    ["an event of type message answers", event(result(7), { event: "message", id: "a1" }), [result(7)]],
    [
      "events of other types are dropped",
      event(result(7), { event: "endpoint" }) + event(ping, { event: "ping" }),
      ["unanswered 200: the stream ended before the answer"]
    ],
    [
      "a priming event carries nothing",
      Sse.encode("", { id: "st_0", retry: 2500 }) + event(result(7), { id: "st_1" }),
      [result(7)]
    ],
    ["an array of messages arrives one by one", event([progress, result(7)]), [progress, result(7)]],
    [
      "a result with another id arrives and does not answer",
      event(result(8)),
      [result(8), "unanswered 200: the stream ended before the answer; its result has another id"]
    ],
    [
      "data that is no JSON is kept for the problem",
      Sse.encode("hello\nworld") + event(ping),
      [ping, "unanswered 200: the stream ended before the answer; an event is no JSON"]
    ],
    ["data that is no JSON does not hide the answer", Sse.encode("hello") + event(result(7)), [result(7)]],
    ["an empty stream answers nothing", "", ["unanswered 200: the stream ended before the answer"]],
    [
      "an answer that the end cuts is none",
      event(result(7)).slice(0, -1),
      ["unanswered 200: the stream ended before the answer"]
    ]
  ]
  it.each(cases)("%s", (_title, stream, events) => {
    expect(told({ type: sse }, [stream])).toEqual(events)
    expect(told({ type: sse }, stream.split(""))).toEqual(events)
    expect(told({ type: sse }, [stream.replaceAll("\n", "\r\n")])).toEqual(events)
  })

  it("is read under any status", () => {
    expect(told({ type: sse, status: 404 }, [event(error(7))])).toEqual([error(7)])
  })

  it("is answered before it ends, and then its end and its cut tell nothing", () => {
    expect(run({ type: sse }, [event(result(7))], "none").phase).toBe("answered")
    expect(told({ type: sse }, [event(result(7), { id: "e1" })], "cut")).toEqual([result(7)])
  })

  it("can be resumed if an event id was seen, after its retry", () => {
    const primed = Sse.encode("", { id: "e1", retry: 250 })
    for (const ending of ["end", "cut"] as const) {
      expect(told({ type: sse }, [primed], ending)).toEqual(["lost, resume e1 after 250"])
      expect(told({ type: sse }, [primed, event(progress, { id: "e2" })], ending)).toEqual([
        progress,
        "lost, resume e2 after 250"
      ])
      expect(told({ type: sse }, [Sse.encode("", { id: "e1" })], ending)).toEqual(["lost, resume e1 after 1000"])
      expect(told({ type: sse }, [Sse.encode("", { id: "e1", retry: 9e9 })], ending)).toEqual([
        "lost, resume e1 after 60000"
      ])
    }
    expect(told({ type: sse }, ["retry: 5\n"], "cut")).toEqual(["lost"])
  })

  it.each(["", " a", "a ", "é", "a\tb", "x".repeat(1025)])(
    "cannot be resumed from an id that no header can carry: %j",
    (id) => {
      expect(told({ type: sse }, [`id:${id === "" ? "" : ` ${id}`}\ndata:\n\n`], "cut")).toEqual(["lost"])
    }
  )

  it("is told once when an event is over the limit, and nothing after it", () => {
    const script = { type: sse, limit: 100 }
    const long = `data: ${"x".repeat(100)}`
    expect(told(script, [event(progress), long, event(result(7))])).toEqual([
      progress,
      "unanswered 200: an event is longer than 100 characters"
    ])
    expect(run(script, [event(result(7)), long], "none")).toMatchObject({
      events: [{ message: result(7) }],
      phase: "done"
    })
  })
})

describe("The answer to what asks for none", () => {
  it.each([
    ["a notification", notification],
    ["a response", response],
    ["a deletion", deletion]
  ])("%s is accepted by any 2xx and refused by anything else, whatever the body", (_title, outgoing) => {
    for (const status of [200, 202, 204]) {
      for (const body of ["", "Accepted", text(result(7)), text(error(7))]) {
        expect(told({ outgoing, status }, [body])).toEqual([`unanswered ${status}: accepted`])
      }
    }
    expect(told({ outgoing, status: 400 }, [text(error())])).toEqual(["unanswered 400: refused with 400"])
    expect(told({ outgoing, status: 302 }, [""])).toEqual(["unanswered 302: refused with 302"])
  })

  it("is told with the beginning of its body", () => {
    expect(run({ outgoing: notification, status: 400 }, ["which ", "session?"]).events).toMatchObject([
      { _tag: "Unanswered", exchange: 3, body: "which session?", head: { status: 400 } }
    ])
  })

  it("waits for no stream and for no endless body", () => {
    expect(run({ outgoing: notification, type: sse }, [], "none")).toMatchObject({
      events: [{ problem: "accepted" }],
      phase: "done"
    })
    const endless = run(
      { outgoing: notification },
      Array.from({ length: 100 }, () => "x".repeat(1000)),
      "none"
    )
    expect(endless).toMatchObject({ events: [{ problem: "accepted" }], phase: "done" })
  })

  it("is accepted even if its end is cut, and lost if it was not accepted", () => {
    expect(told({ outgoing: notification, status: 202 }, [], "cut")).toEqual(["unanswered 202: accepted"])
    expect(told({ outgoing: notification, status: 500 }, [], "cut")).toEqual(["lost"])
  })
})

describe("A stream that was asked for", () => {
  it("tells its messages and, as its end, where it goes on", () => {
    expect(told({ outgoing: listen, type: sse }, [event(ping, { id: "g1" }), event(result(1))])).toEqual([
      ping,
      result(1),
      "lost, resume g1 after 1000"
    ])
    expect(told({ outgoing: listen, type: sse }, [event(ping)])).toEqual([ping, "unanswered 200: the stream ended"])
    expect(told({ outgoing: listen, type: sse }, [event(ping)], "cut")).toEqual([ping, "lost"])
  })

  it("is answered by the first response if it resumes", () => {
    expect(run({ outgoing: resume, type: sse }, [event(progress), event(result("x"))])).toMatchObject({
      events: [{ message: progress }, { message: result("x") }],
      phase: "answered"
    })
  })

  it("goes on from where it resumed if no new event id came", () => {
    expect(told({ outgoing: resume, type: sse }, [])).toEqual(["lost, resume e1 after 1000"])
    expect(told({ outgoing: resume, type: sse }, [event(progress, { id: "e2" })])).toEqual([
      progress,
      "lost, resume e2 after 1000"
    ])
  })

  it.each([
    [200, json],
    [405, json],
    [404, sse],
    [204, ""]
  ])("is none with the status %j and the type %j", (status, type) => {
    expect(told({ outgoing: listen, status, type }, [text(error())])).toEqual([
      `unanswered ${status}: the server opens no stream`
    ])
  })
})

describe("HttpAnswer.reader, for any input", () => {
  const fragments = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"id":7',
    '"jsonrpc":"2.0"',
    '"result":{}',
    '"error":{"code":1}',
    '"method":"a"',
    text(result(7)),
    text(result(8)),
    text(error(null)),
    text(progress),
    "data: ",
    "id: e1\n",
    "retry: 9\n",
    "\n",
    "\n\n",
    "\r",
    "﻿",
    "\0",
    " ",
    "é",
    "🐎",
    "event: x\n",
    "data",
    ":"
  ]
  const Pick = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: fragments.length - 1 }))
  const Chunks = Arbitrary.array(
    Arbitrary.map(Arbitrary.array(Arbitrary.schema(Pick)), (picks) =>
      picks.map((pick) => fragments[pick] ?? "").join("")
    )
  )
  const Script = Schema.Struct({
    outgoing: Schema.Literals(["request", "notification", "deletion", "listen", "resume"]),
    status: Schema.Literals([200, 202, 204, 307, 400, 401, 404, 500]),
    type: Schema.Literals([json, sse, ""]),
    limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300 })),
    ending: Schema.Literals(["end", "cut"])
  })
  const outgoings = { request, notification, deletion, listen, resume }

  it.prop(
    "concludes each exchange exactly once, and gives the same for any cut of the same text",
    [Chunks, Script],
    ([chunks, { outgoing, ending, ...rest }]) => {
      const script = { ...rest, outgoing: outgoings[outgoing] }
      const { events } = run(script, chunks, ending)
      const concludes = (event: Event): boolean => {
        if (event._tag !== "Arrived") return true
        if (outgoing === "listen") return false
        const { message } = event
        if ("error" in message) return true
        return "result" in message && (outgoing === "resume" || message.id === 7)
      }
      const conclusions = events.filter(concludes)
      // A stream may bring a second answer after the first; nothing else concludes twice.
      expect(conclusions.length).toBeGreaterThanOrEqual(1)
      expect(conclusions.slice(1).every((event) => event._tag === "Arrived")).toBe(true)
      expect(conclusions.slice(0, -1).every((event) => event._tag === "Arrived")).toBe(true)
      if (script.type !== sse) expect(conclusions).toHaveLength(1)
      expect(events.every((event) => "exchange" in event && event.exchange === 3)).toBe(true)
      const whole = chunks.join("")
      // How much of an over-long or refused body was seen when it was given up depends on the cut, and nothing else.
      const comparable = (found: ReadonlyArray<Event>) =>
        found.map((one) => (one._tag === "Unanswered" ? brief(one) : one))
      expect(comparable(events)).toEqual(comparable(run(script, [whole], ending).events))
      expect(comparable(events)).toEqual(comparable(run(script, whole.split(""), ending).events))
    },
    { arbitrary: { runs: 3000, size: 30 } }
  )

  it.prop(
    "never throws",
    [Arbitrary.array(Arbitrary.schema(Schema.String)), Script],
    ([chunks, { outgoing, ending, ...rest }]) => {
      expect(run({ ...rest, outgoing: outgoings[outgoing] }, chunks, ending).events.length).toBeGreaterThan(0)
    },
    { arbitrary: { runs: 1000, size: 60 } }
  )

  it("survives JSON that is nested a million times", () => {
    const deep = `{"jsonrpc":"2.0","id":7,"result":{"a":${"[".repeat(1_000_00)}${"]".repeat(1_000_00)}}}`
    for (const body of ["[".repeat(1_000_000), deep]) {
      expect(told({}, [body])).toEqual(["unanswered 200: the body cannot be read: it is nested deeper than 512 levels"])
    }
  })
})

describe("HttpAnswer.reader, to the letter", () => {
  const problems = (script: Script, chunks: ReadonlyArray<string>, ending: "end" | "cut" = "end"): unknown =>
    run(script, chunks, ending).events.map((event) =>
      event._tag === "Unanswered" ? [event.problem, event.body] : event._tag === "Lost" ? [event.cause] : event._tag
    )

  it("says why a body is no answer, and keeps its beginning", () => {
    expect(problems({}, [" \n"])).toEqual([["the response has no body", ""]])
    const deep = "[".repeat(5000)
    expect(problems({}, [deep])).toEqual([[expect.stringMatching(/^the body cannot be read: ./), expect.any(String)]])
    const one = { jsonrpc: "2.0", id: 8, result: {} }
    const note = { jsonrpc: "2.0", method: "notifications/x" }
    expect(problems({}, [JSON.stringify([note, one])])).toEqual([
      "Arrived",
      "Arrived",
      ["the result has another id", expect.any(String)]
    ])
  })

  it("says why a stream holds no answer", () => {
    expect(problems({ type: sse }, ["data: {}\n\n"])).toEqual([
      ["the stream ended before the answer; an event is no JSON-RPC message", "{}"]
    ])
    expect(problems({ type: sse }, ["data: x\n\n"])).toEqual([
      ["the stream ended before the answer; an event is no JSON", "x"]
    ])
    expect(problems({ type: sse }, [])).toEqual([["the stream ended before the answer", ""]])
    // An event without data only carries its id.
    expect(problems({ type: sse }, ["retry: 5\n\n"])).toEqual([["the stream ended before the answer", ""]])
    expect(problems({ type: sse, limit: 5 }, ["data: abcdefgh\n\n"])).toEqual([
      ["an event is longer than 5 characters", ""]
    ])
  })

  it("is told by nothing once it is done", () => {
    const answer = `data: ${JSON.stringify({ jsonrpc: "2.0", id: 7, result: {} })}\n\n`
    const reader = open({ type: sse, limit: 200 })
    expect(reader.push(`data: ${"x".repeat(300)}\n\n`)).toHaveLength(1)
    expect(reader.phase()).toBe("done")
    expect([...reader.push(answer), ...reader.end(), ...reader.cut("c")]).toEqual([])
    for (const script of [{ type: sse }, {}, { outgoing: deletion }]) {
      for (const finish of [(of: HttpAnswer.Reader) => of.end(), (of: HttpAnswer.Reader) => of.cut("It was cut.")]) {
        const one = open({ ...script, status: 400 })
        expect(finish(one)).toHaveLength(1)
        expect(one.phase()).toBe("done")
        expect([...one.push(answer), ...one.end(), ...one.cut("c")]).toEqual([])
      }
    }
  })

  it("tells where a stream may be taken up again, and with which words", () => {
    expect(run({ type: sse }, ["id: e\n\n"]).events).toStrictEqual([
      {
        _tag: "Lost",
        exchange: 3,
        cause: "The server ended the stream.",
        resume: { lastEventId: "e", retryMillis: HttpAnswer.defaultRetryMillis }
      }
    ])
    expect(run({}, [], "cut").events).toStrictEqual([{ _tag: "Lost", exchange: 3, cause: "The wire was cut." }])
    expect(Object.keys(HttpAnswer.lost(1, "c"))).toEqual(["_tag", "exchange", "cause"])
    for (const id of [" a", "a ", "a\tb", "x".repeat(1025)]) {
      expect(problems({ type: sse }, [`id: ${id === " a" ? "  a" : id}\n\n`])).toEqual([
        ["the stream ended before the answer", ""]
      ])
    }
    expect(run({ type: sse }, [`id: ${"x".repeat(1024)}\n\n`]).events.map(({ _tag }) => _tag)).toEqual(["Lost"])
  })

  it("resumes only what was begun or asked for by a GET: a POST's own header names nothing to go on from", () => {
    const posted: Outgoing = { ...request, headers: { "last-event-id": "e1" } }
    expect(told({ outgoing: posted, type: sse }, [], "cut")).toEqual(["lost"])
  })

  it("takes 200 to 299 for accepted, and keeps the beginning of what else came", () => {
    const of = (status: number): unknown => problems({ outgoing: deletion, status, type: "" }, ["b".repeat(900), "c"])
    expect(of(200)).toEqual([["accepted", expect.any(String)]])
    expect(of(299)).toEqual([["accepted", expect.any(String)]])
    for (const status of [199, 300]) expect(of(status)).toEqual([[`refused with ${status}`, expect.any(String)]])
    expect(open({ outgoing: deletion, status: 400, type: sse }).push("data: x")).toMatchObject([
      { problem: "refused with 400", body: "data: x" }
    ])
    expect(problems({ outgoing: notification, status: 400 }, ["x", "y"])).toEqual([["refused with 400", "xy"]])
    // A stream that opens to nobody who asked says nothing more: it is not waited for.
    expect(open({ outgoing: notification, type: sse }).push("x")).toHaveLength(1)
    expect(open({ outgoing: listen, type: json }).push("x")).toEqual([])
  })

  it("stops reading what nobody reads, past 64 Ki characters", () => {
    const reader = open({ outgoing: deletion, type: json })
    expect(reader.push("x".repeat(65_536))).toEqual([])
    expect(reader.push("x")).toHaveLength(1)
  })

  it("takes a response for the answer only where a request was asked", () => {
    // What is posted may carry an id of the server's: it is not the id of a request of ours.
    const answered = run({ outgoing: resume, type: sse }, [
      `data: ${JSON.stringify({ jsonrpc: "2.0", id: 99, result: {} })}\n\n`
    ])
    expect(answered.phase).toBe("answered")
    const heard = run(
      { outgoing: listen, type: sse },
      [`data: ${JSON.stringify({ jsonrpc: "2.0", id: 99, result: {} })}\n\n`],
      "none"
    )
    expect(heard.phase).toBe("open")
  })
})

describe("HttpAnswer.reader, with a body that comes in many pieces", () => {
  it("reads the whole of it, more than once over", () => {
    const result = { text: "0123456789".repeat(40) }
    const whole = JSON.stringify({ jsonrpc: "2.0", id: 7, result })
    expect(run({}, [...whole]).events.map(brief)).toEqual([{ jsonrpc: "2.0", id: 7, result }])
    const twice = [`data: ${whole}\n\n`, `data: ${whole}\n\n`].join("")
    expect(run({ type: sse }, [...twice], "none").events.map(brief)).toEqual([
      { jsonrpc: "2.0", id: 7, result },
      { jsonrpc: "2.0", id: 7, result }
    ])
  })
})
