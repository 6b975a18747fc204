// Help as effect/cli formats it, made to fit: its tables grow as wide as what stands in them.
import { displayWidth } from "effect/cli/CliOutput"
import { hang } from "./Text.ts"

/** Returns the text with every line at most so many columns wide. What stands in a second column is broken within it. */
export const fitted = (help: string, columns: number): string =>
  help
    .split("\n")
    .flatMap((line, index, lines) => [
      // The formatter leaves none between the commands and what follows them.
      ...(isHeading(line) && index > 0 && lines[index - 1] !== "" ? [""] : []),
      ...fittedLine(line, columns)
    ])
    .join("\n")

// oxlint-disable-next-line no-control-regex
const isHeading = (line: string): boolean => /^(?:\u001b\[[0-9;]*m)*[A-Z]/.test(line) && line === line.trimStart()

const fittedLine = (line: string, columns: number): ReadonlyArray<string> => {
  if (displayWidth(line) <= columns) return [line]
  const [, first = "", second = ""] = /^( +\S.*?) {2,}(\S.*)$/.exec(line) ?? []
  const indent = displayWidth(line) - displayWidth(second)
  if (second === "") return hang(line, columns, displayWidth(line) - displayWidth(line.trimStart()))
  if (indent <= columns / 2) return hang(line, columns, indent)
  return [...hang(first, columns, 4), ...hang(" ".repeat(6) + second, columns, 6)]
}
