// The door of the platform carriers: MCP over whatever HttpClient and ChildProcessSpawner your program provides.
export * as HttpClient from "./HttpClient.ts"
export * as StdioClient from "./StdioClient.ts"
