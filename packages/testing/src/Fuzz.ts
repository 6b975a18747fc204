// Feeds bytes that no honest peer would send to everything that reads a peer: the line and event readers, the HTTP answer
// reader, the guards and codecs, both machines. Each target says what must hold for any bytes; a throw never may.
// Where the bytes come from, and what is done with a finding, is the program's business (fuzz-bin).
import { begin, step } from "@parley/core/client/Client"
import type { Event } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import type { State } from "@parley/core/client/State"
import * as HttpAnswer from "@parley/core/HttpAnswer"
import * as Lines from "@parley/core/Lines"
import { http, stdio } from "@parley/core/Medium"
import { isMessage, parse, request } from "@parley/core/Message"
import * as PipeAnswer from "@parley/core/PipeAnswer"
import * as Schemas from "@parley/core/Schemas"
import { compile } from "@parley/core/server/Compiled"
import * as Http from "@parley/core/server/Http"
import * as Pipe from "@parley/core/server/Pipe"
import * as Profile from "@parley/core/server/Profile"
import * as Server from "@parley/core/server/Server"
import * as Sse from "@parley/core/Sse"
import * as ToolHeaders from "@parley/core/ToolHeaders"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Random } from "./Random.ts"

/** What is fuzzed. `run` returns what does not hold, in a few words, or undefined. It must never throw. */
export interface Target {
  readonly name: string
  readonly run: (bytes: Uint8Array, random: Random) => string | undefined
}

const lines: Target = {
  name: "Lines: any cut gives the same lines",
  run: (bytes, random) => {
    const limitBytes = 1 + random.below(400)
    const whole = Lines.reader({ limitBytes })
    const cut = Lines.reader({ limitBytes })
    const expected = [...whole.push(bytes), ...whole.end()]
    const found = [...pieces(bytes, random).flatMap((piece) => [...cut.push(piece)]), ...cut.end()]
    if (JSON.stringify(found) !== JSON.stringify(expected)) return "the cut changed the lines"
    return PipeAnswer.events(expected).length >= 0 ? undefined : "no events"
  }
}

const events: Target = {
  name: "Sse: any cut gives the same events",
  run: (bytes, random) => {
    const text = new TextDecoder().decode(bytes)
    const limit = 1 + random.below(400)
    const whole = Sse.reader({ limit })
    const cut = Sse.reader({ limit })
    const expected = whole.push(text)
    const found: Array<Sse.Item> = []
    for (let at = 0; at < text.length;) {
      const next = at + 1 + random.below(24)
      found.push(...cut.push(text.slice(at, next)))
      at = next
    }
    return JSON.stringify(found) === JSON.stringify(expected) ? undefined : "the cut changed the events"
  }
}

const answers: Target = {
  name: "HttpAnswer: an exchange is concluded exactly once",
  run: (bytes, random) => {
    const types = ["application/json", "text/event-stream", "text/html", undefined]
    const contentType = types[random.below(types.length)]
    const reader = HttpAnswer.reader({
      outgoing: { _tag: "Post", exchange: 1, message: request(1, "initialize"), headers: {} },
      status: 100 + random.below(500),
      header: (name) => (name === "content-type" ? contentType : random.below(4) === 0 ? header(bytes) : undefined),
      now: () => 0,
      limit: 1 + random.below(2000)
    })
    const decoder = new TextDecoder()
    const told: Array<Event> = [...reader.push("")]
    for (const piece of pieces(bytes, random)) told.push(...reader.push(decoder.decode(piece, { stream: true })))
    told.push(...(random.below(2) === 0 ? reader.end() : reader.cut("the test cut it")))
    told.push(...reader.end(), ...reader.cut("again"))
    const ends = told.filter((event) => event._tag !== "Arrived").length
    if (ends > 1) return `it was concluded ${ends} times`
    return ends === 1 || told.some((event) => event._tag === "Arrived") ? undefined : "it was never concluded"
  }
}

const guards: Target = {
  name: "Message: the codec and the guard agree, and neither throws",
  run: (bytes) => {
    const parsed = parse(new TextDecoder().decode(bytes))
    if (!parsed.ok) return parsed.problem === "" ? "a problem without words" : undefined
    ToolHeaders.fromSchema(parsed.value)
    const decoded = Exit.isSuccess(Schema.decodeUnknownExit(Schemas.Message)(parsed.value))
    return decoded === isMessage(parsed.value) ? undefined : `the codec says ${decoded}, the guard the opposite`
  }
}

const policies = [
  Policy.auto,
  Policy.hermes,
  Policy.discoverFirst,
  Policy.stateless,
  Policy.handshakeOnly,
  Policy.pinned("2026-07-28")
]

const client: Target = {
  name: "Client: any events end within the budgets",
  run: (bytes, random) => {
    const policy = policies[random.below(policies.length)] ?? Policy.auto
    const medium = random.below(2) === 0 ? stdio : http
    let state: State = begin(policy, medium).state
    let sent = 1
    const reader = Lines.reader({ limitBytes: 10_000 })
    for (const event of PipeAnswer.events([...reader.push(bytes), ...reader.end()])) {
      const next = step(
        policy,
        medium,
        state,
        medium === http && event._tag === "Arrived" ? { ...event, exchange: sent } : event
      )
      sent += next.commands.filter(({ _tag }) => _tag === "SendInitialize" || _tag === "SendDiscover").length
      state = next.state
    }
    for (let more = 0; more < 5 && state._tag !== "Settled" && state._tag !== "Failed"; more++) {
      state = step(policy, medium, state, { _tag: "DeadlinePassed", of: "negotiation", waitedMillis: 1 }).state
    }
    if (sent > 4) return `it sent ${sent} requests`
    return state._tag === "Settled" || state._tag === "Failed" ? undefined : `it stands in ${state._tag}`
  }
}

const capabilities = { tools: {}, resources: {}, prompts: {} }
const named = { serverInfo: { name: "fuzz", version: "1" }, capabilities }
const profiles = [Profile.dual(named), Profile.modernOnly(named), Profile.handshakeOnly(named)].map(compile)

const pipe: Target = {
  name: "Pipe: every request with an id is answered or delivered exactly once",
  run: (bytes, random) => {
    const compiled = profiles[random.below(profiles.length)] ?? compile(Profile.dual(named))
    let { state } = Server.begin(compiled)
    const reader = Lines.reader({ limitBytes: 10_000 })
    for (const line of [...reader.push(bytes), ...reader.end()]) {
      const taken = Pipe.receive(compiled, state, line, 0)
      const due = line._tag === "Text" && !taken.batched && hasId(line.text) ? 1 : 0
      const given = taken.commands.filter(
        ({ _tag }) => _tag === "Reply" || _tag === "Refuse" || _tag === "Deliver"
      ).length
      if (state._tag !== "Closed" && due > given) return `a request got ${given} answers`
      if (!taken.batched && given > 1) return `a line got ${given} answers`
      state = taken.state
    }
    return undefined
  }
}

const ladder: Target = {
  name: "Http: any head and body come to an answer or a session",
  run: (bytes, random) => {
    const compiled = profiles[random.below(profiles.length)] ?? compile(Profile.dual(named))
    const method = ["POST", "GET", "DELETE", "PUT", header(bytes)][random.below(5)] ?? "POST"
    const modern = random.below(2) === 0
    const head = {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(modern ? { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" } : undefined),
        ...(random.below(3) === 0 ? { "mcp-session-id": header(bytes) } : undefined),
        ...(random.below(3) === 0 ? { "mcp-name": header(bytes) } : undefined)
      }
    }
    if (Http.head(compiled, head) !== undefined) return undefined
    const judged = Http.judge(compiled, head, method === "POST" ? parse(new TextDecoder().decode(bytes)) : undefined)
    if (judged._tag === "NeedsSession") Http.resume(compiled, judged, undefined)
    return undefined
  }
}

/** Everything that reads a peer. */
export const targets: ReadonlyArray<Target> = [lines, events, answers, guards, client, pipe, ladder]

/** Returns what does not hold of a target for these bytes: its own words, or what it threw. */
export const examine = (target: Target, bytes: Uint8Array, random: Random): string | undefined => {
  try {
    return target.run(bytes, random)
  } catch (thrown) {
    return `it threw ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`
  }
}

const hasId = (text: string): boolean => {
  const parsed = parse(text)
  return parsed.ok && isMessage(parsed.value) && "method" in parsed.value && "id" in parsed.value
}

const header = (bytes: Uint8Array): string => String.fromCharCode(...bytes.slice(0, 40))

const pieces = (bytes: Uint8Array, random: Random): ReadonlyArray<Uint8Array> => {
  const found: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const next = at + 1 + random.below(24)
    found.push(bytes.slice(at, next))
    at = next
  }
  return found
}
