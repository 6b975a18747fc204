// Mermaid's small parts: state diagrams and sequence diagrams as text. What is drawn is in the files beside this one.

/** An arrow of a state diagram. Its labels are drawn one below the other. */
export interface Arrow {
  readonly from: string
  readonly to: string
  readonly labels: ReadonlyArray<string>
}

/** Returns a state diagram. `[*]` is the beginning and, as a target, the end. */
export const stateDiagram = (arrows: ReadonlyArray<Arrow>): string =>
  [
    "stateDiagram-v2",
    "  direction LR",
    ...arrows.map(({ from, labels, to }) =>
      labels.length === 0 ? `  ${from} --> ${to}` : `  ${from} --> ${to}: ${labels.map(safe).join("<br/>")}`
    )
  ].join("\n")

/** A line of a sequence diagram. */
export type Line =
  | {
      readonly _tag: "Says"
      readonly from: string
      readonly to: string
      readonly text: string
      readonly answer: boolean
    }
  | { readonly _tag: "Note"; readonly over: ReadonlyArray<string>; readonly text: string }

/** Returns a sequence diagram of the participants. */
export const sequenceDiagram = (participants: ReadonlyArray<string>, lines: ReadonlyArray<Line>): string =>
  [
    "sequenceDiagram",
    ...participants.map((name) => `  participant ${name}`),
    ...lines.map((line) =>
      line._tag === "Says"
        ? `  ${line.from}${line.answer ? "-->>" : "->>"}${line.to}: ${safe(line.text)}`
        : `  Note over ${line.over.join(",")}: ${safe(line.text)}`
    )
  ].join("\n")

// A semicolon ends a statement and a number sign begins an entity.
const safe = (text: string): string => text.replaceAll(";", ",").replaceAll("#", "no. ").replaceAll("\n", " ")
