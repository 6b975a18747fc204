// Parley's gate in front of a handler made by hand.
import { handlerOf } from "./handlerOf.ts"

export const server = handlerOf("gated")
