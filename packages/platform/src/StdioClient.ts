// The stdio carrier on any Effect ChildProcessSpawner: one process for each opening, a line for each message. What a line
// holds is decided in core (Lines, PipeAnswer), what a close means in the machine, how processes end in the spawner.
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
import type { PlatformError } from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessHandle } from "effect/process/ChildProcessSpawner"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/**
 * Returns a transport that starts the program anew at each opening, without a shell, through the spawner in the context.
 * It inherits a short list of variables (`Launch.inheritedNames`) and those of `env`.
 *
 * Opening fails with TransportFailure where the program cannot be started: a missing command or directory, no
 * permission. From then on exactly one event tells the end: `Closed` once the program has exited or closed its output
 * and what it wrote was read, or `Lost` when it took no more input but lives on. Its standard error is always read; the
 * end of it is in `Closed`.
 *
 * Closing the channel closes the program's input, waits 2 s for its exit, and closes the scope that the spawner gave it:
 * Node's sends SIGTERM to the process group, waits 2 s and sends SIGKILL. That last wait is the spawner's own and does not
 * run on Effect's clock; `limits.killMillis` has no meaning here.
 *
 * @example
 * ```ts
 * import { StdioClient } from "@parley/platform"
 * import { Connection } from "@parley/runtime"
 * import { NodeServices } from "@effect/platform-node"
 * import { Effect } from "effect"
 *
 * const tools = Effect.gen(function* () {
 *   const transport = yield* StdioClient.make({ command: "node", args: ["server.js"] })
 *   const client = { info: { name: "reader", version: "1.0.0" }, capabilities: {} }
 *   const connection = yield* Connection.connect({ transport, client })
 *   return yield* connection.request("tools/list")
 * }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
 *
 * Effect.runPromise(tools).then(console.log)
 * ```
 */
export const make = (launch: Launch.Launch): Effect.Effect<Transport, never, ChildProcessSpawner> =>
  ChildProcessSpawner.use((spawner) =>
    Effect.succeed({
      medium: stdio,
      eras: ["legacy", "modern"],
      target: Launch.targetOf(launch),
      open: Effect.acquireRelease(open(launch, spawner), (channel) => channel.close)
    })
  )

type Spawner = ChildProcessSpawner["Service"]

const open = (launch: Launch.Launch, spawner: Spawner): Effect.Effect<Channel, TransportFailure> =>
  Effect.gen(function* () {
    const limits = Launch.limitsOf(launch)
    const context = yield* Effect.context()
    const events = yield* Queue.bounded<Event, Cause.Done>(Math.max(1, limits.queuedEvents))
    const outbox = yield* Queue.bounded<Uint8Array, Cause.Done>(1)
    const scope = yield* Scope.make()
    const command = ChildProcess.make(launch.command, launch.args ?? [], {
      cwd: launch.cwd,
      env: Launch.environment(launch, process.platform, process.env),
      forceKillAfter: limits.termMillis
    })
    const child = yield* Scope.provide(spawner.spawn(command), scope).pipe(
      Effect.mapError((error) => cannotStart(launch, error)),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    return yield* channelOf(child, limits, events, outbox, scope, Effect.runForkWith(context))
  })

const channelOf = (
  child: ChildProcessHandle,
  limits: Launch.Limits,
  events: Queue.Queue<Event, Cause.Done>,
  outbox: Queue.Queue<Uint8Array, Cause.Done>,
  scope: Scope.Closeable,
  fork: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>
): Effect.Effect<Channel> =>
  Effect.gen(function* () {
    const reader = Lines.reader({ limitBytes: limits.lineBytes })
    const tail = Launch.tail(limits.stderrBytes)
    const closing = Deferred.makeUnsafe<void>()
    let stopping: Fiber.Fiber<void> | undefined
    let exited: { readonly exitCode: number | null; readonly signal: string | null } | undefined
    let isHeldBack = false
    let over = false

    // What finds no room waits here, and nothing more is read meanwhile.
    const deliver = (found: ReadonlyArray<Event>): Effect.Effect<void> => {
      if (over) return Effect.void
      const rest = Queue.offerAllUnsafe(events, found)
      if (rest.length === 0) return Effect.void
      isHeldBack = true
      return Effect.raceFirst(Effect.asVoid(Queue.offerAll(events, rest)), Deferred.await(closing)).pipe(
        Effect.ensuring(Effect.sync(() => (isHeldBack = false)))
      )
    }
    const inBackground = <A>(effect: Effect.Effect<A, unknown>) => Effect.forkIn(Effect.exit(effect), scope)
    const output = yield* inBackground(
      Stream.runForEach(child.stdout, (chunk) => {
        const lines = reader.push(chunk)
        return lines.length === 0 ? Effect.void : deliver(PipeAnswer.events(lines))
      })
    )
    const errors = yield* inBackground(Stream.runForEach(child.stderr, (chunk) => Effect.sync(() => tail.push(chunk))))
    const exit = yield* inBackground(
      Effect.match(child.exitCode, {
        onSuccess: (exitCode) => (exited = { exitCode, signal: null }),
        onFailure: (error) => (exited = { exitCode: null, signal: signalOf(error) })
      })
    )
    const input = yield* inBackground(
      Effect.ensuring(Stream.run(Stream.fromQueue(outbox), child.stdin), Queue.shutdown(outbox))
    )

    // The exit and the end of output come in any order and nearly together: each waits for the other, not for long.
    const settled: Effect.Effect<void> = Effect.suspend(() =>
      Effect.flatMap(
        Effect.timeoutOption(
          Effect.all([Fiber.await(exit), Fiber.await(output), Fiber.await(errors)]),
          limits.settleMillis
        ),
        (all) => (all._tag === "None" && isHeldBack ? settled : Effect.void)
      )
    )
    const finish = Effect.suspend(() => {
      const isClosed = exited !== undefined || output.pollUnsafe() !== undefined
      const end = isClosed ? Launch.closed(exited?.exitCode ?? null, exited?.signal ?? null, tail.text()) : Launch.deaf
      return Effect.andThen(
        deliver([...PipeAnswer.events(reader.end()), end]),
        Effect.sync(() => {
          over = true
          stopping ??= fork(stop)
        })
      )
    })
    yield* inBackground(
      Effect.raceAllFirst([Fiber.await(exit), Fiber.await(output), Fiber.await(input)]).pipe(
        Effect.andThen(settled),
        Effect.andThen(finish)
      )
    )

    const send = (outgoing: Outgoing): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (outgoing._tag !== "Post" || over) return Effect.void
        const encoded = Lines.encode(outgoing.message)
        return encoded.ok
          ? Effect.asVoid(Queue.offer(outbox, encoder.encode(encoded.line)))
          : deliver([Launch.unwritable(outgoing.exchange, encoded.problem)])
      })
    const stop = Effect.andThen(
      Queue.end(outbox),
      Effect.andThen(Effect.timeoutOption(Fiber.await(exit), limits.stdinMillis), Scope.close(scope, Exit.void))
    )
    const close = Effect.suspend(() => {
      over = true
      Deferred.doneUnsafe(closing, Exit.void)
      Queue.endUnsafe(events)
      stopping ??= fork(stop)
      return Effect.asVoid(Fiber.await(stopping))
    })
    return { send, events, abandon: () => Effect.void, close }
  })

const cannotStart = (launch: Launch.Launch, error: PlatformError): TransportFailure => {
  const code = codeOf(error)
  // The spawner looks for the directory before it starts anything.
  const isDirectory = error.reason.module === "FileSystem" || code === "ENOTDIR"
  return Launch.cannotStart(launch, code, isDirectory ? "missing" : "present")
}

const codeOf = ({ reason }: PlatformError): string | undefined => {
  const { cause } = reason
  if (typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string")
    return cause.code
  return reason._tag === "NotFound" ? "ENOENT" : reason._tag === "PermissionDenied" ? "EACCES" : undefined
}

// The spawner gives no exit code after a signal, and its name in words alone.
const signalOf = ({ reason }: PlatformError): string | null =>
  (reason.cause instanceof Error ? /\bSIG[A-Z0-9]+\b/.exec(reason.cause.message)?.[0] : undefined) ?? null

const encoder = new TextEncoder()
