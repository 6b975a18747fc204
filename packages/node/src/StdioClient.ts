// The stdio carrier on node:child_process: one process for each opening, a line for each message. What a line holds is
// decided in core (Lines, PipeAnswer), what a close means in the machine.
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { TransportFailure } from "@parley/core/Errors"
import * as Launch from "@parley/core/Launch"
import * as Lines from "@parley/core/Lines"
import { stdio } from "@parley/core/Medium"
import * as PipeAnswer from "@parley/core/PipeAnswer"
import type { Channel, Transport } from "@parley/runtime/Transport"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { spawn } from "node:child_process"
import { statSync } from "node:fs"

/**
 * Returns a transport that starts the program anew at each opening, without a shell. It inherits a short list of
 * variables (`Launch.inheritedNames`) and those of `env`.
 *
 * Opening fails with TransportFailure where the program cannot be started: a missing command or directory, no
 * permission. From then on exactly one event tells the end: `Closed` once the program has exited or closed its output
 * and what it wrote was read, or `Lost` when it took no more input but lives on. Its standard error is always read; the
 * end of it is in `Closed`.
 *
 * Closing the channel closes the program's input, waits 2 s, sends SIGTERM, waits 2 s and sends SIGKILL, to all processes
 * of its group, so that what it started itself ends too (unless that left the group). On Windows `taskkill /T /F` takes
 * the place of both signals, and a `.cmd` such as npx must be started as `cmd /c npx`.
 */
export const make = (launch: Launch.Launch): Transport => ({
  medium: stdio,
  eras: ["legacy", "modern"],
  target: Launch.targetOf(launch),
  open: open(launch)
})

const open = (launch: Launch.Launch): Effect.Effect<Channel, TransportFailure, Scope.Scope> => {
  const limits = Launch.limitsOf(launch)
  return Effect.acquireRelease(
    Effect.gen(function* () {
      const context = yield* Effect.context()
      const events = yield* Queue.bounded<Event, Cause.Done>(Math.max(1, limits.queuedEvents))
      const child = yield* start(launch)
      return channelOf(child, limits, events, Effect.runForkWith(context))
    }),
    (channel) => channel.close
  )
}

interface Child {
  readonly process: ChildProcessWithoutNullStreams
  readonly pid: number
}

const start = (launch: Launch.Launch): Effect.Effect<Child, TransportFailure> =>
  Effect.callback((resume) => {
    const fail = (cause: unknown): void =>
      resume(Effect.fail(Launch.cannotStart(launch, codeOf(cause), hasDirectory(launch.cwd) ? "present" : "missing")))
    try {
      const child = spawn(launch.command, launch.args ?? [], {
        cwd: launch.cwd,
        env: Launch.environment(launch, process.platform, process.env),
        stdio: "pipe",
        // A group of its own, so that all of it can be ended. On Windows this would open a window.
        detached: !isWindows,
        windowsHide: true
      })
      child.on("error", fail)
      // Without a pid the error event follows; with one the process runs, and nothing need be waited for.
      if (child.pid !== undefined) resume(Effect.succeed({ process: child, pid: child.pid }))
    } catch (cause) {
      fail(cause)
    }
  })

const channelOf = (
  child: Child,
  limits: Launch.Limits,
  events: Queue.Queue<Event, Cause.Done>,
  fork: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>
): Channel => {
  const { stdin, stdout, stderr } = child.process
  const exited = Deferred.makeUnsafe<void>()
  const group = groupOf(child, () => Deferred.isDoneUnsafe(exited))
  const reader = Lines.reader({ limitBytes: limits.lineBytes })
  const tail = Launch.tail(limits.stderrBytes)
  const waiting = new Set<() => void>()
  let backlog: ReadonlyArray<Event> = []
  let pump: Fiber.Fiber<void> | undefined
  let settling: Fiber.Fiber<void> | undefined
  let stopping: Fiber.Fiber<void> | undefined
  let isHeldBack = false
  let over = false

  // Events that find no room wait in the backlog while a fiber offers them, and nothing more is read meanwhile.
  const deliver = (found: ReadonlyArray<Event>): void => {
    if (isHeldBack) {
      backlog = backlog.concat(found)
      stdout.pause()
      return
    }
    backlog = Queue.offerAllUnsafe(events, found)
    if (backlog.length > 0) {
      isHeldBack = true
      stdout.pause()
      pump = fork(drain)
    }
    // The reader runs now, not at the next turn of the event loop.
    Queue.flushUnsafe(events)
  }
  const drain: Effect.Effect<void> = Effect.suspend(() => {
    if (backlog.length === 0) {
      isHeldBack = false
      stdout.resume()
      return Effect.void
    }
    const batch = backlog
    backlog = []
    return Effect.andThen(Queue.offerAll(events, batch), drain)
  })

  const finish = (): void => {
    if (over) return
    const { exitCode, signalCode } = child.process
    const ended = Deferred.isDoneUnsafe(exited) || stdout.readableEnded || stdout.destroyed
    deliver(PipeAnswer.events(reader.end()))
    deliver([ended ? Launch.closed(exitCode, signalCode, tail.text()) : Launch.deaf])
    over = true
    settling?.interruptUnsafe()
    stopping ??= fork(stop)
  }
  // The exit and the end of output come in any order and nearly together: each waits for the other, not for long.
  const settle = (): void => {
    if (!over) settling ??= fork(settled)
  }
  const settled: Effect.Effect<void> = Effect.flatMap(Effect.sleep(limits.settleMillis), () =>
    isHeldBack ? settled : Effect.sync(finish)
  )

  stdout.on("data", (chunk: Uint8Array) => {
    if (over) return
    const lines = reader.push(chunk)
    if (lines.length > 0) deliver(PipeAnswer.events(lines))
  })
  stderr.on("data", tail.push)
  stdout.on("close", settle)
  stdin.on("error", settle)
  stdout.on("error", settle)
  stderr.on("error", settle)
  child.process.on("exit", () => {
    Deferred.doneUnsafe(exited, Exit.void)
    group.lives()
    settle()
  })
  child.process.on("close", finish)
  const wake = (): void => {
    for (const resume of waiting) resume()
    waiting.clear()
  }
  stdin.on("drain", wake)
  stdin.on("close", wake)

  const send = (outgoing: Outgoing): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (outgoing._tag !== "Post" || over || !stdin.writable) return Effect.void
      if (stdin.writableNeedDrain) return Effect.andThen(writable, send(outgoing))
      const encoded = Lines.encode(outgoing.message)
      if (encoded.ok) stdin.write(encoded.line)
      else deliver([Launch.unwritable(outgoing.exchange, encoded.problem)])
      return Effect.void
    })
  const writable = Effect.callback<void>((resume) => {
    const ready = (): void => resume(Effect.void)
    if (!stdin.writable || !stdin.writableNeedDrain) ready()
    else waiting.add(ready)
    return Effect.sync(() => waiting.delete(ready))
  })

  const stop: Effect.Effect<void> = Effect.gen(function* () {
    stdin.end()
    if (yield* isGoneWithin(limits.stdinMillis)) return
    group.signal("SIGTERM")
    if (yield* isGoneWithin(limits.termMillis)) return
    group.signal("SIGKILL")
    yield* isGoneWithin(limits.killMillis)
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        // A process that left the group may hold the pipes; they must not hold this one.
        for (const stream of [stdin, stdout, stderr]) stream.destroy()
        child.process.unref()
      })
    )
  )
  const isGoneWithin = (millis: number): Effect.Effect<boolean> =>
    Effect.suspend(() =>
      group.lives()
        ? Effect.map(Effect.timeoutOption(gone, millis), (option) => option._tag === "Some")
        : Effect.succeed(true)
    )
  const gone = Effect.andThen(Deferred.await(exited), () => whileLiving(group, 5))

  const close = Effect.suspend(() => {
    over = true
    settling?.interruptUnsafe()
    pump?.interruptUnsafe()
    Queue.endUnsafe(events)
    // What the program still writes is read and dropped, so that it is not held up on its way out.
    stdout.resume()
    stopping ??= fork(stop)
    return Effect.asVoid(Fiber.await(stopping))
  })
  return { send, events, abandon: () => Effect.void, close }
}

/** The process and what it started, as far as that stayed in its group. */
interface Group {
  readonly lives: () => boolean
  readonly signal: (signal: "SIGTERM" | "SIGKILL") => void
}

const groupOf = ({ process: child, pid }: Child, hasExited: () => boolean): Group => {
  // Once it was seen gone the number may be another group's: it is never asked or signalled again.
  let isGone = false
  const lives = (): boolean => {
    if (!hasExited()) return true
    if (isGone || isWindows) return false
    try {
      process.kill(-pid, 0)
    } catch {
      isGone = true
    }
    return !isGone
  }
  const signal = (name: "SIGTERM" | "SIGKILL"): void => {
    if (!lives()) return
    if (isWindows) {
      spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on("error", () =>
        child.kill()
      )
      return
    }
    try {
      process.kill(-pid, name)
    } catch {
      if (!hasExited()) child.kill(name)
    }
  }
  return { lives, signal }
}

// Nothing tells when the last process of a group ends.
const whileLiving = (group: Group, millis: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    group.lives() ? Effect.andThen(Effect.sleep(millis), whileLiving(group, Math.min(2 * millis, 100))) : Effect.void
  )

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

const hasDirectory = (path: string | undefined): boolean => {
  if (path === undefined) return true
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const isWindows = process.platform === "win32"
