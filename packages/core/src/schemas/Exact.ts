// What keeps a codec and its type together: a codec whose decoded type is not exactly the declared one does not compile.
// Also the two ways in which a member that may be undefined is written in JSON, where nothing is undefined.
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** A codec that needs no services. */
export type Codec<T, E = unknown> = Schema.Codec<T, E>

/** Whether two types are the same, members, options and modifiers included; `true` or `false`. */
export type Same<A, B> =
  (<X>() => X extends Plain<A> ? 1 : 2) extends <X>() => X extends Plain<B> ? 1 : 2 ? true : false

/** Refuses a codec whose decoded type drifted from `T`. */
export type Exactly<T, S extends Schema.Constraint> =
  Same<S["Type"], T> extends true
    ? unknown
    : { readonly "the codec's type is not the declared one": [Plain<S["Type"]>, Plain<T>] }

/** Returns the codec as one of `T`. It compiles only where the codec's decoded type is exactly that. */
export const exactly =
  <T>() =>
  <S extends Schema.Codec<unknown, unknown>>(schema: S & Exactly<T, S>): Schema.Codec<T, S["Encoded"]> =>
    // Exactly has proven the two types the same, in a way that TypeScript cannot carry to the result.
    schema as unknown as Schema.Codec<T, S["Encoded"]>

/** A required member that may be undefined: absent in JSON. */
export const orAbsent = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(schema).pipe(
    Schema.decodeTo(Schema.UndefinedOr(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((found) => Option.some(Option.getOrUndefined(found))),
      encode: SchemaGetter.transformOptional(Option.filter(isDefined))
    })
  )

/** An optional member that may also be undefined: absent in JSON. */
export const orMissing = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(schema).pipe(
    Schema.decodeTo(Schema.optional(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((found) => found),
      encode: SchemaGetter.transformOptional(Option.filter(isDefined))
    })
  )

const isDefined = <A>(value: A | undefined): value is A => value !== undefined

// A type written out member by member, without the members that can never be there, so that two ways to write one type
// are one. Functions and classes stay what they are.
type Plain<T> = T extends (...args: ReadonlyArray<never>) => unknown
  ? T
  : T extends Error
    ? T
    : T extends ReadonlyArray<infer A>
      ? ReadonlyArray<Plain<A>>
      : T extends object
        ? { [K in keyof T as [Exclude<T[K], undefined>] extends [never] ? never : K]: Plain<T[K]> }
        : T
