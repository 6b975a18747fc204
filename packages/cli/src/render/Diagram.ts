// A finding as a Mermaid sequence diagram: what was sent and what came back. Text is plain in Mermaid's eyes too.
import type { Finding } from "../Finding.ts"
import type { Entry } from "../Recording.ts"
import { duration, oneLine } from "./Text.ts"

/** Returns the Mermaid source. `comments` stand under its first line, where Mermaid ignores them. */
export const diagram = (finding: Finding, comments: ReadonlyArray<string> = []): string =>
  [
    "sequenceDiagram",
    ...comments.map((comment) => `    %% ${comment.replaceAll("%%", "% %").replaceAll("{", "(")}`),
    "    participant parley",
    `    participant server as ${label(serverLabel(finding))}`,
    ...finding.entries.map((entry) => `    ${line(entry)}`),
    ...(finding.dropped === 0 ? [] : [`    Note over parley,server: ${finding.dropped} more, not kept`]),
    `    Note over parley: ${label(ending(finding))}`
  ].join("\n")

const line = (entry: Entry): string => {
  const status = entry.status === undefined ? "" : ` (HTTP ${entry.status})`
  const text = label(`${entry.what}${entry.detail === "" ? "" : `: ${entry.detail}`}${status}`)
  switch (entry.kind) {
    case "opened":
      return `Note over parley,server: ${label(`opened after ${duration(entry.atMillis)}`)}`
    case "lost":
    case "closed":
      return `Note over server: ${text}`
    case "noise":
      return `server--)parley: ${text}`
    case "error":
    case "status":
      return entry.from === "client" ? `parley--xserver: ${text}` : `server--xparley: ${text}`
    case "notification":
      return entry.from === "client" ? `parley-)server: ${text}` : `server-)parley: ${text}`
    case "request":
      return entry.from === "client" ? `parley->>server: ${text}` : `server->>parley: ${text}`
    case "result":
      return entry.from === "client" ? `parley-->>server: ${text}` : `server-->>parley: ${text}`
  }
}

const serverLabel = (finding: Finding): string => {
  const info = finding.outcome._tag === "Agreed" ? finding.outcome.agreement.serverInfo : undefined
  return info === undefined ? "server" : `${info.name} ${info.version}`
}

const ending = ({ outcome, totalMillis }: Finding): string =>
  outcome._tag === "Agreed"
    ? `agreed on ${outcome.agreement.version} (${outcome.agreement.era}) in ${duration(totalMillis)}`
    : `failed: ${outcome.error.reason._tag} after ${duration(totalMillis)}`

// Mermaid reads ";" and a line break as an end, "#" as an entity, "%%" as a comment, "<br>" and other tags as markup.
const label = (text: string): string =>
  oneLine(text, 160).replace(/[#;<>&%"`\\{}]/g, (character) => `#${character.codePointAt(0)};`)
