// The stdio server carrier on Effect's Stdio: lines in, lines out, and the end of both. What a line means is the admission's
// to decide.
import type { Line } from "@parley/core/Lines"
import * as Lines from "@parley/core/Lines"
import type { Closed } from "@parley/core/server/State"
import type { Admission, PipeConnection, PipeOptions } from "@parley/runtime/Admission"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Stdio } from "effect/Stdio"
import * as Stream from "effect/Stream"
import { Outbox } from "./internal/Outbox.ts"
import { streamOf } from "./internal/OutboxStream.ts"

/** What {@link serve} needs: a server that admits, and who the application says the client is. */
export interface Options extends PipeOptions {
  readonly admission: Admission
}

/**
 * Serves one client on standard input and output, and returns why it was closed. Completes at the end of input when the last
 * answer is written, when the client opens nothing in time, and when nobody reads the output any more: then what is being
 * served is interrupted, as it is when this is. While the client does not read what was written, nothing more is read from
 * it. Standard output is ended with it; logs belong on standard error.
 *
 * Node keeps a process alive while its standard input is open, as it is where the client opened nothing in time. The
 * teardown of the example ends it all the same.
 *
 * @example
 * ```ts
 * import { Profile } from "@parley/core"
 * import { StdioServer } from "@parley/platform"
 * import { Admission } from "@parley/runtime"
 * import { NodeRuntime, NodeServices } from "@effect/platform-node"
 * import { Effect, Layer, Logger, Runtime } from "effect"
 *
 * const profile = Profile.dual({ serverInfo: { name: "clock", version: "1.0.0" }, capabilities: { tools: {} } })
 *
 * Effect.gen(function* () {
 *   const admission = yield* Admission.make(profile, () => Effect.succeed({ tools: [] }))
 *   yield* StdioServer.serve({ admission })
 * }).pipe(
 *   Effect.scoped,
 *   Effect.provide(
 *     Layer.merge(NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))
 *   ),
 *   NodeRuntime.runMain({ teardown: (exit) => Runtime.defaultTeardown(exit, process.exit) })
 * )
 * ```
 */
export const serve = (options: Options): Effect.Effect<Closed["why"], never, Stdio> =>
  Effect.flatMap(Stdio, (stdio) =>
    Effect.acquireUseRelease(
      Effect.sync(() => open(options)),
      (served) => run(served, stdio),
      (served) => abandon(served)
    )
  )

interface Served {
  readonly lines: Lines.Reader
  readonly outbox: Outbox
  readonly pipe: PipeConnection
}

const open = ({ admission, principal }: Options): Served => {
  const outbox = new Outbox()
  return {
    lines: Lines.reader({ limitBytes: admission.compiled.profile.limits.lineBytes }),
    outbox,
    pipe: admission.pipe(
      { write: (json) => outbox.write(`${json}\n`), onDrain: (resume) => outbox.onDrain(resume) },
      { principal }
    )
  }
}

const run = (served: Served, stdio: Stdio): Effect.Effect<Closed["why"]> =>
  Effect.gen(function* () {
    const { outbox, pipe } = served
    const writer = yield* Effect.forkChild(
      Effect.ensuring(Effect.exit(Stream.run(streamOf(outbox), stdio.stdout({ endOnDone: true }))), abandon(served))
    )
    const reader = yield* Effect.forkChild(read(served, stdio))
    const why = yield* pipe.done
    yield* Fiber.interrupt(reader)
    outbox.end()
    yield* Fiber.await(writer)
    return why
  })

// Input that breaks is input that ended.
const read = ({ lines, outbox, pipe }: Served, stdio: Stdio): Effect.Effect<void> => {
  const room = Effect.callback<void>((resume) => outbox.onDrain(() => resume(Effect.void)))
  const receive = (line: Line): Effect.Effect<void> => {
    pipe.receive(line)
    return outbox.isFull() ? room : Effect.void
  }
  const take = (found: ReadonlyArray<Line>) => Effect.forEach(found, receive, { discard: true })
  return Effect.exit(Stream.runForEach(stdio.stdin, (chunk) => take(lines.push(chunk)))).pipe(
    Effect.andThen(Effect.suspend(() => take(lines.end()))),
    Effect.andThen(Effect.sync(() => pipe.end()))
  )
}

// Nobody reads the output any more. Where it is closed already, nothing happens.
const abandon = ({ outbox, pipe }: Served): Effect.Effect<void> =>
  Effect.sync(() => {
    outbox.drop()
    pipe.abandon()
  })
