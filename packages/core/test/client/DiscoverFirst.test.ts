// The tables that open with `server/discover`, cell by cell: what design section 4 says of `discoverFirst` and `stateless`.
import * as Policy from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import type { Column, Row, Standing } from "./support/Cells.ts"
import { but, cells, closing, endFails, going, initializeRefusals, neverAVerdict, outOfTurn } from "./support/Cells.ts"
import type { Happening } from "./support/Play.ts"
import {
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
  refused,
  silence,
  status,
  unsupported
} from "./support/Play.ts"

const media: ReadonlyArray<Medium> = [stdio, http]
const isHttp = (medium: Medium): boolean => medium.streams === "perRequest"
const onHttp = (medium: Medium, ...rows: ReadonlyArray<Row>): ReadonlyArray<Row> => (isHttp(medium) ? rows : [])
const onPipe = (medium: Medium, ...rows: ReadonlyArray<Row>): ReadonlyArray<Row> => (isHttp(medium) ? [] : rows)

type Answer = readonly [Happening, string]

// Every answer to a probe that leads a legacy server's client back to the handshake, by the specification.
const notModern = (medium: Medium): ReadonlyArray<Answer> => [
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

const opening = (medium: Medium): Standing => ({
  medium,
  n: 1,
  method: "server/discover",
  at: "Discovering 2026-07-28"
})

// ---- Discovering: the opening

const discovering = (medium: Medium): Column => {
  const fails = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    "fail",
    "Failed",
    closing(1),
    reason
  ]
  return {
    policy: Policy.discoverFirst,
    medium,
    state: "Discovering",
    after: "at the beginning",
    path: [],
    rows: [
      [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(1)],
      [
        lists("2025-11-25", "2026-07-28", "2099-01-01"),
        "Agreed 2026-07-28",
        "settle",
        "Settled 2026-07-28",
        closing(1)
      ],
      [
        unsupported("2026-07-28"),
        "Corrected 2026-07-28",
        "discoverAt",
        "DiscoveringAgain 2026-07-28",
        going(1, "discover 2 2026-07-28")
      ],
      [
        unsupported("2025-06-18", "2024-11-05"),
        "Countered 2025-06-18",
        "initializeAt",
        "Initializing 2025-06-18",
        going(1, "initialize 2 2025-06-18")
      ],
      [
        lists("2025-11-25", "2099-01-01"),
        "Countered 2025-11-25",
        "initializeAt",
        "Initializing 2025-11-25",
        going(1, "initialize 2 2025-11-25")
      ],
      fails(lists("1999-01-01"), "Disjoint: 1999-01-01", "Unsupported 2026-07-28 listed 1999-01-01"),
      fails(unsupported("2099-01-01"), "Disjoint: 2099-01-01", "Unsupported 2026-07-28 listed 2099-01-01"),
      fails(unsupported(), "VersionRefused", "Unsupported 2026-07-28"),
      fails(headerMismatch, "ModernSign -32020", "Header"),
      fails(capabilityMissing, "ModernSign -32021", "Capability"),
      ...notModern(medium).map(([happening, evidence]): Row => [
        happening,
        evidence,
        "initialize",
        "Initializing 2025-11-25",
        going(1, "initialize 2 2025-11-25")
      ]),
      ...but(neverAVerdict(opening(medium)), "Silence"),
      ...onPipe(
        medium,
        [
          silence,
          "Silence after 30000 ms",
          "initializeListening",
          "Initializing 2025-11-25",
          ["deadline 2 30000", "initialize 2 2025-11-25"]
        ],
        [
          exits,
          "Ended with exit code 3",
          "reopenAndInitialize",
          "Initializing 2025-11-25",
          going(1, "reopen", "initialize 2 2025-11-25")
        ]
      ),
      ...onHttp(medium, [
        silence,
        "Silence after 30000 ms",
        "initializeListening",
        "Failed",
        ["clear negotiation"],
        "Timeout server/discover 30000"
      ]),
      ...outOfTurn(opening(medium))
    ]
  }
}

// ---- Initializing: the fallback

interface Probe {
  readonly after: string
  readonly path: ReadonlyArray<Happening>
  /** The opening's refusal, where it was one. */
  readonly refusal?: string
  readonly asked?: string
}

const initializing = (
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

const holds = (medium: Medium, asked = "2025-11-25"): Row => [
  names("2026-07-28", { session: "s1" }),
  "ModernNamed 2026-07-28",
  "discoverOrHold",
  `Holding ${asked}`,
  going(2, ...(isHttp(medium) ? [`delete s1 at ${asked}`] : []), `initialize 3 ${asked}`)
]

const holdFails = (medium: Medium): Row => [
  names("2026-07-28", { session: "s1" }),
  "ModernNamed 2026-07-28",
  "discoverOrHold",
  "Failed",
  closing(2, ...(isHttp(medium) ? ["delete s1 at 2025-11-25"] : [])),
  "Unsupported 2025-11-25 named 2026-07-28"
]

const askedOnceMore: Row = [
  names("2026-07-28"),
  "ModernNamed 2026-07-28",
  "discoverOrHold",
  "DiscoveringAgain 2026-07-28",
  going(2, "discover 3 2026-07-28")
]

const kept: Row = [late("2026-07-28"), "LateAgreed 2026-07-28", "keep", "Keeping 2025-11-25", []]
const lateElse: Row = [
  late("2025-11-25"),
  "OutOfTurn: the late answer to the probe",
  "stay",
  "Initializing 2025-11-25",
  []
]

const refusedProbe: Probe = {
  after: "after a probe whose method is missing",
  path: [methodMissing],
  refusal: "NotFound server/discover"
}

const fallbacks = (policy: Policy.Policy, medium: Medium): ReadonlyArray<Column> => [
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

// ---- DiscoveringAgain

const discoveringAgain = (policy: Policy.Policy, medium: Medium): Column => {
  const standing: Standing = { medium, n: 2, method: "server/discover", at: "DiscoveringAgain 2026-07-28" }
  const both = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    "fail",
    "Failed",
    closing(2),
    `Unsupported 2026-07-28 listed 2026-07-28 <- ${reason}`
  ]
  const own = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    "fail",
    "Failed",
    closing(2),
    reason
  ]
  return {
    policy,
    medium,
    state: "DiscoveringAgain",
    after: "after a correction",
    path: [unsupported("2026-07-28")],
    rows: [
      [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(2)],
      both(unsupported("2026-07-28"), "Corrected 2026-07-28", "Unsupported 2026-07-28 listed 2026-07-28"),
      [
        lists("2025-06-18"),
        "Countered 2025-06-18",
        "counterIfFresh",
        "Countering 2025-06-18",
        going(2, "initialize 3 2025-06-18")
      ],
      [
        unsupported("2025-06-18"),
        "Countered 2025-06-18",
        "counterIfFresh",
        "Countering 2025-06-18",
        going(2, "initialize 3 2025-06-18")
      ],
      own(lists("1999-01-01"), "Disjoint: 1999-01-01", "Unsupported 2026-07-28 listed 1999-01-01"),
      both(unsupported("1999-01-01"), "Disjoint: 1999-01-01", "Unsupported 2026-07-28 listed 1999-01-01"),
      both(unsupported(), "VersionRefused", "Unsupported 2026-07-28"),
      both(headerMismatch, "ModernSign -32020", "Header"),
      both(capabilityMissing, "ModernSign -32021", "Capability"),
      both(methodMissing, "MethodMissing", "NotFound server/discover"),
      both(refused, "Refused -32000", "Rejected server/discover -32000"),
      both(badParams("2025-06-18"), "Refused -32602", "Rejected server/discover -32602"),
      ...onHttp(medium, both(status(404), "HttpRefused 404", "Failure 404")),
      own(garbled, "Garbled: it is no object", "Malformed server/discover result.capabilities"),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

// An initialize was sent before: no second opening is tried. `move` is what the policy calls that.
const discoveringAgainSpent = (policy: Policy.Policy, medium: Medium, move: (evidence: string) => string): Column => {
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

const discoveringAgainListening: Column = {
  policy: Policy.discoverFirst,
  medium: stdio,
  state: "DiscoveringAgain",
  after: "after a silent probe and an initialize that named 2026-07-28",
  path: [silence, names("2026-07-28")],
  rows: [
    [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(3)],
    [late("2026-07-28"), "LateAgreed 2026-07-28", "settle", "Settled 2026-07-28", closing(3)],
    [late("2025-11-25"), "OutOfTurn: the late answer to the probe", "stay", "DiscoveringAgain 2026-07-28", []],
    [methodMissing, "MethodMissing", "fail", "Failed", closing(3), "NotFound server/discover"],
    [
      unsupported("2026-07-28"),
      "Corrected 2026-07-28",
      "fail",
      "Failed",
      closing(3),
      "Unsupported 2026-07-28 listed 2026-07-28"
    ],
    [
      lists("2025-06-18"),
      "Countered 2025-06-18",
      "counterIfFresh",
      "Failed",
      closing(3),
      "Unsupported 2026-07-28 listed 2025-06-18"
    ]
  ]
}

// ---- Holding and Countering

const refusal = "NotFound server/discover"

const holding = (policy: Policy.Policy, medium: Medium): Column => {
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

const countering = (policy: Policy.Policy, medium: Medium): Column => {
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

const counteringListening: Column = {
  policy: Policy.discoverFirst,
  medium: stdio,
  state: "Countering",
  after: "after a silent probe and an initialize that listed 2025-06-18",
  path: [silence, badParams("2025-06-18")],
  rows: [
    [late("2026-07-28"), "LateAgreed 2026-07-28", "keep", "Keeping 2025-06-18", []],
    [late("1999-01-01"), "OutOfTurn: the late answer to the probe", "stay", "Countering 2025-06-18", []],
    [names("2025-06-18"), "Agreed 2025-06-18", "settle", "Settled 2025-06-18", closing(3, "initialized 2025-06-18")]
  ]
}

// ---- Keeping: a late DiscoverResult is kept

const keeping = (after: string, path: ReadonlyArray<Happening>, n: number, asked: string): Column => {
  const kept = (happening: Happening, evidence: string): Row => [
    happening,
    evidence,
    "settleKept",
    "Settled 2026-07-28",
    closing(n)
  ]
  return {
    policy: Policy.discoverFirst,
    medium: stdio,
    state: "Keeping",
    after,
    path,
    rows: [
      [names("2024-11-05"), "Agreed 2024-11-05", "settle", "Settled 2024-11-05", closing(n, "initialized 2024-11-05")],
      kept(names("2026-07-28"), "ModernNamed 2026-07-28"),
      kept(names("1999-01-01"), "StrangerNamed 1999-01-01"),
      kept(unsupported("2026-07-28"), "Corrected 2026-07-28"),
      kept(unsupported("2025-03-26"), "Countered 2025-03-26"),
      kept(badParams("2025-03-26"), "Countered 2025-03-26"),
      kept(unsupported("1999-01-01"), "Disjoint: 1999-01-01"),
      kept(unsupported(), "VersionRefused"),
      kept(headerMismatch, "ModernSign -32020"),
      kept(capabilityMissing, "ModernSign -32021"),
      kept(methodMissing, "MethodMissing"),
      kept(badParams(), "ParamsRefused -32602"),
      kept(refused, "Refused -32000"),
      kept(garbled, "Garbled: it is no string"),
      [silence, "Silence after 30000 ms", "settleKept", "Settled 2026-07-28", ["clear negotiation"]],
      [outOfTime, "OutOfTime after 60000 ms", "settleKept", "Settled 2026-07-28", [`clear ${n}`]],
      [lost, "Outage: The connection was refused.", "fail", "Failed", closing(n), "Failure lost"],
      [exits, "Ended with exit code 3", "fail", "Failed", closing(n), "Failure 3"],
      ...outOfTurn({ medium: stdio, n, method: "initialize", at: `Keeping ${asked}` }),
      // The probe is answered once: a second copy answers nothing.
      [late("2026-07-28"), "OutOfTurn: a response to nothing that was asked", "stay", `Keeping ${asked}`, []]
    ]
  }
}

cells("discoverFirst", Policy.discoverFirst, [
  ...media.flatMap((medium) => [
    discovering(medium),
    ...fallbacks(Policy.discoverFirst, medium),
    discoveringAgain(Policy.discoverFirst, medium),
    discoveringAgainSpent(Policy.discoverFirst, medium, (evidence) =>
      evidence.startsWith("Countered") ? "counterIfFresh" : "fail"
    ),
    holding(Policy.discoverFirst, medium),
    countering(Policy.discoverFirst, medium)
  ]),
  initializing(
    Policy.discoverFirst,
    stdio,
    { after: "after a silent probe", path: [silence] },
    [askedOnceMore],
    [kept, lateElse]
  ),
  discoveringAgainListening,
  counteringListening,
  keeping("after a silent probe that was answered late", [silence, late("2026-07-28")], 2, "2025-11-25"),
  keeping("while countering", [silence, unsupported("2025-06-18"), late("2026-07-28")], 3, "2025-06-18")
])

// ---- stateless: whatever the probe met, one handshake

const statelessAnswers = (medium: Medium): ReadonlyArray<Answer> => [
  [lists("1999-01-01"), "Disjoint: 1999-01-01"],
  [unsupported("2099-01-01"), "Disjoint: 2099-01-01"],
  [unsupported(), "VersionRefused"],
  [headerMismatch, "ModernSign -32020"],
  [capabilityMissing, "ModernSign -32021"],
  ...notModern(medium)
]

const statelessRows = (standing: Standing, handshake: ReadonlyArray<Answer>): ReadonlyArray<Row> => {
  const { medium, n } = standing
  const next = n + 1
  return [
    [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(n)],
    [
      lists("2025-06-18"),
      "Countered 2025-06-18",
      "handshakeOnce",
      "Initializing 2025-06-18",
      going(n, `initialize ${next} 2025-06-18`)
    ],
    [
      unsupported("2025-06-18"),
      "Countered 2025-06-18",
      "handshakeOnce",
      "Initializing 2025-06-18",
      going(n, `initialize ${next} 2025-06-18`)
    ],
    ...handshake.map(([happening, evidence]): Row => [
      happening,
      evidence,
      "handshakeOnce",
      "Initializing 2025-11-25",
      going(n, `initialize ${next} 2025-11-25`)
    ]),
    ...onPipe(medium, [
      exits,
      "Ended with exit code 3",
      "handshakeOnce",
      "Initializing 2025-11-25",
      going(n, "reopen", `initialize ${next} 2025-11-25`)
    ]),
    ...neverAVerdict(standing),
    ...outOfTurn(standing)
  ]
}

cells(
  "stateless",
  Policy.stateless,
  media.flatMap((medium): ReadonlyArray<Column> => [
    {
      policy: Policy.stateless,
      medium,
      state: "Discovering",
      after: "at the beginning",
      path: [],
      rows: [
        ...statelessRows(opening(medium), statelessAnswers(medium)),
        [
          unsupported("2026-07-28"),
          "Corrected 2026-07-28",
          "correctOrHandshake",
          "DiscoveringAgain 2026-07-28",
          going(1, "discover 2 2026-07-28")
        ]
      ]
    },
    {
      policy: Policy.stateless,
      medium,
      state: "DiscoveringAgain",
      after: "after a correction",
      path: [unsupported("2026-07-28")],
      rows: [
        ...statelessRows(
          { medium, n: 2, method: "server/discover", at: "DiscoveringAgain 2026-07-28" },
          statelessAnswers(medium)
        ),
        [
          unsupported("2026-07-28"),
          "Corrected 2026-07-28",
          "correctOrHandshake",
          "Initializing 2025-11-25",
          going(2, "initialize 3 2025-11-25")
        ]
      ]
    },
    discoveringAgainSpent(Policy.stateless, medium, (evidence) =>
      evidence.startsWith("Corrected") ? "correctOrHandshake" : "handshakeOnce"
    ),
    ...fallbacks(Policy.stateless, medium),
    ...(
      [
        ["Disjoint", [unsupported("1999-01-01")], "Unsupported 2026-07-28 listed 1999-01-01"],
        ["VersionRefused", [unsupported()], "Unsupported 2026-07-28"],
        ["ModernSign", [headerMismatch], "Header"]
      ] as const
    ).map(([evidence, path, refusal]) =>
      initializing(Policy.stateless, medium, { after: `after a probe that met ${evidence}`, path, refusal }, [
        holdFails(medium)
      ])
    ),
    holding(Policy.stateless, medium),
    countering(Policy.stateless, medium)
  ])
)
