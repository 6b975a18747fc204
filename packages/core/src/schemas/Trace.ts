// Codecs of what both machines share: the medium, and the trace of a run.
import * as Schema from "effect/Schema"
import type * as Machine from "../Machine.ts"
import type * as Media from "../Medium.ts"
import { exactly } from "./Exact.ts"

/** The properties of a carrier, as data. */
export const Medium = exactly<Media.Medium>()(
  Schema.Struct({
    name: Schema.String,
    silence: Schema.Literals(["maybeLegacy", "nothing"]),
    reopens: Schema.Literals(["once", "never"]),
    streams: Schema.Literals(["shared", "perRequest"]),
    ids: Schema.Literals(["integer", "text"])
  })
)

/** One step of a run, as it is kept for people. */
export const TraceEntry = exactly<Machine.TraceEntry>()(
  Schema.Struct({
    state: Schema.String,
    event: Schema.String,
    evidence: Schema.String,
    move: Schema.String,
    because: Schema.String,
    next: Schema.String,
    atMillis: Schema.optionalKey(Schema.Finite)
  })
)
