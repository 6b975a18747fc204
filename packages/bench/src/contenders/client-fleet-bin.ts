// A contender that meets many servers, in a process of its own: `client-fleet-bin.ts <name>` does it as the file
// client-fleet/<name>.ts does.
import { cost, take } from "../Job.ts"
import type { Meet, Meeting } from "./client-fleet/Meeting.ts"

/** What came of a meeting. */
export interface Met {
  readonly connected: number
  /** When the last server was connected, from the beginning. */
  readonly lastMillis: number
  readonly cpuMicros: number
  /** The most memory that the process ever held, in KiB. */
  readonly peakKib: number
}

const { meet } = (await import(`./client-fleet/${process.argv[2]}.ts`)) as { readonly meet: Meet }

take({
  meet: async (meeting: Meeting): Promise<Met> => {
    let connected = 0
    let last = Number.NaN
    let started = 0
    const { cpuMicros } = await cost(() => {
      started = performance.now()
      return meet(meeting, () => {
        connected += 1
        last = performance.now()
      })
    })
    return { connected, lastMillis: last - started, cpuMicros, peakKib: process.resourceUsage().maxRSS }
  }
})
