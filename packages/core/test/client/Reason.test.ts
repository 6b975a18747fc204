// From an evidence that ends a conversation to the error that the caller sees: every row of "Evidence to error" in design
// section 7, and which of two refusals speaks.
import { describe, expect, it } from "@effect/vitest"
import * as Client from "@parley/core/client/Client"
import { fail } from "@parley/core/client/Moves"
import * as Policy from "@parley/core/client/Policy"
import { cell } from "@parley/core/client/Table"
import type { NegotiationReason } from "@parley/core/Errors"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import { arrived } from "@parley/core/client/Event"
import { failure, Code } from "@parley/core/Message"
import type { Happening } from "./support/Play.ts"
import {
  awaiting,
  badParams,
  capabilityMissing,
  exits,
  garbled,
  headerMismatch,
  late,
  lists,
  lost,
  methodMissing,
  names,
  outOfTime,
  ping,
  play,
  reasonText,
  refused,
  result,
  silence,
  status,
  unsupported
} from "./support/Play.ts"

const { auto, discoverFirst, stateless } = Policy

const reasonOf = (policy: Policy.Policy, medium: Medium, ...path: ReadonlyArray<Happening>): NegotiationReason => {
  const { state } = play(policy, medium, ...path)
  if (state._tag !== "Failed") throw new Error(`${state._tag} is no failure`)
  expect(unknown(state.reason)).toEqual([])
  return state.reason
}

// What is not known is absent from an error: no member of it, nor of its cause, is undefined.
const unknown = (reason: object): ReadonlyArray<string> =>
  Object.entries(reason).flatMap(([key, value]) =>
    value === undefined
      ? [key]
      : key === "cause" && value instanceof Error
        ? unknown(value).map((inner) => `cause.${inner}`)
        : []
  )

// A policy that gives up at once: every evidence is seen as its own error.
const blunt = (policy: Policy.Policy): Policy.Policy =>
  (
    [
      "MethodMissing",
      "VersionRefused",
      "ModernSign",
      "ParamsRefused",
      "Corrected",
      "Countered",
      "Refused",
      "HttpRefused",
      "Garbled",
      "ModernNamed"
    ] as const
  ).reduce(
    (one, evidence) =>
      Policy.override(
        Policy.override(one, "Initializing", evidence, cell(fail, "blunt")),
        "Discovering",
        evidence,
        cell(fail, "blunt")
      ),
    policy
  )

const refusesWith =
  (code: number, message: string, data?: unknown): Happening =>
  (_, state) =>
    arrived(failure(state.ledger.exchanges, data === undefined ? { code, message } : { code, message, data }))

describe("evidence to error", () => {
  it.each<[string, Happening, object]>([
    [
      "ModernNamed",
      names("2026-07-28"),
      { _tag: "UnsupportedProtocolVersion", requested: "2025-11-25", named: "2026-07-28", supported: [] }
    ],
    [
      "StrangerNamed",
      names("1999-01-01"),
      { _tag: "UnsupportedProtocolVersion", requested: "2025-11-25", named: "1999-01-01", supported: [] }
    ],
    [
      "Corrected",
      unsupported("2026-07-28"),
      { _tag: "UnsupportedProtocolVersion", requested: "2025-11-25", supported: ["2026-07-28"] }
    ],
    [
      "Countered",
      badParams("2025-06-18", "2024-11-05"),
      { _tag: "UnsupportedProtocolVersion", requested: "2025-11-25", supported: ["2025-06-18", "2024-11-05"] }
    ],
    [
      "Disjoint",
      unsupported("2099-01-01"),
      { _tag: "UnsupportedProtocolVersion", requested: "2025-11-25", supported: ["2099-01-01"] }
    ],
    ["VersionRefused", unsupported(), { _tag: "UnsupportedProtocolVersion", requested: "2025-11-25", supported: [] }],
    ["ModernSign -32020", headerMismatch, { _tag: "HeaderMismatch" }],
    [
      "ModernSign -32021",
      refusesWith(Code.MissingRequiredClientCapability, "", { requiredCapabilities: { sampling: {} } }),
      { _tag: "MissingRequiredClientCapability", requiredCapabilities: { sampling: {} } }
    ],
    [
      "ModernSign -32021 without data",
      capabilityMissing,
      { _tag: "MissingRequiredClientCapability", requiredCapabilities: {} }
    ],
    ["MethodMissing", methodMissing, { _tag: "MethodNotFound", method: "initialize" }],
    ["ParamsRefused", badParams(), { _tag: "InitializeRejected", method: "initialize", code: -32602 }],
    [
      "Refused",
      refusesWith(-32000, "not today", { hint: 1 }),
      {
        _tag: "InitializeRejected",
        method: "initialize",
        code: -32000,
        serverMessage: "not today",
        data: { hint: 1 }
      }
    ],
    ["Garbled", garbled, { _tag: "MalformedInit", method: "initialize", path: "result.protocolVersion" }],
    [
      "Garbled by a line that has no end",
      () => ({ _tag: "Stray", head: "xxxx", problem: "overlong" }),
      { _tag: "TransportFailure", head: "xxxx", retryable: false }
    ],
    ["Outage", lost, { _tag: "TransportFailure", reason: "The connection was refused.", retryable: true }],
    [
      "Outage that trying again cannot help",
      () => ({ _tag: "Lost", cause: "No such command.", retryable: false }),
      { _tag: "TransportFailure", reason: "No such command.", retryable: false }
    ],
    ["Silence", silence, { _tag: "Timeout", phase: "initialize", waitedMillis: 30_000 }],
    ["OutOfTime", outOfTime, { _tag: "Timeout", phase: "negotiation", during: "initialize", waitedMillis: 60_000 }],
    ["Ended", exits, { _tag: "TransportFailure", exitCode: 3, stderr: "panic: unknown method", retryable: true }],
    [
      "Ended by a signal",
      () => ({ _tag: "Closed", signal: "SIGKILL", stderr: "" }),
      { _tag: "TransportFailure", signal: "SIGKILL", retryable: true }
    ]
  ])("%s, on a pipe", (_, happening, reason) => {
    expect(reasonOf(blunt(auto), stdio, happening)).toMatchObject(reason)
  })

  it.each<[string, Happening, object]>([
    [
      "HttpRefused by a redirect",
      status(302, { location: "https://example.com/new" }),
      {
        _tag: "TransportFailure",
        status: 302,
        fault: "peer",
        message: expect.stringContaining("It leads to https://example.com/new: use that address.")
      }
    ],
    [
      "HttpRefused by a redirect that leads nowhere",
      status(399),
      {
        _tag: "TransportFailure",
        status: 399,
        message: expect.stringContaining("and five of them. Use the address to which it leads.")
      }
    ],
    [
      "HttpRefused by a status of which more is not known",
      status(410),
      {
        _tag: "TransportFailure",
        reason:
          "The server answered initialize with 410 and no JSON-RPC error. Check that the address is that of an MCP endpoint."
      }
    ],
    ["HttpRefused", status(404, {}, "Nope"), { _tag: "TransportFailure", status: 404, head: "Nope", retryable: false }],
    [
      "AccessRefused",
      status(401, { challenge: "Bearer realm=x" }),
      { _tag: "Unauthorized", status: 401, challenge: "Bearer realm=x" }
    ],
    ["Busy", status(429, { retryAfterMillis: 2000 }), { _tag: "Busy", status: 429, retryAfterMillis: 2000 }],
    ["Busy without a wait", status(503), { _tag: "Busy", status: 503 }],
    ["Outage", status(502, {}, "<h1>Bad"), { _tag: "TransportFailure", status: 502, head: "<h1>Bad", retryable: true }],
    [
      "Garbled, a web page",
      status(200, { contentType: "text/html" }, "<title>Sign in"),
      { _tag: "TransportFailure", status: 200, head: "<title>Sign in", retryable: false }
    ],
    ["Garbled, an empty stream", status(200, { contentType: "text/event-stream" }), { _tag: "MalformedInit" }]
  ])("%s, over HTTP", (_, happening, reason) => {
    expect(reasonOf(blunt(auto), http, happening)).toMatchObject(reason)
  })

  it("names the method that was asked", () => {
    expect(reasonText(reasonOf(blunt(discoverFirst), stdio, methodMissing))).toBe("NotFound server/discover")
    expect(reasonText(reasonOf(discoverFirst, http, silence))).toBe("Timeout server/discover 30000")
    expect(reasonText(reasonOf(blunt(discoverFirst), stdio, result({})))).toMatch(/^Malformed server\/discover/)
  })

  it.each([400, 404, 405])("says of a %d that it may be a server of the old HTTP+SSE transport", (code) => {
    expect(reasonOf(auto, http, status(code)).message).toContain("HTTP+SSE transport of 2024-11-05")
  })

  it.each([406, 410, 302])("says nothing of that transport for a %d", (code) => {
    expect(reasonOf(auto, http, status(code)).message).not.toContain("HTTP+SSE")
  })

  it.each<["Agreed" | "LateAgreed" | "OutOfTurn", Policy.Policy, ReadonlyArray<Happening>]>([
    ["Agreed", auto, [names("2025-11-25")]],
    ["LateAgreed", discoverFirst, [silence, late("2026-07-28")]],
    ["OutOfTurn", auto, [ping]]
  ])("a table that fails on %s, which is no failure, says that the policy forbids it", (evidence, base, path) => {
    const policy = Policy.override(base, "Initializing", evidence, cell(fail, "no"), "refusenik")
    expect(reasonOf(policy, stdio, ...path)).toMatchObject({
      _tag: "PolicyForbids",
      policy: "refusenik",
      what: `its table fails on ${evidence}`
    })
  })
})

describe("when both methods were refused", () => {
  const refusals: ReadonlyArray<readonly [string, Happening, string]> = [
    ["VersionRefused", unsupported(), "Unsupported 2025-11-25"],
    ["ModernSign -32020", headerMismatch, "Header"],
    ["ModernSign -32021", capabilityMissing, "Capability"],
    ["MethodMissing", methodMissing, "NotFound initialize"],
    ["ParamsRefused", badParams(), "Rejected initialize -32602"],
    ["Corrected", unsupported("2026-07-28"), "Unsupported 2025-11-25 listed 2026-07-28"]
  ]

  it.each(refusals)(
    "auto: an initialize that met %s is the reason, and discover's refusal the cause",
    (_, first, text) => {
      expect(reasonText(reasonOf(auto, stdio, first, methodMissing))).toBe(`${text} <- NotFound server/discover`)
      expect(reasonText(reasonOf(auto, http, first, status(404)))).toBe(`${text} <- Failure 404`)
      expect(reasonText(reasonOf(auto, stdio, first, refused))).toBe(`${text} <- Rejected server/discover -32000`)
      expect(reasonText(reasonOf(auto, stdio, first, unsupported("2099-01-01")))).toBe(
        `${text} <- Unsupported 2026-07-28 listed 2099-01-01`
      )
    }
  )

  it.each(refusals)("auto: after %s the second speaks for itself where it is no refusal", (_, first) => {
    expect(reasonText(reasonOf(auto, http, first, status(401)))).toBe("Unauthorized 401")
    expect(reasonText(reasonOf(auto, http, first, status(429)))).toBe("Busy 429")
    expect(reasonText(reasonOf(auto, http, first, status(502)))).toBe("Failure 502")
    expect(reasonText(reasonOf(auto, stdio, first, lost))).toBe("Failure lost")
    expect(reasonText(reasonOf(auto, stdio, first, exits))).toBe("Failure 3")
    expect(reasonText(reasonOf(auto, stdio, first, silence))).toBe("Timeout server/discover 30000")
    expect(reasonText(reasonOf(auto, stdio, first, outOfTime))).toBe("Timeout negotiation 60000")
    // A DiscoverResult that shares nothing is an answer, not a refusal.
    expect(reasonText(reasonOf(auto, stdio, first, lists("2099-01-01")))).toBe(
      "Unsupported 2026-07-28 listed 2099-01-01"
    )
  })

  it("discoverFirst: the probe's refusal is the reason, and the handshake's the cause", () => {
    expect(reasonText(reasonOf(discoverFirst, stdio, methodMissing, badParams()))).toBe(
      "NotFound server/discover <- Rejected initialize -32602"
    )
    expect(reasonText(reasonOf(discoverFirst, http, status(404), status(405)))).toBe("Failure 404 <- Failure 405")
  })

  it.each<[string, Happening]>([
    ["Silence", silence],
    ["Ended", exits]
  ])("discoverFirst: an opening %s is never the reason when the second was refused", (_, first) => {
    expect(reasonText(reasonOf(discoverFirst, stdio, first, refused))).toBe("Rejected initialize -32000")
    expect(reasonText(reasonOf(discoverFirst, stdio, first, methodMissing))).toBe("NotFound initialize")
    expect(reasonText(reasonOf(discoverFirst, stdio, first, unsupported("2099-01-01")))).toBe(
      "Unsupported 2025-11-25 listed 2099-01-01"
    )
  })

  it("discoverFirst: a handshake that is garbled or names a stranger was not refused", () => {
    expect(reasonText(reasonOf(discoverFirst, stdio, methodMissing, garbled))).toMatch(/^Malformed initialize/)
    expect(reasonText(reasonOf(discoverFirst, stdio, methodMissing, names("1999-01-01")))).toBe(
      "Unsupported 2025-11-25 named 1999-01-01"
    )
  })

  it("stateless: both causes after a sign of a modern server", () => {
    expect(reasonText(reasonOf(stateless, stdio, capabilityMissing, methodMissing))).toBe(
      "Capability <- NotFound initialize"
    )
  })

  it("a handshake that named a modern revision was not refused: discover's refusal speaks", () => {
    expect(reasonText(reasonOf(auto, stdio, names("2026-07-28"), unsupported()))).toBe("Unsupported 2026-07-28")
  })

  it("of three exchanges it is the first and the last", () => {
    const path = [unsupported(), unsupported("2026-07-28"), refused]
    expect(reasonText(reasonOf(auto, stdio, ...path))).toBe("Unsupported 2025-11-25 <- Rejected server/discover -32000")
  })

  it("the cause is an error of ours, with a sentence of its own", () => {
    const reason = reasonOf(auto, stdio, methodMissing, refused)
    expect("cause" in reason && reason.cause).toBeInstanceOf(Error)
  })

  it("the opening is remembered as it was asked, whatever was asked since", () => {
    const state = awaiting(play(auto, stdio, unsupported()).state)
    expect(state.ledger.opening).toMatchObject({ method: "initialize", asked: "2025-11-25" })
    expect(Client.isEnding(state)).toBe(false)
  })
})

describe("a pinned policy", () => {
  it("keeps the refusal as the cause of its UnsupportedProtocolVersion", () => {
    const reason = reasonOf(Policy.pinned("2026-07-28"), http, status(404, {}, "no"))
    expect(reason).toMatchObject({
      _tag: "UnsupportedProtocolVersion",
      requested: "2026-07-28",
      cause: { _tag: "TransportFailure", status: 404, head: "no" }
    })
  })

  it("keeps the list of a refusal that has one", () => {
    expect(reasonOf(Policy.pinned("2025-06-18"), stdio, badParams("2025-11-25"))).toMatchObject({
      _tag: "UnsupportedProtocolVersion",
      requested: "2025-06-18",
      supported: ["2025-11-25"]
    })
  })

  it.each<[string, Happening, string]>([
    ["AccessRefused", status(403), "Unauthorized 403"],
    ["Busy", status(503), "Busy 503"],
    ["Outage", status(500), "Failure 500"],
    ["Silence", silence, "Timeout server/discover 30000"],
    ["ModernSign", headerMismatch, "Header"],
    ["Garbled", garbled, "Malformed server/discover result.capabilities"]
  ])("leaves %s as it is", (_, happening, text) => {
    expect(reasonText(reasonOf(Policy.pinned("2026-07-28"), http, happening))).toBe(text)
  })
})
