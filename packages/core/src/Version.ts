// Protocol revisions: which there are, which era each belongs to, and which of several is the newest.
// The only file that may mention a revision date.

/** The two eras of the Model Context Protocol: with an `initialize` handshake, and without one. */
export type Era = "legacy" | "modern"

/** The published revisions that open with the `initialize` handshake, oldest first. */
export const legacyVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const

/** The published revisions without a handshake: every request carries its revision. Oldest first. */
export const modernVersions = ["2026-07-28"] as const

/** Every published revision that Parley speaks, oldest first. */
export const allVersions: ReadonlyArray<string> = [...legacyVersions, ...modernVersions]

/** The last revision with a handshake: `2025-11-25`. A later date is modern, whether it is known to us or not. */
export const newestLegacy: string = "2025-11-25"

/** The newest published revision without a handshake: `2026-07-28`. */
export const newestModern: string = "2026-07-28"

/** The one revision whose clients may send JSON-RPC batches over HTTP and stdio: `2025-03-26`. */
export const batchVersion: string = "2025-03-26"

/** What a legacy HTTP request without a version header speaks: `2025-03-26`. */
export const assumedWithoutHeader: string = "2025-03-26"

/** Returns whether the text has the shape of a revision: four digits, two digits, two digits. */
export const isRevision = (text: string): boolean => {
  if (text.length !== 10) return false
  for (let at = 0; at < 10; at++) {
    const code = text.charCodeAt(at)
    if (at === 4 || at === 7 ? code !== 45 : !(code >= 48 && code <= 57)) return false
  }
  return true
}

/** Returns the era of a revision by its date, or undefined for a text that is no date. */
export const eraOf = (version: string): Era | undefined =>
  isRevision(version) ? (version > newestLegacy ? "modern" : "legacy") : undefined

/** Returns whether the text is a date after the last handshake revision. */
export const isModern = (version: string): boolean => eraOf(version) === "modern"

/** Returns whether the text is a date up to the last handshake revision. */
export const isLegacy = (version: string): boolean => eraOf(version) === "legacy"

/** Returns the revision with the latest date, or undefined for an empty list. */
export const newest = (versions: ReadonlyArray<string>): string | undefined => {
  let best: string | undefined
  for (const version of versions) if (best === undefined || version > best) best = version
  return best
}

/** Returns the newest revision of an era in a list, or undefined if it has none. */
export const newestOf = (era: Era, versions: ReadonlyArray<string>): string | undefined => {
  let best: string | undefined
  // From the end, where the newest mostly stands: whatever is no newer is not even looked at.
  for (let at = versions.length - 1; at >= 0; at--) {
    const version = versions[at]
    if (version !== undefined && (best === undefined || version > best) && eraOf(version) === era) best = version
  }
  return best
}
