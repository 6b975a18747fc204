import { isUtf8 } from "node:buffer"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as Lines from "@parley/core/Lines"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const read = (chunks: ReadonlyArray<Uint8Array>, limitBytes?: number): ReadonlyArray<Lines.Line> => {
  const reader = Lines.reader(limitBytes === undefined ? undefined : { limitBytes })
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
}

const texts = (lines: ReadonlyArray<Lines.Line>): ReadonlyArray<string> =>
  lines.map((line) => (line._tag === "Text" ? line.text : `overlong: ${line.head}`))

const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(chunks.flatMap((chunk) => [...chunk]))

/** The same rules written without any increment: split the whole stream, then look at each piece. */
const model = (stream: Uint8Array, limitBytes: number): ReadonlyArray<Lines.Line> => {
  const pieces: Array<Array<number>> = [[]]
  for (const byte of stream) {
    if (byte === 10) pieces.push([])
    else pieces.at(-1)?.push(byte)
  }
  return pieces.flatMap((piece, index): ReadonlyArray<Lines.Line> => {
    const text = (part: ReadonlyArray<number>): string => {
      const decoded = Buffer.from(part).toString("utf8")
      return index === 0 && decoded.startsWith("\ufeff") ? decoded.slice(1) : decoded
    }
    if (piece.length > limitBytes) {
      // The head is compared on its own below; here it is enough that the marker stands in its place.
      return [{ _tag: "Overlong", head: "", limitBytes }]
    }
    const line = text(piece.at(-1) === 13 ? piece.slice(0, -1) : piece)
    const mended = isUtf8(Uint8Array.from(piece)) ? undefined : { isMended: true as const }
    return /^[ \t\r\f\v]*$/.test(line) ? [] : [{ _tag: "Text", text: line, ...mended }]
  })
}

const withoutHeads = (lines: ReadonlyArray<Lines.Line>): ReadonlyArray<Lines.Line> =>
  lines.map((line) => (line._tag === "Overlong" ? { ...line, head: "" } : line))

describe("Lines.reader", () => {
  it("marks a line whose bytes are no UTF-8, and reads on", () => {
    const lines = read([bytes('"\ufffd"\n'), Uint8Array.of(0x22, 0xff, 0x22, 10), bytes("[]\n")])
    expect(lines).toEqual([
      { _tag: "Text", text: '"\ufffd"' },
      { _tag: "Text", text: '"\ufffd"', isMended: true },
      { _tag: "Text", text: "[]" }
    ])
  })

  const cases: ReadonlyArray<readonly [title: string, stream: string, lines: ReadonlyArray<string>]> = [
    ["ends a line at LF", "a\nb\n", ["a", "b"]],
    ["drops one CR before LF", "a\r\nb\r\r\n", ["a", "b\r"]],
    ["keeps a CR inside a line", "a\rb\n", ["a\rb"]],
    ["drops blank lines, and lines of blanks", "\n\r\n  \t\r\na\n\n", ["a"]],
    ["drops one leading BOM", "\ufeff{}\n", ["{}"]],
    ["keeps a BOM that is not the first character of the stream", "a\n\ufeffb\n", ["a", "\ufeffb"]],
    ["keeps the second of two leading BOMs", "\ufeff\ufeffa\n", ["\ufeffa"]],
    ["gives a last line without a newline at the end", "a\nb", ["a", "b"]],
    ["gives nothing for an empty stream", "", []],
    ["keeps text beyond ASCII", "žluťoučký 🐎 \u2028 漢字\n", ["žluťoučký 🐎 \u2028 漢字"]]
  ]
  for (const [title, stream, lines] of cases) {
    it(`${title}`, () => {
      expect(texts(read([bytes(stream)]))).toEqual(lines)
      expect(texts(read([...bytes(stream)].map((byte) => Uint8Array.of(byte))))).toEqual(lines)
    })
  }

  it("replaces bytes that are no UTF-8 and goes on", () => {
    expect(texts(read([Uint8Array.of(0x61, 0xff, 0xc3, 0x0a, 0x62, 0x0a)]))).toEqual(["a\ufffd\ufffd", "b"])
  })

  it("takes a line of exactly the limit and refuses one byte more", () => {
    expect(texts(read([bytes("12345678\n123456789\nok\n")], 8))).toEqual(["12345678", "overlong: 12345678", "ok"])
  })

  it("tells an overlong line as soon as it passes the limit, once, and reads on after its newline", () => {
    const reader = Lines.reader({ limitBytes: 8 })
    expect(reader.push(bytes("12345"))).toEqual([])
    expect(reader.push(bytes("6789"))).toEqual([{ _tag: "Overlong", head: "12345678", limitBytes: 8 }])
    expect(reader.push(bytes("more and more"))).toEqual([])
    expect(texts(reader.push(bytes("the rest\nnext\n")))).toEqual(["next"])
    expect(reader.end()).toEqual([])
  })

  it("keeps 200 characters of an overlong line, control characters removed", () => {
    const [line] = read([bytes(`\u001b[31m${"x".repeat(5000)}\n`)], 1000)
    expect(line).toMatchObject({ _tag: "Overlong", limitBytes: 1000 })
    expect(line?._tag === "Overlong" && line.head.length).toBe(200)
    expect(line?._tag === "Overlong" && line.head.startsWith(" [31mxxx")).toBe(true)
  })

  it("drops the leading BOM of an overlong first line too", () => {
    expect(texts(read([bytes("\ufeffabcdefgh\n\ufeffabcdefgh\n")], 8))).toEqual([
      "overlong: abcde",
      "overlong: \ufeffabcde"
    ])
  })

  it("does not split a character at the end of an overlong head", () => {
    const [line] = read([bytes("🐎🐎🐎\n")], 6)
    expect(line).toEqual({ _tag: "Overlong", head: "🐎", limitBytes: 6 })
  })

  it("takes the default where the limit is no positive number", () => {
    for (const limitBytes of [0, -1, Number.NaN]) expect(texts(read([bytes("abc\n")], limitBytes))).toEqual(["abc"])
  })

  it("keeps no memory for an overlong line, however long it grows", () => {
    const reader = Lines.reader({ limitBytes: 64 * 1024 })
    const chunk = new Uint8Array(64 * 1024).fill(0x78)
    const before = process.memoryUsage().arrayBuffers
    let markers = 0
    for (let i = 0; i < 4096; i++) markers += reader.push(chunk).length
    expect(markers).toBe(1)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
  })

  it("reads single bytes without a cost for each that outlives them", () => {
    const reader = Lines.reader()
    const size = 1024 * 1024
    const byte = Uint8Array.of(0x78)
    for (let i = 0; i < size; i++) reader.push(byte)
    expect(reader.push(bytes("\n"))).toEqual([{ _tag: "Text", text: "x".repeat(size) }])
  })

  const fragments = [
    ...["a", "{}", "\n", "\r\n", "\r", " ", "\ufeff", "é", "漢", "🐎", "\u2028"].map((text) => Array.from(bytes(text))),
    [0xff],
    [0xc3],
    [0xf0, 0x9f],
    [0x00]
  ]
  const Chunks = Arbitrary.array(
    Arbitrary.map(
      Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 14 })))),
      (picks) => Uint8Array.from(picks.flatMap((pick) => fragments[pick] ?? []))
    )
  )
  const Bytes = Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))),
    (values) => Uint8Array.from(values)
  )
  const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))

  it.prop(
    "gives what splitting the whole stream would give",
    [Chunks, Limit],
    ([chunks, limit]) => {
      expect(withoutHeads(read(chunks, limit))).toEqual(model(joined(chunks), limit))
    },
    { arbitrary: { runs: 2000, size: 30 } }
  )

  it.prop(
    "gives the same lines for any cut of the same bytes",
    [Chunks, Limit],
    ([chunks, limit]) => {
      const whole = joined(chunks)
      const single = [...whole].map((byte) => Uint8Array.of(byte))
      expect(read(chunks, limit)).toEqual(read([whole], limit))
      expect(read(single, limit)).toEqual(read([whole], limit))
    },
    { arbitrary: { runs: 1000, size: 30 } }
  )

  it.prop(
    "never throws, and never gives a newline or a text over the limit",
    [Arbitrary.array(Bytes), Limit],
    ([chunks, limit]) => {
      for (const line of read(chunks, limit)) {
        if (line._tag === "Overlong") expect(line.head.length).toBeLessThanOrEqual(200)
        else expect(line.text.includes("\n") || line.text.length > limit).toBe(false)
      }
    },
    { arbitrary: { runs: 1000, size: 60 } }
  )
})

describe("Lines.encode", () => {
  it("writes one line whose only newline is its last character", () => {
    const encoded = Lines.encode({ jsonrpc: "2.0", id: 1, method: "a\nb", params: { text: "x\r\ny\u2028" } })
    expect(encoded).toEqual({ ok: true, line: expect.stringMatching(/^[^\n\r]*\n$/) })
  })

  it("says why a message has no JSON instead of throwing", () => {
    const loop: { self?: unknown } = {}
    loop.self = loop
    for (const params of [loop, { big: 1n }]) {
      const encoded = Lines.encode({ jsonrpc: "2.0", method: "x", params: { ...params } })
      expect(encoded.ok).toBe(false)
      expect(!encoded.ok && encoded.problem.length).toBeGreaterThan(0)
    }
  })

  it.prop("is undone by the reader for any JSON", [Schema.Json], ([value]) => {
    const encoded = Lines.encode({ jsonrpc: "2.0", id: "a", result: { value } })
    expect(encoded.ok).toBe(true)
    if (!encoded.ok) return
    const [line, ...rest] = read([bytes(encoded.line)])
    expect(rest).toEqual([])
    expect(line?._tag === "Text" && JSON.parse(line.text)).toEqual(
      JSON.parse(JSON.stringify({ jsonrpc: "2.0", id: "a", result: { value } }))
    )
  })
})

describe("Lines.reader, to the letter", () => {
  it("drops a line of any blanks, and nothing else", () => {
    const bytes = new TextEncoder().encode(" \n\t\n\f\n\v\n\r\nV\nv\n{\n")
    const texts = Lines.reader()
      .push(bytes)
      .map((line) => (line._tag === "Text" ? line.text : line._tag))
    expect(texts).toEqual(["V", "v", "{"])
  })
})

describe("Lines.reader, with a line that grows", () => {
  it("keeps what came before, however often it grows", () => {
    const reader = Lines.reader()
    const part = "abcdefghij".repeat(300)
    for (let count = 0; count < 8; count++) expect(reader.push(bytes(part))).toEqual([])
    expect(texts(reader.push(bytes("\n")))).toEqual([part.repeat(8)])
  })
})
