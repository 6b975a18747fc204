// The door of the Node carriers.
export * as HttpClient from "./HttpClient.ts"
export * as StdioClient from "./StdioClient.ts"
