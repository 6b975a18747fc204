// The door of @parley/vectors: walk the machines, check their laws, run them against each other, draw them. The modules
// of the server's walk, of the product and of the data have doors of their own; `npm run generate` is bin.ts.
export * as Cells from "./Cells.ts"
export * as Explore from "./Explore.ts"
export * as Journeys from "./Journeys.ts"
export * as Laws from "./Laws.ts"
export * as Matrix from "./Matrix.ts"
export * as Occurrences from "./Occurrences.ts"
export * as Peer from "./link/Peer.ts"
export * as Run from "./link/Run.ts"
export * as Say from "./Say.ts"
export * as Subjects from "./Subjects.ts"
export * as Survey from "./Survey.ts"
export * as Walk from "./Walk.ts"
