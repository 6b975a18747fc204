// The door of the platform carriers: MCP over whatever HttpClient, HttpRouter, Stdio and ChildProcessSpawner your program
// provides, and over plain fetch handlers.
export * as FetchClient from "./FetchClient.ts"
export * as FetchServer from "./FetchServer.ts"
export * as HttpClient from "./HttpClient.ts"
export * as HttpServer from "./HttpServer.ts"
export * as StdioClient from "./StdioClient.ts"
export * as StdioServer from "./StdioServer.ts"
