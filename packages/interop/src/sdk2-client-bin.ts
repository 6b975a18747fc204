// The official TypeScript client 2.4 under a Driver.
import { Client, SdkError, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { type Job, serveJobs } from "./Jobs.ts"

// Which modes it has is said where it is started.
const modeOf = ({ mode }: Job): "legacy" | "auto" | { readonly pin: string } =>
  mode === "pinned" ? { pin: "2026-07-28" } : mode === "legacy" ? "legacy" : "auto"

const run = async (job: Job): Promise<object> => {
  const timeoutMs = (job.probe ?? job.timeout) * 1000
  const client = new Client(
    { name: "interop-sdk2", version: "0.0.0" },
    {
      versionNegotiation: {
        mode: modeOf(job),
        probe: { timeoutMs }
      }
    }
  )
  const [command = "", ...args] = job.command ?? []
  const transport =
    job.url === undefined
      ? new StdioClientTransport({ command, args, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(job.url))
  const timeout = { timeout: job.timeout * 1000 }
  try {
    await client.connect(transport, timeout)
    const version = client.getNegotiatedProtocolVersion() ?? "unknown"
    // To close at once would take back what the handshake still has to say.
    if (!job.calls) return await new Promise((leave) => setTimeout(leave, 300, { outcome: "established", version }))
    const { tools } = await client.listTools(undefined, timeout)
    const { content } = await client.callTool({ name: "echo", arguments: { message: "hello" } }, timeout)
    const [first] = content
    return {
      outcome: "established",
      version,
      tools: tools.map(({ name }) => name),
      echo: first?.type === "text" ? first.text : ""
    }
  } catch (cause) {
    return { outcome: "failed", error: nameOf(cause) }
  } finally {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => undefined)
    await client.close().catch(() => undefined)
  }
}

const nameOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "Error"
  const name = cause.constructor.name
  if (cause instanceof SdkHttpError || cause instanceof SdkError) return `${name} ${String(cause.code)}`
  return "code" in cause ? `${name} ${String(cause.code)}` : name
}

await serveJobs(run)
