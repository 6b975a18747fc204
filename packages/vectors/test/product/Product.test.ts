// Both machines over a link that loses, repeats, delays, reorders, cuts and ends: explored whole, and every law bites.
import { describe, expect, it } from "vitest"
import * as Medium from "@parley/core/Medium"
import * as Moves from "@parley/core/client/Moves"
import * as Policy from "@parley/core/client/Policy"
import type { Peer, Standing } from "@parley/vectors/link/Peer"
import { parley } from "@parley/vectors/link/Peer"
import { pairLaws, pairViolations, sayPairViolation } from "@parley/vectors/product/Laws"
import { pairs, productOf } from "@parley/vectors/product/Pairs"
import type { Pair } from "@parley/vectors/product/World"
import { profiles } from "@parley/vectors/server/Subjects"
import { quick } from "../quick.ts"

describe("The product of both machines", () => {
  const products = quick(() => pairs.map((pair) => productOf(pair)))

  it("is explored whole", () => {
    const states = products.reduce((sum, { nodes }) => sum + nodes.length, 0)
    const steps = products.reduce((sum, product) => sum + product.steps.length, 0)
    console.log(`${pairs.length} pairs, ${states} states, ${steps} steps`)
    expect(new Set(pairs.map(({ id }) => id)).size).toBe(pairs.length)
    for (const { leaving, nodes } of products) expect(leaving.length).toBe(nodes.length)
  })

  it("sees every kind of fault, and agreement and failure after each", () => {
    const ends = new Set<string>()
    for (const { leaving, nodes } of products) {
      for (const { index, state } of nodes) {
        if ((leaving[index]?.length ?? 0) === 0)
          for (const fault of state.blame) ends.add(`${fault}: ${state.client._tag}`)
      }
    }
    expect([...ends].toSorted()).toEqual(
      ["cut", "delay", "duplicate", "end", "lose"].flatMap((fault) => [`${fault}: Failed`, `${fault}: Settled`])
    )
  })

  it.each(pairLaws.map((law) => [law.sentence, law] as const))("%s", (_, law) => {
    expect(products.flatMap((product) => pairViolations(product, [law])).map(sayPairViolation)).toEqual([])
  })
})

const compiled = (name: string) => {
  const found = profiles[name]
  if (found === undefined) throw new Error(`no profile ${name}`)
  return found
}

const pair = (policy: Policy.Policy, medium: Medium.Medium, server: string, peer?: Peer<Standing>): Pair => ({
  id: `${policy.name} × ${server} @${medium.name}`,
  policy,
  medium,
  peer: peer ?? parley(server, compiled(server))
})

const because = "wrong on purpose"
const patient = { move: Moves.stay, because }

const wrongs: ReadonlyArray<readonly [string, ReadonlyArray<string>, Pair]> = [
  [
    "a client without deadlines",
    ["pairs-end"],
    pair(
      // The move wants an OutOfTurn; here it is fed another evidence on purpose, so that the client goes on waiting.
      Policy.override(
        Policy.override(Policy.auto, "Initializing", "Silence", patient as never),
        "Initializing",
        "OutOfTime",
        patient as never
      ),
      Medium.stdio,
      "dual"
    )
  ],
  [
    "a server that answers one revision and keeps another",
    ["agreed-is-agreed"],
    pair(Policy.auto, Medium.stdio, "dual", {
      ...parley("dual", compiled("dual")),
      hear: (state, sent, medium) => {
        const heard = parley("dual", compiled("dual")).hear(state, sent, medium)
        const { pipe } = heard.state
        return "opening" in pipe
          ? {
              ...heard,
              state: { ...heard.state, pipe: { ...pipe, opening: { ...pipe.opening, version: "2024-11-05" } } }
            }
          : heard
      }
    })
  ],
  [
    "a server that does not mix eras, and is not known as such",
    ["agreed-is-agreed"],
    pair(Policy.discoverFirst, Medium.stdio, "dual", parley("dual", compiled("separate")))
  ],
  [
    "a server that does not mix eras, and refuses what it agreed",
    ["separate-says-so"],
    pair(Policy.auto, Medium.stdio, "separate", {
      ...parley("separate", compiled("separate")),
      hear: (state, sent, medium) =>
        sent.text?.includes("tools/list") === true
          ? {
              state,
              came: [{ _tag: "Line", text: '{"jsonrpc":"2.0","id":"next","error":{"code":-32600,"message":"no"}}' }]
            }
          : parley("separate", compiled("separate")).hear(state, sent, medium)
    })
  ],
  [
    "a server that keeps a session that was deleted",
    ["failed-is-known"],
    pair(Policy.pinned("2025-11-25"), Medium.http, "sparse", {
      ...parley("sparse", compiled("sparse")),
      hear: (state, sent, medium) =>
        sent.httpMethod === "DELETE"
          ? { state, came: [] }
          : parley("sparse", compiled("sparse")).hear(state, sent, medium)
    })
  ],
  [
    "a client that gives up on a list",
    ["dual-pairs-agree"],
    pair(
      Policy.override(Policy.auto, "Initializing", "Corrected", { move: Moves.fail, because }),
      Medium.stdio,
      "modernOnly"
    )
  ],
  [
    "a client that takes an outage for a legacy server",
    ["modern-pairs-stay-modern"],
    pair(
      Policy.override(Policy.discoverFirst, "Discovering", "Outage", { move: Moves.initialize, because }),
      Medium.http,
      "dual"
    )
  ],
  [
    "a server that lists what it does not serve",
    ["settles-on-shared", "agreed-is-agreed"],
    pair(Policy.withVersions(Policy.pinned("2027-01-01"), ["2027-01-01"]), Medium.stdio, "modernOnly", {
      ...parley("modernOnly", compiled("modernOnly")),
      hear: (state, sent, medium) => {
        const heard = parley("modernOnly", compiled("modernOnly")).hear(state, sent, medium)
        return sent.text?.includes("tools/list") === true
          ? heard
          : {
              ...heard,
              came: [
                {
                  _tag: "Line",
                  text: '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2027-01-01"],"capabilities":{}}}'
                }
              ]
            }
      }
    })
  ],
  [
    "a server that is of two minds",
    ["ideal-is-determined", "dual-pairs-agree"],
    pair(Policy.auto, Medium.http, "dual", {
      ...parley("dual", compiled("dual")),
      hear: (state, sent, medium) => {
        const heard = parley("dual", compiled("dual")).hear(state, sent, medium)
        const refused = { _tag: "Answer", exchange: sent.exchange, status: 500, headers: {}, text: undefined } as const
        return sent.text?.includes('"initialize"') === true ? { ...heard, came: [...heard.came, refused] } : heard
      }
    })
  ]
]

describe("A law of the pair bites", () => {
  it.each(wrongs)("%s", (_, breaks, wrong) => {
    const found = quick(() => pairViolations(productOf(wrong, 3)))
    const ids = found.map(({ law }) => law.id).toSorted()
    const wanted = breaks.toSorted()
    // The runs are shown only where the laws are not the ones that should break.
    if (ids.join() !== wanted.join()) expect(found.map(sayPairViolation).join("\n\n")).toBe(wanted.join())
    expect(ids).toEqual(wanted)
  })

  it("Every law has a wrong pair that breaks it.", () => {
    const bitten = new Set(wrongs.flatMap(([, breaks]) => breaks))
    expect(pairLaws.map(({ id }) => id).filter((id) => !bitten.has(id))).toEqual([])
  })
})
