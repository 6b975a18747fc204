// The compatibility matrix as a page: the specification's rows with what happens here, and the whole grid.
import type { Outcome } from "../Matrix.ts"
import { clients, servers, specified } from "../Matrix.ts"
import { page, table } from "./Markdown.ts"

/** Returns the page `docs/machines/matrix.md`. */
export const matrixPage = (outcomes: ReadonlyArray<Outcome>): string =>
  page("Who agrees with whom", [
    "Every pair was run over an ideal link on both media: the client machine under its policy against the server machine under its profile.",
    "## By era",
    "The rows of the specification (2026-07-28, basic/versioning, Compatibility Matrix) in its order and our words; the last two follow from the text below its matrix.",
    eraTable(outcomes),
    "## By policy and revision",
    "What is agreed, and in brackets the number of requests that it took; both media, where they differ as stdio / http.",
    table(
      ["client", ...servers.map(({ name }) => name)],
      clients.map((client) => [
        `${client.name} (${client.sides})`,
        ...servers.map((server) => both(outcomes, client.name, server.name))
      ])
    )
  ])

/** Returns the table by era: what is expected, and what each policy of that era does. */
export const eraTable = (outcomes: ReadonlyArray<Outcome>): string =>
  table(
    ["client", "server", "expected", "here", "why"],
    specified.map(({ client, era, outcome, server, why }) => {
      const own = clients.filter(({ sides }) => sides === client)
      const name = server === "dual" ? "dual-era" : server
      const here = own.map((one) => `${one.name}: ${both(outcomes, one.name, name)}`)
      return [title(client), title(server), era === undefined ? outcome : `${outcome}, ${era}`, here.join("\n"), why]
    })
  )

const title = (sides: string): string => (sides === "dual" ? "dual-era" : sides)

const both = (outcomes: ReadonlyArray<Outcome>, client: string, server: string): string => {
  const said = outcomes.filter((one) => one.client === client && one.server === server).map(say)
  const [first] = said
  return first !== undefined && said.every((one) => one === first) ? first : said.join(" / ")
}

const say = ({ error, requests, version }: Outcome): string => `${version ?? `fails: ${error}`} (${requests})`
