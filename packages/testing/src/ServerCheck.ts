// Whether a server answered what a case calls right: a pure comparison of one answer with one entry of `right`.
import type { ServerRight } from "./Case.ts"
import { differences, show } from "./Match.ts"

/** What came back for one message. */
export interface Answer {
  /** Absent on stdio. */
  readonly status?: number
  /** Names in lower case; several lines are joined by ", ". */
  readonly headers: { readonly [name: string]: string }
  /** The body as text: of an SSE stream, what came of it; on stdio, the line. */
  readonly text: string
  /** The JSON-RPC message in it, if there is one. */
  readonly message?: unknown
}

/** Returns what was not right, one sentence each. `answer` is undefined where none came in time. */
export const check = (
  right: ServerRight | null,
  answer: Answer | undefined,
  waitedMillis: number
): ReadonlyArray<string> => {
  if (right === null) {
    // Over HTTP an accepted notification has a status, and no message.
    return answer === undefined || (answer.status !== undefined && answer.message === undefined && answer.status < 300)
      ? []
      : [`expected no reply, saw ${brief(answer)}`]
  }
  if (answer === undefined) {
    return right.optional === true ? [] : [`expected a reply, saw none within ${waitedMillis} ms`]
  }
  return [
    ...statusProblems(right, answer),
    ...headerProblems(right, answer),
    ...(right.statusOnly === true ? [] : bodyProblems(right, answer))
  ]
}

const statusProblems = (right: ServerRight, { status }: Answer): ReadonlyArray<string> => {
  // On stdio there is no status, whatever a case says.
  if (status === undefined) return []
  if (right.statusIn !== undefined && !right.statusIn.includes(status)) {
    return [`status: expected one of ${right.statusIn.join(", ")}, saw ${status}`]
  }
  return right.status === undefined || right.status === status
    ? []
    : [`status: expected ${right.status}, saw ${status}`]
}

const headerProblems = (right: ServerRight, { headers }: Answer): ReadonlyArray<string> =>
  Object.entries(right.headersHas ?? {}).flatMap(([name, expected]) =>
    differences(expected ?? { $absent: true }, headers[name.toLowerCase()], `header ${name}`)
  )

const bodyProblems = (right: ServerRight, answer: Answer): ReadonlyArray<string> => [
  ...(right.noBody === true && answer.text !== "" ? ["body: expected an empty one"] : []),
  ...codeProblems(right.code, answer.message),
  ...(right.bodyHas === undefined ? [] : differences(right.bodyHas, answer.message, "body")),
  ...(right.bodyContains ?? [])
    .filter((part) => !answer.text.includes(part) && !JSON.stringify(answer.message ?? null).includes(part))
    .map((part) => `body: expected to contain ${show(part)}`)
]

const codeProblems = (expected: ServerRight["code"], message: unknown): ReadonlyArray<string> => {
  if (expected === undefined) return []
  const seen = codesOf(message)
  if (expected === null) return seen.length === 0 ? [] : [`code: expected no error, saw ${seen.join(", ")}`]
  const holds = expected === "*" ? seen.length > 0 : seen.includes(expected)
  return holds
    ? []
    : [`code: expected ${expected === "*" ? "an error" : expected}, saw ${seen.join(", ") || "no error"}`]
}

/** The error codes of a message; a batch of answers may hold several. */
const codesOf = (message: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(message)) return message.flatMap(codesOf)
  if (typeof message !== "object" || message === null || !("error" in message)) return []
  const { error } = message
  return [typeof error === "object" && error !== null && "code" in error ? error.code : "an error without a code"]
}

const brief = ({ status, text }: Answer): string => {
  const line = `${status === undefined ? "" : `${status} `}${text.replaceAll("\n", "\\n") || "(empty)"}`
  return line.length > 400 ? `${line.slice(0, 399)}…` : line
}
