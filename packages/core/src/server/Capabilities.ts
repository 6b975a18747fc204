// What of the client's capabilities something needs, and what of that was not declared. Who needs what is the profile's.
import type { JsonObject } from "../Message.ts"
import { isObject } from "../Message.ts"

/** Returns the part of needed capabilities that was not declared, or undefined where all of it was. */
export const missingOf = (needed: JsonObject, declared: unknown): JsonObject | undefined => {
  const missing: { [name: string]: unknown } = {}
  for (const [name, value] of Object.entries(needed)) {
    const has = isObject(declared) && Object.hasOwn(declared, name) ? declared[name] : undefined
    if (has === undefined || has === null || has === false) missing[name] = value
    else if (isObject(value)) {
      const inner = missingOf(value, has)
      if (inner !== undefined) missing[name] = inner
    }
  }
  return Object.keys(missing).length === 0 ? undefined : missing
}
