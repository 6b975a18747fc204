// `npm run sessions -- [--sessions 10000] [--seconds 60] [--require]`: shared sessions on a real Redis under harm. Prints the
// figures; exit code 1 where a session crossed principals or was lost. Without redis-server it is skipped, by name.
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import * as Redis from "./Redis.ts"
import * as SessionsRun from "./SessionsRun.ts"

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "10000" },
    seconds: { type: "string", default: "60" },
    require: { type: "boolean", default: false }
  }
})

if (!Redis.isInstalled()) {
  console.log("sessions: SKIPPED, there is no redis-server on the path (Debian: apt-get install redis-server)")
  process.exit(values.require ? 1 : 0)
}

const options = { sessions: Number(values.sessions), seconds: Number(values.seconds), servers: 4 }
const figures = await Effect.runPromise(
  Effect.scoped(Effect.flatMap(Redis.start, (redis) => SessionsRun.run(options, redis)))
)
const { failed, served, ...counts } = figures
for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(14)} ${count}`)
console.log(`served         ${served.join(" + ")}`)
for (const [tag, count] of Object.entries(failed)) console.log(`failed         ${count} ${tag}`)
const unnoticed = Math.max(0, figures.forgotten - figures.reopened)
const bad = figures.crossed + figures.mixedUp + figures.lost + unnoticed
console.log(bad === 0 ? "sessions: every session went on or was told 404 and re-opened" : "sessions: FAILED")
process.exit(bad === 0 ? 0 : 1)
