// The door of @parley/runtime: what runs core's machines inside Effect.
export * as Connection from "./Connection.ts"
export type { Challenge, HttpOptions } from "./HttpOptions.ts"
export * as Negotiation from "./Negotiation.ts"
export * as Observe from "./Observe.ts"
export * as Retry from "./Retry.ts"
export type { Channel, Transport } from "./Transport.ts"
