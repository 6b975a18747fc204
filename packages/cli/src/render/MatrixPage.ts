// A support matrix of servers as a document: a Markdown table, and one HTML page that needs nothing beside itself.
import { allVersions, eraOf } from "@parley/core/Version"
import type { Revision, Row } from "../Matrix.ts"
import { marks } from "./MatrixTable.ts"
import * as Page from "./Page.ts"

/** Returns the matrix as a Markdown table. */
export const markdown = (rows: ReadonlyArray<Row>): string =>
  Page.markdownTable(
    [
      "server",
      "carrier",
      ...allVersions,
      "prefers",
      "an unheard-of legacy revision",
      "an unheard-of modern revision",
      "capabilities",
      "quirks",
      "verified"
    ],
    rows.map((row) => [
      row.reached ? `${row.name} (${row.server})` : row.name,
      row.carrier,
      ...allVersions.map((version) => (row.reached ? marks[supportOf(row, version)] : "")),
      row.reached ? (row.prefers ?? "") : "not reached",
      row.refuses.legacy ?? "",
      row.refuses.modern ?? "",
      row.capabilities.join(", "),
      oddities(row).join(" "),
      row.verified.slice(0, 10)
    ])
  )

/** Returns the matrix as an HTML page, light or dark as its reader prefers. */
export const html = (
  rows: ReadonlyArray<Row>,
  frame: Page.Frame = { title: "MCP support matrix", notes: [legend] }
): string =>
  Page.page(
    frame,
    [
      "server",
      "carrier",
      ...allVersions.map(Page.escape),
      "prefers",
      "unheard-of revision",
      "capabilities",
      "quirks",
      "verified"
    ],
    rows.map(lineOf)
  )

const legend =
  "*yes*: agreed on in a negotiation; *listed*: named by `server/discover`; *-*: refused; *?*: not answered. *Prefers* is the revision that it agrees on when all are offered."

const lineOf = (row: Row): string => {
  const td = (content: string, kind = "tight"): string => `<td class="${kind}">${content}</td>`
  const said = row.reached ? `<small>says it is ${Page.escape(row.server)}</small>` : ""
  const quirks = oddities(row)
  const cells = [
    `<th scope="row">${Page.escape(row.name)}${said}${Page.folded("how it was reached", row.target)}</th>`,
    td(Page.escape(row.carrier)),
    ...allVersions.map((version) => td(row.reached ? supportChip(supportOf(row, version)) : "")),
    td(row.reached ? versionChip(row.prefers ?? "") : Page.chip("bad", "not reached")),
    td(
      Object.entries(row.refuses)
        .map(([era, answer]) => `<small>${Page.escape(era)}</small>${Page.escape(answer)}`)
        .join(""),
      "text"
    ),
    td(Page.escape(row.capabilities.join(", ")), "text"),
    td(quirks.map((quirk) => `<div>${Page.escape(quirk)}</div>`).join(""), quirks.length === 0 ? "tight" : "text"),
    td(Page.escape(row.verified.slice(0, 10)))
  ]
  return `<tr${row.reached ? "" : ' class="failed"'}>${cells.join("")}</tr>`
}

const supportOf = (row: Row, version: string): Revision["support"] =>
  row.revisions.find((revision) => revision.version === version)?.support ?? "unknown"

const supportChip = (support: Revision["support"]): string =>
  Page.chip(support === "agreed" || support === "listed" ? "good" : "mute", marks[support])

const versionChip = (version: string): string => Page.chip(eraOf(version) === "modern" ? "modern" : "legacy", version)

// What is no column: revisions that nobody has heard of, quirks, and why it was not reached.
const oddities = ({ error, quirks, reached, revisions }: Row): ReadonlyArray<string> => [
  ...revisions.flatMap(({ version }) => (allVersions.includes(version) ? [] : [`It lists ${version}.`])),
  ...(reached ? quirks : [`${error?.tag ?? ""}: ${error?.message ?? ""}`])
]
