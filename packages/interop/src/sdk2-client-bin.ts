// The official TypeScript client 2.4 under a Driver: each line of standard input is a job, each line of standard output
// its end. The contract is the one of peers/python/client.py; times are in seconds.
import { Client, SdkError, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { createInterface } from "node:readline"

interface Job {
  readonly id: number
  readonly mode: "auto" | "legacy" | "pinned"
  readonly url?: string
  readonly command?: ReadonlyArray<string>
  readonly timeout: number
  readonly probe?: number
  readonly calls: boolean
}

const run = async (job: Job): Promise<object> => {
  const timeoutMs = (job.probe ?? job.timeout) * 1000
  const client = new Client(
    { name: "interop-sdk2", version: "0.0.0" },
    {
      versionNegotiation: {
        mode: job.mode === "pinned" ? { pin: "2026-07-28" } : job.mode,
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

const jobs: Array<Promise<void>> = []
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue
  // Its only writer is Driver.
  const job = JSON.parse(line) as Job
  jobs.push(run(job).then((end) => void process.stdout.write(`${JSON.stringify({ id: job.id, ...end })}\n`)))
}
await Promise.all(jobs)
process.exit(0)
