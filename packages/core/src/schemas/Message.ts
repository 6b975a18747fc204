// Codecs of JSON-RPC frames. They accept what `Message.isMessage` accepts, and drop members that no frame has.
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Frames from "../Message.ts"
import { isObject } from "../Message.ts"
import { exactly } from "./Exact.ts"

/** Any JSON, kept as it is and not looked into, however deep. */
export const Json: Schema.Codec<unknown> = Schema.Unknown

/** A JSON object, kept as it is and not looked into. */
export const JsonObject = exactly<Frames.JsonObject>()(
  Schema.declare<Frames.JsonObject>(isObject, {
    expected: "a JSON object",
    toCodecJson: () =>
      Schema.link<Frames.JsonObject>()(Schema.Record(Schema.String, Schema.Unknown), {
        decode: SchemaGetter.passthrough(),
        encode: SchemaGetter.passthrough()
      })
  })
)

const Integer = Schema.Number.check(
  Schema.makeFilter((value: number) => Number.isInteger(value), {
    expected: "an integer",
    arbitraryConstraint: { number: "integer" }
  })
)

/** A request id: a string or an integer. */
export const Id = exactly<Frames.Id>()(Schema.Union([Schema.String, Integer]))

const jsonrpc = Schema.Literal("2.0")
const absent = Schema.optionalKey(Schema.Never)

/** A request. Members of other frames on it are not looked at. */
export const Request = exactly<Frames.Request>()(
  Schema.Struct({ jsonrpc, id: Id, method: Schema.String, params: Schema.optionalKey(JsonObject) })
)

/** A notification: no id, not even null. */
export const Notification = exactly<Frames.Notification>()(
  Schema.Struct({ jsonrpc, method: Schema.String, params: Schema.optionalKey(JsonObject), id: absent })
)

/** A result. */
export const Success = exactly<Frames.Success>()(
  Schema.Struct({ jsonrpc, id: Id, result: JsonObject, method: absent, error: absent })
)

/** What an error response says. */
export const ErrorObject = exactly<Frames.ErrorObject>()(
  Schema.Struct({ code: Integer, message: Schema.String, data: Schema.optionalKey(Json) })
)

/** An error response. Its id may be null, empty or absent. */
export const Failure = exactly<Frames.Failure>()(
  Schema.Struct({
    jsonrpc,
    id: Schema.optionalKey(Schema.NullOr(Id)),
    error: ErrorObject,
    method: absent,
    result: absent
  })
)

/** Either kind of response. */
export const Response = exactly<Frames.Response>()(Schema.Union([Success, Failure]))

/** Any frame. */
export const Message = exactly<Frames.Message>()(Schema.Union([Request, Notification, Success, Failure]))
