// The loop of a client program under a Driver: a job a line on standard input, its end a line on standard output. The contract
// is the one of peers/python/client.py; times are in seconds.
import { createInterface } from "node:readline"

/** What a program is asked: where to connect, how long it may take, and whether to call the tool. */
export interface Job {
  readonly id: number
  readonly mode: string
  readonly url?: string
  readonly command?: ReadonlyArray<string>
  readonly timeout: number
  readonly probe?: number
  readonly calls: boolean
}

/** Runs every job until the input ends, then the process. `run` never rejects: a failure is an end. */
export const serveJobs = async (run: (job: Job) => Promise<object>): Promise<never> => {
  const jobs: Array<Promise<void>> = []
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue
    // Its only writer is Driver.
    const job = JSON.parse(line) as Job
    jobs.push(run(job).then((end) => void process.stdout.write(`${JSON.stringify({ id: job.id, ...end })}\n`)))
  }
  await Promise.all(jobs)
  process.exit(0)
}
