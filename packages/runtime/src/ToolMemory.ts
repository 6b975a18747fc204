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
  /** Returns the header parameters of a tool, or undefined for one that was not listed or has none. */
  readonly headersOf: (tool: unknown) => ReadonlyArray<ToolHeaders.ToolHeader> | undefined
}

/** Remembers at most so many tools that have header parameters (default 2,000); the ones listed longest ago go first. */
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
        const shown = JSON.stringify(tool["name"].slice(0, 100))
        if (found._tag === "Invalid") {
          known.delete(tool["name"])
          warnings.push(`The tool ${shown} is left out: ${found.problem}.`)
          return false
        }
        known.delete(tool["name"])
        if (found.headers.length === 0) return true
        const length = lengthOf(tool["name"], found.headers)
        if (length > mostLength) {
          warnings.push(`The tool ${shown} is left out: its x-mcp-header annotations are too long to be remembered.`)
          return false
        }
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

const lengthOf = (name: string, headers: ReadonlyArray<ToolHeaders.ToolHeader>): number =>
  headers.reduce(
    (sum, { header, path }) => path.reduce((length, part) => length + part.length, sum + header.length),
    name.length
  )

// How many characters of a name, its headers and their paths are kept: a server chooses all three.
const mostLength = 16_384
