// Reads a declaration file as the compiler writes it: each statement begins at the first column, its docstring before it.

/** Returns what the file says of itself, and its exported declarations: { name, kind, signature, doc }. */
export const read = (text) => {
  const declarations = []
  let doc = ""
  for (const statement of statements(text)) {
    if (statement.startsWith("/**")) {
      doc = proseOf(statement)
      continue
    }
    if (statement.startsWith("export ") && statement !== "export {};") declarations.push({ ...told(statement), doc })
    doc = ""
  }
  return { declarations: merged(declarations) }
}

// A line at the first column that closes nothing begins a statement.
const statements = (text) => {
  const found = []
  let inComment = false
  for (const line of text.split("\n")) {
    if (line.startsWith("//")) continue
    const begins = !inComment && /^(?:[a-z]|\/\*\*)/.test(line)
    if (begins) found.push(line)
    else if (found.length > 0) found[found.length - 1] += `\n${line}`
    if (line.startsWith("/**")) inComment = true
    if (line.includes("*/")) inComment = false
  }
  return found.map((statement) => statement.trim())
}

const told = (statement) => {
  const signature = statement.replace(/^export declare /, "export ").replace(/ {4}/g, "  ")
  const [, kind, name] =
    /^export (?:abstract )?(const|let|function|class|interface|type|enum|namespace) ([\w$]+)/.exec(signature) ?? []
  if (name !== undefined && !signature.startsWith("export type {")) return { kind, name, signature }
  return { kind: "reexport", name: /\bas ([\w$]+) from/.exec(signature)?.[1] ?? "", signature }
}

// Overloads, and a type beside a value of its name: one entry, documented if one of them is.
const merged = (declarations) => {
  const byName = new Map()
  const found = []
  for (const one of declarations) {
    const first = one.kind === "reexport" ? undefined : byName.get(one.name)
    if (first === undefined) {
      const entry = { ...one }
      byName.set(one.name, entry)
      found.push(entry)
    } else {
      first.signature += `\n${one.signature}`
      first.doc = first.doc || one.doc
    }
  }
  return found.map((one) =>
    /^export class \w+ extends \w+_base\b/.test(one.signature) ? { ...one, kind: "class" } : one
  )
}

const proseOf = (comment) =>
  comment
    .replace(/^\/\*\*\s?/, "")
    .replace(/\s*\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .replace(/\{@link (\S+?)(?: [^}]*)?\}/g, "`$1`")
    .replace(/^@example$/m, "**Example**\n")
    .trim()
