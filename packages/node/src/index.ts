// The door of the Node carriers.
export * as HttpClient from "./HttpClient.ts"
export * as HttpServer from "./HttpServer.ts"
export * as StdioClient from "./StdioClient.ts"
export * as StdioServer from "./StdioServer.ts"
