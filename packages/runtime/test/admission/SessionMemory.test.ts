import { describe, expect, it } from "@effect/vitest"
import * as SessionMemory from "@parley/runtime/admission/SessionMemory"
import type { SessionRecord } from "@parley/runtime/SessionStore"

const record = (changes: Partial<SessionRecord> = {}): SessionRecord => ({
  version: "2025-11-25",
  client: { info: { name: "a", version: "1" }, capabilities: {} },
  initialized: true,
  admitted: false,
  logLevel: undefined,
  principal: undefined,
  createdAt: 5,
  ...changes
})

describe("SessionMemory", () => {
  it("finds what it keeps, with the time since its last use", () => {
    const store = SessionMemory.make()
    store.create("a", record({ principal: "ada" }), 100)
    expect(store.use("a", 130)).toEqual({ record: record({ principal: "ada" }), idleMillis: 30 })
    expect(store.use("a", 150)?.idleMillis).toBe(20)
    expect(store.use("b", 150)).toBeUndefined()
    store.update("a", record({ logLevel: "error" }))
    expect(store.use("a", 150)?.record).toEqual(record({ principal: "ada", logLevel: "error" }))
    store.update("b", record())
    store.remove("a")
    store.remove("a")
    expect([store.use("a", 150), store.size()]).toEqual([undefined, 0])
  })

  it("gives room to a new session: openings first, then whatever was used the longest ago", () => {
    const store = SessionMemory.make({ capacity: 3 })
    const opening = record({ initialized: false })
    store.create("opening", opening, 3)
    store.create("a", record(), 1)
    store.create("b", record(), 2)
    store.use("a", 4)
    store.create("c", record(), 5)
    expect(store.use("opening", 5)).toBeUndefined()
    store.create("d", record(), 6)
    expect(store.use("b", 6)).toBeUndefined()
    expect(["a", "c", "d"].map((id) => store.use(id, 6) !== undefined)).toEqual([true, true, true])
  })

  it("counts an opening that was completed, or in which something was asked, among those worked in", () => {
    const store = SessionMemory.make({ capacity: 3 })
    for (const id of ["a", "b", "c"]) store.create(id, record({ initialized: false }), 1)
    store.update("a", record())
    store.update("b", record({ initialized: false, admitted: true }))
    store.create("d", record(), 2)
    expect(["a", "b", "c", "d"].map((id) => store.use(id, 2) !== undefined)).toEqual([true, true, false, true])
  })

  it("neither evicts nor expires what is held, as often as it is held", () => {
    const store = SessionMemory.make({ capacity: 1 })
    store.create("a", record(), 0)
    store.hold("a")
    store.hold("a")
    expect(store.create("b", record(), 1)).toBe(false)
    store.release("a", 2)
    expect(store.create("b", record(), 2)).toBe(false)
    expect(store.expire(1_000, 10, 10)).toEqual({ opening: 0, idle: 0 })
    expect(store.use("a", 3)?.idleMillis).toBe(1)
    store.release("a", 4)
    store.release("a", 4)
    expect(store.create("b", record(), 5)).toBe(true)
    expect(store.size()).toBe(1)
    store.hold("nobody")
    store.release("nobody", 5)
  })

  it("expires openings and sessions by deadlines of their own", () => {
    const store = SessionMemory.make()
    store.create("old opening", record({ initialized: false }), 0)
    store.create("old", record(), 0)
    store.create("opening", record({ initialized: false }), 60)
    store.create("young", record(), 60)
    expect(store.expire(100, 50, 1_000)).toEqual({ opening: 1, idle: 0 })
    expect(store.expire(100, 50, 100)).toEqual({ opening: 0, idle: 1 })
    expect(store.size()).toBe(2)
  })

  it("lets sessions of equal clients share one copy, and remembers only so many kinds", () => {
    const store = SessionMemory.make()
    const clientOf = (id: string) => store.use(id, 0)?.record.client
    store.create("a", record({ client: { info: undefined, capabilities: { roots: {} } } }), 0)
    store.create("b", record({ client: { info: undefined, capabilities: { roots: {} } } }), 0)
    expect(clientOf("a")).toBe(clientOf("b"))
    for (let kind = 0; kind < SessionMemory.mostClients; kind++) {
      store.create(`k${kind}`, record({ client: { info: { name: `k${kind}`, version: "1" }, capabilities: {} } }), 0)
    }
    store.create("c", record({ client: { info: undefined, capabilities: { roots: {} } } }), 0)
    expect(clientOf("c")).toEqual(clientOf("a"))
    expect(clientOf("c")).not.toBe(clientOf("a"))
  })
})
