// A stdio contender in a process of its own: `client-stdio-bin.ts <name>` opens as the file client-stdio/<name>.ts does.
import { take } from "../Job.ts"
import type { Opening } from "./client/Opening.ts"
import type { Contender, Launch } from "./client-stdio/Starting.ts"

interface Wanted {
  readonly opening: Opening
  readonly launch: Launch
}

const { contender } = (await import(`./client-stdio/${process.argv[2]}.ts`)) as { readonly contender: Contender }

take({
  /** Whether the contender has the policy at all. */
  can: ({ launch, opening }: Wanted) => contender.opener(opening, launch) !== undefined,
  /** Opens once. Returns how long it took until it was connected, in milliseconds. */
  open: async ({ launch, opening }: Wanted) => {
    const opener = contender.opener(opening, launch)
    if (opener === undefined) throw new Error("this contender has no such policy")
    globalThis.gc?.()
    const started = performance.now()
    let millis = Number.NaN
    await opener(() => {
      millis = performance.now() - started
    })
    return millis
  }
})
