// The answers to a legacy `logging/setLevel`, which Parley gives itself.
import type { Id } from "@parley/core/Message"
import { Code, failure, success } from "@parley/core/Message"
import { levels } from "@parley/core/server/LogLevel"

/** Returns the answer to a level that was taken, as JSON. */
export const taken = (id: Id): string => JSON.stringify(success(id, {}))

/** Returns the answer to what is no level, as JSON. */
export const refusal = (id: Id): string =>
  JSON.stringify(
    failure(id, {
      code: Code.InvalidParams,
      message: `The level is none that the specification names. Use one of ${levels.join(", ")}.`
    })
  )
