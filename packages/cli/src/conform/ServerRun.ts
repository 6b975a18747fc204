// Runs conversations with a server under test: which of them it can be put in, what it answers, and the judgement.
import { isObject, parse } from "@parley/core/Message"
import { legacyVersions } from "@parley/core/Version"
import type { Target } from "@parley/testing/Scripted"
import { toolNames } from "@parley/vectors/server/ToolNames"
import * as Effect from "effect/Effect"
import type { ServerConversation } from "./Data.ts"
import type { Difference, LeftOut, Verdict } from "./Difference.ts"
import type { Facts } from "./Facts.ts"
import { holdAll, type Pace } from "./Holding.ts"
import { dueFor, judge, judgeEnd } from "./ServerJudge.ts"
import * as Wire from "./Wire.ts"

/** The conversations that a server can be put in, and those that it cannot. */
export interface Selection {
  readonly held: ReadonlyArray<ServerConversation>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** Returns which conversations a server can be put in: those of its profile, as far as it serves what they need. */
export const select = (all: ReadonlyArray<ServerConversation>, facts: Facts, medium: "http" | "stdio"): Selection => {
  const held: Array<ServerConversation> = []
  const leftOut: Array<LeftOut> = []
  const own = new Map(all.filter(({ profile }) => profile === facts.profile).map((one) => [placeOf(one), one]))
  // The file tells of a profile what comes out otherwise than with `dual`; the rest is the same.
  for (const usual of all) {
    if (usual.profile !== "dual" || usual.medium !== medium) continue
    if (facts.profile === "modernOnly" && usual.turns.length > 1) continue
    const conversation = own.get(placeOf(usual)) ?? usual
    const why = lacking(conversation, facts)
    if (why === undefined) held.push(conversation)
    else leftOut.push({ id: conversation.id, why })
  }
  return { held, leftOut }
}

const placeOf = ({ id, profile }: ServerConversation): string => id.slice(`server/${profile}`.length)

const lacking = ({ id, turns }: ServerConversation, facts: Facts): string | undefined => {
  if (id.endsWith("/head.tooLarge")) return "how much it takes is its own"
  for (const turn of turns) {
    const params = paramsOf(textOf(turn.in))
    const version = params["protocolVersion"]
    // A handshake at a revision that is refused or answered with another is judged; one that it should know is not.
    if (
      typeof version === "string" &&
      known.has(version) &&
      facts.legacy.length > 0 &&
      !facts.legacy.includes(version)
    ) {
      return `it does not serve ${version}`
    }
    const name = params["name"]
    if ((name === toolNames.asking || name === toolNames.placed) && !facts.tools.includes(name)) {
      return `it has no tool ${name}`
    }
    if (!("handled" in turn.out)) continue
    const [capability = ""] = turn.out.handled.split("/")
    if (!facts.capabilities.includes(capability)) return `it has no ${capability}`
  }
  return undefined
}

export interface Options extends Pace {
  readonly facts: Facts
  /** How long an answer is waited for, in milliseconds; on a pipe, before something else is asked to see whether it comes. */
  readonly timeoutMillis: number
}

/** Holds the conversations; the verdicts come in their order. */
export const run = (
  conversations: ReadonlyArray<ServerConversation>,
  target: Target,
  options: Options
): Effect.Effect<ReadonlyArray<Verdict>> =>
  holdAll(conversations, (one) => Effect.promise((signal) => hold(one, target, options, signal)), options)

const hold = async (
  { id, turns }: ServerConversation,
  target: Target,
  { facts, timeoutMillis }: Options,
  signal: AbortSignal
): Promise<Verdict> => {
  const wire = Wire.open(target, timeoutMillis, signal)
  const differences: Array<Difference> = []
  let last: Wire.Said | undefined
  for (const turn of turns) {
    last = "line" in turn.in ? { method: "POST", headers: {}, text: turn.in.line } : turn.in
    const heard = await wire.say(last, dueFor(turn.out))
    differences.push(...judge(last, turn.out, heard, facts))
    // What cannot be brought where the conversation goes cannot be judged there.
    if (differences.length > 0) break
  }
  const { ended, left } = await wire.close()
  if (differences.length === 0) differences.push(...judgeEnd(left, ended, last))
  return { id, differences, wire: wire.wire }
}

const textOf = (said: ServerConversation["turns"][number]["in"]): string =>
  "line" in said ? said.line : (said.text ?? "")

const paramsOf = (text: string): { readonly [name: string]: unknown } => {
  const parsed = parse(text)
  const params = parsed.ok && isObject(parsed.value) ? parsed.value["params"] : undefined
  return isObject(params) ? params : {}
}

const known: ReadonlySet<string> = new Set(legacyVersions)
