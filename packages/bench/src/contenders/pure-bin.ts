// Work without input or output in a process of its own: `pure-bin.ts <name>` does what the file pure/<name>.ts does.
import { cost, take } from "../Job.ts"
import type { Share } from "../servers/Inbound.ts"
import type { Repeated } from "./pure/Repeated.ts"

/** What it cost, in microseconds of CPU time, and what it left on the heap. */
export interface Done {
  readonly micros: number
  /** How many requests were classified, or steps made. */
  readonly count: number
  readonly keptBytes: number
}

const { contender } = (await import(`./pure/${process.argv[2]}.ts`)) as { readonly contender: Repeated }

const repeated = async (work: (() => number) | undefined, times: number): Promise<Done> => {
  if (work === undefined) throw new Error("this contender does no such work")
  let count = 0
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const { cpuMicros } = await cost(() => {
    for (let time = 0; time < times; time++) count += work()
  })
  globalThis.gc?.()
  return { micros: cpuMicros, count, keptBytes: process.memoryUsage().heapUsed - before }
}

const classifiers = new Map<Share, () => number>()

take({
  classify: ({ share, times }: { readonly share: Share; readonly times: number }) => {
    const work = classifiers.get(share) ?? contender.classify?.(share)
    if (work !== undefined) classifiers.set(share, work)
    return repeated(work, times)
  },
  negotiate: ({ times }: { readonly times: number }) => repeated(contender.negotiate, times)
})
