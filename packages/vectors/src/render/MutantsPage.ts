// The page that says what became of every mutated table, and when it is of tables that have changed since.
import type { Mutant, Verdict } from "../mutants/Mutants.ts"
import { fingerprint, judge, knowing, mutants } from "../mutants/Mutants.ts"
import type { ServerMutant, ServerVerdict } from "../mutants/ServerMutants.ts"
import { judgeServer, serverMutants } from "../mutants/ServerMutants.ts"
import { serverSubjects } from "../server/Subjects.ts"
import { serverWalk } from "../server/Walk.ts"
import { tableNames } from "../Subjects.ts"
import { code, page, table } from "./Markdown.ts"

/** Where the page is. */
export const mutantsPath = "docs/machines/mutants.md"

/** A mutant of the client and what became of it. */
export type Judged = readonly [Mutant, Verdict]

/** Judges every mutant of the client and renders the page. Takes some minutes: it walks each mutated machine. */
export const mutantsPage = (told: (line: string) => void = () => undefined): string => {
  const judged = tableNames.flatMap((name) => {
    const known = knowing(name)
    const own = mutants.filter(({ cell }) => cell.table === name)
    told(`${name}: ${own.length} mutants`)
    return own.map((mutant): Judged => [mutant, judge(known, mutant)])
  })
  const walks = serverSubjects.map((subject) => serverWalk(subject))
  told(`server: ${serverMutants.length} mutants`)
  return renderMutants(
    judged,
    serverMutants.map((mutant) => [mutant, judgeServer(walks, mutant)] as const)
  )
}

/** Returns whether a committed page is of these tables and laws. */
export const isOfThese = (committed: string | undefined): boolean => committed?.includes(markOf(fingerprint())) === true

const markOf = (mark: string): string => `<!-- Of the tables and laws ${mark}. -->`

/** Returns the page for verdicts. */
export const renderMutants = (
  judged: ReadonlyArray<Judged>,
  server: ReadonlyArray<readonly [ServerMutant, ServerVerdict]>
): string => {
  const survivors = judged.filter(([, verdict]) => verdict._tag === "Survives")
  return page("Mutated tables", [
    markOf(fingerprint()),
    "Each cell that can be reached is changed to each other legal move: every move that its evidence can feed. A mutant is *equivalent* if it does the same in every state that can be reached, or leads to another state from which nothing differs that anyone could observe. Any other must be caught: by a law on the walk of the mutated machine, or by a conversation that is held otherwise. `npm run generate -- --mutants` judges them all; `npm test` judges a sample, and fails where this page is of other tables or laws.",
    "## The client",
    table(
      ["table", "mutants", "equivalent", "caught by a law", "by a conversation", "by neither"],
      tableNames.map((name) =>
        countsOf(
          name,
          judged.filter(([{ cell }]) => cell.table === name)
        )
      )
    ),
    "## Survivors",
    survivors.length === 0
      ? "None."
      : table(
          ["cell", "move", "instead", "after"],
          survivors.map(([{ cell, other }, verdict]) => [
            code(cell.id),
            code(cell.move),
            code(other),
            verdict._tag === "Survives" ? verdict.events.join(", ") : ""
          ])
        ),
    "## The server",
    serverCounts(server),
    "## Equivalent mutants of the client, and why",
    ...tableNames.flatMap((name) => [`### ${name}`, equivalents(judged.filter(([{ cell }]) => cell.table === name))]),
    "## Equivalent mutants of the server",
    serverEquivalents(server)
  ])
}

const countsOf = (name: string, judged: ReadonlyArray<Judged>): ReadonlyArray<string> => {
  const count = (is: (verdict: Verdict) => boolean): string =>
    String(judged.filter(([, verdict]) => is(verdict)).length)
  return [
    name,
    String(judged.length),
    count(({ _tag }) => _tag === "Equivalent"),
    count((verdict) => verdict._tag === "Caught" && verdict.law !== undefined),
    count((verdict) => verdict._tag === "Caught" && verdict.conversation !== undefined),
    count(({ _tag }) => _tag === "Survives")
  ]
}

const serverCounts = (server: ReadonlyArray<readonly [ServerMutant, ServerVerdict]>): string => {
  const same = server.filter(([, verdict]) => verdict._tag === "Equivalent").length
  const byLaw = server.filter(([, verdict]) => verdict._tag === "Caught" && verdict.law !== undefined).length
  return `${server.length} mutants: ${same} equivalent, ${byLaw} caught by a law, and every other by a step of \`server.steps.json\`.`
}

// A row for each move that could stand instead, with the cells where it changes nothing, for each reason.
const equivalents = (judged: ReadonlyArray<Judged>): string => {
  const groups = new Map<string, Array<string>>()
  for (const [{ cell, other }, verdict] of judged) {
    if (verdict._tag !== "Equivalent") continue
    const key = JSON.stringify([cell.move, other, verdict.why])
    groups.set(key, [...(groups.get(key) ?? []), `${cell.state}.${cell.evidence}`])
  }
  if (groups.size === 0) return "None."
  return table(
    ["move", "instead", "where", "why nothing changes"],
    [...groups].map(([key, where]) => {
      const [move, other, why]: ReadonlyArray<string> = JSON.parse(key)
      return [code(move ?? ""), code(other ?? ""), where.join(", "), why ?? ""]
    })
  )
}

const serverEquivalents = (server: ReadonlyArray<readonly [ServerMutant, ServerVerdict]>): string => {
  const rows = server
    .filter(([, verdict]) => verdict._tag === "Equivalent")
    .map(([{ cell, other }]) => [code(cell.id), code(cell.move), code(other)])
  return rows.length === 0 ? "None." : table(["cell", "move", "instead"], rows)
}
