// A page for each table of the client: its diagram, its decisions at a glance, and the reason of every cell.
import type { CellOfTable } from "../Cells.ts"
import { cells, evidenceTags, isMarkedUnreachable, stateTags } from "../Cells.ts"
import type { TableName } from "../Subjects.ts"
import type { Transition, Transitions } from "../Transitions.ts"
import { code, fence, page, table as drawTable } from "./Markdown.ts"
import type { Arrow } from "./Mermaid.ts"
import { stateDiagram } from "./Mermaid.ts"

/** What each table is for, in a sentence or two. */
export const aboutTable: { readonly [T in TableName]: string } = {
  auto: "The default. `initialize` opens; `server/discover` follows only on a definite sign of a modern server, never on a timeout.",
  hermes:
    "As Hermes Agent's default, to the letter: any -32022, a -32601 and a modern revision named in a handshake lead on to `server/discover`.",
  discoverFirst:
    "The specification's probe: `server/discover` opens, and `initialize` follows unless a modern error forbids it.",
  stateless:
    "As Hermes Agent's `stateless`: `server/discover` opens, then one handshake whatever it met; silence fails.",
  handshakeOnly: "`initialize` and nothing else, at the legacy revisions.",
  pinnedModern: "One modern revision: `server/discover` alone, no fallback.",
  pinnedLegacy: "One legacy revision: `initialize` alone, no fallback."
}

/** Returns the path of a table's page. */
export const clientPagePath = (table: TableName): string => `docs/machines/client-${table}.md`

/** Returns the page of a table. */
export const clientPage = (name: TableName, transitions: Transitions): string => {
  const own = cells.filter((cell) => cell.table === name)
  const states = stateTags.filter((state) => own.some((cell) => cell.state === state && !isMarkedUnreachable(cell)))
  return page(`Client: ${name}`, [
    aboutTable[name],
    "## The states",
    "What is out of turn keeps the state and is not drawn. *Otherwise* is every other evidence, a move whose budget is spent, and more out of turn than is borne.",
    fence("mermaid", clientDiagram(name, transitions)),
    "## The decisions at a glance",
    "A row is what an event means, a column where the conversation stands, a cell the move. A dot is a cell that no event can reach.",
    drawTable(
      ["evidence", ...states],
      evidenceTags.map((evidence) => [
        evidence,
        ...states.map((state) => glance(own.find((cell) => cell.state === state && cell.evidence === evidence)))
      ])
    ),
    "## Every cell and its reason",
    ...states.flatMap((state) => [
      `### ${state}`,
      drawTable(
        ["evidence", "move", "because"],
        own.filter((cell) => cell.state === state).map(({ because, evidence, move }) => [evidence, code(move), because])
      )
    ])
  ])
}

/** Returns the state diagram of a table. */
export const clientDiagram = (name: TableName, transitions: Transitions): string => {
  const found = transitions.of(name)
  const arrows: Array<Arrow> = transitions.openings(name).map((to) => ({ from: "[*]", to, labels: [] }))
  const targets = [...stateTags, "Settled", "Failed"] as const
  for (const from of stateTags) {
    const leaving = found.filter((one) => one.from === from && one.evidence !== "OutOfTurn")
    for (const to of targets) {
      const led = leaving.filter((one) => one.to === to)
      if (led.length === 0) continue
      const labels = to === "Failed" ? ["otherwise"] : labelsOf(led, leaving)
      arrows.push({ from, to, labels })
    }
  }
  return stateDiagram([
    ...arrows,
    { from: "Settled", to: "[*]", labels: [] },
    { from: "Failed", to: "[*]", labels: [] }
  ])
}

// In the order of the tables; with its medium where the other medium leads elsewhere.
const labelsOf = (led: ReadonlyArray<Transition>, leaving: ReadonlyArray<Transition>): ReadonlyArray<string> =>
  evidenceTags.flatMap((evidence) => {
    const one = led.find((transition) => transition.evidence === evidence)
    if (one === undefined) return []
    const everywhere = new Set(
      leaving.filter((other) => other.evidence === evidence).flatMap(({ media }) => [...media])
    )
    return [everywhere.size > one.media.size ? `${evidence} (${[...one.media].join()})` : evidence]
  })

const glance = (cell: CellOfTable | undefined): string =>
  cell === undefined || isMarkedUnreachable(cell) ? "·" : code(cell.move)
