// What a requirement is: a MUST or a SHOULD of the specification in our words, its place, and what here keeps it.
// The requirements themselves are in the files beside this one.

/** A requirement of one or several revisions. */
export interface Requirement {
  readonly revisions: ReadonlyArray<string>
  /** Page and section of the specification, as in `basic/versioning#protocol-version-negotiation`. */
  readonly place: string
  readonly level: Level
  /** Whom it binds. */
  readonly who: "client" | "server" | "both"
  /** In our words. */
  readonly says: string
  /** What keeps it here: never nothing. */
  readonly keptBy: ReadonlyArray<Owner>
}

export type Level = "MUST" | "MUST NOT" | "SHOULD" | "SHOULD NOT"

/** What keeps a requirement. Every name is checked to exist. */
export type Owner =
  /** A cell of a table. */
  | { readonly _tag: "Cell"; readonly id: string }
  /** A law of a walk. */
  | { readonly _tag: "Law"; readonly id: string }
  /** A rung of the ladder, or a ground of the machine. */
  | { readonly _tag: "Rung"; readonly id: string }
  /** A test by its file, from `packages`, and its title or a part of it. */
  | { readonly _tag: "Test"; readonly file: string; readonly title: string }
  /** A case of `packages/testing/cases`, run over real processes and sockets. */
  | { readonly _tag: "Case"; readonly id: string }

export const cell = (id: string): Owner => ({ _tag: "Cell", id })
export const law = (id: string): Owner => ({ _tag: "Law", id })
export const rung = (id: string): Owner => ({ _tag: "Rung", id })
export const test = (file: string, title: string): Owner => ({ _tag: "Test", file, title })
export const kase = (id: string): Owner => ({ _tag: "Case", id })

/** Returns what makes requirements of these revisions, on a page. */
export const of =
  (revisions: ReadonlyArray<string>, page: string) =>
  (
    section: string,
    who: Requirement["who"],
    level: Level,
    says: string,
    ...keptBy: ReadonlyArray<Owner>
  ): Requirement => ({ revisions, place: section === "" ? page : `${page}#${section}`, level, who, says, keptBy })

/** A part of a page whose requirements are left out, and why. */
export interface LeftOut {
  readonly revisions: ReadonlyArray<string>
  readonly place: string
  readonly why: string
}
