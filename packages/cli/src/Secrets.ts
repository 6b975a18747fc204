// What must not stand in a bug report, taken out of text: values that were given as credentials, and what looks like one.

/** Returns a function that puts `***` for the values, and for what looks like a credential. */
export const remover = (values: ReadonlyArray<string>): ((text: string) => string) => {
  // The longest first: one value may be a part of another.
  const known = [...new Set(values.flatMap((value) => [value, ...value.split(/\s+/)]))]
    .filter((value) => value.length >= shortest)
    .toSorted((one, other) => other.length - one.length)
  return (text) =>
    known
      .reduce((cleaned, value) => cleaned.replaceAll(value, hidden), text)
      .replace(/(:\/\/)[^\s/?#@]*@/g, `$1${hidden}@`)
      .replace(/(:\/\/[^\s?#]*\?)[^\s#)"',]+/g, `$1${hidden}`)
      .replace(/\b(bearer|basic)\s+[^\s"',]+/gi, `$1 ${hidden}`)
      .replace(tokens, hidden)
}

/** Returns the values of an environment whose names say that they are secret. */
export const inEnvironment = (environment: { readonly [name: string]: string | undefined }): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([name, value]) => (value !== undefined && secretName.test(name) ? [value] : []))

const hidden = "***"
// A shorter value is a word that a report may need.
const shortest = 6
const secretName =
  /token|secret|passw|passphrase|credential|authorization|cookie|(?:^|_)(?:key|auth|pass|pat|pwd)(?:_|$)|api_?key/i
const tokens =
  /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|npm|hf)[-_][\w.-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\bAKIA[0-9A-Z]{12,}/g
