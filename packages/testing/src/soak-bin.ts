// `npm run soak -- [--seconds 60] [--seed N] [--clients 16]`: clients and servers with harm between them. Prints the figures;
// exit code 1 where something was found, or something is left over: fibers, sockets, processes, memory.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Random from "./Random.ts"
import * as SoakRun from "./SoakRun.ts"

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
console.log(`soak: seed ${values.seed}, ${values.seconds} s, ${clients} clients`)

let fibers = 0
let mostFibers = 0
const counting: Metric.FiberRuntimeMetricsService = {
  recordFiberStart: () => {
    fibers += 1
    mostFibers = Math.max(mostFibers, fibers)
  },
  recordFiberEnd: () => void (fibers -= 1)
}

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")
const heap = (): number => {
  if (typeof collect === "function") for (let round = 0; round < 3; round++) collect()
  return process.memoryUsage().heapUsed / 1_048_576
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

const program = Effect.gen(function* () {
  const before = held()
  const fibersBefore = fibers
  const quiet = settled(() => held() <= before + 1 && fibers <= fibersBefore)
  // The first part fills caches and warms what is compiled; the second must not need more.
  yield* part(millis / 3)
  yield* quiet
  const warm = heap()
  yield* part((millis * 2) / 3)
  yield* quiet
  const after = heap()
  console.log(
    `fibers left ${fibers - fibersBefore} of at most ${mostFibers}, heap ${warm.toFixed(1)} -> ${after.toFixed(1)} MiB`
  )
  if (fibers > fibersBefore) figures.findings.push(`${fibers - fibersBefore} fibers are left`)
  // The sleeping loop above holds one timer itself.
  if (held() > before + 1) figures.findings.push(`left over: ${process.getActiveResourcesInfo().join(", ")}`)
  if (after > warm + 16) figures.findings.push(`the heap grew from ${warm.toFixed(1)} to ${after.toFixed(1)} MiB`)
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
