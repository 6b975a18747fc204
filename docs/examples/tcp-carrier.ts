// A carrier of one's own: MCP as lines over a TCP socket. Everything that is protocol is core's: Lines cuts bytes into
// lines, PipeAnswer turns lines into events, the Medium says what silence and a close mean. docs/writing-a-transport.md
import { Errors, Lines, Medium, PipeAnswer } from "@parley/core"
import type { Event } from "@parley/core/client/Event"
import type { Channel, Transport } from "@parley/runtime"
import { Effect, Queue, Stream } from "effect"
import type { Cause } from "effect"
import { connect, type Socket } from "node:net"

export const make = (port: number, host = "127.0.0.1"): Transport => ({
  medium: { ...Medium.stdio, name: "tcp" },
  eras: ["legacy", "modern"],
  target: `tcp://${host}:${port}`,
  open: Effect.gen(function* () {
    const socket = yield* Effect.acquireRelease(dial(port, host), (socket) => Effect.sync(() => socket.destroy()))
    // Bounded: while nobody takes events the socket is not read, so that a server cannot fill the memory.
    const events = yield* Queue.bounded<Event, Cause.Done>(16)
    const lines = Lines.reader()
    yield* Stream.fromAsyncIterable<Uint8Array, unknown>(socket, (cause) => cause).pipe(
      Stream.runForEach((chunk) => Queue.offerAll(events, PipeAnswer.events(lines.push(chunk)))),
      Effect.exit,
      Effect.andThen(Queue.offer(events, { _tag: "Closed", stderr: "" })),
      Effect.forkScoped
    )
    const close = Effect.sync(() => {
      socket.destroy()
      Queue.endUnsafe(events)
    })
    yield* Effect.addFinalizer(() => close)
    const channel: Channel = {
      // A pipe has no GET and no DELETE, and what cannot be written will be told by `Closed`.
      send: (outgoing) => (outgoing._tag === "Post" ? write(socket, JSON.stringify(outgoing.message)) : Effect.void),
      events,
      abandon: () => Effect.void,
      close
    }
    return channel
  })
})

const write = (socket: Socket, line: string): Effect.Effect<void> =>
  Effect.callback((resume) => void socket.write(`${line}\n`, () => resume(Effect.void)))

const dial = (port: number, host: string): Effect.Effect<Socket, Errors.TransportFailure> =>
  Effect.callback((resume) => {
    const socket = connect(port, host, () => resume(Effect.succeed(socket)))
    socket.on("error", ({ message }) =>
      resume(Effect.fail(new Errors.TransportFailure({ reason: message, retryable: true })))
    )
    return Effect.sync(() => socket.destroy())
  })
