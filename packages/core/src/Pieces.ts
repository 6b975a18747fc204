// Text that comes in pieces, kept until it is whole. A peer that sends single characters costs no object for each.

/** Text that grows. What it keeps is never more than its text and a few pieces. */
export interface Pieces {
  /** How many UTF-16 code units are kept. */
  readonly length: () => number
  readonly add: (piece: string) => void
  /** Returns the whole text and forgets it. */
  readonly take: () => string
}

/** Returns an empty text. */
export const make = (): Pieces => {
  let length = 0
  let blocks: Array<string> | undefined
  let recent: Array<string> = []

  // A string that was concatenated or sliced holds on to what it was made of; a joined one is flat and holds itself.
  const join = (): string => {
    const text = recent.length === 1 ? (recent[0] ?? "") : recent.join("")
    recent = []
    return text
  }

  const add = (piece: string): void => {
    if (piece === "") return
    length += piece.length
    if (recent.push(piece) < piecesOfBlock) return
    if (blocks === undefined) blocks = []
    blocks.push(join())
  }

  const take = (): string => {
    const text = blocks === undefined ? join() : blocks.join("") + join()
    blocks = undefined
    length = 0
    return text
  }

  return { length: () => length, add, take }
}

// Few, because each piece may be a slice that holds its whole chunk.
const piecesOfBlock = 64
