// The small server of `parley serve`: its profile, and what it answers to whom it admits. It listens nowhere.
import type { JsonObject, Request } from "@parley/core/Message"
import { Code, isObject, Method } from "@parley/core/Message"
import * as Profile from "@parley/core/server/Profile"
import type { Era } from "@parley/core/Version"
import { legacyVersions, modernVersions } from "@parley/core/Version"
import type { Listener, RequestContext } from "@parley/runtime/Handler"
import { Rejection } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import * as Release from "../Release.ts"
import { askTools } from "./AskTools.ts"
import * as Changes from "./Changes.ts"
import { inputTools } from "./InputTools.ts"
import * as Prompts from "./Prompts.ts"
import * as Resources from "./Resources.ts"
import { requirements, testTools } from "./TestTools.ts"
import type { Tool } from "./Tool.ts"
import { echoing, tools as ownTools } from "./Tools.ts"

export interface Options {
  readonly eras: ReadonlyArray<Era>
  readonly sessions: "issued" | "none"
  /** The names of the tools that it offers, in their order; one that it does not know says back what it is given. */
  readonly tools?: ReadonlyArray<string> | undefined
  readonly origins?: ReadonlyArray<string> | undefined
  readonly hosts?: ReadonlyArray<string> | undefined
}

export interface Host {
  readonly profile: Profile.Profile
  readonly handler: (request: Request, context: RequestContext) => Effect.Effect<JsonObject, unknown>
  readonly listener: Listener
}

/** Returns a server with tools, prompts and resources. */
export const make = (options: Options): Host => {
  const changes = Changes.make()
  const tools = options.tools === undefined ? known : options.tools.map(named)
  return {
    profile: profileOf(options, tools),
    handler: (request, context) => answer(request, context, tools, changes),
    listener: changes.listen
  }
}

const profileOf = ({ eras, hosts, origins, sessions }: Options, tools: ReadonlyArray<Tool>): Profile.Profile =>
  Profile.make({
    serverInfo: { name: "parley-serve", title: "Parley's server for trying clients", version: Release.version },
    instructions: "A server for trying clients against. The tool who_am_i tells on what terms a client was admitted.",
    versions: [...(eras.includes("legacy") ? legacyVersions : []), ...(eras.includes("modern") ? modernVersions : [])],
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {}
    },
    requires: requirements,
    toolHeaders: Profile.toolHeadersOf(tools).toolHeaders,
    sessions,
    ...(origins === undefined ? undefined : { origins }),
    ...(hosts === undefined ? undefined : { hosts })
  })

const answer = (
  { method, params = {} }: Request,
  context: RequestContext,
  tools: ReadonlyArray<Tool>,
  changes: Changes.Changes
): Effect.Effect<JsonObject, unknown> => {
  switch (method) {
    case Method.ToolsList:
      return page(params, {
        tools: tools.map(({ description, inputSchema, name }) => ({ name, description, inputSchema }))
      })
    case Method.ToolsCall: {
      const tool = tools.find(({ name }) => name === params["name"])
      const given = params["arguments"] ?? {}
      if (tool === undefined) return rejected("There is no tool of this name. tools/list shows all.")
      return isObject(given) ? tool.call({ given, params, context, changes }) : rejected("The arguments are no object.")
    }
    case Method.PromptsList:
      return page(params, { prompts: Prompts.listed() })
    case Method.PromptsGet:
      return Prompts.get(params, context)
    case Method.ResourcesList:
      return page(params, { resources: Resources.listed })
    case Method.ResourceTemplatesList:
      return page(params, { resourceTemplates: Resources.templates })
    case Method.ResourcesRead:
      return Resources.read(params["uri"])
    case Method.ResourcesSubscribe:
      return withUri(params, (uri) => changes.subscribe(context, uri))
    case Method.ResourcesUnsubscribe:
      return withUri(params, (uri) => changes.unsubscribe(context, uri))
    case Method.Complete:
      return complete(params)
    default:
      return rejected(`The method ${method} is declared and not served.`)
  }
}

// All lists have one page, so that no cursor of ours exists.
const page = ({ cursor }: JsonObject, result: JsonObject): Effect.Effect<JsonObject, Rejection> =>
  cursor === undefined ? Effect.succeed(result) : rejected("This cursor is none of this server's.")

const withUri = (
  { uri }: JsonObject,
  use: (uri: string) => Effect.Effect<JsonObject>
): Effect.Effect<JsonObject, Rejection> =>
  typeof uri === "string" && uri.length <= 2_000 ? use(uri) : rejected("Give a uri, as a string.")

const complete = ({ argument }: JsonObject): Effect.Effect<JsonObject, Rejection> => {
  const value = isObject(argument) ? argument["value"] : undefined
  if (typeof value !== "string") return rejected("Give an argument with a value, as a string.")
  const values = cities.filter((city) => city.startsWith(value.toLowerCase()))
  return Effect.succeed({ completion: { values, total: values.length, hasMore: false } })
}

const rejected = (message: string): Effect.Effect<never, Rejection> =>
  Effect.fail(new Rejection({ code: Code.InvalidParams, message }))

const known: ReadonlyArray<Tool> = [...ownTools, ...testTools, ...askTools, ...inputTools]
const named = (name: string): Tool => known.find((tool) => tool.name === name) ?? echoing(name)
const cities = ["berlin", "bern", "lima", "lisbon", "paris", "park city", "perth"]
