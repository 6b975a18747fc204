// Parley's gate in front of a handler made by hand, the floor's own, which has parsed the body already.
import { listening, bodyOf, type Server, type Told } from "./Served.ts"
import { admission } from "./parleyOf.ts"

let told: Told = { status: 200, message: {}, readsBody: true }

export const server: Server = {
  answers: (given) => {
    told = given
  },
  listen: async () => {
    const { gate } = await admission()
    return listening((request, response) =>
      bodyOf(request, (text) => {
        // What the measured requests are.
        const value = JSON.parse(text) as { readonly id: unknown }
        const refused = gate({
          method: request.method ?? "",
          headers: request.headers,
          parsed: { ok: true, value }
        })
        const status = refused === undefined ? told.status : refused.status
        const body = refused?.body ?? JSON.stringify({ ...told.message, id: value.id })
        response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        response.end(body)
      })
    )
  }
}
