// What clients do, as a document: a Markdown table, and one HTML page that needs nothing beside itself. How it was found out is
// Observation's.
import type { Row, Way } from "../Observation.ts"
import { wayNames } from "../Observation.ts"
import * as Page from "./Page.ts"

/** A client in one of its modes over one carrier, as it was observed. */
export interface ClientRow {
  readonly name: string
  readonly mode: string
  readonly observed: Row
  /** What the client itself said of each meeting: `established` or `failed`. */
  readonly ends: { readonly [way in Way]?: string }
}

/** Returns the rows as a Markdown table. Carriers over which a client does the same share a line. */
export const markdown = (rows: ReadonlyArray<ClientRow>): string =>
  Page.markdownTable(
    ["client", "mode", "carrier", "eras", "leads with", "revisions", ...wayNames.map((way) => heads[way]), "verified"],
    grouped(rows).map(({ carriers, row }) => [
      row.name,
      row.mode,
      carriers.join(", "),
      row.observed.eras.join(", ") || "none",
      row.observed.preferredProtocolVersion ?? "",
      row.observed.revisions.join(", "),
      ...wayNames.map((way) => outcomeOf(row, way)),
      row.observed.verified.slice(0, 10)
    ])
  )

/** Returns the rows as an HTML page, light or dark as its reader prefers. */
export const html = (rows: ReadonlyArray<ClientRow>, frame: Page.Frame): string =>
  Page.page(
    frame,
    [
      "client",
      "carrier",
      "eras",
      "leads with",
      "revisions",
      ...wayNames.map((way) => `${Page.escape(heads[way])}<small>${Page.escape(answers[way])}</small>`),
      "verified"
    ],
    grouped(rows).map(lineOf)
  )

const lineOf = ({ carriers, row }: Grouped): string => {
  const { eras, preferredProtocolVersion, revisions, verified } = row.observed
  const td = (content: string, kind = "tight"): string => `<td class="${kind}">${content}</td>`
  const cells = [
    `<th scope="row">${Page.escape(row.name)}<small>${Page.escape(row.mode)}</small></th>`,
    td(Page.escape(carriers.join(", "))),
    td(eras.length === 0 ? Page.chip("bad", "none") : eras.map((era) => Page.chip(era, era)).join("")),
    td(Page.escape(preferredProtocolVersion ?? "")),
    td(revisions.map(Page.escape).join("<br>")),
    ...wayNames.map((way) => td(outcomeChip(outcomeOf(row, way)), "text")),
    td(Page.escape(verified.slice(0, 10)))
  ]
  return `<tr>${cells.join("")}</tr>`
}

const outcomeChip = (outcome: string): string => {
  const [era] = outcome.split(" ")
  if (era === "legacy" || era === "modern") return Page.chip(era, outcome)
  return Page.chip(outcome.startsWith("stops") || outcome === "" ? "mute" : "warn", outcome)
}

// Whoever stops after its lead just stops; where it tried the other method as well, that is said.
const outcomeOf = (row: ClientRow, way: Way): string => {
  const seen = row.observed.ways.find((one) => one.way === way)
  if (seen === undefined) return "nothing was heard"
  const isLead = new Set(seen.heard.map(({ method }) => method)).size === 1
  return isLead && seen.outcome.startsWith("stops") ? "stops" : seen.outcome.replace(", at ", " ")
}

interface Grouped {
  readonly carriers: ReadonlyArray<string>
  readonly row: ClientRow
}

const grouped = (rows: ReadonlyArray<ClientRow>): ReadonlyArray<Grouped> => {
  const lines = new Map<string, { readonly carriers: Array<string>; readonly row: ClientRow }>()
  for (const row of rows) {
    const { eras, preferredProtocolVersion, revisions, transport } = row.observed
    const seen = wayNames.map((way) => outcomeOf(row, way))
    const key = JSON.stringify([row.name, row.mode, eras, preferredProtocolVersion, revisions, seen])
    const known = lines.get(key)
    if (known === undefined) lines.set(key, { carriers: [transport], row })
    else known.carriers.push(transport)
  }
  return [...lines.values()]
}

const heads: { readonly [way in Way]: string } = {
  "agree-legacy": "a legacy server",
  "agree-modern": "a modern server",
  unsupported: "on -32022",
  "method-missing": "on -32601",
  silence: "on silence",
  "names-modern": "on 200 naming 2026-07-28"
}

const answers: { readonly [way in Way]: string } = {
  "agree-legacy": "agrees to initialize",
  "agree-modern": "agrees to server/discover",
  unsupported: "lists the other era",
  "method-missing": "agrees to the other method",
  silence: "agrees to the other method",
  "names-modern": "knows no server/discover"
}
