// Moves as a conversation shows them: the held handshake, late answers, replies, degradation, and what is never exceeded.
import { describe, expect, it } from "@effect/vitest"
import * as Client from "@parley/core/client/Client"
import { most } from "@parley/core/client/Transitions"
import * as Policy from "@parley/core/client/Policy"
import { cell } from "@parley/core/client/Table"
import { discover, discoverOrHold, fail, initialize, keep, settleHeld, settleKept } from "@parley/core/client/Moves"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import { notification, request } from "@parley/core/Message"
import type { Happening } from "./support/Play.ts"
import {
  awaiting,
  badParams,
  commandText,
  garbled,
  headerMismatch,
  late,
  lists,
  methodMissing,
  names,
  noise,
  ping,
  play,
  reasonText,
  refused,
  says,
  silence,
  stateText,
  status,
  unsupported
} from "./support/Play.ts"

const { auto, discoverFirst, hermes, stateless } = Policy

const ended = (policy: Policy.Policy, medium: Medium, ...path: ReadonlyArray<Happening>): string => {
  const { state } = play(policy, medium, ...path)
  return state._tag === "Failed" ? reasonText(state.reason) : stateText(state)
}

/** Everything that a conversation was asked to do, from the beginning. */
const commandsOf = (
  policy: Policy.Policy,
  medium: Medium,
  ...path: ReadonlyArray<Happening>
): ReadonlyArray<string> => {
  let step = Client.begin(policy, medium)
  const commands = [...step.commands]
  for (const happening of path) {
    step = Client.step(policy, medium, step.state, happening(medium, awaiting(step.state)))
    commands.push(...step.commands)
  }
  return commands.map(commandText)
}

describe("the held handshake", () => {
  it("over HTTP deletes the first session and sends a second initialize without it", () => {
    const path = [names("2026-07-28", { session: "s1" }), status(404), names("2026-07-28", { session: "s2" })]
    expect(commandsOf(auto, http, ...path)).toEqual([
      "deadline negotiation 60000",
      "deadline 1 30000",
      "open",
      "initialize 1 2025-11-25",
      "clear 1",
      "deadline 2 30000",
      "discover 2 2026-07-28",
      "clear 2",
      "deadline 3 30000",
      "delete s1 at 2025-11-25",
      "initialize 3 2025-11-25",
      "clear 3",
      "clear negotiation",
      "initialized 2025-11-25 in s2"
    ])
  })

  it("settles at the revision that was offered and keeps what was named", () => {
    const { state } = play(auto, http, names("2099-01-01"), status(404), names("2099-01-01", { session: "s2" }))
    expect(state).toMatchObject({
      _tag: "Settled",
      version: "2025-11-25",
      offered: "2025-11-25",
      named: "2099-01-01",
      method: "initialize",
      sessionId: "s2"
    })
  })

  it("on stdio reopens where the probe ended the process, once", () => {
    const closes: Happening = () => ({ _tag: "Closed", exitCode: 1, stderr: "" })
    expect(commandsOf(auto, stdio, names("2026-07-28"), closes).slice(-4)).toEqual([
      "clear 2",
      "deadline 3 30000",
      "reopen",
      "initialize 3 2025-11-25"
    ])
    expect(ended(auto, stdio, names("2026-07-28"), closes, closes)).toBe("Failure 1")
  })

  it.each<[string, Happening]>([
    ["silent", silence],
    ["busy", status(503)],
    ["unreachable", status(502)],
    ["forbidden", status(401)]
  ])("a %s discover does not lead to it, and the session is deleted", (_, happening) => {
    const step = play(auto, http, names("2026-07-28", { session: "s1" }), happening)
    expect(step.state._tag).toBe("Failed")
    expect(step.commands.map(commandText)).toContain("delete s1 at 2025-11-25")
  })

  it("a discover that agrees leaves no session behind", () => {
    const step = play(auto, http, names("2026-07-28", { session: "s1" }), lists("2026-07-28"))
    expect(step.commands.map(commandText)).toEqual(["clear 2", "clear negotiation", "delete s1 at 2025-11-25"])
  })

  it("a discover after a silent probe leaves no session behind, on a carrier that has sessions", () => {
    const medium: Medium = { ...http, silence: "maybeLegacy" }
    const path = [silence, names("2026-07-28", { session: "s1" }), lists("2026-07-28")]
    expect(commandsOf(discoverFirst, medium, ...path).slice(-3)).toEqual([
      "clear 3",
      "clear negotiation",
      "delete s1 at 2025-11-25"
    ])
  })

  it("an agreement that a table refuses leaves no session behind", () => {
    const policy = Policy.override(auto, "Initializing", "Agreed", cell(fail, "no"))
    expect(play(policy, http, names("2025-06-18", { session: "s1" })).commands.map(commandText)).toEqual([
      "clear 1",
      "clear negotiation",
      "delete s1 at 2025-06-18"
    ])
  })

  it("a table may end with what is out of turn, session or not", () => {
    const policy = Policy.override(auto, "Initializing", "OutOfTurn", cell(fail, "no"))
    for (const head of [{ session: "s1" }, {}]) {
      expect(ended(policy, http, says(request("r", "ping"), head))).toBe("Forbids auto+")
    }
  })

  it("a counter after it deletes the session when it ends", () => {
    const path = [names("2026-07-28", { session: "s1" }), unsupported("2026-07-28"), lists("2025-06-18")]
    expect(commandsOf(auto, http, ...path, names("2025-06-18", { session: "s2" })).slice(-3)).toEqual([
      "clear negotiation",
      "delete s1 at 2025-11-25",
      "initialized 2025-06-18 in s2"
    ])
  })
})

describe("a late answer", () => {
  it("that agrees is kept, and the handshake under way still decides", () => {
    const kept = play(discoverFirst, stdio, silence, late("2026-07-28")).state
    expect(kept).toMatchObject({ _tag: "Keeping", late: { version: "2026-07-28" } })
    expect(ended(discoverFirst, stdio, silence, late("2026-07-28"), names("2025-06-18"))).toBe("Settled 2025-06-18")
    expect(ended(discoverFirst, stdio, silence, late("2026-07-28"), refused)).toBe("Settled 2026-07-28")
  })

  it("settles with its own result and revision", () => {
    expect(play(discoverFirst, stdio, silence, late("2025-11-25", "2026-07-28"), methodMissing).state).toMatchObject({
      _tag: "Settled",
      version: "2026-07-28",
      named: "2026-07-28",
      offered: "2026-07-28",
      method: "server/discover",
      result: { supportedVersions: ["2025-11-25", "2026-07-28"] },
      sessionId: undefined
    })
  })

  it("settles at once where too much noise comes after it", () => {
    const policy = Policy.withBudgets(discoverFirst, { outOfTurn: 1 })
    expect(ended(policy, stdio, silence, late("2026-07-28"), ping, ping)).toBe("Settled 2026-07-28")
  })

  it("is nothing over HTTP, where a silent probe fails", () => {
    expect(ended(discoverFirst, http, silence)).toBe("Timeout server/discover 30000")
  })
})

describe("what arrives meanwhile", () => {
  const shown = (happening: Happening, medium = stdio): ReadonlyArray<unknown> => play(auto, medium, happening).commands

  it("a ping is answered with an empty result, in its session", () => {
    expect(shown(ping)).toEqual([
      { _tag: "Reply", message: { jsonrpc: "2.0", id: "theirs", result: {} }, sessionId: undefined }
    ])
    expect(shown(says(request(7, "ping"), { session: "s1" }), http)).toEqual([
      { _tag: "Reply", message: { jsonrpc: "2.0", id: 7, result: {} }, sessionId: "s1" }
    ])
  })

  it.each(["roots/list", "sampling/createMessage", "elicitation/create", "initialize", "tools/list"])(
    "the request %s is refused",
    (method) => {
      expect(shown(says(request("r", method, {})))).toEqual([
        {
          _tag: "Reply",
          message: { jsonrpc: "2.0", id: "r", error: { code: -32601, message: expect.stringContaining("not init") } },
          sessionId: undefined
        }
      ])
    }
  )

  it("a notification is kept for the connection, even one named ping", () => {
    const message = notification("notifications/tools/list_changed", { a: 1 })
    expect(shown(says(message))).toEqual([{ _tag: "Keep", message }])
    expect(shown(says(notification("ping")))).toEqual([{ _tag: "Keep", message: notification("ping") }])
  })

  it("noise and strange answers are neither", () => {
    expect(shown(noise)).toEqual([])
    expect(shown(says({ jsonrpc: "2.0", id: 99, result: {} }))).toEqual([])
  })

  it("at most eight lines of noise are kept, and settle with the agreement", () => {
    const path = Array.from({ length: 20 }, () => noise)
    const { state } = play(auto, stdio, ...path, names("2025-11-25"))
    expect(state._tag === "Settled" && state.strays).toEqual(Array.from({ length: most.strays }, () => "Server ready"))
  })

  it("changes nothing but the counts", () => {
    const before = awaiting(play(auto, stdio).state)
    const after = awaiting(play(auto, stdio, ping, noise).state)
    expect(after).toEqual({
      ...before,
      ledger: { ...before.ledger, outOfTurn: 1, noise: 1, strays: ["Server ready"] }
    })
  })
})

describe("a client that cannot live in the modern era", () => {
  const lacking = "This SDK has no modern client. Upgrade it."
  const narrow = (policy: Policy.Policy): Policy.Policy => Policy.narrow(policy, ["legacy"], lacking)

  it.each([auto, hermes, discoverFirst, stateless, Policy.handshakeOnly])(
    "opens with initialize under $name",
    (policy) => {
      const step = Client.begin(narrow(policy), stdio)
      expect(stateText(step.state)).toBe("Initializing 2025-11-25")
      expect(step.commands.map(commandText)).toEqual([
        "deadline negotiation 60000",
        "deadline 1 30000",
        "open",
        "initialize 1 2025-11-25"
      ])
    }
  )

  it.each([auto, hermes, discoverFirst, stateless])("says in the trace what $name lacks", (policy) => {
    expect(Client.begin(narrow(policy), stdio).trace?.because).toContain(lacking)
  })

  it.each([auto, hermes, discoverFirst, stateless])("goes straight to Holding on ModernNamed under $name", (policy) => {
    const step = play(narrow(policy), http, names("2026-07-28", { session: "s1" }))
    expect(stateText(step.state)).toBe("Holding 2025-11-25")
    expect(step.commands.map(commandText)).toEqual([
      "clear 1",
      "deadline 2 30000",
      "delete s1 at 2025-11-25",
      "initialize 2 2025-11-25"
    ])
    expect(step.trace?.because).toContain(lacking)
    expect(ended(narrow(policy), http, names("2026-07-28"), names("2026-07-28"))).toBe(
      "Settled 2025-11-25 for 2026-07-28"
    )
    expect(ended(narrow(policy), http, names("2026-07-28"), names("2026-07-29"))).toBe(
      "Unsupported 2025-11-25 named 2026-07-29"
    )
  })

  it.each<[string, Happening, string]>([
    ["VersionRefused", unsupported(), "Unsupported 2025-11-25"],
    ["ModernSign", headerMismatch, "Header"],
    ["MethodMissing", methodMissing, "NotFound initialize"],
    ["ParamsRefused", badParams(), "Rejected initialize -32602"]
  ])("any other move that would discover fails with its cause: %s under auto", (_, happening, reason) => {
    const step = play(narrow(auto), stdio, happening)
    expect(step.state._tag === "Failed" && reasonText(step.state.reason)).toBe(reason)
    expect(step.trace?.because).toContain(lacking)
  })

  it("hermes: any -32022 that would discover fails with its cause, and a list of ours is countered", () => {
    const policy = narrow(hermes)
    expect(ended(policy, stdio, unsupported())).toBe("Unsupported 2025-11-25")
    expect(ended(policy, stdio, unsupported("2026-07-28"))).toBe("Unsupported 2025-11-25 listed 2026-07-28")
    expect(ended(policy, stdio, methodMissing)).toBe("NotFound initialize")
    const step = play(policy, stdio, unsupported("2025-06-18", "2026-07-28"))
    expect(stateText(step.state)).toBe("Countering 2025-06-18")
    expect(step.trace?.because).toContain(lacking)
    expect(ended(policy, stdio, badParams("2025-06-18"))).toBe("Unsupported 2025-11-25 listed 2025-06-18")
  })

  it("a list is weighed without the revisions that it lacks", () => {
    expect(ended(narrow(auto), stdio, unsupported("2025-06-18", "2026-07-28"))).toBe("Countering 2025-06-18")
    expect(ended(narrow(auto), stdio, badParams("2026-07-28"))).toBe("Unsupported 2025-11-25 listed 2026-07-28")
  })

  it("what is lacking is said in the error of a version", () => {
    const { state } = play(narrow(auto), stdio, unsupported("2026-07-28"))
    expect(state._tag === "Failed" && state.reason.message).toContain(lacking)
  })

  it("pinned(modern) fails before a byte is sent", () => {
    const step = Client.begin(narrow(Policy.pinned("2026-07-28")), stdio)
    expect(step.state._tag === "Failed" && reasonText(step.state.reason)).toBe("Forbids pinned:2026-07-28")
    expect(step.state._tag === "Failed" && step.state.reason.message).toContain(lacking)
    expect(step.commands).toEqual([])
    expect(step.trace?.because).toContain(lacking)
  })

  it("pinned(legacy) and handshakeOnly do not notice", () => {
    expect(narrow(Policy.pinned("2025-06-18"))).toEqual(Policy.pinned("2025-06-18"))
    expect(narrow(Policy.handshakeOnly)).toEqual(Policy.handshakeOnly)
  })

  it("the same where the policy's own versions lack it", () => {
    const policy = Policy.withVersions(discoverFirst, ["2025-06-18", "2025-11-25"])
    expect(ended(policy, stdio)).toBe("Initializing 2025-11-25")
    expect(Client.begin(policy, stdio).trace?.because).toContain("its versions lack that era")
    for (const one of [auto, hermes, discoverFirst]) {
      const held = play(Policy.withVersions(one, ["2025-11-25"]), stdio, names("2026-07-28"))
      expect(stateText(held.state)).toBe("Holding 2025-11-25")
      expect(held.trace?.because).toContain("(the policy speaks no modern revision)")
    }
    const countered = play(Policy.withVersions(hermes, ["2025-06-18", "2025-11-25"]), stdio, unsupported("2025-06-18"))
    expect(stateText(countered.state)).toBe("Countering 2025-06-18")
    expect(countered.trace?.because).toContain("(the policy speaks no modern revision)")
    const step = play(Policy.withVersions(auto, ["2025-11-25"]), stdio, methodMissing)
    expect(step.state._tag === "Failed" && reasonText(step.state.reason)).toBe("NotFound initialize")
    expect(step.trace?.because).toContain("speaks no modern revision")
  })
})

describe("a client that cannot live in the legacy era", () => {
  const lacking = "This SDK has no legacy client."
  const narrow = (policy: Policy.Policy): Policy.Policy => Policy.narrow(policy, ["modern"], lacking)

  it.each([auto, hermes, discoverFirst, stateless])("opens with discover under $name", (policy) => {
    const step = Client.begin(narrow(policy), http)
    expect(stateText(step.state)).toBe("Discovering 2026-07-28")
    expect(step.commands.map(commandText)).toEqual([
      "deadline negotiation 60000",
      "deadline 1 30000",
      "open",
      "discover 1 2026-07-28"
    ])
  })

  it.each([auto, hermes])("says in the trace why $name does not initialize", (policy) => {
    expect(Client.begin(narrow(policy), stdio).trace?.because).toContain(lacking)
  })

  it.each<[string, Policy.Policy, Happening, string]>([
    ["discoverFirst, MethodMissing", discoverFirst, methodMissing, "NotFound server/discover"],
    ["discoverFirst, Refused", discoverFirst, refused, "Rejected server/discover -32000"],
    ["discoverFirst, HttpRefused", discoverFirst, status(404), "Failure 404"],
    ["discoverFirst, Garbled", discoverFirst, garbled, "Malformed server/discover result.capabilities"],
    ["stateless, VersionRefused", stateless, unsupported(), "Unsupported 2026-07-28"],
    ["stateless, ModernSign", stateless, headerMismatch, "Header"]
  ])("any other move that would initialize fails with its cause: %s", (_, policy, happening, reason) => {
    const step = play(narrow(policy), http, happening)
    expect(step.state._tag === "Failed" && reasonText(step.state.reason)).toBe(reason)
    expect(step.trace?.because).toContain(lacking)
  })

  it("a silent probe on a pipe fails with the timeout, and a process that ended with its end", () => {
    expect(ended(narrow(discoverFirst), stdio, silence)).toBe("Timeout server/discover 30000")
    expect(ended(narrow(discoverFirst), stdio, () => ({ _tag: "Closed", exitCode: 9, stderr: "" }))).toBe("Failure 9")
    expect(ended(narrow(auto), stdio, silence)).toBe("Timeout server/discover 30000")
  })

  it("a list without a modern revision is Disjoint", () => {
    for (const policy of [auto, hermes, discoverFirst]) {
      expect(ended(narrow(policy), stdio, lists("2025-11-25"))).toBe("Unsupported 2026-07-28 listed 2025-11-25")
    }
  })

  it("is corrected once all the same", () => {
    for (const policy of [auto, hermes, discoverFirst, stateless, Policy.pinned("2026-07-28")]) {
      expect(ended(narrow(policy), stdio, unsupported("2026-07-28"), lists("2026-07-28"))).toBe("Settled 2026-07-28")
      expect(play(narrow(policy), stdio, unsupported("2026-07-28"), unsupported("2026-07-28")).state._tag).toBe(
        "Failed"
      )
    }
  })

  it.each([Policy.handshakeOnly, Policy.pinned("2025-11-25")])("$name fails before a byte is sent", (policy) => {
    const step = Client.begin(narrow(policy), stdio)
    expect(step.state._tag === "Failed" && step.state.reason._tag).toBe("PolicyForbids")
    expect(step.state._tag === "Failed" && step.state.reason.message).toContain(lacking)
    expect(step.commands).toEqual([])
  })
})

describe("what no policy exceeds, not even one's own", () => {
  const initializes = (medium: Medium, policy: Policy.Policy, ...path: ReadonlyArray<Happening>) =>
    commandsOf(policy, medium, ...path).filter((text) => /^(initialize|discover) /.test(text))

  it("four exchanges, two of either method", () => {
    const path = [names("2026-07-28"), unsupported("2026-07-28"), lists("2025-06-18")]
    expect(initializes(stdio, auto, ...path)).toEqual([
      "initialize 1 2025-11-25",
      "discover 2 2026-07-28",
      "discover 3 2026-07-28",
      "initialize 4 2025-06-18"
    ])
    expect(most).toEqual({ exchanges: 4, initializes: 2, discovers: 2, strays: 8 })
  })

  it("a table that would discover for ever is stopped by the second discover", () => {
    const policy = Policy.override(auto, "Discovering", "MethodMissing", cell(discover, "for ever"))
    const step = play(policy, stdio, methodMissing, methodMissing, methodMissing)
    expect(step.state._tag).toBe("Failed")
    expect(step.trace).toMatchObject({ move: "discover", because: "for ever (no exchange is left)" })
  })

  it("a table that would initialize for ever is stopped by the second initialize", () => {
    const policy = Policy.override(auto, "Initializing", "Refused", cell(initialize, "for ever"))
    expect(play(policy, stdio, refused, refused).trace?.because).toBe("for ever (no exchange is left)")
    expect(initializes(stdio, policy, refused, refused)).toHaveLength(2)
  })

  it("a table that would go to and fro is stopped by the fourth exchange", () => {
    const there = Policy.override(auto, "Initializing", "Refused", cell(discover, "to"))
    const policy = Policy.override(there, "Discovering", "Refused", cell(initialize, "fro"))
    const path = [refused, refused, refused, refused]
    expect(play(policy, stdio, ...path).state._tag).toBe("Failed")
    expect(initializes(stdio, policy, ...path)).toHaveLength(4)
  })

  it("one correction: a second one fails", () => {
    const step = play(auto, stdio, methodMissing, unsupported("2026-07-28"), unsupported("2026-07-28"))
    expect(step.state._tag === "Failed" && step.trace?.because).toContain("the one correction is spent")
  })

  it("a first discover that a list led to is no correction", () => {
    const path = [unsupported("2026-07-28"), unsupported("2026-07-28"), lists("2026-07-28")]
    expect(ended(auto, stdio, ...path)).toBe("Settled 2026-07-28")
  })

  it("one counter: a server that refuses its own list is not chased", () => {
    const policy = Policy.override(auto, "Countering", "Countered", auto.fallback.Initializing.Countered)
    const step = play(policy, stdio, badParams("2025-06-18"), badParams("2025-03-26"))
    expect(step.trace?.because).toContain("the one counter is spent")
    expect(step.state._tag).toBe("Failed")
  })

  it("one hold", () => {
    const again = Policy.override(auto, "Holding", "ModernNamed", auto.fallback.Initializing.ModernNamed)
    const policy = Policy.withVersions(again, ["2025-11-25"])
    const step = play(policy, stdio, names("2026-07-28"), names("2026-07-28"))
    expect(step.trace?.because).toContain("the one hold is spent")
    expect(step.state._tag).toBe("Failed")
  })

  it("one reopen", () => {
    const closes: Happening = () => ({ _tag: "Closed", stderr: "" })
    const cells = discoverFirst.fallback.Discovering.Ended
    const policy = Policy.override(discoverFirst, "Initializing", "Ended", cells)
    const step = play(policy, stdio, closes, closes)
    expect(step.trace?.because).toContain("it was reopened before")
    expect(step.state._tag).toBe("Failed")
  })

  it("no third discover, whatever a table makes of the second list: one handshake is tried instead", () => {
    const policy = Policy.override(stateless, "Discovering", "MethodMissing", cell(discover, "once more"))
    expect(initializes(http, policy, methodMissing, unsupported("2026-07-28"))).toEqual([
      "discover 1 2026-07-28",
      "discover 2 2026-07-28",
      "initialize 3 2025-11-25"
    ])
  })

  it("a move that a state cannot feed fails and says so", () => {
    const unprobed = Policy.override(auto, "Initializing", "ModernNamed", cell(discoverOrHold, "nothing was probed"))
    expect(play(unprobed, stdio, names("2026-07-28")).trace?.because).toBe(
      "nothing was probed (the probe did not end in a way that lets a handshake be held)"
    )
    const kept = Policy.override(auto, "Initializing", "Refused", cell(settleKept, "nothing is kept"))
    expect(play(kept, stdio, refused).trace?.because).toContain("no late answer is kept")
    const held = Policy.override(auto, "Initializing", "ModernNamed", cell(settleHeld, "nothing is held"))
    expect(ended(held, stdio, names("2026-07-28"))).toBe("Unsupported 2025-11-25 named 2026-07-28")
  })

  it("a late answer is kept under any policy that lets a silent probe be listened to", () => {
    const listening = Policy.override(stateless, "Discovering", "Silence", discoverFirst.fallback.Discovering.Silence)
    const policy = Policy.override(listening, "Initializing", "LateAgreed", cell(keep, "kept"))
    expect(play(policy, stdio, silence, late("2026-07-28")).state._tag).toBe("Keeping")
  })
})
