// `npm run soak -- [--seconds 60] [--seed N] [--clients 16]`: clients and servers with harm between them. Prints what is held
// as the run goes on, and the figures; exit code 1 where something was found, or something grew, or something is left over:
// fibers, sockets, files, processes, memory.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import { parseArgs } from "node:util"
import * as Random from "./Random.ts"
import * as SoakRun from "./SoakRun.ts"
import * as SoakServers from "./SoakServers.ts"
import * as Trend from "./SoakTrend.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1e9) },
    clients: { type: "string", default: "16" }
  }
})
const millis = Number(values.seconds) * 1000
const clients = Number(values.clients)
const random = Random.make(Number(values.seed))
const figures = SoakRun.empty()
console.log(`soak: seed ${values.seed}, ${values.seconds} s, ${clients} clients, node ${process.version}`)

let fibers = 0
let mostFibers = 0
const counting: Metric.FiberRuntimeMetricsService = {
  recordFiberStart: () => {
    fibers += 1
    mostFibers = Math.max(mostFibers, fibers)
  },
  recordFiberEnd: () => void (fibers -= 1)
}

// Sockets, servers, processes, pipes, timers: whatever keeps a process alive.
const held = (): number => process.getActiveResourcesInfo().length
const part = (span: number) => Effect.scoped(SoakRun.run(figures, random, { millis: span, clients }))

// What ends in its own time, such as a socket that is being closed, is given some.
const settled = (isSettled: () => boolean) =>
  Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + 10_000
    while (!isSettled() && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(50)
  })

const samples: Array<Trend.Sample> = []
const measure = Effect.map(Clock.currentTimeMillis, (now) => {
  const taken = Trend.sample((now - startedAt) / 1000, fibers)
  samples.push(taken)
  console.log(`${Trend.line(taken)}${String(figures.connections).padStart(9)}${String(figures.answered).padStart(9)}`)
})
const startedAt = Date.now()
// Sixty lines, however long the run.
const measuring = Effect.forever(Effect.delay(measure, Math.max(1_000, millis / 60)))

const program = Effect.gen(function* () {
  const before = held()
  const filesBefore = Trend.sample(0, 0).files
  const fibersBefore = fibers
  const quiet = settled(() => held() <= before + 1 && fibers <= fibersBefore)
  // The first part fills caches and warms what is compiled; the second must not need more.
  yield* part(millis / 10)
  yield* quiet
  const warm = Trend.sample(0, fibers)
  console.log(`${Trend.heading}${"clients".padStart(9)}${"answers".padStart(9)}`)
  yield* Effect.raceFirst(part((millis * 9) / 10), measuring)
  yield* quiet
  const after = Trend.sample(0, fibers)
  console.log(
    `at rest: fibers ${after.fibers - fibersBefore} (at most ${mostFibers} meanwhile), files ${filesBefore} -> ${after.files}, ` +
      `heap ${warm.heap.toFixed(1)} -> ${after.heap.toFixed(1)} MiB`
  )
  figures.findings.push(...Trend.growth(samples))
  if (fibers > fibersBefore) figures.findings.push(`${fibers - fibersBefore} fibers are left`)
  // The sleeping loop above holds one timer itself.
  if (held() > before + 1) figures.findings.push(`left over: ${process.getActiveResourcesInfo().join(", ")}`)
  if (after.files > Math.max(filesBefore, warm.files) + 2) figures.findings.push(`${after.files} files are open`)
  if (after.heap > warm.heap + 16) {
    figures.findings.push(`the heap grew from ${warm.heap.toFixed(1)} to ${after.heap.toFixed(1)} MiB`)
  }
  const left = Trend.marked(SoakServers.mark)
  if (left.length > 0) figures.findings.push(`processes are left: ${left.join(", ")}`)
})

// What is warned of is what the harm does, hundreds of times.
const quietly = Effect.provideService(program, References.MinimumLogLevel, "Error")
await Effect.runPromise(Effect.provideService(quietly, Metric.FiberRuntimeMetrics, counting))
const { failed, findings, met, ...counts } = figures
console.log(counts)
console.log("failed", failed)
console.log("faults met", met)
for (const finding of findings) console.log(`FOUND ${finding}`)
console.log(
  findings.length === 0 ? "soak: nothing found" : `soak: ${findings.length} findings; again with --seed ${values.seed}`
)
process.exit(findings.length === 0 ? 0 : 1)
