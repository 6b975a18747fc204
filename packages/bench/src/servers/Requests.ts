// The requests that servers are measured by, as the bytes that a client writes. Nothing of Parley is used here.
import { client, initializeBody, initializedBody, legacyVersion, modernVersion, postHeaders } from "./Wire.ts"

/**
 * What is asked: a tool is called in either era, or something is asked that is refused: for a revision that is not served,
 * for a header that disagrees, for a method that does not exist, for a foreign page.
 */
export type Kind = "modern" | "legacy" | "version" | "header" | "method" | "origin"

/** A request of a client. */
export interface Asked {
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** The tool that every server has, and what it answers. */
export const tool = { name: "echo", answer: { content: [{ type: "text", text: "Well said." }] } } as const

const called = { name: tool.name, arguments: { text: "Say what I say." } }

const stamped = (id: number, method: string, version: string): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method,
    params: {
      ...called,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": client,
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
  })

const modernHeaders = {
  ...postHeaders,
  "mcp-protocol-version": modernVersion,
  "mcp-method": "tools/call",
  "mcp-name": tool.name
}

/** Returns a request; the session is that of a legacy one. */
export const asked = (kind: Kind, id: number, session: string | undefined): Asked => {
  switch (kind) {
    case "modern":
      return { headers: modernHeaders, body: stamped(id, "tools/call", modernVersion) }
    case "legacy":
      return {
        headers: { ...postHeaders, "mcp-protocol-version": legacyVersion, ...sessionOf(session) },
        body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: called })
      }
    case "version":
      return {
        headers: { ...modernHeaders, "mcp-protocol-version": "2099-01-01" },
        body: stamped(id, "tools/call", "2099-01-01")
      }
    case "header":
      return {
        headers: { ...modernHeaders, "mcp-method": "tools/list" },
        body: stamped(id, "tools/call", modernVersion)
      }
    case "method":
      return {
        headers: { ...modernHeaders, "mcp-method": "tools/burn" },
        body: stamped(id, "tools/burn", modernVersion)
      }
    case "origin":
      return { ...asked("modern", id, session), headers: { ...modernHeaders, origin: "https://elsewhere.example" } }
  }
}

/** The request that opens a session, and the notification that ends the handshake. */
export const opening: Asked = { headers: postHeaders, body: initializeBody(1) }

/** See {@link opening}. */
export const opened = (session: string | undefined): Asked => ({
  headers: { ...postHeaders, "mcp-protocol-version": legacyVersion, ...sessionOf(session) },
  body: initializedBody
})

/** Returns the bytes of a request. */
export const bytesOf = ({ body, headers }: Asked, port: number): Buffer => {
  const fields = { host: `127.0.0.1:${port}`, ...headers, "content-length": String(Buffer.byteLength(body)) }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`)
}

const sessionOf = (session: string | undefined) => (session === undefined ? undefined : { "mcp-session-id": session })
