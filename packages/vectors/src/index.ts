// The door of @parley/vectors: walk a machine, check its laws, draw it. `npm run generate` is bin.ts.
export * as Cells from "./Cells.ts"
export * as Laws from "./Laws.ts"
export * as Say from "./Say.ts"
export * as Subjects from "./Subjects.ts"
export * as Survey from "./Survey.ts"
export * as Walk from "./Walk.ts"
