// Which states a table's evidences lead to, gathered from walks: what the state diagrams draw.
import type { EvidenceTag } from "@parley/core/client/Evidence"
import type { State } from "@parley/core/client/State"
import type { TableName } from "./Subjects.ts"
import type { Walk } from "./Walk.ts"

/** That an evidence in a state leads to a state, and on which media it does. */
export interface Transition {
  readonly from: State["_tag"]
  readonly evidence: EvidenceTag
  readonly to: State["_tag"]
  readonly media: ReadonlySet<string>
}

/** The transitions of each table, and its openings. */
export interface Transitions {
  readonly of: (table: TableName) => ReadonlyArray<Transition>
  readonly openings: (table: TableName) => ReadonlyArray<State["_tag"]>
  readonly add: (walk: Walk) => void
}

/** Returns a collection that is empty. Only presets as they stand are gathered: a narrowed one is another drawing. */
export const gather = (): Transitions => {
  const found = new Map<TableName, Map<string, Transition & { readonly media: Set<string> }>>()
  const opened = new Map<TableName, Set<State["_tag"]>>()
  return {
    of: (table) => [...(found.get(table)?.values() ?? [])],
    openings: (table) => [...(opened.get(table) ?? [])],
    add: ({ opening, steps, subject }) => {
      if (!subject.plain) return
      const { medium, table } = subject
      if (opening.state._tag !== "Failed") opened.set(table, (opened.get(table) ?? new Set()).add(opening.state._tag))
      const known = found.get(table) ?? new Map<string, Transition & { readonly media: Set<string> }>()
      found.set(table, known)
      for (const { evidence, from, state } of steps) {
        const key = `${from.state._tag} ${evidence._tag} ${state._tag}`
        const one = known.get(key)
        if (one === undefined) {
          const media = new Set([medium.name])
          known.set(key, { from: from.state._tag, evidence: evidence._tag, to: state._tag, media })
        } else one.media.add(medium.name)
      }
    }
  }
}
