// How a data file is laid out: one entry of each list or map on a line, so that a difference in review is a line; and
// the ids of states, which do not depend on the order of a walk.
import { allVersions, newestModern } from "@parley/core/Version"

/**
 * The version of the data, by semantic versioning: major when an id or the meaning of a member changes, minor when
 * entries or members are added, patch when a text for people changes.
 */
export const dataVersion = "1.0.0"

/** What every data file begins with. */
export const header = (schema: string): { readonly [key: string]: unknown } => ({
  $schema: `./${schema}`,
  dataVersion,
  specification: newestModern,
  revisions: allVersions
})

/** Returns a data file: each member of the object on a line, and each entry of a long list or map on a line of its own. */
export const layOut = (data: { readonly [key: string]: unknown }): string => {
  const members = Object.entries(data).map(([key, value]) => {
    const name = JSON.stringify(key)
    if (Array.isArray(value) && value.some((one) => typeof one === "object")) {
      return `${name}: [\n${value.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n]`
    }
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const entries = Object.entries(value).map(([inner, one]) => `  ${JSON.stringify(inner)}: ${JSON.stringify(one)}`)
      return entries.length === 0 ? `${name}: {}` : `${name}: {\n${entries.join(",\n")}\n}`
    }
    return `${name}: ${JSON.stringify(value)}`
  })
  return `{\n${members.join(",\n")}\n}\n`
}

/** Returns a short name for a text: 8 hexadecimal digits of its FNV-1a hash. */
export const short = (text: string): string => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, "0")
}

/** Returns an object with its members in the order of their names. */
export const sorted = <A>(members: ReadonlyMap<string, A>): { readonly [key: string]: A } =>
  Object.fromEntries([...members].toSorted(([one], [other]) => (one < other ? -1 : 1)))
