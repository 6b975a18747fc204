// What the case runner says to a person: a block for each case that is wrong, and a closing line.
import type { Broken } from "./CaseFile.ts"
import type { Verdict } from "./CaseRunner.ts"

/** Returns the block for a wrong case: id, title, what was expected and seen, and the wire. Empty for a right one. */
export const block = (file: string, verdict: Verdict): string =>
  verdict.problems.length === 0
    ? ""
    : [
        `wrong  ${verdict.id}  (${verdict.side}, ${file})`,
        `       ${clean(verdict.title)}`,
        ...verdict.problems.map((problem) => `   -   ${clean(problem)}`),
        ...verdict.wire.map((line) => `       | ${clean(line)}`)
      ].join("\n")

/** Returns the block for what is no case. */
export const brokenBlock = ({ file, id, problems }: Broken): string =>
  [`broken ${id}  (${file})`, ...problems.map((problem) => `   -   ${clean(problem)}`)].join("\n")

/** Returns the closing line: `N passed, N failed`. A broken case failed. */
export const closing = (verdicts: ReadonlyArray<Verdict>, broken: ReadonlyArray<Broken>): string => {
  const failed = verdicts.filter(({ problems }) => problems.length > 0).length
  return `${verdicts.length - failed} passed, ${failed + broken.length} failed`
}

// What a peer wrote must not steer a terminal.
const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (char) => JSON.stringify(char).slice(1, -1))
