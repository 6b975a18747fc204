// `npm run fuzz -- [--seconds N] [--seed N]`: fuzzes what reads a peer for so long (default 60 s), after the kept seeds.
// A finding is printed with its seed and kept by hand in packages/testing/fuzz/seeds.json; the next run begins with it.
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as Fuzz from "./Fuzz.ts"
import * as Random from "./Random.ts"

const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } })
const seconds = Number(values.seconds ?? 60)
const first = Number(values.seed ?? Date.now() % 1_000_000_000)
if (!Number.isFinite(seconds) || !Number.isInteger(first)) {
  console.error("usage: npm run fuzz -- [--seconds N] [--seed N]")
  process.exit(2)
}

// A list of numbers that this repository holds; nobody else writes it.
const kept: unknown = JSON.parse(readFileSync(new URL("../fuzz/seeds.json", import.meta.url), "utf8"))
const seeds = Array.isArray(kept) ? kept.filter((seed): seed is number => typeof seed === "number") : []
const runs = new Map(Fuzz.targets.map((target) => [target.name, 0]))
const heap = () => process.memoryUsage().heapUsed / 1024 / 1024
const before = heap()
let findings = 0

const examine = (seed: number): void => {
  for (const target of Fuzz.targets) {
    const random = Random.make(seed)
    const bytes = Random.bytes(random)
    const finding = Fuzz.examine(target, bytes, random)
    runs.set(target.name, (runs.get(target.name) ?? 0) + 1)
    if (finding === undefined) continue
    findings += 1
    console.error(`${target.name}\n  seed ${seed}: ${finding}\n  ${JSON.stringify(new TextDecoder().decode(bytes))}`)
  }
}

for (const seed of seeds) examine(seed)
const until = performance.now() + seconds * 1000
for (let seed = first; performance.now() < until && findings < 20; seed++) examine(seed)

for (const [name, count] of runs) console.log(`${String(count).padStart(9)} ${name}`)
console.log(`from seed ${first}, ${seeds.length} kept seeds; the heap grew ${(heap() - before).toFixed(1)} MiB`)
console.log(`${[...runs.values()].reduce((sum, count) => sum + count, 0) - findings} passed, ${findings} failed`)
process.exitCode = findings === 0 ? 0 : 1
