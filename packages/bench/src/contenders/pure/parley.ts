// Parley's ladder and machines, without any runtime.
import type { Parsed } from "@parley/core/Message"
import { failure, success } from "@parley/core/Message"
import { http } from "@parley/core/Medium"
import * as Client from "@parley/core/client/Client"
import { arrived, type Event } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import { compile } from "@parley/core/server/Compiled"
import * as Http from "@parley/core/server/Http"
import * as Profile from "@parley/core/server/Profile"
import { inbound } from "../../servers/Inbound.ts"
import { initialized, methodNotFound, server } from "../../servers/Wire.ts"
import type { Repeated } from "./Repeated.ts"

// Sessions are looked up by a runtime: without them a request is classified to the end.
const compiled = compile(Profile.dual({ serverInfo: server, capabilities: { tools: {} }, sessions: "none" }))

const head = { status: 200, contentType: "application/json" }
const answers: ReadonlyArray<Event> = [
  arrived(failure(1, methodNotFound), 1, head),
  arrived(success(2, initialized), 2, head)
]

export const contender: Repeated = {
  classify: (share) => {
    const requests = inbound(share).map(({ headers, method, text }) => {
      const parsed: Parsed = { ok: true, value: JSON.parse(text) }
      return { head: { method, headers }, parsed }
    })
    return () => {
      let found = 0
      for (const { head, parsed } of requests) {
        if (Http.head(compiled, head) !== undefined) continue
        const judged = Http.judge(compiled, head, parsed)
        if (judged._tag === "Done") found += 1
      }
      return found
    }
  },
  negotiate: () => {
    let { state } = Client.begin(Policy.discoverFirst, http)
    for (const answer of answers) state = Client.step(Policy.discoverFirst, http, state, answer).state
    if (state._tag !== "Settled") throw new Error(`the negotiation is ${state._tag}`)
    return answers.length + 1
  }
}
