// What a command line means by a server: an address, or a command behind `--`. Reading only; nothing is opened here.
import * as Launch from "@parley/core/Launch"
import { oneLine } from "./render/Text.ts"

/** A server to reach: over HTTP, or as a child process. */
export type Target = HttpTarget | StdioTarget

export interface HttpTarget {
  readonly _tag: "Http"
  readonly url: string
}

export interface StdioTarget {
  readonly _tag: "Stdio"
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** What was read, or one sentence that says what is wrong with it. */
export type Reading<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly problem: string }

/** Reads a target: what stood before `--`, and what stood after it (undefined where there was no `--`). */
export const read = (before: ReadonlyArray<string>, after: ReadonlyArray<string> | undefined): Reading<Target> => {
  if (after !== undefined) {
    if (before.length > 0)
      return no(`Give either a URL or a command after --, not both: ${oneLine(before[0] ?? "", 80)}`)
    const [command, ...args] = after
    return command === undefined || command === ""
      ? no("Nothing stands after --. Put the command that starts the server there.")
      : yes({ _tag: "Stdio", command, args })
  }
  const [text, ...rest] = before
  if (text === undefined) return no("No server is named. Give a URL, or a command after --.")
  if (rest.length > 0) {
    return no(
      isHttp(text)
        ? `One URL at a time: ${oneLine(rest[0] ?? "", 80)} is too much.`
        : `To start a command, put -- before it: -- ${oneLine(Launch.targetOf({ command: text, args: rest }), 120)}`
    )
  }
  return readUrl(text)
}

/** Returns the target as a person would write it, at most 120 characters, without what looks like a secret. */
export const show = (target: Target): string => {
  if (target._tag === "Stdio") return oneLine(Launch.targetOf(target), 120)
  const url = new URL(target.url)
  return oneLine(`${url.origin}${url.pathname}`, 120)
}

const readUrl = (text: string): Reading<Target> => {
  if (/^[\w.-]+:\d/.test(text))
    return no(`${oneLine(text, 80)} is no URL. Write it with its scheme: http://${oneLine(text, 80)}`)
  if (!URL.canParse(text)) {
    return no(
      text.includes("/") || text.includes(":") || text.includes(".")
        ? `${oneLine(text, 80)} is no URL. Write it with its scheme: https://${oneLine(text, 80)}`
        : `${oneLine(text, 80)} is no URL. To start a command, put -- before it: -- ${oneLine(text, 80)}`
    )
  }
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return no(`MCP is spoken over http: and https:, not ${oneLine(url.protocol, 40)}`)
  }
  url.hash = ""
  return yes({ _tag: "Http", url: url.href })
}

const isHttp = (text: string): boolean => /^https?:/i.test(text)
const yes = <A>(value: A): Reading<A> => ({ ok: true, value })
const no = (problem: string): Reading<never> => ({ ok: false, problem })
