// The clients of the matrix: every generation of the official SDK that is installed, each with its own transports. No
// server and no expectation lives here.
import { Client as Client240, StreamableHTTPClientTransport as Http240 } from "@modelcontextprotocol/client"
import { StdioClientTransport as Stdio240 } from "@modelcontextprotocol/client/stdio"
import { Client as Client132 } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as Stdio132 } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as Http132 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Client as Client200, StreamableHTTPClientTransport as Http200 } from "client-2.0"
import { StdioClientTransport as Stdio200 } from "client-2.0/stdio"
import { Client as Client104 } from "sdk-1.0/client/index.js"
import { StdioClientTransport as Stdio104 } from "sdk-1.0/client/stdio.js"
import { Client as Client112 } from "sdk-1.12/client/index.js"
import { StdioClientTransport as Stdio112 } from "sdk-1.12/client/stdio.js"
import { StreamableHTTPClientTransport as Http112 } from "sdk-1.12/client/streamableHttp.js"
import type { SdkClient, SdkTransport } from "@parley/adapters/SdkTransport"
import type { Command } from "./Wire.ts"

/** A client as a test uses it. */
export interface TestClient extends SdkClient {
  listTools(): Promise<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>
  getServerVersion(): { readonly name: string; readonly version: string } | undefined
  onerror?: ((error: Error) => void) | undefined
}

/** One release of the official SDK. */
export interface Release {
  readonly name: string
  readonly generation: "sdk1" | "sdk2"
  readonly make: () => TestClient
  readonly stdio: (command: Command) => SdkTransport
  /** Absent where the release has no Streamable HTTP. */
  readonly http?: (url: string) => SdkTransport
}

export const info = { name: "parley-test-client", version: "7.8.9" }
export const capabilities = { roots: { listChanged: true } }

export const sdk104: Release = {
  name: "sdk 1.0.4",
  generation: "sdk1",
  make: () => new Client104(info, { capabilities }),
  stdio: ({ args, command }) => new Stdio104({ command, args, stderr: "ignore" })
}
export const sdk112: Release = {
  name: "sdk 1.12.3",
  generation: "sdk1",
  make: () => new Client112(info, { capabilities }),
  stdio: ({ args, command }) => new Stdio112({ command, args, stderr: "ignore" }),
  http: (url) => new Http112(new URL(url))
}
export const sdk132: Release = {
  name: "sdk 1.32.2",
  generation: "sdk1",
  make: () => new Client132(info, { capabilities }),
  stdio: ({ args, command }) => new Stdio132({ command, args, stderr: "ignore" }),
  http: (url) => new Http132(new URL(url))
}
export const client200: Release = {
  name: "client 2.0.0",
  generation: "sdk2",
  make: () => new Client200(info, { capabilities }),
  stdio: ({ args, command }) => new Stdio200({ command, args, stderr: "ignore" }),
  http: (url) => new Http200(new URL(url))
}
export const client240: Release = {
  name: "client 2.4.0",
  generation: "sdk2",
  make: () => new Client240(info, { capabilities }),
  stdio: ({ args, command }) => new Stdio240({ command, args, stderr: "ignore" }),
  http: (url) => new Http240(new URL(url))
}
/** As an application writes it that wants both eras. */
export const client240Auto: Release = {
  ...client240,
  name: "client 2.4.0, mode auto",
  make: () => new Client240(info, { capabilities, versionNegotiation: { mode: "auto" } })
}

export const releases: ReadonlyArray<Release> = [sdk104, sdk112, sdk132, client200, client240, client240Auto]
