// What is wrong with a run: rows that are not as they must be, differences that nobody explains, and rows that are not
// as they were committed.
import type { Results } from "./Results.ts"
import { same } from "./Said.ts"

/** Returns what is wrong whatever was committed, one sentence each. */
export const wrong = (results: Results): ReadonlyArray<string> => [
  ...results.servers.flatMap((row) =>
    row.wrong.map(
      (problem) => `${row.library} (${row.carriage}) under ${row.policy}: ${problem} Path: ${row.path.join(", ")}.`
    )
  ),
  ...results.clients.flatMap((row) =>
    row.wrong.map(
      (problem) =>
        `${row.library} ${row.mode} to ${row.eras} (${row.carriage}): ${problem} It sent: ${row.sent.join(", ")}.`
    )
  ),
  ...results.seeds
    .filter((row) => !same(row.real, row.parley) && row.because === undefined)
    .map(
      (row) =>
        `${row.seed}, ${row.case}: it sent [${row.real.sent.join(", ")}] and ${row.real.outcome}; Parley under ${row.policy} sent [${row.parley.sent.join(", ")}] and ${row.parley.outcome}; nobody says why.`
    )
]

/** Returns the rows that are not as they were committed, one sentence each; only for the parts and seeds that were run. */
export const differences = (
  committed: Results | undefined,
  seen: Results,
  parts: ReadonlySet<string>,
  seeds: ReadonlyArray<string>
): ReadonlyArray<string> =>
  (["servers", "clients", "seeds"] as const)
    .filter((part) => parts.has(part))
    .flatMap((part) => {
      const rows: ReadonlyArray<object> = committed?.[part] ?? []
      const wanted = rows.filter((row) => !("seed" in row) || seeds.some((name) => name === row.seed))
      const before = new Set(wanted.map((row) => JSON.stringify(row)))
      const now = seen[part].map((row) => JSON.stringify(row))
      return [
        ...now.filter((row) => !before.has(row)).map((row) => `not as committed: ${row}`),
        ...[...before].filter((row) => !now.includes(row)).map((row) => `committed, not seen: ${row}`)
      ]
    })

/** Returns how many rows a run has. */
export const count = ({ clients, seeds, servers }: Results): number => servers.length + clients.length + seeds.length
