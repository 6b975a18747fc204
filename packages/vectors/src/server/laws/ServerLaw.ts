// The ways to make a law about the server's walk, and its types by short names.
import type { State } from "@parley/core/server/State"
import * as Law from "../../laws/Law.ts"
import type { ServerLabel, ServerStep, ServerWalk } from "../Walk.ts"

export { Broken } from "../../laws/Law.ts"

/** A law of the server. */
export type ServerLaw = Law.Law<ServerWalk, ServerStep>

/** A run of a server that breaks a law. */
export type ServerViolation = Law.Violation<ServerWalk, ServerStep>

export const { only, onEveryPath, onEveryStep, onOpening } = Law.ways<State, ServerLabel, ServerWalk>()
