// Codecs of what two peers agreed on, and of who they are.
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Agreements from "../Agreement.ts"
import type * as Envelopes from "../Envelope.ts"
import { isObject } from "../Message.ts"
import type { Era as AnyEra } from "../Version.ts"
import { exactly, orMissing } from "./Exact.ts"
import { JsonObject } from "./Message.ts"
import { TraceEntry } from "./Trace.ts"

const text = Schema.String
const isImplementation = (value: unknown): value is Envelopes.Implementation =>
  isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string"

/** The two eras. */
export const Era = exactly<AnyEra>()(Schema.Literals(["legacy", "modern"]))

/** The name and version of a program; its further members are kept as they are. */
export const Implementation = exactly<Envelopes.Implementation>()(
  Schema.declare(isImplementation, {
    expected: "an object with a name and a version",
    toCodecJson: () =>
      Schema.link<Envelopes.Implementation>()(
        Schema.StructWithRest(Schema.Struct({ name: text, version: text }), [Schema.Record(text, Schema.Unknown)]),
        { decode: SchemaGetter.passthrough(), encode: SchemaGetter.passthrough() }
      )
  })
)

/** Who a client is. */
export const ClientIdentity = exactly<Envelopes.ClientIdentity>()(
  Schema.Struct({ info: Implementation, capabilities: JsonObject })
)

/** A DiscoverResult and how long it may be remembered. */
export const Discovered = exactly<Agreements.Discovered>()(
  Schema.Struct({
    supportedVersions: Schema.Array(text),
    ttlMs: Schema.Finite,
    cacheScope: Schema.Literals(["public", "private"]),
    result: JsonObject
  })
)

/** The outcome of a negotiation. */
export const Agreement = exactly<Agreements.Agreement>()(
  Schema.Struct({
    version: text,
    era: Era,
    capabilities: JsonObject,
    serverInfo: orMissing(Implementation),
    instructions: orMissing(text),
    offered: text,
    named: text,
    client: ClientIdentity,
    sessionId: orMissing(text),
    discovered: orMissing(Discovered),
    warnings: Schema.Array(text),
    trace: Schema.Array(TraceEntry)
  })
)
