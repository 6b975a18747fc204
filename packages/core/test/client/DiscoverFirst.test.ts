// The specification's probe, cell by cell: what design section 4 says of `discoverFirst`.
import * as Policy from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import { stdio } from "@parley/core/Medium"
import type { Column, Row, Standing } from "./support/Cells.ts"
import { but, cells, closing, endFails, going, neverAVerdict, outOfTurn } from "./support/Cells.ts"
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
import {
  media,
  onHttp,
  onPipe,
  notModern,
  opening,
  initializing,
  fallbacks,
  discoveringAgainSpent,
  holding,
  countering
} from "./support/Probes.ts"

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
