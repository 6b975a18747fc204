// What the lines of a server's output are to a client: messages, or noise. Which message answers what is not decided here.
import type { Arrived, Stray } from "./client/Event.ts"
import { arrived } from "./client/Event.ts"
import type { Line } from "./Lines.ts"
import { head, parse, read as readMessage } from "./Message.ts"

/**
 * Returns the events of the lines, in their order. An array is a batch of a 2025-03-26 server: each member that is a
 * message arrives by itself, and what is none makes the line stray, once. Never throws.
 */
export const events = (lines: ReadonlyArray<Line>): Array<Arrived | Stray> => {
  const found: Array<Arrived | Stray> = []
  for (const line of lines) {
    if (line._tag === "Overlong") found.push({ _tag: "Stray", head: line.head, problem: "overlong" })
    else read(line.text, found)
  }
  return found
}

const read = (text: string, found: Array<Arrived | Stray>): void => {
  const parsed = parse(text)
  if (!parsed.ok) {
    found.push(stray(text, "notJson"))
    return
  }
  const members: ReadonlyArray<unknown> = Array.isArray(parsed.value) ? parsed.value : [parsed.value]
  let others = members.length === 0
  for (const member of members) {
    const message = readMessage(member)
    if (message === undefined) others = true
    else found.push(arrived(message))
  }
  if (others) found.push(stray(text, "notJsonRpc"))
}

const stray = (text: string, problem: Stray["problem"]): Stray => ({ _tag: "Stray", head: head(text, 200), problem })
