// What a route of Effect's HttpRouter costs where it does nothing but read, parse and write: the least that Parley's could.
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Response from "effect/http/HttpServerResponse"
import { initialized } from "../../servers/Wire.ts"
import type { Server, Told } from "./Served.ts"
import { routed } from "./routed.ts"

let told: Told = { status: 200, message: {}, readsBody: true }

const answer = Effect.flatMap(HttpServerRequest, (request) =>
  Effect.map(request.text, (text) => {
    // What the measured requests are.
    const { id, method } = JSON.parse(text) as { readonly id?: unknown; readonly method: string }
    if (id === undefined) return Response.empty({ status: 202 })
    const message = method === "initialize" ? { jsonrpc: "2.0", id, result: initialized } : { ...told.message, id }
    return Response.text(JSON.stringify(message), { status: told.status, contentType: "application/json" })
  })
)

export const server: Server = {
  answers: (given) => {
    told = given
  },
  listen: () => routed(HttpRouter.add("POST", "/mcp", answer))
}
