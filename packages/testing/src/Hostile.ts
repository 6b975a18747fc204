// Peers that no row of a script can play: floods, drips, lies about length, processes that do not die. What they must
// lead to stands beside them; how a client fares is the test's business.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type Server, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { type Manner, manners } from "./hostileBytes.ts"
import type { CommandTarget, HttpTarget } from "./Scripted.ts"

export type { Manner } from "./hostileBytes.ts"

/** What must become of a client's opening: it is agreed, or it fails with one of these tags. */
export type Fate = "established" | ReadonlyArray<string>

/** The manners of a peer over HTTP, with what they must lead to within the client's own timeout. */
export const overHttp: { readonly [M in HttpManner]: Fate } = {
  refuses: ["TransportFailure"],
  resets: ["TransportFailure"],
  speaksNoHttp: ["TransportFailure"],
  endlessHead: ["TransportFailure"],
  endlessBody: ["TransportFailure", "MalformedInit"],
  endlessComments: ["Timeout"],
  endlessMessages: ["Timeout", "MalformedInit"],
  endlessEvent: ["TransportFailure", "MalformedInit"],
  drips: ["Timeout"],
  liesAboutLength: ["TransportFailure"],
  breaksChunks: ["TransportFailure"],
  neverAnswers: ["Timeout"]
}

/** The manners of a process, with what they must lead to within the client's own timeout. */
export const onStdio: { readonly [M in Manner]: Fate } = {
  floodsLines: ["MalformedInit", "TransportFailure"],
  floodsMessages: ["Timeout", "MalformedInit"],
  endlessLine: ["Timeout", "MalformedInit", "TransportFailure"],
  floodsStderr: "established",
  ignoresSignals: "established",
  leavesAChild: ["TransportFailure"],
  neverReads: ["Timeout"],
  writesBadBytes: "established"
}

/** The ways in which a hostile server misbehaves over HTTP. */
export type HttpManner =
  | "refuses"
  | "resets"
  | "speaksNoHttp"
  | "endlessHead"
  | "endlessBody"
  | "endlessComments"
  | "endlessMessages"
  | "endlessEvent"
  | "drips"
  | "liesAboutLength"
  | "breaksChunks"
  | "neverAnswers"

/** Opens a peer over HTTP that behaves in this manner until the scope closes. */
export const http = (manner: HttpManner): Effect.Effect<{ readonly target: HttpTarget }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listen(manner)),
      ({ close }) => Effect.promise(close)
    ),
    ({ target }) => ({ target })
  )

/**
 * Returns the command of a process that behaves in this manner. `ignoresSignals` ends by SIGKILL alone; `leavesAChild`
 * exits and leaves a process that holds its output open, in its own process group. `folder`, if given, is where it writes
 * `pids`, one a line.
 */
export const stdio = (manner: Manner, folder?: string): { readonly target: CommandTarget } => ({
  target: { command: process.execPath, args: [program, manner, ...(folder === undefined ? [] : [folder])] }
})

/** The manners of a process, by name. */
export const stdioManners: ReadonlyArray<Manner> = manners

const program = fileURLToPath(
  new URL(`./hostile-stdio-bin.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url)
)

interface Listening {
  readonly target: HttpTarget
  readonly close: () => Promise<void>
}

const listen = (manner: HttpManner): Promise<Listening> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    // That the client goes away is what is hoped for.
    socket.on("error", () => undefined)
    socket.once("data", () => behave(manner, socket))
  })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return new Promise((resolve, reject) => {
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const target = { url: `http://127.0.0.1:${portOf(server)}/mcp` }
      if (manner !== "refuses") return resolve({ target, close })
      // Nobody listens any more where somebody did.
      server.close(() => resolve({ target, close: () => Promise.resolve() }))
    })
  })
}

const behave = (manner: HttpManner, socket: Socket): void => {
  const head = (type: string, more = "transfer-encoding: chunked") =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}\r\n\r\n`)
  switch (manner) {
    case "refuses":
    case "neverAnswers":
      return
    case "resets":
      return void socket.resetAndDestroy()
    case "speaksNoHttp":
      return void socket.end("SSH-2.0-OpenSSH_9.9\r\n")
    case "endlessHead":
      socket.write("HTTP/1.1 200 OK\r\n")
      return pour(socket, `x-more: ${"a".repeat(1000)}\r\n`)
    case "endlessBody":
      head("application/json")
      socket.write(chunk('{"jsonrpc":"2.0","id":1,"result":{"padding":"'))
      return pour(socket, chunk("a".repeat(16_384)))
    case "endlessComments":
      head("text/event-stream")
      return pour(socket, chunk(": still here\n\n".repeat(500)))
    case "endlessMessages":
      head("text/event-stream")
      return pour(socket, chunk(`data: ${log}\n\n`.repeat(100)))
    case "endlessEvent":
      head("text/event-stream")
      socket.write(chunk("data: {"))
      return pour(socket, chunk("a".repeat(16_384)))
    case "drips":
      head("application/json", "content-length: 100000")
      return drip(socket)
    case "liesAboutLength":
      head("application/json", "content-length: 1000")
      return void socket.end('{"jsonrpc":"2.0"')
    case "breaksChunks":
      head("application/json")
      return void socket.end("zz\r\nnot a chunk\r\n")
  }
}

const log = JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: "x".repeat(200) }
})

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Writes for ever, as fast as the other side takes it. */
const pour = (socket: Socket, text: string): void => {
  while (!socket.destroyed && socket.writable)
    if (!socket.write(text)) return void socket.once("drain", () => pour(socket, text))
}

const drip = (socket: Socket): void => {
  const timer = setInterval(() => (socket.writable ? socket.write(" ") : clearInterval(timer)), 20)
  socket.on("close", () => clearInterval(timer))
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}
