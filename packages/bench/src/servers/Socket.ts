// One kept connection of the client that loads servers: it writes bytes that were made before and finds where an answer
// ends, so that as little as possible of the machine goes to the one who asks.
import { connect, type Socket as Connected } from "node:net"

/** An answer as it came. */
export interface Answered {
  readonly status: number
  readonly head: string
  readonly text: string
}

/** A connection over which one request is under way at a time. */
export interface Socket {
  readonly ask: (bytes: Buffer, answered: (status: number, whole: Buffer, bodyAt: number) => void) => void
  readonly close: () => void
}

/** Connects. `failed` is told where the server goes before it has answered. */
export const open = (port: number, failed: (cause: Error) => void): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket: Connected = connect({ port, host: "127.0.0.1", noDelay: true })
    let waiting: ((status: number, whole: Buffer, bodyAt: number) => void) | undefined
    let come: Buffer | undefined
    socket.on("error", (cause) => (waiting === undefined ? reject(cause) : failed(cause)))
    socket.on("close", () => {
      if (waiting !== undefined) failed(new Error("the server closed the connection before it had answered"))
    })
    socket.on("data", (chunk: Buffer) => {
      const whole = come === undefined ? chunk : Buffer.concat([come, chunk])
      const bodyAt = bodyOf(whole)
      if (bodyAt === -1 || !isComplete(whole, bodyAt)) {
        come = whole
        return
      }
      come = undefined
      const answered = waiting
      waiting = undefined
      answered?.(Number(whole.toString("latin1", 9, 12)), whole, bodyAt)
    })
    socket.on("connect", () =>
      resolve({
        ask: (bytes, answered) => {
          waiting = answered
          socket.write(bytes)
        },
        close: () => socket.destroy()
      })
    )
  })

/** Asks once and returns the answer with its text: the one JSON text of a stream of events too. */
export const once = (socket: Socket, bytes: Buffer): Promise<Answered> =>
  new Promise((resolve) =>
    socket.ask(bytes, (status, whole, bodyAt) => {
      const body = whole.toString("utf8", bodyAt)
      resolve({
        status,
        head: whole.toString("latin1", 0, bodyAt),
        text: body.slice(body.indexOf("{"), body.lastIndexOf("}") + 1)
      })
    })
  )

const bodyOf = (whole: Buffer): number => {
  const at = whole.indexOf("\r\n\r\n")
  return at === -1 ? -1 : at + 4
}

const isComplete = (whole: Buffer, bodyAt: number): boolean => {
  const head = whole.toString("latin1", 0, bodyAt).toLowerCase()
  const at = head.indexOf("content-length: ")
  if (at !== -1) return whole.length - bodyAt >= Number.parseInt(head.slice(at + 16), 10)
  if (head.includes("transfer-encoding: chunked")) return whole.toString("latin1", whole.length - 5) === "0\r\n\r\n"
  return true
}
