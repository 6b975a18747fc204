// The page of the server: its diagram, its table, and the ladder that an HTTP request climbs.
import { grounds } from "@parley/core/server/Grounds"
import { ladder } from "@parley/core/server/Ladder"
import type { Ground } from "@parley/core/server/Refusal"
import { serverCells, serverEvidenceTags, serverStateTags } from "../server/Cells.ts"
import type { ServerWalk } from "../server/Walk.ts"
import { code, fence, page, table } from "./Markdown.ts"
import type { Arrow } from "./Mermaid.ts"
import { stateDiagram } from "./Mermaid.ts"

/** Returns the page `docs/machines/server.md`. */
export const serverPage = (walks: ReadonlyArray<ServerWalk>): string =>
  page("Server", [
    "One machine for each stdio pipe and for each legacy HTTP session; modern requests stand alone. Over HTTP a request climbs the ladder first.",
    "## The states",
    "What keeps the state is not drawn.",
    fence("mermaid", serverDiagram(walks)),
    "## The decisions at a glance",
    table(
      ["evidence", ...serverStateTags],
      serverEvidenceTags.map((evidence) => [
        evidence,
        ...serverStateTags.map((state) =>
          code(serverCells.find((cell) => cell.state === state && cell.evidence === evidence)?.move ?? "")
        )
      ])
    ),
    "## Every cell and its reason",
    ...serverStateTags.flatMap((state) => [
      `### ${state}`,
      table(
        ["evidence", "move", "because"],
        serverCells
          .filter((cell) => cell.state === state)
          .map(({ because, evidence, move }) => [evidence, code(move), because])
      )
    ]),
    "## The ladder",
    "Every rung that can refuse a request, in the order of evaluation. A modern request meets the modern rungs after those of head and body, a legacy request the legacy ones. A pipe climbs the same rungs without those that judge HTTP; a status means nothing there.",
    table(
      ["rung", "stage", "code", "status", "remedy", "because"],
      ladder.map((rung) => [code(rung.id), rung.stage, ...groundCells(rung)])
    ),
    "## Refusals of the machine and its runtime",
    "Those that need to know where the conversation stands, or that no rung can see.",
    table(
      ["ground", "code", "status", "remedy", "because"],
      grounds.map((ground) => [code(ground.id), ...groundCells(ground)])
    )
  ])

/** Returns the state diagram of the server. */
export const serverDiagram = (walks: ReadonlyArray<ServerWalk>): string => {
  const led = new Map<string, Set<string>>()
  for (const { steps } of walks) {
    for (const { evidence, from, state } of steps) {
      if (from.state._tag === state._tag) continue
      const key = `${from.state._tag} ${state._tag}`
      led.set(key, (led.get(key) ?? new Set()).add(evidence._tag))
    }
  }
  const targets = [...serverStateTags, "Closed"] as const
  const arrows = serverStateTags.flatMap((from) =>
    targets.flatMap((to): ReadonlyArray<Arrow> => {
      const labels = serverEvidenceTags.filter((tag) => led.get(`${from} ${to}`)?.has(tag) === true)
      return labels.length === 0 ? [] : [{ from, to, labels }]
    })
  )
  return stateDiagram([
    { from: "[*]", to: "AwaitingOpening", labels: [] },
    ...arrows,
    { from: "Closed", to: "[*]", labels: [] }
  ])
}

const groundCells = ({ because, code, remedy, status }: Ground): ReadonlyArray<string> => [
  String(code),
  String(status),
  remedy,
  because
]
