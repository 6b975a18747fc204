// A negotiation that was written down, read back: the JSON document of `parley probe --json`, or a trace alone.
import { isObject } from "@parley/core/Message"
import type { TraceEntry } from "@parley/core/Machine"
import type { Reading } from "./Target.ts"

/** What a file tells of a negotiation. What it does not tell is absent. */
export interface Recorded {
  readonly trace: ReadonlyArray<TraceEntry>
  readonly policy?: string
  readonly carrier?: "http" | "stdio"
  readonly target?: string
  /** The revision agreed on. */
  readonly version?: string
  /** Why there is no agreement. */
  readonly error?: string
}

/** The most steps of one trace that are read. */
export const mostSteps = 1000

/** Reads a document or a trace. A trace of an error or an agreement may stand in any object as its `trace`. */
export const read = (value: unknown): Reading<Recorded> => {
  const steps = isObject(value) ? value["trace"] : value
  if (!Array.isArray(steps)) return no("It is neither a document of parley probe --json nor a trace.")
  if (steps.length === 0) return no("Its trace has no steps.")
  if (steps.length > mostSteps) return no(`Its trace has ${steps.length} steps; ${mostSteps} is the most.`)
  const trace: Array<TraceEntry> = []
  for (const [index, step] of steps.entries()) {
    if (!isStep(step)) return no(`Step ${index + 1} of its trace is none: it needs ${textFields.join(", ")}.`)
    trace.push(step)
  }
  const { agreement, error, policy, target } = isObject(value) ? value : {}
  const carrier = member(target, "carrier")
  const name = member(target, "name")
  const version = member(agreement, "version")
  const message = member(error, "message")
  return {
    ok: true,
    value: {
      trace,
      ...(typeof policy === "string" ? { policy } : undefined),
      ...(carrier === "http" || carrier === "stdio" ? { carrier } : undefined),
      ...(typeof name === "string" ? { target: name } : undefined),
      ...(typeof version === "string" ? { version } : undefined),
      ...(typeof message === "string" ? { error: message } : undefined)
    }
  }
}

const isStep = (step: unknown): step is TraceEntry =>
  isObject(step) &&
  textFields.every((field) => typeof step[field] === "string") &&
  (step["atMillis"] === undefined || (typeof step["atMillis"] === "number" && Number.isFinite(step["atMillis"])))

const textFields = ["state", "event", "evidence", "move", "because", "next"] as const
const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)
const no = (problem: string): Reading<never> => ({ ok: false, problem })
