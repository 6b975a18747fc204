// What a connection remembers of the tools that it listed: which of their parameters travel as HTTP headers. Bounded.
import type { JsonObject } from "@parley/core/Message"
import { isObject } from "@parley/core/Message"
import * as ToolHeaders from "@parley/core/ToolHeaders"

export interface ToolMemory {
  /**
   * Takes a `tools/list` result and returns it without the tools whose header annotations are invalid, with one warning
   * for each. Source: streamable-http, Schema Extension: clients exclude such tools.
   */
  readonly remember: (result: JsonObject) => { readonly result: JsonObject; readonly warnings: ReadonlyArray<string> }
  /** Returns the header parameters of a tool that was listed, or undefined for one that was not. */
  readonly headersOf: (tool: unknown) => ReadonlyArray<ToolHeaders.ToolHeader> | undefined
}

/** Remembers at most so many tools (default 2,000); the ones listed longest ago are forgotten first. */
export const make = (limit: number = 2000): ToolMemory => {
  const known = new Map<string, ReadonlyArray<ToolHeaders.ToolHeader>>()
  return {
    remember: (result) => {
      const tools = result["tools"]
      if (!Array.isArray(tools)) return { result, warnings: [] }
      const warnings: Array<string> = []
      const kept = tools.filter((tool: unknown) => {
        if (!isObject(tool) || typeof tool["name"] !== "string") return true
        const found = ToolHeaders.fromSchema(tool["inputSchema"])
        if (found._tag === "Invalid") {
          warnings.push(`The tool ${JSON.stringify(tool["name"].slice(0, 100))} is left out: ${found.problem}.`)
          return false
        }
        known.delete(tool["name"])
        known.set(tool["name"], found.headers)
        const oldest = known.size > limit ? known.keys().next() : undefined
        if (oldest?.done === false) known.delete(oldest.value)
        return true
      })
      return { result: warnings.length === 0 ? result : { ...result, tools: kept }, warnings }
    },
    headersOf: (tool) => (typeof tool === "string" ? known.get(tool) : undefined)
  }
}
