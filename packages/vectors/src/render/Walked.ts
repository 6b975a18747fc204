// The page that says what was walked, which laws hold on it, and which cells no event can reach.
import type { CellOfTable } from "../Cells.ts"
import { cells, isMarkedUnreachable } from "../Cells.ts"
import { sentences } from "../laws/Design.ts"
import { clientLaws } from "../Laws.ts"
import { serverLaws } from "../server/Laws.ts"
import type { ServerWalk } from "../server/Walk.ts"
import { tableNames } from "../Subjects.ts"
import type { Survey } from "../Survey.ts"
import { totals } from "../Survey.ts"
import { bullets, code, page, table, thousands } from "./Markdown.ts"

/** Returns the page `docs/machines/walk.md`. */
export const walkPage = (survey: Survey, servers: ReadonlyArray<ServerWalk>): string => {
  const sum = totals(survey)
  const serverStates = servers.reduce((count, { nodes }) => count + nodes.length, 0)
  const serverSteps = servers.reduce((count, { steps }) => count + steps.length, 0)
  return page("What is walked, and what holds there", [
    `The client machine is walked whole: ${sum.subjects} subjects (a policy, narrowed to what a carrier's client can live in, on a medium; every preset on every pipe that can be, and on HTTP), ${thousands(sum.states)} states of which ${thousands(sum.endings)} are endings, ${thousands(sum.steps)} steps. In every state that awaits, every event is tried: answers good and bad, lists of every shape, statuses, ids, deadlines, closes, noise.`,
    `The server machine is walked whole: ${servers.length} subjects (a profile on a pipe or in an HTTP session), ${serverStates} states, ${thousands(serverSteps)} steps.`,
    "## Laws of the client",
    "Each sentence holds on every run of every subject. For each there is a machine or a table that is wrong on purpose and breaks it, so that a law that cannot fail would be noticed.",
    bullets(clientLaws.map(({ id, sentence }) => `${code(id)}: ${sentence}`)),
    "## Laws of the server",
    bullets(serverLaws.map(({ id, sentence }) => `${code(id)}: ${sentence}`)),
    "## What the design says of every run",
    "Each sentence of its section 9, and the laws that keep it; those of the pair are on [the page of the bad link](product.md).",
    table(
      ["sentence", "laws"],
      sentences.map(({ laws, says }) => [says, laws.map(code).join(", ")])
    ),
    "## Counts of the client",
    table(
      ["subject", "states", "endings", "steps", "longest shortest way"],
      survey.counts.map(({ depth, endings, states, steps, subject }) => [
        code(subject.id),
        thousands(states),
        thousands(endings),
        thousands(steps),
        String(depth)
      ])
    ),
    "## Counts of the server",
    table(
      ["subject", "states", "steps"],
      servers.map(({ nodes, steps, subject }) => [code(subject.id), String(nodes.length), thousands(steps.length)])
    ),
    "## Cells that no event can reach",
    "A table is total, so it has cells that nothing leads to. Each says why; a walk that reached one, or missed one that is not listed here, would fail the tests. The server's table has none.",
    ...tableNames.flatMap((name) => unreachable(name))
  ])
}

const unreachable = (name: string): ReadonlyArray<string> => {
  const marked = cells.filter((cell) => cell.table === name && isMarkedUnreachable(cell))
  const groups = new Map<string, Array<CellOfTable>>()
  for (const cell of marked) {
    const key = `${cell.state} ${cell.because}`
    groups.set(key, [...(groups.get(key) ?? []), cell])
  }
  const lines = [...groups.values()].map((group) => {
    const [first] = group
    const why = first === undefined ? "" : first.because.replace(/^Unreachable: /, "")
    const which = group.length === wholeRow ? "everything" : group.map(({ evidence }) => evidence).join(", ")
    return [code(first?.state ?? ""), which, why]
  })
  return [`### ${name}`, lines.length === 0 ? "None." : table(["state", "evidence", "why"], lines)]
}

const wholeRow = 21
