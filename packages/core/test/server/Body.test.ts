import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Body, decode } from "@parley/core/server/Body"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const cut = (whole: Uint8Array, at: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(whole.length / at) }, (_, nth) => whole.slice(nth * at, (nth + 1) * at))

describe("Body", () => {
  it.each([1, 2, 3, 7, 1_000, 5_000, 1_000_000])("gives the text back from chunks of %i bytes", (at) => {
    const text = "žluťoučký 🐎 \u2028 ".repeat(200)
    const body = new Body(1_000_000)
    for (const chunk of cut(bytes(text), at)) expect(body.add(chunk)).toBe(true)
    expect(body.take()).toBe(text)
    expect(body.take()).toBe("")
  })

  it("takes as much as the limit and nothing more, wherever it is passed", () => {
    for (const at of [1, 3, 8, 9]) {
      const within = new Body(8)
      expect(cut(bytes("12345678"), at).every((chunk) => within.add(chunk))).toBe(true)
      expect(within.take()).toBe("12345678")
      const past = new Body(8)
      expect(
        cut(bytes("123456789"), at)
          .map((chunk) => past.add(chunk))
          .at(-1)
      ).toBe(false)
    }
  })

  it("tells bytes that are no UTF-8, cut anywhere", () => {
    for (const broken of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x90]]) {
      for (const at of [1, 100]) {
        const body = new Body(100)
        for (const chunk of cut(Uint8Array.from([0x22, ...broken, 0x22]), at)) body.add(chunk)
        expect(body.take()).toBeUndefined()
      }
    }
    expect(decode(bytes("\ufffd"))).toBe("\ufffd")
  })

  it("drops one leading BOM", () => {
    expect(decode(bytes("\ufeff{}"))).toBe("{}")
    expect(decode(bytes("\ufeff\ufeff{}"))).toBe("\ufeff{}")
  })

  it("leaves the chunks that it was given as they are", () => {
    const chunks = cut(bytes("abcdefgh"), 3)
    const before = chunks.map((chunk) => [...chunk])
    const body = new Body(100)
    for (const chunk of chunks) body.add(chunk)
    body.take()
    expect(chunks.map((chunk) => [...chunk])).toEqual(before)
  })

  it.prop(
    "gives what decoding the whole would give, for any bytes and any cut",
    { chunks: Schema.Array(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))) },
    ({ chunks }) => {
      const body = new Body(10_000)
      for (const chunk of chunks) body.add(Uint8Array.from(chunk))
      expect(body.take()).toBe(decode(Uint8Array.from(chunks.flat())))
    }
  )
})
