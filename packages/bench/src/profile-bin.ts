// Keeps the summary of a CPU profile for the page: profile-bin.ts <file.cpuprofile> <name> <contender> <group> <title>
// [note]. `npm run bench -- --only=<group> --profile=<contender>` records one.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { folder, type Recorded, summary } from "./Profile.ts"

const [path = "", name = "", contender = "", group = "", title = name, note] = process.argv.slice(2)
// What Node wrote with --cpu-prof.
const recorded = JSON.parse(readFileSync(path, "utf8")) as Recorded
const taken = new Date().toISOString().slice(0, 10)
const command = `npm run bench -- --only="${group}" --profile=${contender}`
mkdirSync(folder, { recursive: true })
const text = JSON.stringify(summary(recorded, { title, taken, command, note }), undefined, 2)
writeFileSync(new URL(`${name}.json`, folder), `${text}\n`)
