// Everything that `npm run generate` writes, as texts by path. Writing and comparing with what is committed is in bin.
import { gatherClientSteps } from "./data/ClientSteps.ts"
import { gatherEvidenceErrors } from "./data/Codes.ts"
import type { ClientConversation } from "./data/Conversations.ts"
import { conversationsOf } from "./data/Conversations.ts"
import { dataFiles } from "./data/Files.ts"
import type { MoveSources } from "./data/Moves.ts"
import { matrix } from "./Matrix.ts"
import type { Assets } from "./page/Page.ts"
import { machinesPage, machinesPagePath } from "./page/Page.ts"
import { pairs, productOf } from "./product/Pairs.ts"
import { clientPage, clientPagePath } from "./render/ClientPages.ts"
import { frontPage } from "./render/FrontPage.ts"
import { journeyPage } from "./render/JourneyPage.ts"
import { matrixPage } from "./render/MatrixPage.ts"
import { countPair, productPage } from "./render/ProductPage.ts"
import { requirementsPage } from "./render/RequirementsPage.ts"
import { serverPage } from "./render/ServerPage.ts"
import { walkPage } from "./render/Walked.ts"
import { serverSubjects } from "./server/Subjects.ts"
import { serverWalk } from "./server/Walk.ts"
import { tableNames } from "./Subjects.ts"
import { survey, walked } from "./Survey.ts"
import { gather } from "./Transitions.ts"

/** A file to write. */
export interface Output {
  /** From the root of the repository, with slashes. */
  readonly path: string
  readonly text: string
}

/**
 * Returns every generated file, the same on every machine. Takes some seconds: it walks everything. `assets` go as they are
 * into the page that steps, and of the sources of the moves what is said above each of them.
 */
export const outputs = (assets: Assets, sources: MoveSources): ReadonlyArray<Output> => {
  const transitions = gather()
  // The laws are checked by the tests; here they would only take time.
  const steps = gatherClientSteps()
  const evidence = gatherEvidenceErrors()
  const conversations: Array<ClientConversation> = []
  const found = survey(walked, [], (walk) => {
    transitions.add(walk)
    steps.add(walk)
    evidence.add(walk)
    if (walk.subject.preset) conversations.push(...conversationsOf(walk))
  })
  const servers = serverSubjects.map((subject) => serverWalk(subject))
  const outcomes = matrix()
  const pages: ReadonlyArray<Output> = [
    ...tableNames.map((name) => ({ path: clientPagePath(name), text: clientPage(name, transitions) })),
    { path: "docs/machines/server.md", text: serverPage(servers) },
    { path: "docs/machines/journeys.md", text: journeyPage() },
    { path: "docs/machines/matrix.md", text: matrixPage(outcomes) },
    { path: "docs/machines/product.md", text: productPage(pairs.map((pair) => countPair(productOf(pair)))) },
    { path: "docs/machines/walk.md", text: walkPage(found, servers) },
    { path: "docs/machines/requirements.md", text: requirementsPage() }
  ]
  return [
    { path: "docs/machines/README.md", text: frontPage(transitions, outcomes, pages) },
    ...pages,
    { path: machinesPagePath, text: machinesPage(assets) },
    ...dataFiles({ steps, evidence, conversations }, servers, sources)
  ]
}

/** How a committed file differs from what is generated. */
export interface Stale {
  readonly path: string
  readonly problem: "missing" | "differs" | "no longer generated"
}

/**
 * Returns what is committed otherwise than generated. `read` gives a file's text, or undefined where there is none;
 * `present` are the generated files that exist.
 */
export const stale = (
  wanted: ReadonlyArray<Output>,
  read: (path: string) => string | undefined,
  present: ReadonlyArray<string>
): ReadonlyArray<Stale> => {
  const paths = new Set(wanted.map(({ path }) => path))
  return [
    ...wanted.flatMap(({ path, text }): ReadonlyArray<Stale> => {
      const committed = read(path)
      if (committed === undefined) return [{ path, problem: "missing" }]
      return committed === text ? [] : [{ path, problem: "differs" }]
    }),
    ...present.filter((path) => !paths.has(path)).map((path): Stale => ({ path, problem: "no longer generated" }))
  ]
}
