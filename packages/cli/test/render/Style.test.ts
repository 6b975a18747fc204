// Colour is for terminals that want it.
import { expect, it } from "vitest"
import { coloured, forStream, plain } from "@parley/cli/render/Style"

it.each([
  ["a terminal", true, {}, coloured],
  ["a pipe", false, {}, plain],
  ["a terminal with NO_COLOR", true, { NO_COLOR: "1" }, plain],
  ["a terminal with an empty NO_COLOR", true, { NO_COLOR: "" }, coloured],
  ["a dumb terminal", true, { TERM: "dumb" }, plain],
  ["a pipe with FORCE_COLOR", false, { FORCE_COLOR: "1" }, coloured],
  ["a terminal with FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, plain],
  ["NO_COLOR beside FORCE_COLOR", true, { NO_COLOR: "1", FORCE_COLOR: "1" }, plain]
])("%s gets its style", (_, terminal, environment, style) => {
  expect(forStream(terminal, environment)).toBe(style)
})
