// The journeys as sequence diagrams, drawn from what happened on the link.
import { isObject, parse } from "@parley/core/Message"
import type { Happening } from "../link/Run.ts"
import type { Journey } from "../Journeys.ts"
import { journeys, travel } from "../Journeys.ts"
import { fence, page } from "./Markdown.ts"
import type { Line } from "./Mermaid.ts"
import { sequenceDiagram } from "./Mermaid.ts"

/** Returns the page `docs/machines/journeys.md`. */
export const journeyPage = (): string =>
  page("Ten journeys", [
    "What client and server say to each other in the cases that people meet most. Each was run: the client machine against the server machine, or against a server of another make, over a link that loses nothing.",
    ...journeys.flatMap((journey, index) => [
      `## ${index + 1}. ${journey.title}`,
      `${journey.about} Policy \`${journey.policy.name}\` over ${journey.medium.name}.`,
      fence("mermaid", journeyDiagram(journey))
    ])
  ])

/** Returns the sequence diagram of a journey. */
export const journeyDiagram = (journey: Journey): string => {
  const { ending, happenings } = travel(journey)
  const lines = happenings.flatMap(lineOf)
  const outcome =
    ending._tag === "Failed"
      ? `${ending.reason._tag}: ${ending.reason.message}`
      : ending.named === ending.version
        ? `agreed on ${ending.version}`
        : `agreed on ${ending.version}; the server named ${ending.named}`
  return sequenceDiagram(["Client", "Server"], [...lines, { _tag: "Note", over: ["Client", "Server"], text: outcome }])
}

const lineOf = (happening: Happening): ReadonlyArray<Line> => {
  switch (happening._tag) {
    case "Sent": {
      const { headers, httpMethod, text } = happening.sent
      const said = text === undefined ? `${httpMethod} session ${headers["mcp-session-id"] ?? ""}` : messageIn(text)
      return [{ _tag: "Says", from: "Client", to: "Server", text: said, answer: false }]
    }
    case "Came": {
      const { came } = happening
      if (came._tag === "Exited") {
        return [{ _tag: "Says", from: "Server", to: "Client", text: `exits with code ${came.exitCode}`, answer: true }]
      }
      const status = came._tag === "Answer" ? `${came.status} ` : ""
      const said = came.text === undefined ? "without a body" : messageIn(came.text)
      return [{ _tag: "Says", from: "Server", to: "Client", text: `${status}${said}`, answer: true }]
    }
    case "Waited":
      return [{ _tag: "Note", over: ["Client"], text: `nothing for ${happening.millis / 1000} s` }]
    case "Reopened":
      return [{ _tag: "Note", over: ["Server"], text: "a fresh process" }]
    case "Decided": {
      const { because, evidence, move } = happening.trace
      const what = evidence === "" ? move : `${evidence}: ${move}`
      return [{ _tag: "Note", over: ["Client"], text: `${what} (${because})` }]
    }
  }
}

/** Returns a message in a few words: its method, and the revisions that it names. */
export const messageIn = (text: string): string => {
  const parsed = parse(text)
  if (!parsed.ok || !isObject(parsed.value)) return text.slice(0, 60)
  const { error, id, method, result } = parsed.value
  const number = id === undefined ? "" : ` (id ${String(id)})`
  const versions = [...new Set(text.match(/\d{4}-\d{2}-\d{2}/g) ?? [])].join(", ")
  const named = versions === "" ? "" : ` ${versions}`
  if (typeof method === "string") return `${method}${named}${number}`
  if (isObject(error)) return `error ${String(error["code"])}${named}${number}`
  return isObject(result) ? `result${named}${number}` : text.slice(0, 60)
}
