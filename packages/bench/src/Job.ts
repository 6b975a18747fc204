// The side of a measured process: it takes jobs from the process that started it, one at a time, and tells what they cost.
// What a job does is the contender's own.

/** What work cost this process: CPU time of all its threads, and time on the clock. */
export interface Cost {
  readonly cpuMicros: number
  readonly wallMicros: number
}

/** A job by its name: takes the input that came with it, returns what is sent back. */
export type Jobs = { readonly [name: string]: (input: never) => unknown }

/** Takes jobs until the starting process goes away. */
export const take = (jobs: Jobs): void => {
  process.on("message", (message: { readonly id: number; readonly name: string; readonly input: unknown }) => {
    void answer(jobs, message)
  })
  process.on("disconnect", () => process.exit(0))
  process.send?.({ ready: true })
}

/**
 * Runs work and returns what it cost. No collection is forced before: one that finds no connection alive makes V8 throw away
 * the code that it had optimised for them, and what is measured then is its compiler.
 */
export const cost = async (work: () => unknown): Promise<Cost> => {
  const started = process.hrtime.bigint()
  const before = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(before)
  return { cpuMicros: user + system, wallMicros: Number(process.hrtime.bigint() - started) / 1000 }
}

const answer = async (
  jobs: Jobs,
  { id, input, name }: { readonly id: number; readonly name: string; readonly input: unknown }
): Promise<void> => {
  try {
    const job = jobs[name]
    if (job === undefined) throw new Error(`this process has no job ${name}`)
    // Each job names the type of the input that its own caller sends.
    process.send?.({ id, value: await job(input as never) })
  } catch (cause) {
    process.send?.({ id, problem: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) })
  }
}
