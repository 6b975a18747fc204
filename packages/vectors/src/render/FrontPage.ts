// The front page of docs/machines: what there is, and the commonest diagram and matrix at a glance.
import type { Outcome } from "../Matrix.ts"
import type { Output } from "../Output.ts"
import { machinesPagePath } from "../page/Page.ts"
import { tableNames } from "../Subjects.ts"
import type { Transitions } from "../Transitions.ts"
import { aboutTable, clientDiagram, clientPagePath } from "./ClientPages.ts"
import { bullets, fence, page } from "./Markdown.ts"
import { eraTable } from "./MatrixPage.ts"
import { mutantsPath } from "./MutantsPage.ts"

const link = (path: string, text: string): string => `[${text}](${path.replace(/^docs\/machines\//, "")})`

/** Returns the page `docs/machines/README.md`. */
export const frontPage = (
  transitions: Transitions,
  outcomes: ReadonlyArray<Outcome>,
  pages: ReadonlyArray<Output>
): string => {
  const others = pages.filter(
    ({ path }) => path.startsWith("docs/machines/") && !tableNames.some((name) => clientPagePath(name) === path)
  )
  return page("The machines", [
    "Everything here is drawn from the machines that run: `npm run generate` walks them and writes it, and `npm test` fails where a page differs from what the machines do.",
    "## The default client",
    fence("mermaid", clientDiagram("auto", transitions)),
    "## Who agrees with whom",
    eraTable(outcomes),
    "## Pages",
    bullets([
      `${link(machinesPagePath, "Watch the machines step")}: open the file in a browser, choose a policy, a medium and what the server answers.`,
      ...tableNames.map((name) => `${link(clientPagePath(name), `Client: ${name}`)}. ${aboutTable[name]}`),
      ...others.map(({ path, text }) => link(path, titleOf(text))),
      link(mutantsPath, "Mutated tables"),
      link("docs/machines/mutation.md", "Mutants of the core"),
      link("docs/machines/sdks.md", "What the SDKs do otherwise")
    ]),
    "The same decisions as data, for other languages, are in `packages/vectors/data`."
  ])
}

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? ""
