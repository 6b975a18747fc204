import { describe, expect, it } from "@effect/vitest"
import { fromSchema } from "@parley/core/ToolHeaders"
import { refused } from "@parley/core/server/Answer"
import { compile } from "@parley/core/server/Compiled"
import type { Compiled } from "@parley/core/server/Compiled"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import * as Http from "@parley/core/server/Http"
import { ladder } from "@parley/core/server/Ladder"
import * as Profile from "@parley/core/server/Profile"
import type { State } from "@parley/core/server/State"
import type { Parsed } from "@parley/core/Message"
import * as Sample from "./support/Samples.ts"

/** A request, broken on purpose. */
interface Request {
  readonly compiled: Compiled
  readonly method: string
  readonly headers: RequestHeaders
  readonly body: Parsed
  readonly session: State | undefined
}

const toolHeaders = fromSchema({
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" }
  }
})
const strict = compile(
  Profile.dual({
    ...Sample.options,
    requires: [{ method: "tools/call", name: "ask", capabilities: { sampling: {} } }],
    toolHeaders: new Map([["ask", toolHeaders._tag === "Valid" ? toolHeaders.headers : []]])
  })
)
const modernStrict: Compiled = compile({ ...strict.profile, versions: [Sample.modern] })

const call = Sample.stamped(5, "tools/call", { name: "ask", arguments: { region: "eu", count: 3 } })
const callHeaders = {
  ...Sample.modernHeaders(call),
  "mcp-param-region": "eu",
  "mcp-param-count": "3"
}

const send = ({ compiled, method, headers, body, session }: Request): Http.Done => {
  const refusal = Http.head(compiled, { method, headers })
  if (refusal !== undefined) {
    return { _tag: "Done", state: Sample.inSession(), commands: [{ _tag: "Refuse", refusal }], batched: false }
  }
  const judged = Http.judge(compiled, { method, headers }, method === "POST" ? body : undefined)
  return judged._tag === "Done" ? judged : Http.resume(compiled, judged, session)
}

const refusedBy = (request: Request): string | undefined => {
  const [command] = send(request).commands
  return command?._tag === "Refuse" ? command.refusal.ground.id : undefined
}

const withParams =
  (change: (params: Record<string, unknown>, meta: Record<string, unknown>) => void) => (request: Request) => {
    const value = structuredClone(request.body.ok ? request.body.value : {}) as { params: Record<string, unknown> }
    change(value.params, value.params["_meta"] as Record<string, unknown>)
    return { ...request, body: Sample.parsed(value) }
  }
const withHeader = (name: string, value: string | undefined) => (request: Request) => ({
  ...request,
  headers: { ...request.headers, [name]: value }
})

/** A way to break a good request so that one rung refuses it, and those before it do not. */
type Break = readonly [
  rung: string,
  code: number,
  status: number,
  id: number | undefined,
  break_: (request: Request) => Request
]

const head: ReadonlyArray<Break> = [
  ["origin", -32600, 403, undefined, withHeader("origin", "http://rebind.example")],
  ["host", -32600, 403, undefined, withHeader("host", "rebind.example")],
  ["http-method", -32600, 405, undefined, (request) => ({ ...request, method: "PUT" })],
  ["content-type", -32600, 415, undefined, withHeader("content-type", "text/plain")],
  ["accept", -32600, 406, undefined, withHeader("accept", "text/html")],
  ["size", -32600, 413, undefined, withHeader("content-length", "999999999")]
]

const modernBreaks: ReadonlyArray<Break> = [
  ...head.filter(([rung]) => rung !== "http-method" && rung !== "content-type"),
  ["json", -32700, 400, undefined, (request) => ({ ...request, body: { ok: false, problem: "unexpected end" } })],
  [
    "shape",
    -32600,
    400,
    5,
    (request) => ({
      ...request,
      body: Sample.parsed({ ...(request.body.ok ? (request.body.value as object) : {}), jsonrpc: "1.0" })
    })
  ],
  [
    "modern.version-readable",
    -32602,
    400,
    5,
    withParams((_, meta) => void (meta["io.modelcontextprotocol/protocolVersion"] = 7))
  ],
  ["modern.version-header", -32020, 400, 5, withHeader("mcp-protocol-version", "2025-11-25")],
  [
    "modern.version-served",
    -32022,
    400,
    5,
    (request) =>
      withHeader(
        "mcp-protocol-version",
        "2027-01-01"
      )(withParams((_, meta) => void (meta["io.modelcontextprotocol/protocolVersion"] = "2027-01-01"))(request))
  ],
  [
    "modern.meta",
    -32602,
    400,
    5,
    withParams((_, meta) => void delete meta["io.modelcontextprotocol/clientCapabilities"])
  ],
  ["modern.mcp-method", -32020, 400, 5, withHeader("mcp-method", "tools/list")],
  ["modern.mcp-name", -32020, 400, 5, withHeader("mcp-name", "other")],
  ["modern.mcp-param", -32020, 400, 5, withHeader("mcp-param-region", "us")],
  [
    "modern.method",
    -32601,
    404,
    5,
    (request) => ({ ...request, compiled: { ...request.compiled, modernMethods: new Set() } })
  ]
]
const fine: Request = {
  compiled: strict,
  method: "POST",
  headers: callHeaders,
  body: Sample.parsed(call),
  session: undefined
}

const legacyBreaks: ReadonlyArray<Break> = [
  ...head,
  ["json", -32700, 400, undefined, (request) => ({ ...request, body: { ok: false, problem: "unexpected end" } })],
  ["batch", -32600, 400, undefined, (request) => ({ ...request, body: Sample.parsed([]) })],
  ["shape", -32600, 400, 5, (request) => ({ ...request, body: Sample.parsed({ id: 5, method: "tools/list" }) })],
  ["legacy.session-missing", -32600, 400, 5, withHeader("mcp-session-id", undefined)],
  ["legacy.session-unknown", -32600, 404, 5, (request) => ({ ...request, session: undefined })],
  ["legacy.version-header", -32600, 400, 5, withHeader("mcp-protocol-version", "1900-01-01")],
  ["legacy.batch", -32600, 400, undefined, (request) => ({ ...request, body: Sample.parsed([Sample.legacy(5)]) })]
]
const fineLegacy: Request = {
  compiled: strict,
  method: "POST",
  headers: { ...Sample.base, "mcp-session-id": "s", "mcp-protocol-version": "2025-11-25" },
  body: Sample.parsed(Sample.legacy(5)),
  session: Sample.inSession()
}

const orderOf = (rung: string): number => ladder.findIndex(({ id }) => id === rung)

describe("the ladder", () => {
  it("has rungs with ids of their own, codes, statuses and reasons", () => {
    expect(new Set(ladder.map(({ id }) => id)).size).toBe(ladder.length)
    for (const rung of ladder) {
      expect(rung.because.length).toBeGreaterThan(20)
      expect(rung.code).toBeLessThan(-32000)
      expect(rung.status).toBeGreaterThanOrEqual(400)
    }
  })

  it("stands in the order of the design", () => {
    expect(ladder.map(({ id }) => id)).toEqual([
      "origin",
      "host",
      "http-method",
      "content-type",
      "accept",
      "size",
      "json",
      "batch",
      "shape",
      "modern.initialize",
      "modern.envelope-header",
      "modern.version-readable",
      "modern.version-header",
      "modern.version-served",
      "modern.meta",
      "modern.mcp-method",
      "modern.mcp-name",
      "modern.mcp-param",
      "modern.method",
      "modern.capability",
      "legacy.session-missing",
      "legacy.session-unknown",
      "legacy.version-header",
      "legacy.batch"
    ])
  })

  it("admits the good requests that the tests below break", () => {
    const able = withParams((_, meta) => void (meta["io.modelcontextprotocol/clientCapabilities"] = { sampling: {} }))
    expect(Sample.said(send(able(fine)).commands)).toEqual(["clear opening", "deliver 5 modern 2026-07-28"])
    expect(Sample.said(send(fineLegacy).commands)).toEqual(["deliver 5 legacy 2025-11-25"])
  })

  for (const [name, good, breaks] of [
    ["modern", fine, modernBreaks],
    ["legacy", fineLegacy, legacyBreaks]
  ] as const) {
    describe(`on a ${name} request`, () => {
      for (const [rung, code, status, id, break_] of breaks) {
        it(`${rung}: ${code}, ${status}${id === undefined ? ", without id" : ""}`, () => {
          const [command] = send(break_(good)).commands
          if (command?._tag !== "Refuse") throw new Error("it was not refused")
          expect(command.refusal.ground.id).toBe(rung)
          const answer = refused(good.compiled, command.refusal)
          expect(answer.status).toBe(status)
          const body = JSON.parse(answer.body ?? "")
          expect(body.id).toBe(id)
          expect(body.error.code).toBe(code)
          expect(body.error.message.length).toBeGreaterThan(20)
          expect(body.error.data.parley.rung).toBe(rung)
          expect(body.error.data.parley.remedy.length).toBeGreaterThan(0)
        })
      }

      it("is refused by the earlier rung when two would refuse it", () => {
        for (const [earlier, , , , breakEarlier] of breaks) {
          for (const [later, , , , breakLater] of breaks) {
            if (orderOf(earlier) >= orderOf(later)) continue
            // The later break first, so that the earlier one is seen whole.
            expect(`${later} ${refusedBy(breakEarlier(breakLater(good)))}`).toBe(`${later} ${earlier}`)
          }
        }
      })
    })
  }

  it("asks for a client capability last", () => {
    expect(refusedBy(fine)).toBe("modern.capability")
    const [command] = send(fine).commands
    if (command?._tag !== "Refuse") throw new Error("it was not refused")
    expect(JSON.parse(refused(strict, command.refusal).body ?? "")).toMatchObject({
      id: 5,
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } }
    })
    for (const [rung, , , , break_] of modernBreaks) expect(refusedBy(break_(fine))).toBe(rung)
  })

  it("wants the headers of a tool's parameters from calls of that tool, not from a prompt of the same name", () => {
    const served: Compiled = { ...strict, modernMethods: new Set(["tools/call", "prompts/get"]) }
    const prompt = Sample.stamped(5, "prompts/get", { name: "ask", arguments: { region: "eu" } })
    const asked = { ...fine, compiled: served, headers: Sample.modernHeaders(prompt), body: Sample.parsed(prompt) }
    expect(refusedBy(asked)).toBeUndefined()
    expect(refusedBy({ ...fine, headers: Sample.modernHeaders(call) })).toBe("modern.mcp-param")
  })

  it("tells that a parameter's header came for an argument that is absent", () => {
    const without = withParams((params) => void (params["arguments"] = { count: 3 }))
    const [command] = send(without(fine)).commands
    expect(command?._tag === "Refuse" ? command.refusal.problem : command).toEqual({
      _tag: "HeaderMismatch",
      header: "mcp-param-region",
      expected: "absent",
      received: "eu"
    })
  })

  it("asks for a capability that every call of a method needs, whatever it names", () => {
    const requires = [{ method: "tools/call", capabilities: { elicitation: {} } }]
    const everyCall = compile({ ...strict.profile, requires })
    expect(refusedBy({ ...fine, compiled: everyCall })).toBe("modern.capability")
    const able = withParams(
      (_, meta) => void (meta["io.modelcontextprotocol/clientCapabilities"] = { elicitation: {} })
    )
    expect(refusedBy({ ...able(fine), compiled: everyCall })).toBeUndefined()
  })

  it("has modern-only rungs for requests without an envelope, ahead of the envelope's own", () => {
    const bare = { ...fine, compiled: modernStrict, body: Sample.parsed(Sample.legacy(5)) }
    const opening = { ...bare, body: Sample.parsed(Sample.initialize(5)) }
    const without = withHeader("mcp-protocol-version", undefined)
    const older = withHeader("mcp-protocol-version", "2025-06-18")
    expect(refusedBy(opening)).toBe("modern.initialize")
    expect(refusedBy(without(opening))).toBe("modern.initialize")
    expect(refusedBy(without(bare))).toBe("modern.envelope-header")
    expect(refusedBy(older(bare))).toBe("modern.envelope-header")
    expect(refusedBy(bare)).toBe("modern.version-readable")
  })
})
