// The walk takes two states with one key for one. That is right if they go on alike: the same evidence, move, commands
// and next key on every event. Here every other state that a walk meets under a known key is stepped beside the first.
import { describe, expect, it } from "vitest"
import * as Client from "@parley/core/client/Client"
import type { State } from "@parley/core/client/State"
import { weigh } from "@parley/core/client/Weigh"
import { keyOf } from "@parley/vectors/Key"
import { occurrences } from "@parley/vectors/Occurrences"
import { subjects } from "@parley/vectors/Subjects"
import { isEnding, walk } from "@parley/vectors/Walk"
import { quick } from "./quick.ts"

const chosen = subjects.filter(
  ({ id, plain }) => plain && !id.startsWith("pinned:2025") && !id.startsWith("pinned:2024")
)

describe("Equal keys take equal steps", () => {
  it.each(chosen.map((subject) => [subject.id, subject] as const))("%s", (_, subject) => {
    const { medium, policy } = subject
    const found = quick(() => walk(subject))
    const others = new Map<string, Map<string, { readonly index: number; readonly state: State }>>()
    for (const { state, to } of found.steps) {
      if (isEnding(state) || state.ledger.outOfTurn + state.ledger.noise > 0) continue
      const content = JSON.stringify(state)
      if (content === JSON.stringify(to.state)) continue
      const known = others.get(to.key) ?? new Map<string, { readonly index: number; readonly state: State }>()
      others.set(to.key, known)
      if (known.size < 40) known.set(content, { index: to.index, state })
    }
    let compared = 0
    for (const { index, state } of [...others.values()].flatMap((known) => [...known.values()])) {
      if (isEnding(state)) continue
      const first = found.leaving[index] ?? []
      for (const [at, { event, id }] of occurrences(medium, state).entries()) {
        const next = Client.step(policy, medium, state, event)
        const beside = first[at]
        expect(beside?.occurrence.id).toBe(id)
        const here = `${next.trace?.move} ${weigh(policy, medium, state, event)._tag} ${keyOf(next.state)} ${JSON.stringify(next.commands)}`
        const there = `${beside?.move} ${beside?.evidence._tag} ${beside === undefined ? "" : keyOf(beside.state)} ${JSON.stringify(beside?.commands)}`
        if (here !== there) expect(`${id}: ${here}`).toBe(`${id}: ${there}`)
        compared += 1
      }
    }
    console.log(`${subject.id}: ${compared} steps of states with a known key`)
  })
})
