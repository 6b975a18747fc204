// The same handler without the gate: its floor.
import { handlerOf } from "./handlerOf.ts"

export const server = handlerOf("open")
