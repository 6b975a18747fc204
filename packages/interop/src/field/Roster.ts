// Who is in the field: servers and clients that exist, and how each is started. What they are asked is Survey's.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ClientPeer, Language, ServerPeer } from "../Language.ts"
import { go } from "../languages/Go.ts"
import { java } from "../languages/Java.ts"
import { python } from "../languages/Python.ts"
import { rust } from "../languages/Rust.ts"
import { policies } from "../ParleyAsClient.ts"

/** A server of the field. Over HTTP its command announces `{"url": …}` and ends with its input. */
export interface Server {
  readonly name: string
  readonly carrier: "stdio" | "http"
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** A client of the field: a program under Driver's orders, in one of its modes. */
export interface Client {
  readonly name: string
  readonly mode: string
  readonly carriers: ReadonlyArray<"stdio" | "http">
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** The languages whose peers are in the field too, where they are on the machine. */
export const languages: ReadonlyArray<Language> = [python, go, rust, java]

export const root = fileURLToPath(new URL("../../../../", import.meta.url))
const register = ["--import", join(root, "scripts/register.mjs")]
const parley = [...register, join(root, "packages/cli/src/bin.ts")]
const own = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const host = (file: string): string => join(root, "packages/cli/demo/hosts", file)
const node = process.execPath

const both = (
  name: string,
  args: (carrier: "stdio" | "http") => ReadonlyArray<string>,
  carriers: ReadonlyArray<"stdio" | "http"> = ["stdio", "http"]
): ReadonlyArray<Server> => carriers.map((carrier) => ({ name, carrier, command: node, args: args(carrier) }))

const everything = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")
const versionOf = (name: string): string => {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : ""
}

/** The servers of this workspace. */
export const servers: ReadonlyArray<Server> = [
  ...both(`server-everything ${versionOf("@modelcontextprotocol/server-everything")}`, (carrier) =>
    carrier === "stdio" ? [everything, "stdio"] : [host("everything-http.ts")]
  ),
  ...both("TypeScript SDK 1.0.4", () => [own("server-bin.ts"), "sdk-1.0.4", "stdio"], ["stdio"]),
  ...both("TypeScript SDK 1.12.3", (carrier) => [own("server-bin.ts"), "sdk-1.12.3", carrier]),
  ...both("TypeScript SDK 1.32.2", (carrier) => [host("sdk1.ts"), carrier]),
  ...both("TypeScript SDK 2.4.0, both eras", (carrier) => [host("sdk2.ts"), carrier, "dual"]),
  ...both("TypeScript SDK 2.4.0, both eras, sessions", () => [own("server-bin.ts"), "sdk-2.4.0-sessions"], ["http"]),
  ...both("TypeScript SDK 2.4.0, legacy rejected", (carrier) => [host("sdk2.ts"), carrier, "modern"]),
  ...both("effect/ai 4.1.0, all five protocols", (carrier) => [own("server-bin.ts"), "effect-ai", carrier]),
  ...both("effect/ai 4.1.0, 2026-07-28 alone", (carrier) => [host("effect.ts"), carrier]),
  ...(["dual", "legacy", "modern"] as const).flatMap((era) => [
    ...both(`parley serve --era ${era}`, (carrier) => [
      ...(carrier === "http" ? [own("announce-bin.ts")] : parley),
      "serve",
      "--era",
      era,
      "--transport",
      carrier
    ])
  ]),
  ...both("parley serve --no-sessions", () => [own("announce-bin.ts"), "serve", "--no-sessions"], ["http"])
]

const client = (
  name: string,
  which: string,
  modes: ReadonlyArray<string>,
  carriers: ReadonlyArray<"stdio" | "http"> = ["http", "stdio"]
): ReadonlyArray<Client> =>
  modes.map((mode) => ({ name, mode, carriers, command: node, args: [...register, own("client-bin.ts"), which] }))

/** What Parley's own client is called here. */
export const parleyName = `Parley ${versionOf("@parley/core")}`

/** The clients of this workspace. */
export const clients: ReadonlyArray<Client> = [
  ...client("TypeScript SDK 1.0.4", "sdk-1.0.4", ["only"], ["stdio"]),
  ...client("TypeScript SDK 1.12.3", "sdk-1.12.3", ["only"]),
  ...client("TypeScript SDK 1.32.2", "sdk-1.32.2", ["only"]),
  ...client("TypeScript SDK client 2.0.0", "client-2.0.0", ["default"]),
  ...client("TypeScript SDK client 2.4.0", "client-2.4.0", ["default", "legacy", "auto", "pin:2026-07-28"]),
  ...client("effect/ai 4.1.0", "effect-ai", ["2025-11-25", "2026-07-28"]),
  ...client(`Inspector ${versionOf("@modelcontextprotocol/inspector")} CLI`, "inspector", ["only"]),
  ...client(parleyName, "parley", policies)
]

/** Returns a language's server as one of the field. */
export const serverOf = ({ args, carriage, command, library }: ServerPeer): Server => ({
  name: carriage === "http-stateless" ? `${library}, no sessions` : library,
  carrier: carriage === "stdio" ? "stdio" : "http",
  command,
  args
})

/** Returns a language's client as those of the field, one for each mode. */
export const clientsOf = ({ args, command, library, modes }: ClientPeer): ReadonlyArray<Client> => {
  const as = (name: string) => (mode: string) => ({
    name,
    mode,
    carriers: ["http", "stdio"] as const,
    command,
    args
  })
  // What Hermes Agent's repository does and its release does not yet, as `npm run interop` plays it: its words on this SDK.
  const hermes = library === "mcp 2.3.0" ? ["hermes-auto", "hermes-stateless"] : []
  return [...modes.map(({ name }) => as(library)(name)), ...hermes.map(as("Hermes Agent as read, on mcp 2.3.0"))]
}

/** Returns how it is started, as it can be typed at the root of the repository. */
export const shown = ({ args, command }: { readonly command: string; readonly args: ReadonlyArray<string> }): string =>
  [command === node ? "node" : command, ...args].map((word) => word.replaceAll(root, "")).join(" ")

/** How `parley` is started, before its own arguments. */
export const parleyCommand: ReadonlyArray<string> = [node, ...parley]
