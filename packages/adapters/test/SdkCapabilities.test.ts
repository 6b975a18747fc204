import * as SdkCapabilities from "@parley/adapters/SdkCapabilities"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { describe, expect, it } from "@effect/vitest"
import type * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import { inspect } from "node:util"
import * as Clients from "./support/Clients.ts"

describe("detecting what a client can do", () => {
  it.each(Clients.releases)("finds the generation of $name by what it offers", ({ generation, make }) => {
    const found = SdkCapabilities.detect(make())
    expect(found?.generation).toBe(generation)
    expect(found?.eras).toEqual(generation === "sdk1" ? ["legacy"] : ["legacy", "modern"])
    expect(found?.adopts).toBe(generation === "sdk2")
    expect(found?.discovers).toBe(generation === "sdk2")
  })

  it("does not mind a subclass, or a client of another realm", () => {
    class Mine {
      readonly inner = Clients.sdk132.make()
      connect = () => Promise.resolve()
      close = () => Promise.resolve()
      request = () => Promise.resolve()
      notification = () => Promise.resolve()
      getServerCapabilities = () => undefined
      getServerVersion = () => undefined
    }
    expect(SdkCapabilities.detect(new Mine())).toBe(SdkCapabilities.sdk1)
    expect(SdkCapabilities.detect(Object.create(Clients.client240.make()))).toBe(SdkCapabilities.sdk2)
  })

  it.each([McpProtocol.v2025_11_25, McpProtocol.v2026_07_28])(
    "finds the one revision of a client of effect/ai and of its transport: $protocolVersion",
    (protocol) => {
      const transport: McpClient.Transport = {
        "~effect/ai/McpClient/Transport": "~effect/ai/McpClient/Transport",
        protocol,
        isCallable: () => true,
        notify: () => Effect.void,
        request: () => Effect.never
      }
      const found = SdkCapabilities.detect(transport)
      expect(found).toMatchObject({ generation: "effectAi", versions: [protocol.protocolVersion], pins: true })
      expect(found?.eras).toEqual([protocol.protocolVersion === "2026-07-28" ? "modern" : "legacy"])
    }
  )

  it("knows only the handshake of a client that shows nothing else", () => {
    const found = SdkCapabilities.detect({ connect: () => undefined, close: () => undefined })
    expect(found).toBe(SdkCapabilities.unknown)
    expect(found?.eras).toEqual(["legacy"])
  })

  it("finds no client in a transport, a class, a text or nothing", () => {
    const [transport] = InMemoryTransport.createLinkedPair()
    for (const value of [transport, Map, "client", 7, null, undefined, {}, []]) {
      expect(SdkCapabilities.detect(value)).toBeUndefined()
    }
  })
})

describe("capabilities", () => {
  it("print themselves", () => {
    expect(String(SdkCapabilities.sdk1)).toBe("the official SDK 1.x: lives in the legacy era (cannot discover)")
    expect(inspect(SdkCapabilities.sdk2)).toBe(
      "the official SDK 2.x: lives in both eras (discovers, adopts a prior result, pins)"
    )
    expect(`${SdkCapabilities.effectAi("2026-07-28")}`).toBe(
      "effect/ai's McpClient: lives in the modern era (discovers, pins)"
    )
  })

  it("say what to install where an era is missing, and nothing where none is", () => {
    expect(SdkCapabilities.sdk2.lacking).toBeUndefined()
    expect(SdkCapabilities.sdk1.lacking).toMatch(/official SDK 1\.x.*install @modelcontextprotocol\/client 2/)
    expect(SdkCapabilities.sdk2Handshake.lacking).toMatch(/official SDK 2\.x.*versionNegotiation/)
    expect(SdkCapabilities.effectAi("2025-11-25").lacking).toContain("EffectAi.layer")
    expect(SdkCapabilities.unknown.lacking).toContain("@modelcontextprotocol/client 2")
  })
})
