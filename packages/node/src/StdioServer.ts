// The stdio server carrier on Node's streams: lines in, lines out, and the end of both. What a line means is the admission's
// to decide.
import type { Line } from "@parley/core/Lines"
import * as Lines from "@parley/core/Lines"
import type { Closed } from "@parley/core/server/State"
import type { Admission, Outlet, PipeConnection, PipeOptions } from "@parley/runtime/Admission"
import * as Effect from "effect/Effect"
import type { Readable, Writable } from "node:stream"
import type { Taken } from "./internal/Stdout.ts"
import { take } from "./internal/Stdout.ts"

/** Whom to serve, and on which streams. */
export interface Options extends PipeOptions {
  readonly admission: Admission
  /** Where messages come from. Default: standard input. */
  readonly input?: Readable | undefined
  /**
   * Where messages go to, and nothing else may. Default: standard output; what the rest of the program writes there
   * meanwhile, as loggers do by default, goes to standard error.
   */
  readonly output?: Writable | undefined
}

/**
 * Serves one client on a pipe, and returns why it was closed. Completes at the end of input when the last answer is
 * written, when the client opens nothing in time, and when nobody reads the output any more: then what is being served is
 * interrupted, as it is when this is. While the client does not read what was written, nothing more is read from it. The
 * streams are left open.
 */
export const serve = (options: Options): Effect.Effect<Closed["why"]> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Pipe(options)),
    (pipe) => Effect.andThen(pipe.connection.done, (why) => Effect.as(pipe.flushed, why)),
    (pipe) => Effect.sync(() => pipe.close())
  )

class Pipe implements Outlet {
  readonly connection: PipeConnection
  private readonly input: Readable
  private readonly output: Writable
  private readonly stdout: Taken | undefined
  private readonly reader: Lines.Reader
  private readonly waiting = new Set<() => void>()
  /** What was read and not yet taken, since the output was full. */
  private lines: Array<Line> = []
  private next = 0
  private isTaking = false
  private hasEnded = false
  private isBroken = false

  constructor({ admission, input = process.stdin, output = process.stdout, principal }: Options) {
    this.input = input
    this.output = output
    this.stdout = output === process.stdout ? take() : undefined
    this.reader = Lines.reader({ limitBytes: admission.compiled.profile.limits.lineBytes })
    this.connection = admission.pipe(this, { principal })
    input.on("data", this.onData)
    for (const end of ["end", "close", "error"]) input.on(end, this.onEnd)
    output.on("drain", this.onDrained)
    for (const end of ["close", "error"]) output.on(end, this.onBroken)
    if (input.destroyed || input.readableEnded) this.onEnd()
    if (output.destroyed || output.writableEnded) this.onBroken()
  }

  write(json: string): boolean {
    return this.isBroken || this.put(`${json}\n`)
  }

  onDrain(resume: () => void): void {
    if (this.isBroken || !this.output.writableNeedDrain) resume()
    else this.waiting.add(resume)
  }

  /** Waits until everything that was written has gone out, or nobody reads it. */
  readonly flushed: Effect.Effect<void> = Effect.callback((resume) => {
    const done = (): void => resume(Effect.void)
    if (this.isBroken || this.output.writableLength === 0) return done()
    this.waiting.add(done)
    this.put("", done)
    return undefined
  })

  close(): void {
    this.connection.abandon()
    this.hasEnded = true
    this.forget()
    this.input.off("data", this.onData)
    this.input.off("end", this.onEnd)
    this.output.off("drain", this.onDrained)
    // The other listeners stay: a stream that breaks later must not end the process.
    this.input.pause()
    this.stdout?.giveBack()
    this.wake()
  }

  private put(text: string, done?: () => void): boolean {
    return this.stdout === undefined ? this.output.write(text, done) : this.stdout.write(text, done)
  }

  private readonly onData = (chunk: Uint8Array | string): void => {
    for (const line of this.reader.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk)) this.lines.push(line)
    this.take()
  }

  private readonly onEnd = (): void => {
    if (this.hasEnded) return
    this.hasEnded = true
    for (const line of this.reader.end()) this.lines.push(line)
    this.take()
  }

  private readonly onDrained = (): void => {
    this.wake()
    this.take()
  }

  private readonly onBroken = (): void => {
    if (this.isBroken) return
    this.isBroken = true
    this.forget()
    this.connection.abandon()
    this.wake()
  }

  // Takes line after line while the output has room. What came in one piece is answered in one piece.
  private take(): void {
    if (this.isTaking) return
    this.isTaking = true
    this.output.cork()
    while (this.next < this.lines.length && !this.output.writableNeedDrain) {
      const line = this.lines[this.next++]
      if (line !== undefined) this.connection.receive(line)
    }
    if (this.next >= this.lines.length) this.forget()
    this.output.uncork()
    this.isTaking = false
    if (this.lines.length > 0) this.input.pause()
    else if (this.hasEnded) this.connection.end()
    else this.input.resume()
  }

  private forget(): void {
    this.lines = []
    this.next = 0
  }

  private wake(): void {
    const waiting = [...this.waiting]
    this.waiting.clear()
    for (const resume of waiting) resume()
  }
}
