// A client contender in a process of its own: `client-bin.ts <name>` opens as the file client/<name>.ts does.
import { cost, take } from "../Job.ts"
import type { Contender, Opening } from "./client/Opening.ts"

const { contender } = (await import(`./client/${process.argv[2]}.ts`)) as { readonly contender: Contender }
const openers = new Map<string, ((times: number) => Promise<void>) | undefined>()

const openerOf = ({ opening, url }: { readonly opening: Opening; readonly url: string }) => {
  const key = `${opening.policy} ${url}`
  if (!openers.has(key)) openers.set(key, contender.opener(opening, url))
  return openers.get(key)
}

take({
  /** Whether the contender has the policy at all. */
  can: (input: { readonly opening: Opening; readonly url: string }) => openerOf(input) !== undefined,
  /** Opens so many times, one after the other. */
  open: async (input: { readonly opening: Opening; readonly url: string; readonly times: number }) => {
    const opener = openerOf(input)
    if (opener === undefined) throw new Error("this contender has no such policy")
    return cost(() => opener(input.times))
  }
})
