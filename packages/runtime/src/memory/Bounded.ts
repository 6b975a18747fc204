// Verdicts in memory: so many, and so many characters of them; what was not used for the longest time goes first.
import type { Verdict } from "./Verdict.ts"

export interface Bounded {
  readonly get: (key: string) => Verdict | undefined
  readonly set: (key: string, verdict: Verdict) => void
  readonly remove: (key: string) => void
  readonly size: () => number
}

/** Returns an empty memory for at most `capacity` verdicts, and at most 32 Mi characters of what servers said. */
export const make = (capacity: number): Bounded => {
  const kept = new Map<string, { readonly verdict: Verdict; readonly length: number }>()
  let total = 0

  const remove = (key: string): void => {
    total -= kept.get(key)?.length ?? 0
    kept.delete(key)
  }

  return {
    get: (key) => {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found.verdict
    },
    set: (key, verdict) => {
      remove(key)
      const length = key.length + lengthOf(verdict)
      kept.set(key, { verdict, length })
      total += length
      for (const oldest of kept.keys()) {
        if (kept.size <= capacity && total <= mostCharacters) return
        remove(oldest)
      }
    },
    remove,
    size: () => kept.size
  }
}

const lengthOf = (verdict: Verdict): number =>
  verdict.era === "modern" && verdict.result !== undefined ? JSON.stringify(verdict.result).length : 0

const mostCharacters = 33_554_432
