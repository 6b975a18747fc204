// The door of @parley/testing: each tool under its name.
export * as Link from "./Link.ts"
export * as TransportContract from "./TransportContract.ts"
