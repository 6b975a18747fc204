// A group of rows that are measured together, how thoroughly, and what a reader must know of them.
import type { Row } from "./Row.ts"

/** How thoroughly is measured: `full` for figures, `smoke` to see that everything runs and that counts are exact. */
export type Mode = "full" | "smoke"

export interface Group {
  readonly name: string
  /** What is measured and how, in a few sentences, for the page. */
  readonly about?: string | undefined
  /** What a reader must not conclude from the figures, one sentence each. */
  readonly caveats?: ReadonlyArray<string> | undefined
  readonly run: (mode: Mode) => Promise<ReadonlyArray<Row>>
}
