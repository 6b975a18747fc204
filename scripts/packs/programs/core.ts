// The machine alone: an opening that a modern-only server refuses. No network, no Effect.
import { Client, Event, Medium, Policy } from "@parley/core"

const begun = Client.begin(Policy.auto, Medium.http)
const refusal = {
  jsonrpc: "2.0",
  id: 1,
  error: { code: -32022, message: "no", data: { supported: ["2026-07-28"], requested: "2025-11-25" } }
} as const
const event = Event.arrived(refusal, 1, { status: 400 })
const { commands, trace } = Client.step(Policy.auto, Medium.http, begun.state, event)

console.log(`${trace?.evidence}, then ${commands.at(-1)?._tag}`)

// prints Corrected 2026-07-28, then SendDiscover
