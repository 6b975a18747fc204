// The ten journeys end as their titles say, and say what they say on the wire.
import { describe, expect, it } from "vitest"
import { isObject, parse } from "@parley/core/Message"
import { journeys, travel } from "@parley/vectors/Journeys"
import { journeyDiagram } from "@parley/vectors/render/JourneyPage"

const expected: { readonly [id: string]: readonly [string, string] } = {
  legacy: ["2025-11-25", "initialize, notifications/initialized"],
  "modern-only": ["2026-07-28", "initialize, server/discover"],
  discover: ["2026-07-28", "server/discover"],
  fallback: ["2025-11-25", "server/discover, initialize, notifications/initialized"],
  older: ["2024-11-05", "initialize, notifications/initialized"],
  silent: ["2025-11-25", "server/discover, initialize, notifications/initialized"],
  frail: ["2025-11-25", "server/discover, initialize, notifications/initialized"],
  held: ["2025-11-25 named 2026-07-28", "initialize, server/discover, DELETE, initialize, notifications/initialized"],
  corrected: ["2026-07-28", "server/discover, server/discover"],
  busy: ["Busy", "initialize"]
}

describe("The ten journeys", () => {
  it.each(journeys.map((journey) => [journey.title, journey] as const))("%s", (_, journey) => {
    const { ending, happenings } = travel(journey)
    const outcome =
      ending._tag === "Failed"
        ? ending.reason._tag
        : ending.named === ending.version
          ? ending.version
          : `${ending.version} named ${ending.named}`
    const sent = happenings.flatMap((happening) => {
      if (happening._tag !== "Sent") return []
      const { httpMethod, text } = happening.sent
      const parsed = parse(text ?? "")
      return [parsed.ok && isObject(parsed.value) ? String(parsed.value["method"]) : httpMethod]
    })
    expect([outcome, sent.join(", ")]).toEqual(expected[journey.id])
  })

  it("A diagram tells what was sent, what came, why, and how it ended.", () => {
    const journey = journeys.find(({ id }) => id === "frail")
    if (journey === undefined) throw new Error("no such journey")
    expect(journeyDiagram(journey).split("\n")).toEqual([
      "sequenceDiagram",
      "  participant Client",
      "  participant Server",
      "  Note over Client: discover (policy discoverFirst opens so)",
      "  Client->>Server: server/discover 2026-07-28 (id 1)",
      "  Server-->>Client: exits with code 1",
      "  Note over Client: Ended with exit code 1: reopenAndInitialize (stdio, Unexpected Termination: restart the process that the probe ended)",
      "  Note over Server: a fresh process",
      "  Client->>Server: initialize 2025-11-25 (id 2)",
      "  Server-->>Client: result 2025-11-25 (id 2)",
      "  Note over Client: Agreed 2025-11-25: settle (lifecycle, Version Negotiation: the server answers with a version it supports)",
      "  Client->>Server: notifications/initialized",
      "  Note over Client,Server: agreed on 2025-11-25"
    ])
  })
})
