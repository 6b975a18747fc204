// Runs cases against the subjects: a client against a scripted peer, a server against what the case sends. What is
// right is judged in ClientCheck and ServerCheck; what is printed is Report's business.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { availableParallelism } from "node:os"
import type { Case, ClientCase, ServerCase } from "./Case.ts"
import { check, sentBy } from "./ClientCheck.ts"
import type { Scripted } from "./Scripted.ts"
import * as ScriptedPeer from "./ScriptedPeer.ts"
import * as ScriptedStdio from "./ScriptedStdio.ts"
import * as ServerRun from "./ServerRun.ts"
import type { ClientOutcome, ClientSubject, ServerSubject } from "./Subject.ts"

/** Who is tested. A case for a side that has no subject fails. */
export interface Subjects {
  readonly client?: ClientSubject | undefined
  readonly server?: ServerSubject | undefined
}

/** How cases are run. */
export interface Options {
  /** The timeout of a client case that names none, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number
  /**
   * How long a whole case may take before it counts as hanging, beyond its own timeout, in milliseconds. Default 15,000; for
   * a server, which has to start, 30,000.
   */
  readonly graceMs?: number
  /** How many cases run at the same time. Default 8; of those that start a server, as many as there are processors. */
  readonly concurrency?: number
  readonly waits?: ServerRun.Waits
}

/** How one case went. No problem is a pass. */
export interface Verdict {
  readonly id: string
  readonly side: "client" | "server"
  readonly title: string
  /** What was not right, one sentence each: what was expected and what was seen. */
  readonly problems: ReadonlyArray<string>
  /** What went over the wire, line by line. */
  readonly wire: ReadonlyArray<string>
  readonly elapsedMillis: number
}

/** Runs all cases, several at a time; the verdicts come in the order of the cases. */
export const runAll = (
  cases: ReadonlyArray<Case>,
  subjects: Subjects,
  options: Options = {}
): Effect.Effect<ReadonlyArray<Verdict>> => {
  const concurrency = options.concurrency ?? 8
  // Starting a server keeps a processor busy: more of them at once only make each other late.
  const starts = Semaphore.makeUnsafe(Math.min(concurrency, availableParallelism()))
  return Effect.forEach(
    cases,
    (subject) => {
      const one = run(subject, subjects, options)
      return subject.side === "server" ? starts.withPermit(one) : one
    },
    { concurrency }
  )
}

/** Runs one case. It never fails and always ends: a subject that hangs is a problem of its case. */
export const run = (subject: Case, subjects: Subjects, options: Options = {}): Effect.Effect<Verdict> => {
  const timeoutMs = (subject.side === "client" ? subject.client?.timeoutMs : undefined) ?? options.timeoutMs ?? 5_000
  const limit = timeoutMs + (options.graceMs ?? (subject.side === "client" ? 15_000 : 30_000))
  const body =
    subject.side === "client"
      ? runClient(subject, subjects.client, timeoutMs)
      : runServer(subject, subjects.server, options.waits ?? ServerRun.defaultWaits)
  return Effect.gen(function* () {
    const started = performance.now()
    const seen = yield* bounded(body, limit)
    return {
      id: subject.id,
      side: subject.side,
      title: subject.title ?? "",
      elapsedMillis: performance.now() - started,
      ...seen
    }
  })
}

interface Seen {
  readonly problems: ReadonlyArray<string>
  readonly wire: ReadonlyArray<string>
}

/** Waits for the end, but not for ever: not even for the interruption of what hangs. */
const bounded = (body: Effect.Effect<Seen>, limitMillis: number): Effect.Effect<Seen> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(body)
    const exit = yield* Fiber.await(fiber).pipe(
      Effect.timeoutOrElse({ duration: limitMillis, orElse: () => Effect.succeed(undefined) }),
      Effect.onInterrupt(() => Fiber.interrupt(fiber))
    )
    if (exit === undefined) {
      yield* Effect.forkDetach(Fiber.interrupt(fiber))
      return { problems: [`expected an end, saw none within ${limitMillis} ms`], wire: [] }
    }
    if (Exit.isSuccess(exit)) return exit.value
    return { problems: [died(exit.cause)], wire: [] }
  })

const runClient = Effect.fnUntraced(function* (
  subject: ClientCase,
  client: ClientSubject | undefined,
  timeoutMs: number
): Effect.fn.Return<Seen> {
  if (client === undefined) return { problems: ["there is no client to test"], wire: [] }
  const scope = yield* Scope.make()
  const peer = yield* Scope.provide(ScriptedPeer.open(subject.transport, subject.server), scope)
  const connection = yield* Scope.make()
  const started = performance.now()
  const exit = yield* client
    .connect({
      target: peer.target,
      policy: subject.policy,
      timeoutMs,
      probeTimeoutMs: subject.client?.probeTimeoutMs,
      calls: subject.then ?? []
    })
    .pipe(
      Scope.provide(connection),
      Effect.exit,
      Effect.onInterrupt(() => Scope.close(connection, Exit.void))
    )
  const elapsed = performance.now() - started
  yield* settled(peer, subject.right.sent?.length ?? 0)
  const closing = performance.now()
  yield* Scope.close(connection, Exit.void)
  const closed = performance.now() - closing
  const left = yield* survivors(peer)
  const transcript = yield* peer.record
  yield* Scope.close(scope, Exit.void)
  if (Exit.isFailure(exit)) return { problems: [died(exit.cause), ...left], wire: transcript.wire }
  return {
    problems: [...check(subject, exit.value, transcript, elapsed), ...left],
    wire: [...transcript.wire, endOf(exit.value, elapsed, closed)]
  }
})

const died = (cause: Cause.Cause<never>): string => `the subject died: ${Cause.pretty(cause).slice(0, 2000)}`

/** Processes that a second after the close have not ended. */
const survivors = (peer: Scripted): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    for (let waited = 0; ; waited += 20) {
      const alive = (yield* peer.record).processes.filter(ScriptedStdio.lives)
      if (alive.length === 0 || waited >= 1_000)
        return alive.map(({ pid }) => `process ${pid} lives on after the close`)
      yield* Effect.sleep(20)
    }
  })

/** Waits until the peer has received what must come, for a second and a half at most, and then until it is quiet. */
const settled = (peer: Scripted, expected: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let waited = 0; waited < 1_500; waited += 15) {
      if (sentBy(yield* peer.record).length >= expected) break
      yield* Effect.sleep(15)
    }
    yield* Effect.sleep(40)
  })

const endOf = (outcome: ClientOutcome, elapsed: number, closed: number): string =>
  [
    outcome.outcome === "established"
      ? `established ${outcome.era} ${outcome.version}`
      : `failed with ${outcome.error}: ${outcome.message}`,
    ` after ${Math.round(elapsed)} ms, closed in ${Math.round(closed)} ms`,
    ...(outcome.outcome === "established"
      ? outcome.calls.map(({ method, error }) => `; ${method}: ${error ?? "answered"}`)
      : [])
  ].join("")

const runServer = (
  subject: ServerCase,
  server: ServerSubject | undefined,
  waits: ServerRun.Waits
): Effect.Effect<Seen> => {
  if (server === undefined) return Effect.succeed({ problems: ["there is no server to test"], wire: [] })
  const options = subject.serverOptions
  return server
    .serve({
      eras: subject.serverEras,
      transport: subject.transport,
      sessions: options?.sessions ?? false,
      tools: options?.tools,
      allowedOrigins: options?.allowedOrigins
    })
    .pipe(
      Effect.flatMap((target) => Effect.promise(() => ServerRun.play(subject, target, waits))),
      Effect.catchTag("CannotServe", ({ message }) =>
        Effect.succeed<Seen>({ problems: [`the server cannot be started: ${message}`], wire: [] })
      ),
      Effect.scoped
    )
}
