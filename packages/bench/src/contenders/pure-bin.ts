// Work without input or output in a process of its own: `pure-bin.ts <name>` does what the file pure/<name>.ts does.
import { cost, take } from "../Job.ts"
import type { Share } from "../servers/Inbound.ts"
import type { Repeated } from "./pure/Repeated.ts"

/** What work cost, in microseconds of CPU time. */
export interface Done {
  readonly micros: number
  /** How many requests were classified, or steps made. */
  readonly count: number
}

/** What work left on the heap. */
export interface Left {
  readonly count: number
  readonly keptBytes: number
}

const { contender } = (await import(`./pure/${process.argv[2]}.ts`)) as { readonly contender: Repeated }

const repeated = (work: (() => number) | undefined, times: number): number => {
  if (work === undefined) throw new Error("this contender does no such work")
  let count = 0
  for (let time = 0; time < times; time++) count += work()
  return count
}

const measured = async (work: (() => number) | undefined, times: number): Promise<Done> => {
  let count = 0
  const { cpuMicros } = await cost(() => {
    count = repeated(work, times)
  })
  return { micros: cpuMicros, count }
}

const classifiers = new Map<Share, () => number>()

interface Wanted {
  readonly times: number
}

take({
  classify: ({ share, times }: Wanted & { readonly share: Share }) => {
    const work = classifiers.get(share) ?? contender.classify?.(share)
    if (work !== undefined) classifiers.set(share, work)
    return measured(work, times)
  },
  negotiate: ({ times }: Wanted) => measured(contender.negotiate, times),
  keep: ({ times }: Wanted): Left => {
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    const count = repeated(contender.negotiate, times)
    globalThis.gc?.()
    return { count, keptBytes: process.memoryUsage().heapUsed - before }
  }
})
