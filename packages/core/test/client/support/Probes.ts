// The columns that `discoverFirst` and `stateless` share: what follows once the probe led to a handshake.
import type * as Policy from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import type { Column, Row, Standing } from "./Cells.ts"
import { closing, endFails, going, initializeRefusals, neverAVerdict, outOfTurn } from "./Cells.ts"
import type { Happening } from "./Play.ts"
import {
  badParams,
  exits,
  garbled,
  headerMismatch,
  lists,
  methodMissing,
  names,
  refused,
  status,
  unsupported
} from "./Play.ts"

export const media: ReadonlyArray<Medium> = [stdio, http]
export const isHttp = (medium: Medium): boolean => medium.streams === "perRequest"
export const onHttp = (medium: Medium, ...rows: ReadonlyArray<Row>): ReadonlyArray<Row> => (isHttp(medium) ? rows : [])
export const onPipe = (medium: Medium, ...rows: ReadonlyArray<Row>): ReadonlyArray<Row> => (isHttp(medium) ? [] : rows)

export type Answer = readonly [Happening, string]

// Every answer to a probe that leads a legacy server's client back to the handshake, by the specification.
export const notModern = (medium: Medium): ReadonlyArray<Answer> => [
  [methodMissing, "MethodMissing"],
  [refused, "Refused -32000"],
  [badParams(), "Refused -32602"],
  [badParams("2025-06-18"), "Refused -32602"],
  [garbled, "Garbled: it is no object"],
  ...(isHttp(medium)
    ? ([
        [status(404), "HttpRefused 404"],
        [status(400), "HttpRefused 400"],
        [status(308), "HttpRefused 308"],
        [status(202), "Garbled: there is no answer in it"]
      ] satisfies ReadonlyArray<Answer>)
    : [])
]

export const opening = (medium: Medium): Standing => ({
  medium,
  n: 1,
  method: "server/discover",
  at: "Discovering 2026-07-28"
})

// ---- Initializing: the fallback

interface Probe {
  readonly after: string
  readonly path: ReadonlyArray<Happening>
  /** The opening's refusal, where it was one. */
  readonly refusal?: string
  readonly asked?: string
}

export const initializing = (
  policy: Policy.Policy,
  medium: Medium,
  probe: Probe,
  modernNamed: ReadonlyArray<Row>,
  more: ReadonlyArray<Row> = []
): Column => {
  const { asked = "2025-11-25", refusal } = probe
  const standing: Standing = { medium, n: 2, method: "initialize", at: `Initializing ${asked}` }
  return {
    policy,
    medium,
    state: "Initializing",
    after: probe.after,
    path: probe.path,
    rows: [
      [names("2025-06-18"), "Agreed 2025-06-18", "settle", "Settled 2025-06-18", closing(2, "initialized 2025-06-18")],
      ...onHttp(medium, [
        names("2025-06-18", { session: "s1" }),
        "Agreed 2025-06-18",
        "settle",
        "Settled 2025-06-18",
        closing(2, "initialized 2025-06-18 in s1")
      ]),
      ...modernNamed,
      [
        names("1999-01-01"),
        "StrangerNamed 1999-01-01",
        "fail",
        "Failed",
        closing(2),
        `Unsupported ${asked} named 1999-01-01`
      ],
      [
        unsupported("2025-03-26", "2026-07-28"),
        "Corrected 2026-07-28",
        "discoverAt",
        "DiscoveringAgain 2026-07-28",
        going(2, "discover 3 2026-07-28")
      ],
      [
        badParams("2026-07-28"),
        "Corrected 2026-07-28",
        "discoverAt",
        "DiscoveringAgain 2026-07-28",
        going(2, "discover 3 2026-07-28")
      ],
      [
        unsupported("2024-11-05", "2025-03-26"),
        "Countered 2025-03-26",
        "counter",
        "Countering 2025-03-26",
        going(2, "initialize 3 2025-03-26")
      ],
      [
        badParams("2025-03-26", "2026-07-28"),
        "Countered 2025-03-26",
        "counter",
        "Countering 2025-03-26",
        going(2, "initialize 3 2025-03-26")
      ],
      ...initializeRefusals(standing, asked, refusal),
      [
        garbled,
        "Garbled: it is no string",
        "fail",
        "Failed",
        closing(2),
        "Malformed initialize result.protocolVersion"
      ],
      ...more,
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

export const holds = (medium: Medium, asked = "2025-11-25"): Row => [
  names("2026-07-28", { session: "s1" }),
  "ModernNamed 2026-07-28",
  "discoverOrHold",
  `Holding ${asked}`,
  going(2, ...(isHttp(medium) ? [`delete s1 at ${asked}`] : []), `initialize 3 ${asked}`)
]

const refusedProbe: Probe = {
  after: "after a probe whose method is missing",
  path: [methodMissing],
  refusal: "NotFound server/discover"
}

export const fallbacks = (policy: Policy.Policy, medium: Medium): ReadonlyArray<Column> => [
  initializing(policy, medium, refusedProbe, [holds(medium)]),
  initializing(
    policy,
    medium,
    {
      after: "after a probe that was refused",
      path: [refused],
      refusal: "Rejected server/discover -32000"
    },
    [holds(medium)]
  ),
  initializing(policy, medium, { after: "after a probe that was garbled", path: [garbled] }, [holds(medium)]),
  initializing(
    policy,
    medium,
    { after: "after a probe that listed 2025-06-18", path: [lists("2025-06-18")], asked: "2025-06-18" },
    [holds(medium, "2025-06-18")]
  ),
  initializing(
    policy,
    medium,
    {
      after: "after a probe that was refused with 2025-06-18",
      path: [unsupported("2025-06-18")],
      asked: "2025-06-18",
      refusal: "Unsupported 2026-07-28 listed 2025-06-18"
    },
    [holds(medium, "2025-06-18")]
  ),
  ...(isHttp(medium)
    ? [
        initializing(
          policy,
          medium,
          { after: "after a probe that met a 404", path: [status(404)], refusal: "Failure 404" },
          [holds(medium)]
        )
      ]
    : [initializing(policy, medium, { after: "after a probe that ended the process", path: [exits] }, [holds(medium)])])
]

export const discoveringAgainSpent = (
  policy: Policy.Policy,
  medium: Medium,
  move: (evidence: string) => string
): Column => {
  const standing: Standing = { medium, n: 3, method: "server/discover", at: "DiscoveringAgain 2026-07-28" }
  const own = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    move(evidence),
    "Failed",
    closing(3),
    reason
  ]
  const both = (happening: Happening, evidence: string, reason: string): Row =>
    own(happening, evidence, `NotFound server/discover <- ${reason}`)
  return {
    policy,
    medium,
    state: "DiscoveringAgain",
    after: "after a probe that was refused and an initialize that was corrected",
    path: [methodMissing, unsupported("2026-07-28")],
    rows: [
      [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(3)],
      both(unsupported("2026-07-28"), "Corrected 2026-07-28", "Unsupported 2026-07-28 listed 2026-07-28"),
      own(lists("2025-06-18"), "Countered 2025-06-18", "Unsupported 2026-07-28 listed 2025-06-18"),
      both(unsupported("2025-06-18"), "Countered 2025-06-18", "Unsupported 2026-07-28 listed 2025-06-18"),
      own(lists("1999-01-01"), "Disjoint: 1999-01-01", "Unsupported 2026-07-28 listed 1999-01-01"),
      both(unsupported(), "VersionRefused", "Unsupported 2026-07-28"),
      both(headerMismatch, "ModernSign -32020", "Header"),
      both(methodMissing, "MethodMissing", "NotFound server/discover"),
      both(refused, "Refused -32000", "Rejected server/discover -32000"),
      ...onHttp(medium, both(status(404), "HttpRefused 404", "Failure 404")),
      own(garbled, "Garbled: it is no object", "Malformed server/discover result.capabilities"),
      ...neverAVerdict(standing),
      ...endFails(standing, move("Ended")),
      ...outOfTurn(standing)
    ]
  }
}

// ---- Holding and Countering

const refusal = "NotFound server/discover"

export const holding = (policy: Policy.Policy, medium: Medium): Column => {
  const standing: Standing = { medium, n: 3, method: "initialize", at: "Holding 2025-11-25" }
  const session = isHttp(medium) ? " in s2" : ""
  const fails = (happening: Happening, evidence: string, move: string, reason: string): Row => [
    happening,
    evidence,
    move,
    "Failed",
    closing(3),
    reason
  ]
  return {
    policy,
    medium,
    state: "Holding",
    after: "after a probe that was refused and an initialize that named 2026-07-28",
    path: [methodMissing, names("2026-07-28", { session: "s1" })],
    rows: [
      [
        names("2025-06-18", { session: "s2" }),
        "Agreed 2025-06-18",
        "settle",
        "Settled 2025-06-18",
        closing(3, `initialized 2025-06-18${session}`)
      ],
      [
        names("2026-07-28", { session: "s2" }),
        "ModernNamed 2026-07-28",
        "settleHeld",
        "Settled 2025-11-25 for 2026-07-28",
        closing(3, `initialized 2025-11-25${session}`)
      ],
      fails(names("2026-07-29"), "ModernNamed 2026-07-29", "settleHeld", "Unsupported 2025-11-25 named 2026-07-29"),
      fails(names("1999-01-01"), "StrangerNamed 1999-01-01", "fail", "Unsupported 2025-11-25 named 1999-01-01"),
      fails(
        unsupported("2026-07-28"),
        "Corrected 2026-07-28",
        "fail",
        `${refusal} <- Unsupported 2025-11-25 listed 2026-07-28`
      ),
      fails(
        badParams("2025-06-18"),
        "Countered 2025-06-18",
        "fail",
        `${refusal} <- Unsupported 2025-11-25 listed 2025-06-18`
      ),
      ...initializeRefusals(standing, "2025-11-25", refusal),
      fails(garbled, "Garbled: it is no string", "fail", "Malformed initialize result.protocolVersion"),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

export const countering = (policy: Policy.Policy, medium: Medium): Column => {
  const standing: Standing = { medium, n: 3, method: "initialize", at: "Countering 2025-06-18" }
  const fails = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    "fail",
    "Failed",
    closing(3),
    reason
  ]
  return {
    policy,
    medium,
    state: "Countering",
    after: "after a probe that was refused and an initialize that listed 2025-06-18",
    path: [methodMissing, badParams("2025-06-18")],
    rows: [
      [names("2025-06-18"), "Agreed 2025-06-18", "settle", "Settled 2025-06-18", closing(3, "initialized 2025-06-18")],
      fails(names("2026-07-28"), "ModernNamed 2026-07-28", "Unsupported 2025-06-18 named 2026-07-28"),
      fails(names("1999-01-01"), "StrangerNamed 1999-01-01", "Unsupported 2025-06-18 named 1999-01-01"),
      fails(
        unsupported("2026-07-28"),
        "Corrected 2026-07-28",
        `${refusal} <- Unsupported 2025-06-18 listed 2026-07-28`
      ),
      fails(badParams("2025-11-25"), "Countered 2025-11-25", `${refusal} <- Unsupported 2025-06-18 listed 2025-11-25`),
      ...initializeRefusals(standing, "2025-06-18", refusal),
      fails(garbled, "Garbled: it is no string", "Malformed initialize result.protocolVersion"),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}
