// Everything that `npm run generate` writes, as texts by path. Writing and comparing with what is committed is in bin.
import { walkPage } from "./render/Walked.ts"
import { survey } from "./Survey.ts"

/** A file to write. */
export interface Output {
  /** From the root of the repository, with slashes. */
  readonly path: string
  readonly text: string
}

/** Returns every generated file, the same on every machine. Takes some seconds: it walks everything. */
export const outputs = (): ReadonlyArray<Output> => {
  const found = survey()
  return [{ path: "docs/machines/walk.md", text: walkPage(found) }]
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
