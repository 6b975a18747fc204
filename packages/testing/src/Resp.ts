// As much of Redis' wire protocol (RESP 2) as a store of texts needs: commands in order on one connection, replies in the
// same order. A connection that broke is opened anew by the next command; what was under way on it fails.
import { connect, type Socket } from "node:net"

export type Reply = string | number | null | ReadonlyArray<Reply>

/** A client of one Redis server. */
export interface Client {
  /** Sends one command. Rejects where the server refuses it, cannot be reached, or the connection breaks. */
  readonly send: (...parts: ReadonlyArray<string>) => Promise<Reply>
  readonly close: () => void
}

interface Waiting {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

/** Returns a client of the server on a port of this machine. */
export const make = (port: number): Client => {
  let current: { readonly socket: Socket; readonly waiting: Array<Waiting> } | undefined

  const opened = () => {
    if (current !== undefined) return current
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    const own = { socket, waiting: new Array<Waiting>() }
    current = own
    let unread: Buffer = Buffer.alloc(0)
    const lost = (error: Error): void => {
      if (current === own) current = undefined
      socket.destroy()
      for (const one of own.waiting.splice(0)) one.reject(error)
    }
    socket.on("data", (chunk: Buffer) => {
      unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
      let at = 0
      for (;;) {
        const found = readReply(unread, at)
        if (found === undefined) break
        at = found.end
        const one = own.waiting.shift()
        if (found.value instanceof Error) one?.reject(found.value)
        else one?.resolve(found.value)
      }
      unread = unread.subarray(at)
    })
    socket.on("error", lost)
    socket.on("close", () => lost(new Error("The connection to Redis was closed.")))
    return own
  }

  return {
    send: (...parts) =>
      new Promise((resolve, reject) => {
        const { socket, waiting } = opened()
        waiting.push({ resolve, reject })
        const words = parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`)
        socket.write(`*${parts.length}\r\n${words.join("")}`)
      }),
    close: () => current?.socket.destroy()
  }
}

interface Found<A> {
  readonly value: A
  readonly end: number
}

// Undefined where the reply is not complete yet.
const readReply = (bytes: Buffer, at: number): Found<Reply | Error> | undefined => {
  const lineEnd = bytes.indexOf("\r\n", at)
  if (lineEnd < 0) return undefined
  const rest = bytes.toString("utf8", at + 1, lineEnd)
  const end = lineEnd + 2
  switch (String.fromCharCode(bytes[at] ?? 0)) {
    case "+":
      return { value: rest, end }
    case "-":
      return { value: new Error(rest), end }
    case ":":
      return { value: Number(rest), end }
    case "$": {
      const length = Number(rest)
      if (length < 0) return { value: null, end }
      if (bytes.length < end + length + 2) return undefined
      return { value: bytes.toString("utf8", end, end + length), end: end + length + 2 }
    }
    case "*": {
      const values: Array<Reply> = []
      let next = end
      for (let index = 0; index < Number(rest); index++) {
        const one = readReply(bytes, next)
        if (one === undefined) return undefined
        if (one.value instanceof Error) return { value: one.value, end: one.end }
        values.push(one.value)
        next = one.end
      }
      return { value: values, end: next }
    }
    default:
      return { value: new Error(`Redis wrote something unknown: ${rest.slice(0, 80)}`), end }
  }
}
