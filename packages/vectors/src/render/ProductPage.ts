// The page that says what holds of both machines over a link that misbehaves, and how much was explored.
import { pairLaws } from "../product/Laws.ts"
import type { Product } from "../product/Pairs.ts"
import { faults } from "../product/Pairs.ts"
import { bullets, code, page, table, thousands } from "./Markdown.ts"

/** How much of a pair was explored. */
export interface PairCount {
  readonly id: string
  readonly states: number
  readonly steps: number
  /** How it can end, each ending once, in alphabetical order. */
  readonly endings: ReadonlyArray<string>
}

/** Returns how much of a pair was explored, and how it can end. */
export const countPair = ({ nodes, pair, steps }: Product): PairCount => {
  const endings = new Set<string>()
  for (const { state } of nodes) {
    const { client } = state
    if (client._tag === "Settled") endings.add(client.version)
    if (client._tag === "Failed") endings.add(client.reason._tag)
  }
  return { id: pair.id, states: nodes.length, steps: steps.length, endings: [...endings].toSorted() }
}

/** Returns the page `docs/machines/product.md`. */
export const productPage = (counts: ReadonlyArray<PairCount>): string => {
  const states = counts.reduce((sum, one) => sum + one.states, 0)
  const steps = counts.reduce((sum, one) => sum + one.steps, 0)
  return page("Both machines on a bad link", [
    `The client machine and the server machine, with a link between them that may lose, repeat, delay and, over HTTP, reorder what is on its way, cut a connection, or end the server's process: up to ${faults} times in one negotiation. Explored whole: ${counts.length} pairs of a policy, a profile and a medium, ${thousands(states)} states, ${thousands(steps)} steps.`,
    "## What holds",
    bullets(pairLaws.map(({ id, sentence }) => `${code(id)}: ${sentence}`)),
    "## Counts, and every way to end",
    table(
      ["pair", "states", "steps", "endings"],
      counts.map(({ endings, id, states, steps }) => [id, thousands(states), thousands(steps), endings.join(", ")])
    )
  ])
}
