// Negotiates with many servers at once, and lists the tools of each; results come as they are ready. A dead server holds
// nobody up. Start http-server.ts first.
import { HttpClient } from "@parley/node"
import { Negotiation } from "@parley/runtime"
import * as Fleet from "@parley/runtime/Fleet"
import { Console, Effect, Stream } from "effect"

const url = process.argv[2] ?? "http://127.0.0.1:3000/mcp"

const targets = [url, "http://127.0.0.1:1/mcp", url].map((address) => ({
  transport: HttpClient.make({ url: address })
}))

const results = Fleet.negotiate(targets, {
  client: { info: { name: "my-app", version: "1.0.0" }, capabilities: {} },
  each: ({ agreement }: Negotiation.Negotiated) => Effect.succeed(Object.keys(agreement.capabilities))
})

const program = Stream.runForEach(results, (result) => {
  const { done, total } = result.progress
  const what =
    result._tag === "Agreed"
      ? `${result.agreement.version} (${result.value?.join(", ")})`
      : result._tag === "Failed"
        ? `${result.error.reason._tag}${result.error.retryable ? ", worth another try" : ""}`
        : result.problem
  return Console.log(`${done}/${total} server ${result.index}: ${what}`)
})

await Effect.runPromise(program)

// prints server 0: 2025-11-25 (tools)
// prints server 1: TransportFailure, worth another try
// prints 3/3
