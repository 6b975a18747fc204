import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as Sse from "@parley/core/Sse"

const read = (chunks: ReadonlyArray<string>, limit?: number): ReadonlyArray<Sse.Item> => {
  const reader = Sse.reader(limit === undefined ? undefined : { limit })
  return chunks.flatMap((chunk) => reader.push(chunk))
}

const bare = (items: ReadonlyArray<Sse.Item>): ReadonlyArray<unknown> =>
  items.map((item) => {
    const { _tag, ...rest } = item
    return _tag === "Event" ? rest : _tag
  })

/** The same rules written without any increment, over the whole text. */
const model = (text: string): ReadonlyArray<unknown> => {
  const lines = (text.startsWith("\ufeff") ? text.slice(1) : text).split(/\r\n|\r|\n/).slice(0, -1)
  const events: Array<unknown> = []
  let block: { id?: string; event?: string; retry?: number; data?: Array<string> } = {}
  for (const line of lines) {
    if (line === "") {
      const { data, id, event, retry } = block
      if (data !== undefined || id !== undefined || retry !== undefined) {
        events.push({
          ...(id ? { id } : {}),
          ...(event ? { event } : {}),
          ...(retry === undefined ? {} : { retry }),
          data: (data ?? []).join("\n")
        })
      }
      block = {}
      continue
    }
    const match = /^([^:]*)(?::[ ]?)?([^]*)$/.exec(line)
    const name = match?.[1] ?? ""
    const value = match?.[2] ?? ""
    if (name === "data") block.data = [...(block.data ?? []), value]
    else if (name === "event") block.event = value
    else if (name === "id" && !value.includes("\0")) block.id = value
    else if (name === "retry" && /^\d+$/.test(value)) block.retry = Number(value)
  }
  return events
}

describe("Sse.reader", () => {
  const cases: ReadonlyArray<readonly [title: string, stream: string, events: ReadonlyArray<object>]> = [
    ["ends lines with LF", "data: a\n\n", [{ data: "a" }]],
    ["ends lines with CRLF", "data: a\r\n\r\n", [{ data: "a" }]],
    ["ends lines with CR", "data: a\r\r", [{ data: "a" }]],
    ["mixes line ends", "data: a\rdata: b\ndata: c\r\n\ndata: d\n\r\n", [{ data: "a\nb\nc" }, { data: "d" }]],
    ["joins data lines with LF", "data: a\ndata:\ndata: b\n\n", [{ data: "a\n\nb" }]],
    ["takes one blank off a value", "data:  a\ndata:b\n\n", [{ data: " a\nb" }]],
    ["reads a field without a colon as empty", "data\n\n", [{ data: "" }]],
    ["keeps colons in a value", 'data: {"a":1}\n\n', [{ data: '{"a":1}' }]],
    ["drops comments", ": hello\n:\ndata: a\n: bye\n\n:\n\n", [{ data: "a" }]],
    [
      "gives the fields of a block",
      "event: message\nid: 7\nretry: 250\ndata: a\n\n",
      [{ event: "message", id: "7", retry: 250, data: "a" }]
    ],
    [
      "gives a priming event with empty data",
      "id: st_0\nretry: 2500\ndata:\n\n",
      [{ id: "st_0", retry: 2500, data: "" }]
    ],
    ["gives a block that only has an id", "id: 1\n\n", [{ id: "1", data: "" }]],
    ["gives a block that only has a retry", "retry: 5\n\n", [{ retry: 5, data: "" }]],
    ["drops a block that only has a type", "event: ping\n\ndata: a\n\n", [{ data: "a" }]],
    [
      "forgets the fields of a block after it",
      "event: x\nid: 1\ndata: a\n\ndata: b\n\n",
      [{ event: "x", id: "1", data: "a" }, { data: "b" }]
    ],
    ["ignores an id that holds NUL", "id: a\0b\ndata: a\n\n", [{ data: "a" }]],
    ["ignores a retry that is no number", "retry: 5s\nretry: -1\nretry:\ndata: a\n\n", [{ data: "a" }]],
    ["ignores unknown fields and fields in another case", "foo: 1\nDATA: x\nData: y\ndata: a\n\n", [{ data: "a" }]],
    ["drops one leading BOM", "\ufeffdata: a\n\n", [{ data: "a" }]],
    ["keeps a BOM anywhere else", "data: \ufeff\n\n\ufeffdata: b\n\n", [{ data: "\ufeff" }]],
    ["drops what the end of the stream cuts", "data: a\n\ndata: b\n", [{ data: "a" }]],
    ["drops what the end of the stream cuts inside a line", "data: a\n\ndata: b", [{ data: "a" }]],
    [
      "keeps blanks and separators of Unicode in the data",
      "data: \u2028\u2029\u0085\n\n",
      [{ data: "\u2028\u2029\u0085" }]
    ]
  ]
  it.each(cases)("%s", (_title, stream, events) => {
    expect(bare(read([stream]))).toEqual(events)
    expect(bare(read([...stream]))).toEqual(events)
    expect(model(stream)).toEqual(events)
  })

  it("gives an event that CR ends without waiting for what follows", () => {
    const reader = Sse.reader()
    expect(bare(reader.push("data: a\r\r"))).toEqual([{ data: "a" }])
    expect(bare(reader.push("\ndata: b\r"))).toEqual([])
    expect(bare(reader.push("\n"))).toEqual([])
    expect(bare(reader.push("\r\n"))).toEqual([{ data: "b" }])
  })

  it("remembers the last event id, which a block sets when it ends and an empty id takes back", () => {
    const reader = Sse.reader()
    expect(reader.lastEventId()).toBe("")
    reader.push("id: 1\ndata: a\n")
    expect(reader.lastEventId()).toBe("")
    reader.push("\ndata: b\n\n")
    expect(reader.lastEventId()).toBe("1")
    reader.push("id\n\n")
    expect(reader.lastEventId()).toBe("")
  })

  it("remembers the last retry as soon as its line is complete", () => {
    const reader = Sse.reader()
    reader.push("retry: 50")
    expect(reader.retryMillis()).toBeUndefined()
    reader.push("0\n")
    expect(reader.retryMillis()).toBe(500)
    reader.push(`retry: ${"9".repeat(400)}\n\n`)
    expect(reader.retryMillis()).toBe(Number.MAX_SAFE_INTEGER)
  })

  it("takes an event of exactly the limit and refuses one character more", () => {
    expect(bare(read(["data: 1234\n\n"], 10))).toEqual([{ data: "1234" }])
    expect(bare(read(["data: 12345\n\n"], 10))).toEqual(["Overlong"])
  })

  it("counts the data lines of an event together, and each event alone", () => {
    const line = "data: 12345678\n"
    expect(bare(read([`${line}\n${line}\n`, `${line}\n`], 20))).toHaveLength(3)
    expect(bare(read([line, line, line, "\n"], 20))).toEqual(["Overlong"])
  })

  it("counts data lines without data", () => {
    expect(bare(read(["data\n".repeat(50)], 20))).toEqual(["Overlong"])
  })

  it("reads nothing more after an event over the limit", () => {
    const reader = Sse.reader({ limit: 10 })
    expect(bare(reader.push("data: 1\n\ndata: 12345678"))).toEqual([{ data: "1" }, "Overlong"])
    expect(reader.push("\n\ndata: 2\n\n")).toEqual([])
  })

  it("counts no comment, however long it is and however many there are", () => {
    const reader = Sse.reader({ limit: 100 })
    for (let i = 0; i < 100; i++) expect(reader.push(`: ${"x".repeat(90)}`)).toEqual([])
    for (let i = 0; i < 100; i++) expect(reader.push(`\n: ${"x".repeat(900)}\n`)).toEqual([])
    expect(bare(reader.push("data: a\n\n"))).toEqual([{ data: "a" }])
  })

  it("takes the default where the limit is no positive number", () => {
    for (const limit of [0, -1, Number.NaN]) expect(bare(read(["data: abc\n\n"], limit))).toEqual([{ data: "abc" }])
  })

  it("reads a long event from single characters in linear time", () => {
    const reader = Sse.reader()
    const size = 1024 * 1024
    reader.push("data: ")
    for (let i = 0; i < size; i++) reader.push("x")
    expect(bare(reader.push("\n\n"))).toEqual([{ data: "x".repeat(size) }])
  })

  const fragments = [
    "data",
    "data:",
    "data: ",
    "id: ",
    "id",
    "event: ",
    "retry: ",
    "retry:",
    ":",
    ": ",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\r\n\r\n",
    "﻿",
    "\0",
    "a",
    "1",
    "42",
    " ",
    "é",
    "🐎",
    "message"
  ]
  const Pick = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: fragments.length - 1 }))
  const Text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Pick)), (picks) =>
    picks.map((pick) => fragments[pick] ?? "").join("")
  )
  const Chunks = Arbitrary.array(Text)
  const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))

  it.prop(
    "gives what the rules give over the whole text",
    [Chunks],
    ([chunks]) => {
      expect(bare(read(chunks))).toEqual(model(chunks.join("")))
    },
    { arbitrary: { runs: 2000, size: 40 } }
  )

  it.prop(
    "gives the same for any cut of the same text, limit or not",
    [Chunks, Limit],
    ([chunks, limit]) => {
      const whole = chunks.join("")
      expect(read(chunks, limit)).toEqual(read([whole], limit))
      expect(read(whole.split(""), limit)).toEqual(read([whole], limit))
      expect(read(whole.split(""))).toEqual(read([whole]))
    },
    { arbitrary: { runs: 1500, size: 40 } }
  )

  it.prop(
    "never throws, and never gives data over the limit",
    [Arbitrary.array(Arbitrary.schema(Schema.String)), Limit],
    ([chunks, limit]) => {
      const items = read(chunks, limit)
      for (const item of items) if (item._tag === "Event") expect(item.data.length).toBeLessThanOrEqual(limit)
      expect(items.filter((item) => item._tag === "Overlong").length).toBeLessThanOrEqual(1)
    },
    { arbitrary: { runs: 1000, size: 60 } }
  )
})

describe("Sse.encode and Sse.comment", () => {
  it("writes an event with its fields", () => {
    expect(Sse.encode("a\nb", { id: "1", event: "message", retry: 500 })).toBe(
      "event: message\nid: 1\nretry: 500\ndata: a\ndata: b\n\n"
    )
    expect(Sse.encode("", { id: "0" })).toBe("id: 0\ndata: \n\n")
  })

  it("leaves out what an id or a type cannot hold, and a retry that is no wait", () => {
    expect(Sse.encode("x", { id: "a\r\nid: b\0", event: "e\ndata: z", retry: -1 })).toBe(
      "event: edata: z\nid: aid: b\ndata: x\n\n"
    )
  })

  it("writes comments that no reader gives on", () => {
    expect(Sse.comment()).toBe(": \n")
    expect(Sse.comment("a\ndata: b\r\n\r")).toBe(": a\n: data: b\n: \n: \n")
    expect(read([Sse.comment("a\n\ndata: b\n\n"), "data: c\n\n"])).toEqual([{ _tag: "Event", data: "c" }])
  })

  it.prop(
    "is undone by the reader for any data, line breaks as LF",
    [Schema.String, Schema.String, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))],
    ([data, id, retry]) => {
      // oxlint-disable-next-line no-control-regex
      const kept = id.replace(/[\r\n\u0000]/g, "")
      expect(bare(read([Sse.encode(data, { id, retry })]))).toEqual([
        { ...(kept === "" ? {} : { id: kept }), retry, data: data.replace(/\r\n|\r/g, "\n") }
      ])
    },
    { arbitrary: { runs: 1000, size: 60 } }
  )
})

describe("Sse.reader, to the letter", () => {
  it("has no member for what an event did not bring, nor for what it brought empty", () => {
    const items = (text: string): unknown => Sse.reader().push(text)
    expect(items("data: a\n\n")).toStrictEqual([{ _tag: "Event", data: "a" }])
    expect(items("id\nevent\ndata: a\n\n")).toStrictEqual([{ _tag: "Event", data: "a" }])
    expect(items("id: 1\nevent: e\nretry: 5\ndata: a\n\n")).toStrictEqual([
      { _tag: "Event", id: "1", event: "e", data: "a", retry: 5 }
    ])
  })

  it("takes a line feed at the start of a chunk for the rest of a line end only after a carriage return", () => {
    const reader = Sse.reader()
    expect(reader.push("\ndata: a\r")).toEqual([])
    expect(reader.push("")).toEqual([])
    expect(reader.push("\n\r")).toHaveLength(1)
    expect(reader.push("\ndata: b\r\r")).toHaveLength(1)
    expect(reader.push("data: c\n\n")).toHaveLength(1)
    // The first line feed ends an empty line: nothing was pending.
    const fresh = Sse.reader()
    fresh.push("data: a")
    expect(fresh.push("\n\n")).toHaveLength(1)
  })

  it("takes a limit that is none for the default", () => {
    expect([undefined, 0, -1, 1, 7].map((limit) => Sse.limitOf(limit))).toEqual([
      Sse.defaultLimit,
      Sse.defaultLimit,
      Sse.defaultLimit,
      1,
      7
    ])
  })
})

describe("Sse, where a stream begins, breaks and ends", () => {
  it("drops a byte order mark behind chunks of nothing", () => {
    const reader = Sse.reader()
    expect(reader.push("")).toEqual([])
    expect(reader.push("\ufeffdata: a\n\n")).toStrictEqual([{ _tag: "Event", data: "a" }])
  })

  it("reads nothing behind a line that grew too long over two chunks", () => {
    const reader = Sse.reader({ limit: 10 })
    expect(reader.push("data: a")).toEqual([])
    expect(reader.push("bcdefgh\ndata: x\n\n")).toStrictEqual([{ _tag: "Overlong", limit: 10 }])
    expect(reader.push("data: y\n\n")).toEqual([])
  })

  it("gives no event whose line grew too long over two chunks and ended in the second", () => {
    const reader = Sse.reader({ limit: 10 })
    expect(reader.push("data: a")).toEqual([])
    expect(reader.push("bcdefgh\n\n")).toStrictEqual([{ _tag: "Overlong", limit: 10 }])
  })

  it("writes a retry of 0, which is a wait", () => {
    expect(Sse.encode("a", { retry: 0 })).toBe("retry: 0\ndata: a\n\n")
  })

  it("writes text that is nothing but line breaks", () => {
    expect(Sse.encode("\n")).toBe("data: \ndata: \n\n")
    expect(Sse.encode("\r\n\r")).toBe("data: \ndata: \ndata: \n\n")
    expect(Sse.comment("\n")).toBe(": \n: \n")
  })
})
