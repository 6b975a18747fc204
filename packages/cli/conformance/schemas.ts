// `npm run schemas -- DIR`: holds everything that Parley says at each revision against the JSON Schema of that revision,
// DIR/schema-<revision>.json. Prints what does not fit, and "N passed, N failed".
import { allVersions } from "@parley/core/Version"
import { isFailure, isSuccess } from "@parley/core/Message"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { record, type Said } from "./Wire.ts"

const folder = process.argv[2]
if (folder === undefined) {
  console.error("usage: npm run schemas -- DIR")
  process.exit(2)
}

const nouns: { readonly [method: string]: readonly [request: string, result: string] } = {
  initialize: ["InitializeRequest", "InitializeResult"],
  "server/discover": ["DiscoverRequest", "DiscoverResult"],
  "tools/list": ["ListToolsRequest", "ListToolsResult"],
  "tools/call": ["CallToolRequest", "CallToolResult"],
  "prompts/list": ["ListPromptsRequest", "ListPromptsResult"],
  "prompts/get": ["GetPromptRequest", "GetPromptResult"],
  "resources/list": ["ListResourcesRequest", "ListResourcesResult"],
  "resources/templates/list": ["ListResourceTemplatesRequest", "ListResourceTemplatesResult"],
  "resources/read": ["ReadResourceRequest", "ReadResourceResult"],
  "logging/setLevel": ["SetLevelRequest", "EmptyResult"],
  ping: ["PingRequest", "EmptyResult"],
  "notifications/initialized": ["InitializedNotification", ""],
  "notifications/cancelled": ["CancelledNotification", ""],
  "notifications/progress": ["ProgressNotification", ""],
  "notifications/message": ["LoggingMessageNotification", ""]
}

let passed = 0
let failed = 0
for (const version of allVersions) {
  const schema = JSON.parse(readFileSync(resolve(folder, `schema-${version}.json`), "utf8"))
  const modern = "$defs" in schema
  const ajv = modern ? new Ajv2020({ strict: false, allErrors: true }) : new Ajv({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(schema, "mcp")
  const key = modern ? "$defs" : "definitions"
  const names = (said: Said): ReadonlyArray<readonly [string, unknown]> => {
    const { message, method } = said
    if (isFailure(message))
      return [["JSONRPCErrorResponse" in schema[key] ? "JSONRPCErrorResponse" : "JSONRPCError", message]]
    const noun = nouns[method]
    const whole = ["JSONRPCMessage", message] as const
    if (isSuccess(message)) return noun === undefined ? [whole] : [whole, [noun[1], message.result]]
    return noun === undefined ? [whole] : [whole, [noun[0], message]]
  }
  const said = await record(version)
  if (said.length < 20) failed += 1
  for (const one of said) {
    for (const [name, value] of names(one)) {
      const validate = ajv.getSchema(`mcp#/${key}/${name}`)
      const fits = validate?.(value) === true
      if (fits) passed += 1
      else {
        failed += 1
        console.log(
          `${version} ${one.by} ${one.method} is no ${name}: ${ajv.errorsText(validate?.errors).slice(0, 400)}`
        )
        console.log(`  ${JSON.stringify(value).slice(0, 400)}`)
      }
    }
  }
  console.log(`${version}: ${said.length} messages held`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
