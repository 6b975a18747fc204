import { describe, expect, it } from "@effect/vitest"
import { compile } from "@parley/core/server/Compiled"
import * as Cors from "@parley/core/server/Cors"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import * as Profile from "@parley/core/server/Profile"

const serverInfo = { name: "tested", version: "1.0.0" }
const compiled = compile(Profile.dual({ serverInfo, origins: ["https://app.example"] }))
const asking = (headers: RequestHeaders, method = "OPTIONS") => ({
  method,
  headers: { host: "localhost", "access-control-request-method": "POST", ...headers }
})

describe("Cors", () => {
  it("answers a preflight of an allowed origin, and nothing else", () => {
    const origin = "https://app.example"
    expect(Cors.preflight(compiled, { maxAgeSeconds: 5 }, asking({ origin }))).toMatchObject({
      status: 204,
      body: undefined,
      headers: { "access-control-allow-origin": origin, "access-control-max-age": "5" }
    })
    const others = [
      asking({ origin }, "POST"),
      asking({}),
      asking({ origin: "https://evil.example" }),
      asking({ origin, host: "evil.example" }),
      asking({ origin, "access-control-request-method": undefined }),
      asking({ origin: [origin, origin] })
    ]
    for (const other of others) expect(Cors.preflight(compiled, {}, other)).toBeUndefined()
  })

  it("names the methods that are served", () => {
    const methods = (profile: Profile.Profile) =>
      Cors.preflight(compile(profile), {}, asking({ origin: "http://localhost" }))?.headers[
        "access-control-allow-methods"
      ]
    expect(methods(Profile.dual({ serverInfo }))).toBe("GET, POST, DELETE")
    expect(methods(Profile.modernOnly({ serverInfo }))).toBe("POST")
  })

  it("allows the headers of the protocol, the owner's, and as many parameters as a tool may have", () => {
    const asked = Array.from({ length: 500 }, (_, nth) => `Mcp-Param-${nth}`).join(" ,")
    const answer = Cors.preflight(
      compiled,
      { allowHeaders: ["X-Trace"] },
      asking({ origin: "https://app.example", "access-control-request-headers": `${asked}, cookie` })
    )
    const allowed = answer?.headers["access-control-allow-headers"]?.split(", ") ?? []
    expect(allowed).toEqual(expect.arrayContaining(["authorization", "X-Trace", "mcp-param-0", "mcp-param-99"]))
    expect(allowed.filter((name) => name.startsWith("mcp-param-"))).toHaveLength(100)
    expect(allowed).not.toContain("cookie")
  })

  it("allows and exposes the headers of the protocol alone where nothing else is asked for or granted", () => {
    const origin = "https://app.example"
    expect(Cors.preflight(compiled, {}, asking({ origin }))?.headers["access-control-allow-headers"]).toBe(
      "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id"
    )
    expect(Cors.headersFor(compiled, {}, asking({ origin }, "POST"))["access-control-expose-headers"]).toBe(
      "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after"
    )
  })

  it("lets a page of an allowed origin read an answer, and says that the answer depends on the origin", () => {
    const headers = (origin?: string) =>
      Cors.headersFor(compiled, { exposeHeaders: ["x-id"] }, asking({ origin }, "POST"))
    expect(headers("https://app.example")).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-expose-headers": "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after, x-id",
      vary: "Origin"
    })
    expect(headers("https://evil.example")).toEqual({ vary: "Origin" })
    expect(headers()).toEqual({ vary: "Origin" })
  })
})
