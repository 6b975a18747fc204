// Both hands in one process: a connection negotiates with an admission over a pipe of its own making.
import { Lines, Medium, PipeAnswer, Profile } from "@parley/core"
import type { Event } from "@parley/core/client/Event"
import { Admission, Connection, type Transport } from "@parley/runtime"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Cause from "effect/Cause"

const profile = Profile.dual({ serverInfo: { name: "clock", version: "1.0.0" }, capabilities: { tools: {} } })

const transportTo = (admission: Admission.Admission): Transport => ({
  medium: Medium.stdio,
  eras: ["legacy", "modern"],
  target: "memory",
  open: Effect.gen(function* () {
    const events = yield* Queue.unbounded<Event, Cause.Done>()
    const [there, back] = [Lines.reader(), Lines.reader()]
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
    const pipe = admission.pipe({
      write: (json) => Queue.offerAllUnsafe(events, PipeAnswer.events(back.push(bytes(`${json}\n`)))).length === 0,
      onDrain: () => undefined
    })
    return {
      send: (outgoing) =>
        Effect.sync(() => {
          if (outgoing._tag !== "Post") return
          for (const line of there.push(bytes(`${JSON.stringify(outgoing.message)}\n`))) pipe.receive(line)
        }),
      events,
      abandon: () => Effect.void,
      close: Effect.sync(() => Queue.endUnsafe(events))
    }
  })
})

const program = Effect.gen(function* () {
  const admission = yield* Admission.make(profile, () => Effect.succeed({ tools: [] }))
  const connection = yield* Connection.connect({
    transport: transportTo(admission),
    client: { info: { name: "stranger", version: "1.0.0" }, capabilities: {} }
  })
  return `${connection.agreement.version}: ${JSON.stringify(yield* connection.request("tools/list"))}`
})

console.log(await Effect.runPromise(Effect.scoped(program)))

// prints 2025-11-25: {"tools":[]}
