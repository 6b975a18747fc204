// The body of an HTTP request while it comes, for every carrier: how much of it is kept, and its text once it is whole.
// What the text means is not decided here.

/**
 * The bytes of one body, at most so many. However small the chunks are in which a peer sends them, it keeps no more than
 * twice what came.
 */
export class Body {
  private readonly limit: number
  private kept: Uint8Array = nothing
  private size = 0

  constructor(limitBytes: number) {
    this.limit = limitBytes
  }

  /** Takes the next bytes; the first chunk is kept as it is, so nobody may write to it. Returns false past the limit. */
  add(chunk: Uint8Array): boolean {
    const size = this.size + chunk.length
    if (size > this.limit) {
      this.kept = nothing
      return false
    }
    if (this.size === 0) {
      this.kept = chunk
    } else {
      if (size > this.kept.length) {
        const grown = new Uint8Array(Math.max(size, Math.min(2 * this.kept.length, this.limit), smallest))
        grown.set(this.kept.subarray(0, this.size))
        this.kept = grown
      }
      this.kept.set(chunk, this.size)
    }
    this.size = size
    return true
  }

  /** Returns the whole text and forgets it, or undefined where the bytes are no UTF-8. A leading BOM is dropped. */
  take(): string | undefined {
    const bytes = this.kept.subarray(0, this.size)
    this.kept = nothing
    this.size = 0
    return decode(bytes)
  }
}

/** Returns the text of bytes without a leading BOM, or undefined where they are no UTF-8. */
export const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true })
const nothing = new Uint8Array(0)
const smallest = 1024
