// A file that lists servers, read: an array of URLs and commands, or the `mcpServers` of a host. Nothing is opened here.
import * as Launch from "@parley/core/Launch"
import { isObject } from "@parley/core/Message"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import type { Transport } from "@parley/runtime/Transport"
import { oneLine } from "./render/Text.ts"
import * as Setting from "./Setting.ts"
import type { Reading } from "./Target.ts"
import * as Target from "./Target.ts"

/** A server of a list: its name there, what reaches it, and what it is given. */
export interface Server {
  readonly name: string
  readonly target: Target.Target
  /** HTTP: sent with every request. */
  readonly headers: { readonly [name: string]: string }
  /** stdio: variables beside the few that are inherited. */
  readonly env: { readonly [name: string]: string }
}

/** The most servers of one list. */
export const mostServers = 1000

/**
 * Reads a list: an array whose items are a URL, a command (one text, split at blanks, or an array of words) or an object
 * `{ name?, url, headers? }` or `{ name?, command, args?, env? }`; or `{ "mcpServers": { name: such an object } }`.
 */
export const read = (value: unknown): Reading<ReadonlyArray<Server>> => {
  const items = itemsOf(value)
  if (items === undefined) return no('Write an array of URLs and commands, or { "mcpServers": { … } }.')
  if (items.length === 0) return no("The list names no server.")
  if (items.length > mostServers) return no(`The list names ${items.length} servers; ${mostServers} is the most.`)
  const servers: Array<Server> = []
  for (const [place, item] of items) {
    const server = serverOf(place, item)
    if (!server.ok) return no(`${oneLine(place, 60)}: ${server.problem}`)
    servers.push(server.value)
  }
  return { ok: true, value: servers }
}

/** Returns what a person calls it by on one line, without what looks like a secret. */
export const show = (server: Server): string =>
  server.target._tag === "Stdio"
    ? oneLine(Launch.targetOf({ ...server.target, env: server.env }), 120)
    : Target.show(server.target)

/** Returns the transport to a server. */
export const transportOf = ({ env, headers, target }: Server): Transport =>
  target._tag === "Http"
    ? HttpClient.make({ url: target.url, headers })
    : StdioClient.make({ command: target.command, args: target.args, env })

const itemsOf = (value: unknown): ReadonlyArray<readonly [place: string, item: unknown]> | undefined => {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [`server ${index + 1}`, item] as const)
  const named = isObject(value) ? value["mcpServers"] : undefined
  return isObject(named) ? Object.entries(named).map(([name, item]) => [name, { name, ...objectOf(item) }]) : undefined
}

const objectOf = (item: unknown): object => (isObject(item) ? item : {})

const serverOf = (place: string, item: unknown): Reading<Server> => {
  if (typeof item === "string") {
    const words = item.trim().split(/\s+/)
    return /^https?:/i.test(item) ? reached(undefined, Target.read([item], undefined)) : launched(undefined, words)
  }
  if (Array.isArray(item)) return texts(item) ? launched(undefined, item) : no("A command is an array of texts.")
  if (!isObject(item)) return no("It is neither a URL, a command nor an object.")
  const { args = [], command, env = {}, headers = {}, name = place, url } = item
  if (typeof name !== "string") return no("Its name is a text.")
  if (typeof url === "string") {
    if (!isTexts(headers)) return no("Its headers are an object of texts.")
    const read = Setting.headers(Object.entries(headers).map(([header, text]) => `${header}: ${text}`))
    return read.ok ? reached(name, Target.read([url], undefined), read.value) : read
  }
  if (typeof command !== "string") return no("It has neither a url nor a command.")
  if (!Array.isArray(args) || !texts(args)) return no("Its args are an array of texts.")
  return isTexts(env) ? launched(name, [command, ...args], env) : no("Its env is an object of texts.")
}

const reached = (
  name: string | undefined,
  target: Reading<Target.Target>,
  headers: Server["headers"] = {}
): Reading<Server> =>
  target.ok
    ? { ok: true, value: { name: name ?? Target.show(target.value), target: target.value, headers, env: {} } }
    : target

const launched = (name: string | undefined, words: ReadonlyArray<string>, env: Server["env"] = {}): Reading<Server> => {
  const target = Target.read([], words)
  if (!target.ok) return no("Its command is empty.")
  return { ok: true, value: { name: name ?? Target.show(target.value), target: target.value, headers: {}, env } }
}

const texts = (values: ReadonlyArray<unknown>): values is ReadonlyArray<string> =>
  values.every((value) => typeof value === "string")
const isTexts = (value: unknown): value is { readonly [name: string]: string } =>
  isObject(value) && texts(Object.values(value))
const no = (problem: string): Reading<never> => ({ ok: false, problem })
