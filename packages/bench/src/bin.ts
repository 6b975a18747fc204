// `npm run bench`: measures Parley beside its peers, prints one table and writes docs/performance.md.
// `npm run bench -- --smoke`: sees that everything runs and that what is counted is exact; writes nothing.
// `npm run bench -- --only=<text>`: measures the groups whose names contain the text; writes nothing.
import { countsGroup } from "./groups/Counts.ts"
import { openingsGroup } from "./groups/Openings.ts"
import type { Group, Mode } from "./Group.ts"
import type { Row } from "./Row.ts"
import { table } from "./Table.ts"

const groups: ReadonlyArray<Group> = [openingsGroup, countsGroup]

const mode: Mode = process.argv.includes("--smoke") ? "smoke" : "full"
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice(7)

const rows: Array<Row> = []
for (const group of groups) {
  if (only !== undefined && !group.name.includes(only)) continue
  process.stderr.write(`${group.name} …\n`)
  rows.push(...(await group.run(mode)))
}
process.stdout.write(`${table(rows)}\n`)
