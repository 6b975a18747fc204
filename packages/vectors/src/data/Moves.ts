// What each move does, in a sentence: the comment above it in its source, which is the one home of that.

/** The sources of both machines' moves, as texts. */
export interface MoveSources {
  readonly client: string
  readonly server: string
}

/** Returns what each of the moves does, by name. Fails where one has no comment: it is to be written. */
export const movesOf = (source: string, names: Iterable<string>): { readonly [name: string]: string } => {
  const sentences = new Map<string, string>()
  // Two moves may have one name, where they do the same for different evidence.
  for (const [, text = "", name = ""] of source.matchAll(commented)) {
    sentences.set(name, [sentences.get(name) ?? [], plain(text)].flat().join(" "))
  }
  return Object.fromEntries(
    [...new Set(names)].toSorted().map((name) => {
      const sentence = sentences.get(name)
      if (sentence === undefined) throw new Error(`the move ${name} has no comment that says what it does`)
      return [name, sentence]
    })
  )
}

const commented = /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport const \w+ = move(?:<[^(]*>)?\(\s*"(\w+)"/g

const plain = (comment: string): string =>
  comment
    .replaceAll(/\n\s*\*/g, " ")
    .replaceAll(/\{@link (\w+)\}/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim()
