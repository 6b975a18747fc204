// What the flags of `parley conform` mean by a command: one text, split into words as a shell would, without its powers.
import type { CommandTarget } from "@parley/testing/Scripted"
import type { Reading } from "../Target.ts"

/** Reads a command. Words are parted by blanks; quotes keep blanks, a backslash keeps what follows it. */
export const command = (text: string): Reading<CommandTarget> => {
  const words: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === "\\" && quote !== "'") word = (word ?? "") + text.charAt(++index)
    else if (character === quote) quote = undefined
    else if (quote !== undefined) word = (word ?? "") + character
    else if (character === '"' || character === "'") {
      quote = character
      word ??= ""
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + character
  }
  if (quote !== undefined) return { ok: false, problem: `The command has a quote that nothing closes: ${quote}` }
  if (word !== undefined) words.push(word)
  const [first, ...args] = words
  return first === undefined || first === ""
    ? { ok: false, problem: "The command is empty." }
    : { ok: true, value: { command: first, args } }
}
