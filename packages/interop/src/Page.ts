// placeholder until results are there
import type { Results } from "./Results.ts"
export const pages = (_: ReadonlyArray<Results>): ReadonlyArray<{ readonly path: string; readonly text: string }> => []
