// Plays a server case: says to a server what the case sends, in its order, and hands each answer to the check.
import type { Send, ServerCase, ServerRight } from "./Case.ts"
import * as HttpSender from "./HttpSender.ts"
import { type Target, wireLine } from "./Scripted.ts"
import { type Answer, check } from "./ServerCheck.ts"
import * as StdioSender from "./StdioSender.ts"

/** How long to wait for a reply that must come, for one that need not come, and for what must not come. */
export interface Waits {
  readonly replyMillis: number
  readonly optionalMillis: number
  readonly silenceMillis: number
  /** How much longer the first reply on a pipe may take: the process has to start. Default 0. */
  readonly startMillis?: number | undefined
}

export const defaultWaits: Waits = {
  replyMillis: 5_000,
  optionalMillis: 400,
  silenceMillis: 120,
  startMillis: 15_000
}

export interface Played {
  readonly problems: ReadonlyArray<string>
  /** The wire, line by line. */
  readonly wire: ReadonlyArray<string>
}

/** Plays the case against the target. Never rejects: a server that breaks is a problem of the case. */
export const play = async (subject: ServerCase, target: Target, waits: Waits): Promise<Played> => {
  const start = Date.now()
  const wire: Array<string> = []
  const log = (who: ">" | "<" | "*", text: string) => wire.push(wireLine(Date.now() - start, who, text))
  const problems =
    "url" in target
      ? await overHttp(subject, target.url, waits, log)
      : await overStdio(subject, StdioSender.start(target), waits, log)
  return { problems, wire }
}

type Log = (who: ">" | "<" | "*", text: string) => void

const overHttp = async (subject: ServerCase, url: string, waits: Waits, log: Log): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  const answers: Array<Answer | undefined> = []
  const missed = new Set<number>()
  for (const group of groupsOf(subject.send)) {
    const sent = group.map((index) => {
      const { value: message, missing } = fill(subject.send[index] ?? {}, answers)
      problems.push(...missing.map((name) => `send[${index}]: ${name}`))
      log(">", `${message.httpMethod ?? "POST"} ${JSON.stringify(message.headers ?? {})} ${textOf(message)}`)
      const wait = waitFor(subject.right[index] ?? null, waits, missed)
      return HttpSender.send(url, message, wait).then(
        (answer) => ({ index, wait, answer }),
        (cause: unknown) => {
          problems.push(`send[${index}]: ${cause instanceof Error ? cause.message : String(cause)}`)
          return undefined
        }
      )
    })
    for (const done of await Promise.all(sent)) {
      if (done === undefined) continue
      const { index, wait, answer } = done
      answers[index] = answer
      if (answer === undefined) missed.add(index)
      log(
        "<",
        answer === undefined
          ? `nothing within ${wait} ms`
          : `${answer.status} ${JSON.stringify(answer.headers)} ${answer.text}`
      )
      problems.push(...judge(subject, index, answer, wait, answers))
    }
  }
  return problems
}

const overStdio = async (
  subject: ServerCase,
  pipe: StdioSender.Pipe,
  waits: Waits,
  log: Log
): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  const missed = new Set<number>()
  let starting = waits.startMillis ?? 0
  const take = async (index: number, wait: number): Promise<void> => {
    const right = subject.right[index] ?? null
    const due = typeof right?.code === "number" || right?.code === "*" ? "error" : "any"
    const answer = await pipe.answerTo(subject.send[index] ?? {}, due, wait)
    if (answer === undefined) missed.add(index)
    log("<", answer?.text ?? pipe.ended() ?? `nothing within ${wait} ms`)
    problems.push(...judge(subject, index, answer, wait, []))
  }
  for (const group of groupsOf(subject.send)) {
    for (const index of group) {
      const message = subject.send[index] ?? {}
      log(">", textOf(message))
      pipe.write(message)
    }
    for (const index of group) {
      const right = subject.right[index] ?? null
      // What need not come, or must not, shows at the end: a pipe keeps its order.
      if (right === null || right.optional === true) continue
      await take(index, waitFor(right, waits, missed) + starting)
      starting = 0
    }
  }
  await new Promise((resolve) => setTimeout(resolve, waits.silenceMillis))
  const ended = pipe.ended()
  if (ended !== undefined) problems.push(`the process must live on; it ${ended}`)
  // At the end of its input a server says what it has still to say.
  await pipe.close()
  for (const [index, right] of subject.right.entries()) if (right?.optional === true) await take(index, 0)
  for (const answer of pipe.left()) {
    log("<", answer.text)
    problems.push(`expected nothing more, saw ${answer.text.slice(0, 400)}`)
  }
  if (problems.length > 0 && pipe.stderr() !== "") log("*", `standard error: ${pipe.stderr()}`)
  return problems
}

const judge = (
  subject: ServerCase,
  index: number,
  answer: Answer | undefined,
  wait: number,
  answers: ReadonlyArray<Answer | undefined>
): ReadonlyArray<string> => {
  const { value: right, missing } = fill<ServerRight | null>(subject.right[index] ?? null, answers)
  return [...missing, ...check(right, answer, wait)].map((problem) => `send[${index}]: ${problem}`)
}

/** A server that owed a reply already is given less time for the next one. */
const waitFor = (right: ServerRight | null, waits: Waits, missed: ReadonlySet<number>): number => {
  if (right === null) return waits.silenceMillis
  if (right.optional === true) return waits.optionalMillis
  return missed.size === 0 ? waits.replyMillis : Math.min(waits.replyMillis, 500)
}

/** The messages in their order; those that must be in flight together stand in one group. */
const groupsOf = (sends: ReadonlyArray<Send>): ReadonlyArray<ReadonlyArray<number>> => {
  const groups: Array<Array<number>> = []
  sends.forEach(({ parallelWith }, index) => {
    const together = groups.find((group) =>
      group.some((other) => parallelWith === other || sends[other]?.parallelWith === index)
    )
    if (together === undefined) groups.push([index])
    else together.push(index)
  })
  return groups
}

/** Puts the response headers of earlier sends in place of `{{send.N.headers.X}}`, at any depth. */
const fill = <A>(
  value: A,
  answers: ReadonlyArray<Answer | undefined>
): { readonly value: A; readonly missing: ReadonlyArray<string> } => {
  const missing: Array<string> = []
  const replace = (text: string): string =>
    text.replaceAll(/\{\{send\.(\d+)\.headers\.([^}]+)\}\}/g, (marker, index: string, name: string) => {
      const header = answers[Number(index)]?.headers[name.toLowerCase()]
      if (header === undefined) missing.push(`${marker}: the response to send ${index} had no such header`)
      return header ?? ""
    })
  const walk = (inner: unknown): unknown => {
    if (typeof inner === "string") return replace(inner)
    if (Array.isArray(inner)) return inner.map(walk)
    if (typeof inner !== "object" || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, walk(item)]))
  }
  // The walk changes texts and keeps the shape.
  return { value: walk(value) as A, missing }
}

const textOf = (message: Send): string =>
  message.lineBase64 === undefined
    ? (message.line ?? message.raw ?? (message.body === undefined ? "" : JSON.stringify(message.body)))
    : `(base64) ${message.lineBase64}`
