// The server of Parley's that is measured, before it is given a carrier: both eras, one tool.
import * as Profile from "@parley/core/server/Profile"
import * as Admission from "@parley/runtime/Admission"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { tool } from "../../servers/Requests.ts"
import { server } from "../../servers/Wire.ts"

/** Returns the admission; its scope is the process. */
export const admission = (): Promise<Admission.Admission> =>
  Effect.runPromise(
    Scope.provide(
      Admission.make(Profile.dual({ serverInfo: server, capabilities: { tools: {} } }), () =>
        Effect.succeed(tool.answer)
      ),
      Scope.makeUnsafe()
    )
  )
