// A server that is measured: listens, and answers what is asked of it. How is its own.
import type { RequestListener } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A contender: starts, and returns the port at which it listens. */
export interface Server {
  readonly listen: () => Promise<number>
  /** Tells a server made by hand what it answers: what Parley does. */
  readonly answers?: ((told: Told) => void) | undefined
}

/** What a server made by hand answers: a message but for its id, or that whatever the body says where it is not read. */
export interface Told {
  readonly status: number
  readonly message: object
  readonly readsBody: boolean
}

/** Listens with a listener of node:http. */
export const listening = (listener: RequestListener): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer({ keepAliveTimeout: 120_000 }, listener)
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, () => {
      // A server that listens at a port has such an address.
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Reads the body of a request as text, without a bound. */
export const bodyOf = (request: Parameters<RequestListener>[0], done: (text: string) => void): void => {
  let text = ""
  request.setEncoding("utf8")
  request.on("data", (chunk: string) => {
    text += chunk
  })
  request.on("end", () => done(text))
}
