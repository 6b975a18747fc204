// The door of @parley/adapters for clients of the official SDK. effect/ai and the Promise face have doors of their own, so
// that nobody loads them unasked: @parley/adapters/effect-ai, @parley/adapters/promise.
export * as Sdk from "./sdk.ts"
export * as SdkCapabilities from "./SdkCapabilities.ts"
