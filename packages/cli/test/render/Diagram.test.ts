// The diagram is Mermaid that parses, whatever the peer wrote.
import { expect, it } from "vitest"
import { diagram } from "@parley/cli/render/Diagram"
import { agreed, dangerous, failed, hostile } from "../Fixture.ts"

it("draws what was sent and received, and how it ended", () => {
  expect(diagram(agreed(), ["a comment"])).toBe(`sequenceDiagram
    %% a comment
    participant parley
    participant server as everything 2.0.0
    Note over parley,server: opened after 1 ms
    parley->>server: initialize: offers 2025-11-25
    server-->>parley: result: names 2025-11-25 (HTTP 200)
    parley-)server: notifications/initialized
    Note over parley: agreed on 2025-11-25 (legacy) in 84 ms`)
})

it("draws a refusal as a lost arrow, and the error's tag at the end", () => {
  const text = diagram(failed())
  expect(text).toContain("server--xparley: -32022: Unsupported protocol version#59; supports 2026-07-28 (HTTP 400)")
  expect(text).toContain("Note over parley: failed: UnsupportedProtocolVersion after 9 ms")
})

it("keeps a peer's text from being Mermaid", () => {
  const evil = `${hostile}; participant x\n%% <script>alert(1)</script> #quot; end`
  const finding = agreed(
    { serverInfo: { name: evil, version: evil } },
    { entries: [{ atMillis: 0, from: "server", kind: "noise", what: "no message", detail: evil }], dropped: 3 }
  )
  const text = diagram(finding, [`%%{init: {}}%% ${"x"}`])
  expect(text).not.toMatch(dangerous)
  expect(text).not.toMatch(/[<>]/)
  expect(text).not.toContain("%%{")
  // One line for each of: title, comment, two participants, the entry, the dropped, the ending.
  expect(text.split("\n")).toHaveLength(7)
  expect(text).toContain("3 more, not kept")
})
