// A scripted peer on whichever carrier is named. How each listens is the business of ScriptedHttp and ScriptedStdio.
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Row } from "./Script.ts"
import type { Scripted } from "./Scripted.ts"
import * as ScriptedHttp from "./ScriptedHttp.ts"
import * as ScriptedStdio from "./ScriptedStdio.ts"

/** Opens a peer that answers by these rows until the scope closes. */
export const open = (
  carrier: "http" | "stdio",
  rows: ReadonlyArray<Row>
): Effect.Effect<Scripted, never, Scope.Scope> =>
  carrier === "http" ? ScriptedHttp.open(rows) : ScriptedStdio.open(rows)
