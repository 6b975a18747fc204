// What is met: many servers, each of its own origin, some of which never answer. How a contender does it is its own.

/** The servers and how they are met: under `discoverFirst`, whichever era each of them speaks. */
export interface Meeting {
  /** Their addresses; the path tells the era, for contenders that negotiate nothing. */
  readonly urls: ReadonlyArray<string>
  /** How many are met at a time. */
  readonly inFlight: number
  /** How long one may take, in milliseconds. */
  readonly deadlineMillis: number
  /** Whether a connection is closed as soon as it is open, or when all of them are. */
  readonly closes: "each" | "together"
}

/** A contender: calls `connected` for each server that it is connected to, and returns when it is done with all. */
export type Meet = (meeting: Meeting, connected: () => void) => Promise<void>

/** Does something with each item, so many at a time. */
export const each = async <A>(
  items: ReadonlyArray<A>,
  inFlight: number,
  use: (item: A) => Promise<void>
): Promise<void> => {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next++]
      if (item !== undefined) await use(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, items.length) }, worker))
}
