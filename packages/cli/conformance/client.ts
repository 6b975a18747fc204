// The client that the official conformance suite drives: started with the URL of a mock server, it does what the scenario
// named in the environment asks, through Parley's Connection alone. What the suite reads of the wire is Parley's own.
import * as Policy from "@parley/core/client/Policy"
import { newestLegacy } from "@parley/core/Version"
import * as HttpClient from "@parley/node/HttpClient"
import * as Connection from "@parley/runtime/Connection"
import * as Effect from "effect/Effect"

type Json = { readonly [key: string]: unknown }

const url = process.argv.at(-1) ?? ""
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "initialize"
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? newestLegacy

// request-metadata refuses any POST without modern headers, so a modern run leads with server/discover.
const policy = version > newestLegacy ? Policy.discoverFirst : Policy.auto

const client = {
  info: { name: "parley-conformance", version: "0.1.0" },
  capabilities: { elicitation: {}, sampling: {}, roots: {} }
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const listed = (result: Json, key: string): ReadonlyArray<Json> => {
  const list = result[key]
  return Array.isArray(list) ? list.filter(isObject) : []
}

// A value for each required argument, by its type: numbers where numbers are asked for.
const argumentsFor = (tool: Json): Json => {
  const schema = isObject(tool["inputSchema"]) ? tool["inputSchema"] : {}
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const entries = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(
    entries.map(([name, property], index) => {
      const type = isObject(property) ? property["type"] : undefined
      return [name, type === "number" || type === "integer" ? index + 2 : type === "boolean" ? true : "value"]
    })
  )
}

const answers: Json = {
  "elicitation/create": { action: "accept", content: { name: "Ada", confirmed: true } },
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "ok" }, model: "none" },
  "roots/list": { roots: [] }
}

const program = Effect.gen(function* () {
  const connection = yield* Connection.connect({
    transport: HttpClient.make({ url }),
    policy,
    client,
    onRequest: (request) => {
      const answer = answers[request.method]
      return isObject(answer)
        ? Effect.succeed(answer)
        : Effect.fail({ code: -32601, message: "The conformance client does not serve this." })
    }
  })
  const call = (tool: Json, given: Json = argumentsFor(tool)) =>
    connection.request("tools/call", { name: tool["name"], arguments: given })
  const tools = listed(yield* connection.request("tools/list"), "tools")

  switch (scenario) {
    case "initialize":
    case "json-schema-ref-no-deref":
      return
    case "json-schema-2020-12-preservation": {
      const rich = tools.find(({ name }) => name !== "json_schema_echo")
      yield* connection.request("tools/call", {
        name: "json_schema_echo",
        arguments: { schema: rich?.["inputSchema"] }
      })
      return
    }
    case "tools_call": {
      const tool = tools.find(({ name }) => name === "add_numbers")
      if (tool !== undefined) yield* call(tool, { a: 5, b: 3 })
      return
    }
    case "sse-retry": {
      yield* connection.request("tools/call", { name: "test_reconnection", arguments: {} })
      return
    }
    case "http-standard-headers": {
      for (const tool of tools.slice(0, 1)) yield* call(tool)
      const prompts = listed(yield* connection.request("prompts/list"), "prompts")
      for (const prompt of prompts.slice(0, 1)) yield* connection.request("prompts/get", { name: prompt["name"] })
      const resources = listed(yield* connection.request("resources/list"), "resources")
      for (const resource of resources.slice(0, 1))
        yield* connection.request("resources/read", { uri: resource["uri"] })
      return
    }
    case "http-custom-headers": {
      const context: unknown = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}")
      for (const wanted of isObject(context) ? listed(context, "toolCalls") : []) {
        yield* call(wanted, isObject(wanted["arguments"]) ? wanted["arguments"] : {})
      }
      return
    }
    case "http-invalid-tool-headers":
    case "sep-2322-client-request-state":
      for (const tool of tools) yield* call(tool)
      return
    default:
      yield* connection.request("tools/list")
  }
}).pipe(Effect.scoped)

await Effect.runPromise(program).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
