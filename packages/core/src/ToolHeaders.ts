// The parameters of a tool that travel as HTTP headers too: finding `x-mcp-header` in an input schema, refusing a
// schema that breaks its rules, and reading a value at its path. Which header carries what is decided in Envelope.
import type { JsonObject } from "./Message.ts"
import { head, isObject } from "./Message.ts"

/** One annotated parameter: the name part of `Mcp-Param-{name}`, its path of property names, and its type. */
export interface ToolHeader {
  readonly header: string
  readonly path: ReadonlyArray<string>
  readonly type: "string" | "integer" | "boolean"
}

/** What an input schema says of headers: its annotations, or why the tool's definition is invalid. */
export type ToolHeaders =
  | { readonly _tag: "Valid"; readonly headers: ReadonlyArray<ToolHeader> }
  | { readonly _tag: "Invalid"; readonly problem: string }

/** Bounds on what a schema may make us walk. */
export const limits = { depth: 32, nodes: 10_000, headers: 100 } as const

/** Returns the header annotations of a tool's input schema. Source: Streamable HTTP, Custom Headers from Tool Parameters. */
export const fromSchema = (schema: unknown): ToolHeaders => {
  const headers: Array<ToolHeader> = []
  const seen = new Set<string>()
  let nodes = 0
  let problem: string | undefined

  const walk = (node: unknown, path: ReadonlyArray<string> | undefined, depth: number): void => {
    if (problem !== undefined || typeof node !== "object" || node === null) return
    nodes += 1
    if (depth > limits.depth || nodes > limits.nodes) {
      problem = "the schema is too large to be searched for x-mcp-header"
      return
    }
    if (Array.isArray(node)) {
      for (const member of node) walk(member, undefined, depth + 1)
      return
    }
    if (!isObject(node)) return
    if (annotation in node) {
      problem = annotate(node, path)
      if (problem !== undefined) return
    }
    for (const [key, value] of Object.entries(node)) {
      if (data.has(key)) continue
      if (!named.has(key) || !isObject(value)) {
        walk(value, undefined, depth + 1)
        continue
      }
      for (const [name, member] of Object.entries(value)) {
        walk(member, key !== "properties" || path === undefined ? undefined : [...path, name], depth + 1)
      }
    }
  }

  const annotate = (node: JsonObject, path: ReadonlyArray<string> | undefined): string | undefined => {
    const header = node[annotation]
    const type = node["type"]
    if (typeof header !== "string" || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header))
      return "an x-mcp-header is no header name"
    const shown = head(header, 64)
    if (path === undefined || path.length === 0) return `x-mcp-header ${shown} is not reachable by properties alone`
    if (type !== "string" && type !== "integer" && type !== "boolean")
      return `x-mcp-header ${shown} is on a parameter that is no string, integer or boolean`
    const folded = header.toLowerCase()
    if (seen.has(folded)) return `x-mcp-header ${shown} is used twice`
    if (headers.length >= limits.headers) return `more than ${limits.headers} parameters are marked x-mcp-header`
    seen.add(folded)
    headers.push({ header, path, type })
    return undefined
  }

  walk(schema, [], 0)
  return problem === undefined ? { _tag: "Valid", headers } : { _tag: "Invalid", problem }
}

/** Returns the primitive at a path of own property names, or undefined where there is none or null. */
export const valueAt = (root: unknown, path: ReadonlyArray<string>): string | number | boolean | undefined => {
  let value: unknown = root
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  if (typeof value === "string" || typeof value === "boolean") return value
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined
}

// Keywords whose values are data, not schemas: an annotation in there annotates nothing.
const data: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"])

// Keywords whose values map names to schemas: such a name is no keyword, even if it is spelled like one.
const named: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions"
])

const annotation = "x-mcp-header"
