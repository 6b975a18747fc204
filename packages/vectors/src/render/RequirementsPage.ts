// The requirements as a page: what the specification demands, in our words, and what keeps it.
import { chapters, requirements } from "../requirements/All.ts"
import { leftOut } from "../requirements/LeftOut.ts"
import type { Owner, Requirement } from "../requirements/Requirement.ts"
import { bullets, code, page, table } from "./Markdown.ts"

/** Returns the page `docs/machines/requirements.md`. */
export const requirementsPage = (): string =>
  page("What the specification demands, and what keeps it", [
    `Every MUST and SHOULD of the specification's pages on messages, versioning, discovery, lifecycle and transports that concerns opening, envelope, headers or admission: ${requirements.length} of them, in our words, with their place. A requirement is kept by a cell of a table, a law of a walk, a rung of the server's ladder, a test, or a case that runs over real processes and sockets; none is without one, and every name here is checked to exist.`,
    ...chapters.flatMap(({ requirements: own, title }) => [
      `## ${title}`,
      table(["place", "revisions", "who", "demand", "kept by"], own.map(row))
    ]),
    "## Left out",
    "What the same pages demand besides, and who sees to it.",
    bullets(leftOut.map(({ place, revisions, why }) => `${place} (${revisionsOf(revisions)}). ${why}`))
  ])

const row = ({ keptBy, level, place, revisions, says, who }: Requirement): ReadonlyArray<string> => [
  place,
  revisionsOf(revisions),
  who,
  `${level}: ${says}`,
  keptBy.map(owner).join("\n")
]

const revisionsOf = (revisions: ReadonlyArray<string>): string =>
  revisions.length < 3 ? revisions.join(", ") : `${revisions[0]} to ${revisions.at(-1)}`

const owner = (one: Owner): string => {
  switch (one._tag) {
    case "Cell":
      return `cell ${code(one.id)}`
    case "Law":
      return `law ${code(one.id)}`
    case "Rung":
      return `rung ${code(one.id)}`
    case "Case":
      return `case ${code(one.id)}`
    case "Test":
      return `${code(one.file)}: ${one.title}`
  }
}
