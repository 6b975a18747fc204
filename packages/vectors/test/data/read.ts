// The committed data files, as a reader in another language sees them.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** A JSON value that is known to be an object. */
export type Json = { readonly [key: string]: unknown }

export const path = (name: string): string => fileURLToPath(new URL(`../../data/${name}`, import.meta.url))
export const text = (name: string): string => readFileSync(path(name), "utf8")
export const json = (name: string): Json => object(JSON.parse(text(name)))

export const object = (value: unknown): Json => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`no object: ${String(value)}`)
  return Object.fromEntries(Object.entries(value))
}

export const list = (value: unknown): ReadonlyArray<Json> => {
  if (!Array.isArray(value)) throw new Error(`no list: ${String(value)}`)
  return value.map(object)
}

export const word = (value: unknown): string => {
  if (typeof value !== "string") throw new Error(`no text: ${String(value)}`)
  return value
}

export const words = (value: unknown): ReadonlyArray<string> => {
  if (!Array.isArray(value)) throw new Error(`no list: ${String(value)}`)
  return value.map(word)
}
