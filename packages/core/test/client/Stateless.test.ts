// `server/discover`, then one handshake whatever it met, cell by cell: what design section 4 says of `stateless`.
import * as Policy from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import type { Column, Row, Standing } from "./support/Cells.ts"
import { cells, closing, going, neverAVerdict, outOfTurn } from "./support/Cells.ts"
import { capabilityMissing, exits, headerMismatch, lists, names, unsupported } from "./support/Play.ts"
import type { Answer } from "./support/Probes.ts"
import {
  media,
  isHttp,
  onPipe,
  notModern,
  opening,
  initializing,
  fallbacks,
  discoveringAgainSpent,
  holding,
  countering
} from "./support/Probes.ts"

const holdFails = (medium: Medium): Row => [
  names("2026-07-28", { session: "s1" }),
  "ModernNamed 2026-07-28",
  "discoverOrHold",
  "Failed",
  closing(2, ...(isHttp(medium) ? ["delete s1 at 2025-11-25"] : [])),
  "Unsupported 2025-11-25 named 2026-07-28"
]

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
