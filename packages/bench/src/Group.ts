// A group of rows that are measured together, and how thoroughly.
import type { Row } from "./Row.ts"

/** How thoroughly is measured: `full` for figures, `smoke` to see that everything runs and that counts are exact. */
export type Mode = "full" | "smoke"

export interface Group {
  readonly name: string
  readonly run: (mode: Mode) => Promise<ReadonlyArray<Row>>
}
