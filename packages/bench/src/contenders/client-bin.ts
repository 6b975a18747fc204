// A client contender in a process of its own: `client-bin.ts <name>` opens as the file client/<name>.ts does.
import { cost, take } from "../Job.ts"
import type { Contender, Opening } from "./client/Opening.ts"

interface Wanted {
  readonly opening: Opening
  readonly url: string
}

const { contender } = (await import(`./client/${process.argv[2]}.ts`)) as { readonly contender: Contender }
const openers = new Map<string, ((times: number) => Promise<void>) | undefined>()

const openerOf = ({ opening, url }: Wanted) => {
  const key = `${opening.policy} ${url}`
  if (!openers.has(key)) openers.set(key, contender.opener(opening, url))
  return openers.get(key)
}

take({
  /** Whether the contender has the policy at all. */
  can: (wanted: Wanted) => openerOf(wanted) !== undefined,
  /** Opens so many times, so many at a time. */
  open: async ({ inFlight, times, ...wanted }: Wanted & { readonly times: number; readonly inFlight: number }) => {
    const opener = openerOf(wanted)
    if (opener === undefined) throw new Error("this contender has no such policy")
    const each = Math.ceil(times / inFlight)
    const { cpuMicros, wallMicros } = await cost(() =>
      Promise.all(Array.from({ length: inFlight }, () => opener(each)))
    )
    return { cpuMicros: cpuMicros / (each * inFlight), wallMicros: wallMicros / (each * inFlight) }
  }
})
