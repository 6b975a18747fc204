// The tables that open with `initialize`, cell by cell: what design section 4 says of `auto` and of `hermes`.
import * as Policy from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import type { Column, Row, Standing } from "./support/Cells.ts"
import { cells, closing, endFails, going, initializeRefusals, neverAVerdict, only, outOfTurn } from "./support/Cells.ts"
import type { Happening } from "./support/Play.ts"
import {
  badParams,
  capabilityMissing,
  exits,
  garbled,
  headerMismatch,
  lists,
  methodMissing,
  names,
  refused,
  status,
  unsupported
} from "./support/Play.ts"

const media: ReadonlyArray<Medium> = [stdio, http]
const isHttp = (medium: Medium): boolean => medium.streams === "perRequest"
const onHttp = (medium: Medium, ...rows: ReadonlyArray<Row>): ReadonlyArray<Row> => (isHttp(medium) ? rows : [])

const opening = (medium: Medium): Standing => ({ medium, n: 1, method: "initialize", at: "Initializing 2025-11-25" })

// What both policies say of an opening that was answered, or met no verdict.
const answered = (medium: Medium): ReadonlyArray<Row> => {
  const toDiscover = going(1, "discover 2 2026-07-28")
  return [
    [names("2025-11-25"), "Agreed 2025-11-25", "settle", "Settled 2025-11-25", closing(1, "initialized 2025-11-25")],
    [names("2024-11-05"), "Agreed 2024-11-05", "settle", "Settled 2024-11-05", closing(1, "initialized 2024-11-05")],
    ...onHttp(medium, [
      names("2025-06-18", { session: "s1" }),
      "Agreed 2025-06-18",
      "settle",
      "Settled 2025-06-18",
      closing(1, "initialized 2025-06-18 in s1")
    ]),
    [names("2026-07-28"), "ModernNamed 2026-07-28", "discoverHoldably", "Discovering 2026-07-28", toDiscover],
    [names("2025-11-26"), "ModernNamed 2025-11-26", "discoverHoldably", "Discovering 2026-07-28", toDiscover],
    [names("2099-01-01"), "ModernNamed 2099-01-01", "discoverHoldably", "Discovering 2026-07-28", toDiscover],
    [
      names("1999-01-01", { session: "s1" }),
      "StrangerNamed 1999-01-01",
      "fail",
      "Failed",
      closing(1, ...(isHttp(medium) ? ["delete s1 at 1999-01-01"] : [])),
      "Unsupported 2025-11-25 named 1999-01-01"
    ],
    [names("draft"), "StrangerNamed draft", "fail", "Failed", closing(1), "Unsupported 2025-11-25 named draft"],
    [methodMissing, "MethodMissing", "discover", "Discovering 2026-07-28", toDiscover],
    [unsupported(), "VersionRefused", "discover", "Discovering 2026-07-28", toDiscover],
    ...only(initializeRefusals(opening(medium), "2025-11-25"), "Refused", "HttpRefused"),
    ...onHttp(
      medium,
      [status(400), "HttpRefused 400", "fail", "Failed", closing(1), "Failure 400"],
      [status(307), "HttpRefused 307", "fail", "Failed", closing(1), "Failure 307"]
    ),
    [garbled, "Garbled: it is no string", "fail", "Failed", closing(1), "Malformed initialize result.protocolVersion"],
    ...neverAVerdict(opening(medium)),
    ...endFails(opening(medium)),
    ...outOfTurn(opening(medium))
  ]
}

const autoInitializing = (medium: Medium): Column => ({
  policy: Policy.auto,
  medium,
  state: "Initializing",
  after: "at the beginning",
  path: [],
  rows: [
    ...answered(medium),
    [
      unsupported("2026-07-28"),
      "Corrected 2026-07-28",
      "discoverAt",
      "Discovering 2026-07-28",
      going(1, "discover 2 2026-07-28")
    ],
    [
      unsupported("2025-06-18", "2026-07-28"),
      "Corrected 2026-07-28",
      "discoverAt",
      "Discovering 2026-07-28",
      going(1, "discover 2 2026-07-28")
    ],
    [
      badParams("2026-07-28"),
      "Corrected 2026-07-28",
      "discoverAt",
      "Discovering 2026-07-28",
      going(1, "discover 2 2026-07-28")
    ],
    [
      unsupported("2024-11-05", "2025-06-18"),
      "Countered 2025-06-18",
      "counter",
      "Countering 2025-06-18",
      going(1, "initialize 2 2025-06-18")
    ],
    [
      badParams("2025-06-18", "2026-07-28"),
      "Countered 2025-06-18",
      "counter",
      "Countering 2025-06-18",
      going(1, "initialize 2 2025-06-18")
    ],
    ...only(initializeRefusals(opening(medium), "2025-11-25"), "Disjoint"),
    [headerMismatch, "ModernSign -32020", "discover", "Discovering 2026-07-28", going(1, "discover 2 2026-07-28")],
    [capabilityMissing, "ModernSign -32021", "discover", "Discovering 2026-07-28", going(1, "discover 2 2026-07-28")],
    [badParams(), "ParamsRefused -32602", "discover", "Discovering 2026-07-28", going(1, "discover 2 2026-07-28")]
  ]
})

const hermesInitializing = (medium: Medium): Column => {
  const to = (move: string): readonly [string, string, ReadonlyArray<string>] => [
    move,
    "Discovering 2026-07-28",
    going(1, "discover 2 2026-07-28")
  ]
  const fails = (happening: Happening, evidence: string, move: string, reason: string): Row => [
    happening,
    evidence,
    move,
    "Failed",
    closing(1),
    reason
  ]
  return {
    policy: Policy.hermes,
    medium,
    state: "Initializing",
    after: "at the beginning",
    path: [],
    rows: [
      ...answered(medium),
      [unsupported("2026-07-28"), "Corrected 2026-07-28", ...to("discoverAtOnVersionError")],
      [unsupported("2025-06-18"), "Countered 2025-06-18", ...to("discoverOrCounterOnVersionError")],
      [unsupported("1999-01-01"), "Disjoint: 1999-01-01", ...to("discoverOnVersionError")],
      [unsupported("2025-11-25"), "Disjoint: 2025-11-25", ...to("discoverOnVersionError")],
      fails(
        badParams("2026-07-28"),
        "Corrected 2026-07-28",
        "discoverAtOnVersionError",
        "Unsupported 2025-11-25 listed 2026-07-28"
      ),
      fails(
        badParams("2025-06-18"),
        "Countered 2025-06-18",
        "discoverOrCounterOnVersionError",
        "Unsupported 2025-11-25 listed 2025-06-18"
      ),
      fails(
        badParams("1999-01-01"),
        "Disjoint: 1999-01-01",
        "discoverOnVersionError",
        "Unsupported 2025-11-25 listed 1999-01-01"
      ),
      ...only(initializeRefusals(opening(medium), "2025-11-25"), "ModernSign", "ParamsRefused")
    ]
  }
}

// ---- Discovering, after an `initialize` that was refused: there is no handshake to hold

const discoveringRefused = (policy: Policy.Policy, medium: Medium): Column => {
  const standing: Standing = { medium, n: 2, method: "server/discover", at: "Discovering 2026-07-28" }
  const both = (happening: Happening, evidence: string, move: string, reason: string): Row => [
    happening,
    evidence,
    move,
    "Failed",
    closing(2),
    `Unsupported 2025-11-25 <- ${reason}`
  ]
  return {
    policy,
    medium,
    state: "Discovering",
    after: "after an initialize that was refused",
    path: [unsupported()],
    rows: [
      [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(2)],
      [lists("2025-11-25", "2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(2)],
      [
        unsupported("2026-07-28"),
        "Corrected 2026-07-28",
        "discoverAt",
        "Discovering 2026-07-28",
        going(2, "discover 3 2026-07-28")
      ],
      [
        lists("2024-11-05", "2025-06-18"),
        "Countered 2025-06-18",
        "holdOrCounter",
        "Countering 2025-06-18",
        going(2, "initialize 3 2025-06-18")
      ],
      [
        unsupported("2025-11-25"),
        "Countered 2025-11-25",
        "holdOrCounter",
        "Countering 2025-11-25",
        going(2, "initialize 3 2025-11-25")
      ],
      [
        lists("1999-01-01"),
        "Disjoint: 1999-01-01",
        "fail",
        "Failed",
        closing(2),
        "Unsupported 2026-07-28 listed 1999-01-01"
      ],
      both(unsupported("1999-01-01"), "Disjoint: 1999-01-01", "fail", "Unsupported 2026-07-28 listed 1999-01-01"),
      both(unsupported(), "VersionRefused", "fail", "Unsupported 2026-07-28"),
      both(headerMismatch, "ModernSign -32020", "fail", "Header"),
      both(capabilityMissing, "ModernSign -32021", "fail", "Capability"),
      both(methodMissing, "MethodMissing", "holdOrFail", "NotFound server/discover"),
      both(refused, "Refused -32000", "holdOrFail", "Rejected server/discover -32000"),
      both(badParams(), "Refused -32602", "holdOrFail", "Rejected server/discover -32602"),
      both(badParams("2025-06-18"), "Refused -32602", "holdOrFail", "Rejected server/discover -32602"),
      both(garbled, "Garbled: it is no object", "holdOrFail", "Malformed server/discover result.capabilities"),
      ...onHttp(medium, both(status(404), "HttpRefused 404", "holdOrFail", "Failure 404")),
      ...neverAVerdict(standing),
      ...endFails(standing, "reopenAndHold"),
      ...outOfTurn(standing)
    ]
  }
}

// ---- Discovering, after an `initialize` that was answered with a modern revision: the handshake can be held

const discoveringHoldable = (policy: Policy.Policy, medium: Medium): Column => {
  const deletion = isHttp(medium) ? ["delete s1 at 2025-11-25"] : []
  const standing: Standing = {
    medium,
    n: 2,
    method: "server/discover",
    at: "Discovering 2026-07-28",
    leaving: deletion
  }
  const holds = (happening: Happening, evidence: string): Row => [
    happening,
    evidence,
    "holdOrFail",
    "Holding 2025-11-25",
    going(2, ...deletion, "initialize 3 2025-11-25")
  ]
  const fails = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    "fail",
    "Failed",
    closing(2, ...deletion),
    reason
  ]
  return {
    policy,
    medium,
    state: "Discovering",
    after: "after an initialize that named 2026-07-28",
    path: [names("2026-07-28", { session: "s1" })],
    rows: [
      [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(2, ...deletion)],
      [
        unsupported("2026-07-28"),
        "Corrected 2026-07-28",
        "discoverAt",
        "Discovering 2026-07-28",
        going(2, "discover 3 2026-07-28")
      ],
      [
        lists("2025-06-18"),
        "Countered 2025-06-18",
        "holdOrCounter",
        "Holding 2025-06-18",
        going(2, ...deletion, "initialize 3 2025-06-18")
      ],
      [
        unsupported("2025-06-18"),
        "Countered 2025-06-18",
        "holdOrCounter",
        "Holding 2025-06-18",
        going(2, ...deletion, "initialize 3 2025-06-18")
      ],
      fails(lists("1999-01-01"), "Disjoint: 1999-01-01", "Unsupported 2026-07-28 listed 1999-01-01"),
      fails(unsupported(), "VersionRefused", "Unsupported 2026-07-28"),
      fails(headerMismatch, "ModernSign -32020", "Header"),
      holds(methodMissing, "MethodMissing"),
      holds(refused, "Refused -32000"),
      holds(badParams(), "Refused -32602"),
      holds(garbled, "Garbled: it is no object"),
      ...onHttp(medium, holds(status(404), "HttpRefused 404"), holds(status(202), "Garbled: there is no answer in it")),
      ...neverAVerdict(standing),
      ...(isHttp(medium)
        ? []
        : [
            [
              exits,
              "Ended with exit code 3",
              "reopenAndHold",
              "Holding 2025-11-25",
              going(2, "reopen", "initialize 3 2025-11-25")
            ] satisfies Row
          ]),
      ...outOfTurn(standing)
    ]
  }
}

// ---- Discovering, after a correction: it is spent, and the handshake can no longer be held

const discoveringCorrected = (policy: Policy.Policy, medium: Medium): Column => {
  const deletion = isHttp(medium) ? ["delete s1 at 2025-11-25"] : []
  const standing: Standing = {
    medium,
    n: 3,
    method: "server/discover",
    at: "Discovering 2026-07-28",
    leaving: deletion
  }
  const fails = (happening: Happening, evidence: string, move: string, reason: string): Row => [
    happening,
    evidence,
    move,
    "Failed",
    closing(3, ...deletion),
    reason
  ]
  return {
    policy,
    medium,
    state: "Discovering",
    after: "after an initialize that named 2026-07-28 and a correction",
    path: [names("2026-07-28", { session: "s1" }), unsupported("2026-07-28")],
    rows: [
      [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(3, ...deletion)],
      fails(
        unsupported("2026-07-28"),
        "Corrected 2026-07-28",
        "discoverAt",
        "Unsupported 2026-07-28 listed 2026-07-28"
      ),
      [
        lists("2025-06-18"),
        "Countered 2025-06-18",
        "holdOrCounter",
        "Countering 2025-06-18",
        going(3, "initialize 4 2025-06-18")
      ],
      fails(methodMissing, "MethodMissing", "holdOrFail", "NotFound server/discover"),
      fails(refused, "Refused -32000", "holdOrFail", "Rejected server/discover -32000"),
      fails(garbled, "Garbled: it is no object", "holdOrFail", "Malformed server/discover result.capabilities"),
      ...onHttp(medium, fails(status(404), "HttpRefused 404", "holdOrFail", "Failure 404")),
      ...neverAVerdict(standing),
      ...endFails(standing, "reopenAndHold"),
      ...outOfTurn(standing)
    ]
  }
}

// ---- Holding: the second `initialize`

const holding = (policy: Policy.Policy, medium: Medium): Column => {
  const standing: Standing = { medium, n: 3, method: "initialize", at: "Holding 2025-11-25" }
  const session = isHttp(medium) ? " in s2" : ""
  const fails = (happening: Happening, evidence: string, reason: string, more: ReadonlyArray<string> = []): Row => [
    happening,
    evidence,
    "fail",
    "Failed",
    closing(3, ...more),
    reason
  ]
  return {
    policy,
    medium,
    state: "Holding",
    after: "after a modern revision in a handshake, and no server/discover",
    path: [names("2026-07-28", { session: "s1" }), methodMissing],
    rows: [
      [
        names("2025-11-25", { session: "s2" }),
        "Agreed 2025-11-25",
        "settle",
        "Settled 2025-11-25",
        closing(3, `initialized 2025-11-25${session}`)
      ],
      [
        names("2024-11-05", { session: "s2" }),
        "Agreed 2024-11-05",
        "settle",
        "Settled 2024-11-05",
        closing(3, `initialized 2024-11-05${session}`)
      ],
      [
        names("2026-07-28", { session: "s2" }),
        "ModernNamed 2026-07-28",
        "settleHeld",
        "Settled 2025-11-25 for 2026-07-28",
        closing(3, `initialized 2025-11-25${session}`)
      ],
      [
        names("2099-01-01", { session: "s2" }),
        "ModernNamed 2099-01-01",
        "settleHeld",
        "Failed",
        closing(3, ...(isHttp(medium) ? ["delete s2 at 2025-11-25"] : [])),
        "Unsupported 2025-11-25 named 2099-01-01"
      ],
      fails(names("1999-01-01"), "StrangerNamed 1999-01-01", "Unsupported 2025-11-25 named 1999-01-01"),
      fails(unsupported("2026-07-28"), "Corrected 2026-07-28", "Unsupported 2025-11-25 listed 2026-07-28"),
      fails(unsupported("2025-06-18"), "Countered 2025-06-18", "Unsupported 2025-11-25 listed 2025-06-18"),
      ...initializeRefusals(standing, "2025-11-25"),
      fails(garbled, "Garbled: it is no string", "Malformed initialize result.protocolVersion"),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

// ---- Countering: `initialize` at a revision that the server listed

const countering = (policy: Policy.Policy, medium: Medium, n: number, path: ReadonlyArray<Happening>): Column => {
  const standing: Standing = { medium, n, method: "initialize", at: "Countering 2025-06-18" }
  const first = "Unsupported 2025-11-25 listed 2025-06-18"
  const fails = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    "fail",
    "Failed",
    closing(n),
    reason
  ]
  return {
    policy,
    medium,
    state: "Countering",
    after: "after a refusal that listed 2025-06-18",
    path,
    rows: [
      [names("2025-06-18"), "Agreed 2025-06-18", "settle", "Settled 2025-06-18", closing(n, "initialized 2025-06-18")],
      fails(names("2026-07-28"), "ModernNamed 2026-07-28", "Unsupported 2025-06-18 named 2026-07-28"),
      fails(names("1999-01-01"), "StrangerNamed 1999-01-01", "Unsupported 2025-06-18 named 1999-01-01"),
      fails(unsupported("2026-07-28"), "Corrected 2026-07-28", `${first} <- Unsupported 2025-06-18 listed 2026-07-28`),
      fails(unsupported("2024-11-05"), "Countered 2024-11-05", `${first} <- Unsupported 2025-06-18 listed 2024-11-05`),
      ...initializeRefusals(standing, "2025-06-18", first),
      fails(garbled, "Garbled: it is no string", `${first} <- Malformed initialize result.protocolVersion`),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

const columnsAfter = (policy: Policy.Policy, medium: Medium): ReadonlyArray<Column> => [
  discoveringRefused(policy, medium),
  discoveringHoldable(policy, medium),
  discoveringCorrected(policy, medium),
  holding(policy, medium)
]

cells(
  "auto",
  Policy.auto,
  media.flatMap((medium) => [
    autoInitializing(medium),
    ...columnsAfter(Policy.auto, medium),
    countering(Policy.auto, medium, 2, [unsupported("2025-06-18")])
  ])
)

cells(
  "hermes",
  Policy.hermes,
  media.flatMap((medium) => [
    hermesInitializing(medium),
    ...columnsAfter(Policy.hermes, medium),
    countering(Policy.hermes, medium, 3, [unsupported("2025-06-18"), lists("2025-06-18")])
  ])
)
