// Who of a fleet is next: in the order of the targets, but nobody waits behind those whose origin is at its limit. Runs
// nothing.

/** One target, and its place among them. */
export interface Place<T> {
  readonly item: T
  readonly index: number
  readonly origin: string | undefined
}

export interface Line<T> {
  /** The next that may begin, or undefined where none may now. */
  readonly next: () => Place<T> | undefined
  /** One that had begun has ended. */
  readonly leave: (place: Place<T>) => void
}

/** How many wait aside for their origin until the rest of the targets waits too. */
export const mostAside = 10_000

interface Origin<T> {
  running: number
  readonly aside: Array<Place<T>>
}

/** Returns the line of the targets. */
export const make = <T>(items: Iterable<T>, originOf: (item: T) => string | undefined, perOrigin: number): Line<T> => {
  const iterator = items[Symbol.iterator]()
  const origins = new Map<string, Origin<T>>()
  const freed: Array<Place<T>> = []
  let index = 0
  let aside = 0
  let exhausted = false

  const known = (name: string): Origin<T> => {
    const found = origins.get(name)
    if (found !== undefined) return found
    const fresh: Origin<T> = { running: 0, aside: [] }
    origins.set(name, fresh)
    return fresh
  }

  const pulled = (): Place<T> | undefined => {
    while (!exhausted && aside < mostAside) {
      const step = iterator.next()
      if (step.done === true) {
        exhausted = true
        return undefined
      }
      const place: Place<T> = { item: step.value, index: index++, origin: originOf(step.value) }
      if (place.origin === undefined) return place
      const origin = known(place.origin)
      if (origin.running < perOrigin) {
        origin.running += 1
        return place
      }
      origin.aside.push(place)
      aside += 1
    }
    return undefined
  }

  return {
    next: () => freed.shift() ?? pulled(),
    leave: ({ origin: name }) => {
      if (name === undefined) return
      const origin = known(name)
      const waiting = origin.aside.shift()
      if (waiting !== undefined) {
        // It takes the place of the one that left.
        aside -= 1
        freed.push(waiting)
        return
      }
      origin.running -= 1
      if (origin.running === 0) origins.delete(name)
    }
  }
}
