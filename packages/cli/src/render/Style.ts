// How emphasis looks: escape sequences on a terminal that wants colour, nothing anywhere else.

export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly notable: (text: string) => string
}

const unchanged = (text: string): string => text
const painted =
  (code: number) =>
  (text: string): string =>
    text === "" ? "" : `\u001b[${code}m${text}\u001b[0m`

/** No emphasis: pipes, files, dumb terminals, NO_COLOR. */
export const plain: Style = { bold: unchanged, dim: unchanged, good: unchanged, bad: unchanged, notable: unchanged }

/** ANSI colours. */
export const coloured: Style = {
  bold: painted(1),
  dim: painted(2),
  good: painted(32),
  bad: painted(31),
  // Not yellow: nobody can read it on white.
  notable: painted(35)
}

/** Returns the style for a stream: coloured if it is a terminal that wants colour. NO_COLOR wins over FORCE_COLOR. */
export const forStream = (isTerminal: boolean, environment: { readonly [name: string]: string | undefined }): Style => {
  if (isSet(environment["NO_COLOR"]) || environment["TERM"] === "dumb") return plain
  const forced = environment["FORCE_COLOR"]
  if (isSet(forced)) return forced === "0" || forced === "false" ? plain : coloured
  return isTerminal ? coloured : plain
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== ""
