// The account of what went over a transport: complete, in order, bounded, without secrets.
import { describe, expect, it } from "@effect/vitest"
import { arrived, type Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import * as Envelope from "@parley/core/Envelope"
import { TransportFailure } from "@parley/core/Errors"
import { http } from "@parley/core/Medium"
import { failure, notification, request, success } from "@parley/core/Message"
import type { Transport } from "@parley/runtime/Transport"
import { type Cause, Effect, Queue } from "effect"
import * as Recording from "@parley/cli/Recording"
import { identity } from "@parley/cli/Release"
import { dangerous, hostile } from "./Fixture.ts"

const post = (exchange: number, stamped: Envelope.Stamped): Outgoing => ({ _tag: "Post", exchange, ...stamped })

/** A transport whose channel takes everything and hands out what the test offers. */
const scripted = (events: Queue.Queue<Event, Cause.Done>, taken: Array<Outgoing>): Transport => ({
  medium: http,
  eras: ["legacy", "modern"],
  target: "test",
  open: Effect.succeed({
    send: (outgoing) => Effect.sync(() => void taken.push(outgoing)),
    events,
    abandon: () => Effect.void,
    close: Effect.void
  })
})

describe("record", () => {
  it.effect("tells a result for an id that was never asked", () =>
    Effect.gen(function* () {
      const events = yield* Queue.unbounded<Event, Cause.Done>()
      const recording = yield* Recording.record(scripted(events, []))
      const channel = yield* recording.transport.open
      yield* channel.send(post(1, Envelope.initialize(1, "2025-11-25", identity)))
      yield* Queue.offer(events, arrived(success("1", { protocolVersion: "2025-06-18" }), 1))
      yield* Queue.take(channel.events)
      expect(recording.entries().at(-1)).toMatchObject({
        what: 'a result for another id, "1"',
        detail: "names 2025-06-18"
      })
    })
  )

  it.effect("passes everything on, in order, and keeps an account of it", () =>
    Effect.gen(function* () {
      const events = yield* Queue.unbounded<Event, Cause.Done>()
      const taken: Array<Outgoing> = []
      const recording = yield* Recording.record(scripted(events, taken))
      const channel = yield* recording.transport.open
      const opening = post(1, Envelope.initialize(1, "2025-11-25", identity))
      yield* channel.send(opening)
      const answer = arrived(success(1, { protocolVersion: "2025-06-18" }), 1, { status: 200 })
      const noise: Event = { _tag: "Stray", head: "banner", problem: "notJson" }
      yield* Queue.offer(events, noise)
      yield* Queue.offer(events, answer)
      expect(yield* Queue.take(channel.events)).toBe(noise)
      expect(yield* Queue.take(channel.events)).toBe(answer)
      yield* Queue.end(events)
      expect(yield* Effect.exit(Queue.take(channel.events))).toMatchObject({ _tag: "Failure" })
      expect(taken).toEqual([opening])
      expect(recording.entries()).toEqual([
        { atMillis: 0, from: "carrier", kind: "opened", what: "opened", detail: "" },
        { atMillis: 0, from: "client", kind: "request", what: "initialize", detail: "offers 2025-11-25" },
        { atMillis: 0, from: "server", kind: "noise", what: "no message", detail: "banner" },
        { atMillis: 0, from: "server", kind: "result", what: "result", detail: "names 2025-06-18", status: 200 }
      ])
      expect(Recording.roundTrips(recording.entries())).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.effect("tells of a transport that does not open", () =>
    Effect.gen(function* () {
      const events = yield* Queue.unbounded<Event, Cause.Done>()
      const reason = new TransportFailure({ reason: `refused${hostile}`, retryable: true })
      const recording = yield* Recording.record({ ...scripted(events, []), open: Effect.fail(reason) })
      expect(yield* Effect.flip(recording.transport.open)).toBe(reason)
      expect(recording.entries()).toMatchObject([{ kind: "lost", what: "not opened", detail: "refused fake line��" }])
    }).pipe(Effect.scoped)
  )

  it.effect("is bounded", () =>
    Effect.gen(function* () {
      const events = yield* Queue.unbounded<Event, Cause.Done>()
      const recording = yield* Recording.record(scripted(events, []))
      const channel = yield* recording.transport.open
      for (let index = 0; index < Recording.limit + 10; index += 1) {
        yield* Queue.offer(events, { _tag: "Stray", head: "x", problem: "notJson" })
        yield* Queue.take(channel.events)
      }
      expect(recording.entries()).toHaveLength(Recording.limit)
      expect(recording.dropped()).toBe(11)
    }).pipe(Effect.scoped)
  )
})

describe("sent", () => {
  it.each<[string, Outgoing, string]>([
    ["a probe", post(1, Envelope.discover(1, "2026-07-28", identity)), "server/discover at 2026-07-28"],
    ["a legacy request", post(2, { message: request(2, "tools/list"), headers: {} }), "tools/list "],
    ["a stream", { _tag: "Listen", exchange: 3, headers: { "mcp-session-id": "secret" } }, "GET to listen"],
    ["the end", { _tag: "Delete", exchange: 4, headers: { "mcp-session-id": "secret" } }, "DELETE the session"]
  ])("tells %s", (_, outgoing, text) => {
    const entry = Recording.sent(outgoing)
    expect(`${entry.what} ${entry.detail}`).toBe(text)
    expect(JSON.stringify(entry)).not.toContain("secret")
  })
})

describe("received", () => {
  const list = { supported: ["2026-07-28", 7, { toString: 1, valueOf: 1 }] }
  it.each<[string, Event, string]>([
    ["a list", arrived(success(1, { supportedVersions: ["2026-07-28"] })), "result: lists 2026-07-28"],
    ["any other result", arrived(success(1, {})), "result: "],
    ["an error", arrived(failure(1, { code: -32000, message: "no" })), "-32000: no"],
    [
      "a refusal with an odd list",
      arrived(failure(undefined, { code: -32022, message: "no", data: list })),
      "-32022: no; supports 2026-07-28, ?, ?"
    ],
    ["a request", arrived(request(1, "ping")), "ping: "],
    ["a notification", arrived(notification("notifications/message")), "notifications/message: "],
    [
      "a status",
      {
        _tag: "Unanswered",
        exchange: 1,
        head: { status: 404, sessionId: "secret" },
        body: "<html>",
        problem: "no JSON"
      },
      "HTTP 404: no JSON: <html>"
    ],
    ["a loss", { _tag: "Lost", cause: "refused" }, "lost: refused"],
    ["an exit", { _tag: "Closed", exitCode: 3, stderr: "secret" }, "closed: exit code 3"],
    ["a signal", { _tag: "Closed", signal: "SIGKILL", stderr: "" }, "closed: SIGKILL"],
    ["a deadline", { _tag: "DeadlinePassed", of: 1, waitedMillis: 5 }, "silence: 5 ms"]
  ])("tells %s", (_, event, text) => {
    const entry = Recording.received(event)
    expect(`${entry.what}: ${entry.detail}`).toBe(text)
    expect(JSON.stringify(entry)).not.toContain("secret")
  })

  it("is harmless and short, whatever came", () => {
    const much = hostile.repeat(10_000)
    for (const event of [
      arrived(success(1, { protocolVersion: much })),
      arrived(success(1, { supportedVersions: Array.from({ length: 1000 }, () => much) })),
      arrived(failure(1, { code: 1, message: much })),
      arrived(request(1, much)),
      { _tag: "Lost", cause: much } as const
    ]) {
      const entry = Recording.received(event)
      expect(`${entry.what}${entry.detail}`).not.toMatch(dangerous)
      expect(`${entry.what}${entry.detail}`.length).toBeLessThan(700)
    }
  })
})
