// A TCP proxy that harms what passes through it: seeded, so that a run can be looked at again. It knows no protocol.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect, createServer, type Socket } from "node:net"
import type { Random } from "./Random.ts"

/**
 * What happens to a connection. `delay`: each piece waits. `drop`: one piece is lost. `cut`: closed in the middle.
 * `duplicate`: one piece comes twice. `corrupt`: one byte is another. `halfOpen`: accepted, and nothing more. `slow`: a few
 * bytes at a time.
 */
export type Fault = "none" | "delay" | "drop" | "cut" | "duplicate" | "corrupt" | "halfOpen" | "slow"

/** All of them. */
export const faults: ReadonlyArray<Fault> = ["none", "delay", "drop", "cut", "duplicate", "corrupt", "halfOpen", "slow"]

export interface Options {
  /** The port on this machine that is stood in for. */
  readonly port: number
  readonly random: Random
  /** What is drawn for each connection, each as likely as the others. Default: all. */
  readonly faults?: ReadonlyArray<Fault>
}

export interface FaultProxy {
  readonly port: number
  /** How many connections met each fault so far. */
  readonly met: { readonly [fault in Fault]: number }
  /** How many connections are open. */
  readonly open: () => number
}

/** Starts a proxy that the scope ends, with every connection through it. */
export const make = (options: Options): Effect.Effect<FaultProxy, never, Scope.Scope> => {
  const { random } = options
  const drawn = options.faults ?? faults
  const met = { none: 0, delay: 0, drop: 0, cut: 0, duplicate: 0, corrupt: 0, halfOpen: 0, slow: 0 }
  const sockets = new Set<Socket>()

  const kept = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    // Whatever breaks here is what this proxy is for.
    socket.on("error", () => socket.destroy())
    return socket
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    kept(client)
    const fault = drawn[random.below(drawn.length)] ?? "none"
    met[fault] += 1
    if (fault === "halfOpen") {
      client.on("end", () => client.end())
      return client.resume()
    }
    const upstream = kept(connect({ port: options.port, host: "127.0.0.1", allowHalfOpen: true }))
    // One way is harmed, so that the other side sees an honest peer.
    const onTheWayThere = random.below(2) === 0
    carry(client, upstream, onTheWayThere ? fault : "none", random)
    return carry(upstream, client, onTheWayThere ? "none" : fault, random)
  })

  return Effect.acquireRelease(
    Effect.callback<FaultProxy>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, met, open: () => sockets.size }))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  )
}

const carry = (from: Socket, to: Socket, fault: Fault, random: Random): void => {
  // Which piece is harmed. Later pieces pass.
  const at = random.below(4)
  let count = 0
  let chain = Promise.resolve()
  const later = (millis: number, run: () => void): void => {
    from.pause()
    chain = chain.then(
      () =>
        new Promise((resolve) => {
          setTimeout(() => {
            run()
            from.resume()
            resolve()
          }, millis)
        })
    )
  }
  from.on("data", (piece: Buffer) => {
    const isIt = count++ === at
    switch (fault) {
      case "delay":
        return later(random.below(40), () => to.write(piece))
      case "slow":
        return trickle(piece, later, to)
      case "drop":
        if (isIt) return undefined
        break
      case "cut":
        if (!isIt) break
        to.write(piece.subarray(0, random.below(piece.length + 1)), () => {
          to.destroy()
          from.destroy()
        })
        return from.pause()
      case "duplicate":
        if (isIt) to.write(piece)
        break
      case "corrupt":
        if (isIt) piece[random.below(piece.length)] = random.below(256)
        break
    }
    to.write(piece)
    return undefined
  })
  // Who has said all is heard to the end, however slowly; who breaks off takes the other side along.
  from.on("end", () => void chain.then(() => to.end()))
  from.on("close", () => {
    if (!from.readableEnded) to.destroy()
  })
}

const trickle = (piece: Buffer, later: (millis: number, run: () => void) => void, to: Socket): void => {
  for (let from = 0; from < piece.length; from += bytesAtOnce) {
    later(1, () => to.write(piece.subarray(from, from + bytesAtOnce)))
  }
}

const bytesAtOnce = 64
