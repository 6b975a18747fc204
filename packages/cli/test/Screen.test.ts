// What is known of the terminal, and the line that is shown while something takes long.
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, Sink, Stdio, Terminal } from "effect"
import { TestClock } from "effect/testing"
import { coloured, plain } from "@parley/cli/render/Style"
import { screen, withProgress } from "@parley/cli/Screen"

const terminal = (columns: number) =>
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.succeed(columns),
      rows: Effect.succeed(24),
      size: Effect.die("unused"),
      readInput: Effect.die("unused"),
      readLine: Effect.die("unused"),
      display: () => Effect.void
    })
  )

const streams = (terminals: { readonly out: boolean; readonly err: boolean }, written: Array<string> = []) =>
  Stdio.layerTest({
    stdoutIsTerminal: Effect.succeed(terminals.out),
    stderrIsTerminal: Effect.succeed(terminals.err),
    stderr: () => Sink.forEach((text) => Effect.sync(() => void written.push(String(text))))
  })

const read = (
  terminals: { readonly out: boolean; readonly err: boolean },
  columns: number,
  env: { readonly [name: string]: string } = {}
) =>
  screen.pipe(
    Effect.provide([terminal(columns), streams(terminals)]),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

describe("screen", () => {
  it.effect("colours each stream for itself", () =>
    Effect.gen(function* () {
      expect(yield* read({ out: false, err: true }, 100)).toEqual({
        out: plain,
        err: coloured,
        columns: 100,
        breaks: false,
        watched: true
      })
    })
  )

  it.effect("honours NO_COLOR and a dumb terminal", () =>
    Effect.gen(function* () {
      expect(yield* read({ out: true, err: true }, 100, { NO_COLOR: "1" })).toMatchObject({ out: plain, err: plain })
      expect(yield* read({ out: true, err: true }, 100, { TERM: "dumb" })).toMatchObject({ out: plain, watched: false })
    })
  )

  it.effect("keeps lines between 40 and 120 columns, and 80 where there is no terminal", () =>
    Effect.gen(function* () {
      const columns = yield* Effect.forEach([0, 10, 500], (width) => read({ out: true, err: true }, width))
      expect(columns.map((each) => each.columns)).toEqual([80, 40, 120])
    })
  )
})

describe("withProgress", () => {
  const wiped = "\r\u001b[2K"

  const watch = (effect: Effect.Effect<string>, watched: boolean, written: Array<string>) =>
    withProgress(
      effect,
      { out: plain, err: plain, columns: 80, breaks: watched, watched },
      (seconds) => `waiting ${seconds}`
    ).pipe(Effect.provide(streams({ out: watched, err: watched }, written)))

  it.effect("shows nothing within two seconds", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const fiber = yield* Effect.forkChild(watch(Effect.delay(Effect.succeed("done"), 1900), true, written))
      yield* TestClock.adjust(1900)
      expect(yield* Fiber.join(fiber)).toBe("done")
      expect(written).toEqual([])
    })
  )

  it.effect("renews its line every second and wipes it at the end", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const fiber = yield* Effect.forkChild(watch(Effect.delay(Effect.succeed("done"), 3500), true, written))
      yield* TestClock.adjust(3500)
      expect(yield* Fiber.join(fiber)).toBe("done")
      expect(written).toEqual([`${wiped}waiting 2`, `${wiped}waiting 3`, wiped])
    })
  )

  it.effect("wipes its line when it is interrupted", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const fiber = yield* Effect.forkChild(watch(Effect.never, true, written))
      yield* TestClock.adjust(2000)
      yield* Fiber.interrupt(fiber)
      expect(written).toEqual([`${wiped}waiting 2`, wiped])
    })
  )

  it.effect("shows nothing where nobody watches", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const fiber = yield* Effect.forkChild(watch(Effect.delay(Effect.succeed("done"), 9000), false, written))
      yield* TestClock.adjust(9000)
      yield* Fiber.join(fiber)
      expect(written).toEqual([])
    })
  )
})
