// The second door of @parley/core: Schema codecs for every alphabet, message and error. The main door imports none of
// this, since `effect/Schema` costs more start-up than the whole of the law. The client's alphabets are under `Client`,
// the server's under `Server`.
export * from "./schemas/Agreement.ts"
export * as Client from "./schemas/Client.ts"
export * from "./schemas/Errors.ts"
export * from "./schemas/Message.ts"
export * as Server from "./schemas/Server.ts"
export * from "./schemas/Trace.ts"
