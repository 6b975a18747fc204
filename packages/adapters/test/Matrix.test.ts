import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import * as Matrix from "./matrix/Matrix.ts"
import * as Render from "./matrix/Render.ts"
import * as Servers from "./support/Servers.ts"

const minutes = 60_000

describe("the matrix of clients and servers", () => {
  const cells: Array<Matrix.Cell> = []
  for (const server of Servers.servers) {
    it.live(
      `with Parley every client speaks to ${server.name}, or is told why it cannot`,
      () =>
        Effect.gen(function* () {
          const found = yield* Matrix.run(server)
          cells.push(...found)
          const wrong = found.filter((cell) => cell.way !== "alone" && !isRight(server, cell))
          expect(wrong).toEqual([])
        }),
      5 * minutes
    )
  }

  it("is what the page says; if not, write it anew and read the difference", async () => {
    expect(Render.render(cells)).toBe(await readFile(Render.page, "utf8"))
  })
})

// One opening: refused, led on to a probe, or agreed. A handshake that is held was sent twice: that is what holds it.
const isRight = (server: Servers.Server, { outcome, wire }: Matrix.Cell): boolean => {
  if (outcome === "UnsupportedProtocolVersion") return wire === "I"
  if (outcome === "2026-07-28") return /^I?D$/.test(wire)
  if (!/^20\d\d-\d\d-\d\d$/.test(outcome)) return false
  return server === Servers.namesModern ? /^(?:I|ID|DI)IN$/.test(wire) : /^D?IN$/.test(wire)
}
