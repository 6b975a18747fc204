// A support matrix as a document: a Markdown table, and one HTML page that needs nothing beside itself.
import type { Row } from "../Matrix.ts"
import { marks } from "./MatrixTable.ts"

/** Returns the matrix as a Markdown table. */
export const markdown = (rows: ReadonlyArray<Row>): string =>
  [heads, heads.map(() => "---"), ...rows.map(cells)]
    .map((row) => `| ${row.map(markdownText).join(" | ")} |`)
    .join("\n")

/** Returns the matrix as an HTML page, light or dark as its reader prefers. */
export const html = (rows: ReadonlyArray<Row>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>MCP support matrix</title>
<style>
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif }
body { margin: 2rem }
table { border-collapse: collapse }
th, td { padding: .4rem .7rem; border-bottom: 1px solid #8886; text-align: left; vertical-align: top }
tr.failed td { opacity: .65 }
</style>
</head>
<body>
<h1>MCP support matrix</h1>
<table>
<thead><tr>${heads.map((head) => `<th>${htmlText(head)}</th>`).join("")}</tr></thead>
<tbody>
${rows
  .map(
    (row) =>
      `<tr${row.reached ? "" : ' class="failed"'}>${cells(row)
        .map((cell) => `<td>${htmlText(cell)}</td>`)
        .join("")}</tr>`
  )
  .join("\n")}
</tbody>
</table>
</body>
</html>
`

const heads = ["server", "eras", "revisions", "prefers", "an unheard-of revision", "capabilities", "quirks", "verified"]

const cells = (row: Row): ReadonlyArray<string> =>
  row.reached
    ? [
        `${row.name} (${row.server})`,
        row.eras.join(", "),
        row.revisions
          .filter(({ support }) => support !== "refused")
          .map(({ support, version }) => (support === "agreed" ? version : `${version} (${marks[support]})`))
          .join(", "),
        row.prefers ?? "",
        Object.entries(row.refuses)
          .map(([era, answer]) => `${era}: ${answer}`)
          .join("; "),
        row.capabilities.join(", "),
        row.quirks.join(" "),
        row.verified
      ]
    : [row.name, "not reached", "", "", "", "", `${row.error?.tag ?? ""}: ${row.error?.message ?? ""}`, row.verified]

const htmlText = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

// A bar ends a cell, and the rest is markup that a server must not write.
const markdownText = (text: string): string => htmlText(text).replace(/[|\\`*_[\]]/g, (character) => `\\${character}`)
