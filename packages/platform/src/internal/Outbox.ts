// Text that was said and not yet carried away: the one place where a stream or a pipe waits for its reader. It knows
// neither what is said nor who takes it.

/** What takes the next piece: UTF-8 bytes, or undefined when nothing will come any more. */
export type Taker = (bytes: Uint8Array | undefined) => void

/** Text on its way out, with one writer and one taker. What is written at once is taken in one piece. */
export class Outbox {
  private texts: Array<string> = []
  private size = 0
  private over = false
  private taker: Taker | undefined
  private waiting: Array<() => void> = []

  /** Adds a text. Returns false where so much waits already that the writer should wait for `onDrain`. */
  write(text: string): boolean {
    if (this.over) return true
    const { taker } = this
    if (taker === undefined) {
      this.texts.push(text)
      this.size += text.length
      return this.size < mostWaiting
    }
    this.taker = undefined
    taker(encoder.encode(text))
    return true
  }

  /** Calls back once: when there is room, or when nobody will take anything any more. */
  onDrain(resume: () => void): void {
    if (this.over || this.size < mostWaiting) resume()
    else this.waiting.push(resume)
  }

  isFull(): boolean {
    return !this.over && this.size >= mostWaiting
  }

  /** Whether whoever carries the text away waits for more. */
  isAwaited(): boolean {
    return this.taker !== undefined
  }

  /** Nothing more is written. What waits is still taken. */
  end(): void {
    this.over = true
    const { taker } = this
    this.taker = undefined
    this.wake()
    taker?.(undefined)
  }

  /** Nobody takes anything any more: what waits is forgotten. */
  drop(): void {
    this.texts = []
    this.size = 0
    this.end()
  }

  /** Hands the next piece to the taker, now or when there is one. There is one taker at a time. */
  take(taker: Taker): void {
    if (this.size > 0) {
      const text = this.texts.length === 1 ? (this.texts[0] ?? "") : this.texts.join("")
      this.texts = []
      this.size = 0
      this.wake()
      taker(encoder.encode(text))
    } else if (this.over) {
      taker(undefined)
    } else {
      this.taker = taker
    }
  }

  /** The taker waits no more. */
  leave(): void {
    this.taker = undefined
  }

  private wake(): void {
    const { waiting } = this
    if (waiting.length === 0) return
    this.waiting = []
    for (const resume of waiting) resume()
  }
}

// In UTF-16 code units. What is above it waits in the programs that want to say it.
const mostWaiting = 65_536
const encoder = new TextEncoder()
