// An open stream of server-sent events: what the admission says on it, and the comments that keep it alive.
import * as Sse from "@parley/core/Sse"
import type { Events } from "@parley/runtime/Admission"
import { Outbox } from "./Outbox.ts"

/** One stream. Whoever carries it away takes from `outbox`. */
export class OpenEvents implements Events {
  readonly outbox = new Outbox()
  private readonly timer: ReturnType<typeof setInterval> | undefined
  private isOpen = true

  constructor(silentMillis: number) {
    // A host's timer waits at most about 24 days; asked for more, it would not wait at all.
    if (silentMillis > 0 && silentMillis < 2 ** 31) this.timer = setInterval(() => this.comment(), silentMillis)
    // Not every host has it: where it is, a stream that was forgotten does not keep the process alive.
    this.timer?.unref?.()
  }

  send(json: string): boolean {
    return this.outbox.write(Sse.encode(json))
  }

  onDrain(resume: () => void): void {
    this.outbox.onDrain(resume)
  }

  end(): void {
    this.close()
    this.outbox.end()
  }

  /** The client has gone. Returns whether the stream was open until then. */
  cut(): boolean {
    const wasOpen = this.close()
    this.outbox.drop()
    return wasOpen
  }

  private close(): boolean {
    clearInterval(this.timer)
    const wasOpen = this.isOpen
    this.isOpen = false
    return wasOpen
  }

  // Who does not read what was said gets no comments on top of it.
  private comment(): void {
    if (this.outbox.isAwaited()) this.outbox.write(keepAlive)
  }
}

const keepAlive = Sse.comment("keep-alive")
