// How what is on the wire is written down on the page: a request and an answer of HTTP as people know them, a line of a
// pipe as it is. What is on no wire is told in words elsewhere.

/** What is on the wire, in parts that are written with an empty line between them: the head and the body of HTTP. */
export type Written = ReadonlyArray<string>

/** Returns an HTTP request: its method and headers, and its body. */
export const requestText = (
  method: string,
  headers: { readonly [name: string]: unknown },
  body: string | undefined
): Written => [[`${method} /mcp`, ...headerLines(headers)].join("\n"), ...bodyPart(body)]

/** Returns an HTTP answer: its status and headers, and its body. */
export const answerText = (
  status: number,
  headers: { readonly [name: string]: unknown },
  body: string | undefined
): Written => [[`HTTP ${status}`, ...headerLines(headers)].join("\n"), ...bodyPart(body)]

/** Returns a message as the one event of a stream. */
export const streamed = (message: unknown): string => `data: ${JSON.stringify(message)}`

const headerLines = (headers: { readonly [name: string]: unknown }): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${String(one)}`)
  )

const bodyPart = (body: string | undefined): Written => (body === undefined || body === "" ? [] : [body])
