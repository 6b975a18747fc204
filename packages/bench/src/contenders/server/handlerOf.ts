// A handler made by hand that has parsed the body already, with Parley's gate in front of it or without: either way Parley is
// loaded, so that nothing but the gate is between the two.
import { listening, bodyOf, type Server, type Told } from "./Served.ts"
import { admission } from "./parleyOf.ts"

/** Returns the server. */
export const handlerOf = (gate: "gated" | "open"): Server => {
  const sessions = new Map<string, unknown>()
  let told: Told = { status: 200, message: {}, readsBody: true }
  return {
    answers: (given) => {
      told = given
    },
    listen: async () => {
      const { gate: judge } = await admission()
      return listening((request, response) =>
        bodyOf(request, (text) => {
          // What the measured requests are.
          const value = JSON.parse(text) as { readonly id: unknown }
          const { headers, method = "" } = request
          // As the floor looks sessions up.
          const session = headers["mcp-session-id"]
          if (typeof session === "string" && !sessions.has(session)) return response.writeHead(404).end()
          const refused = gate === "open" ? undefined : judge({ method, headers, parsed: { ok: true, value } })
          const status = refused === undefined ? told.status : refused.status
          const body = refused?.body ?? JSON.stringify({ ...told.message, id: value.id })
          response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
          return response.end(body)
        })
      )
    }
  }
}
