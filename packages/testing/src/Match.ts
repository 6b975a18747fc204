// Deep partial match of a JSON value, with the operators of the case format. It says where two values part.

// JSON Schema's own members, which a body may hold.
const plain = new Set(["$schema", "$ref", "$defs", "$id", "$anchor", "$comment"])

/** The operators that may stand in place of a value. */
const operators = ["$any", "$absent", "$not", "$matches", "$contains", "$notContains"] as const

/**
 * Returns where `actual` is not what `expected` describes; an empty list is a match. Objects are partial, at any depth;
 * arrays match element by element and in length; anything else must be equal. In place of a value may stand one object
 * of operators: `$any` (present), `$absent`, `$not` (present, and other), `$matches` (a regular expression),
 * `$contains` and `$notContains` (an element that matches, or a part of a text).
 */
export const differences = (expected: unknown, actual: unknown, path: string): ReadonlyArray<string> => {
  if (isOperation(expected)) {
    return Object.entries(expected).flatMap(([name, operand]) => operate(name, operand, actual, path))
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [parted(path, expected, actual)]
    if (expected.length !== actual.length) return [`${path}: expected ${expected.length} elements, saw ${show(actual)}`]
    return expected.flatMap((item, index) => differences(item, actual[index], `${path}[${index}]`))
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return [parted(path, expected, actual)]
    return Object.entries(expected).flatMap(([name, value]) => differences(value, actual[name], `${path}.${name}`))
  }
  return expected === actual ? [] : [parted(path, expected, actual)]
}

/** Returns what is wrong with an expectation itself: an unknown operator, a pattern that is none. */
export const problems = (expected: unknown, path: string): ReadonlyArray<string> => {
  if (Array.isArray(expected)) return expected.flatMap((item, index) => problems(item, `${path}[${index}]`))
  if (!isObject(expected)) return []
  return Object.entries(expected).flatMap(([name, value]) => {
    const place = `${path}.${name}`
    if (!isOperator(name)) return problems(value, place)
    if (!operators.some((known) => known === name)) return [`${place}: Expected one of ${operators.join(", ")}`]
    if (!isOperation(expected)) return [`${path}: Expected operators only, or members only`]
    return name === "$matches" && patternOf(value) === undefined
      ? [`${place}: Expected a regular expression, saw ${show(value)}`]
      : problems(value, place)
  })
}

const operate = (name: string, operand: unknown, actual: unknown, path: string): ReadonlyArray<string> => {
  const unless = (holds: boolean, wanted: string) => (holds ? [] : [`${path}: expected ${wanted}, saw ${show(actual)}`])
  switch (name) {
    case "$any":
      return unless((actual !== undefined) === (operand !== false), operand === false ? "nothing" : "any value")
    case "$absent":
      return unless((actual === undefined) === (operand !== false), operand === false ? "any value" : "nothing")
    case "$not":
      return unless(actual !== undefined && differences(operand, actual, path).length > 0, `not ${show(operand)}`)
    case "$matches":
      return unless(
        typeof actual === "string" && patternOf(operand)?.test(actual) === true,
        `a match of ${show(operand)}`
      )
    case "$contains":
      return unless(contains(actual, operand), `something that contains ${show(operand)}`)
    case "$notContains":
      return unless(actual !== undefined && !contains(actual, operand), `something without ${show(operand)}`)
    default:
      return [`${path}: ${name} is no known operator`]
  }
}

const contains = (actual: unknown, operand: unknown): boolean =>
  typeof actual === "string"
    ? typeof operand === "string" && actual.includes(operand)
    : Array.isArray(actual) && actual.some((item) => differences(operand, item, "").length === 0)

const isOperation = (value: unknown): value is { readonly [name: string]: unknown } =>
  isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(isOperator)

const isOperator = (name: string): boolean => name.startsWith("$") && !plain.has(name)

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const patternOf = (value: unknown): RegExp | undefined => {
  if (typeof value !== "string") return undefined
  try {
    return new RegExp(value)
  } catch {
    return undefined
  }
}

const parted = (path: string, expected: unknown, actual: unknown): string =>
  `${path}: expected ${show(expected)}, saw ${show(actual)}`

/** Returns a value as JSON of at most 200 characters. */
export const show = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
