// The tools that the host offers to people who try a client: each shows one thing that a client has to get right.
import * as Effect from "effect/Effect"
import type { Tool } from "./Tool.ts"
import { mistake, nothing, saying, taking } from "./Tool.ts"

/** First of all: it needs no argument, so that a client can be tried by calling whatever is listed first. */
const whoAmI: Tool = {
  name: "who_am_i",
  description: "Tells on what terms this client was admitted: era, revision, client, session.",
  inputSchema: nothing,
  call: ({ context: { client, era, logLevel, principal, sessionId, version } }) =>
    saying(
      JSON.stringify({
        era,
        version,
        client: client.info ?? null,
        capabilities: client.capabilities,
        session: sessionId === undefined ? "none" : "issued",
        principal: principal ?? null,
        logLevel: logLevel ?? null
      })
    )
}

const addNumbers: Tool = {
  name: "add_numbers",
  description: "Adds two numbers.",
  inputSchema: taking({
    a: { type: "number", description: "The first number" },
    b: { type: "number", description: "The second number" }
  }),
  call: ({ given: { a, b } }) =>
    typeof a === "number" && typeof b === "number" ? saying(String(a + b)) : mistake("Give two numbers, a and b.")
}

const echo: Tool = {
  name: "echo",
  description: "Says back what it is given.",
  inputSchema: taking({ message: { type: "string", description: "What to say" } }),
  call: ({ given: { message } }) =>
    typeof message === "string" ? saying(message) : mistake("Give a message, as a string.")
}

const countdown: Tool = {
  name: "countdown",
  description: "Counts seconds down, telling its progress: try to cancel it.",
  inputSchema: taking({ seconds: { type: "integer", minimum: 0, maximum: 600, description: "Default 5" } }, [
    "seconds"
  ]),
  call: ({ context, given: { seconds = 5 } }) =>
    typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < 0 || seconds > 600
      ? mistake("Give seconds as an integer from 0 to 600.")
      : Effect.gen(function* () {
          for (let passed = 0; passed < seconds; passed++) {
            yield* context.progress({ progress: passed, total: seconds, message: `${seconds - passed} s left` })
            yield* context.log("debug", `${seconds - passed} s left`, "countdown")
            yield* Effect.sleep(1_000)
          }
          return yield* saying(`${seconds} s have passed.`)
        })
}

const weather: Tool = {
  name: "weather",
  description: "Tells the weather of a region, which travels as the header Mcp-Param-Region too. It is always fine.",
  inputSchema: taking(
    {
      region: { type: "string", description: "Any region", "x-mcp-header": "Region" },
      days: { type: "integer", description: "How many days ahead", "x-mcp-header": "Days" }
    },
    ["days"]
  ),
  call: ({ given: { days = 0, region } }) =>
    typeof region === "string"
      ? saying(`The weather in ${region} is fine${days === 0 ? "" : ` in ${String(days)} days`}.`)
      : mistake("Give a region, as a string.")
}

const askName: Tool = {
  name: "ask_name",
  description: "Asks the user for a name, through the client, and greets.",
  inputSchema: nothing,
  call: ({ context }) =>
    Effect.gen(function* () {
      const { name } = yield* context.interact({
        name: {
          method: "elicitation/create",
          params: {
            message: "What is your name?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
          }
        }
      })
      const content = name["content"]
      const given = typeof content === "object" && content !== null && "name" in content ? content.name : undefined
      return yield* saying(typeof given === "string" ? `Hello, ${given}!` : "Hello, whoever you are!")
    })
}

const touch: Tool = {
  name: "touch_resource",
  description: "Tells those who subscribed to a resource that it has changed.",
  inputSchema: taking({ uri: { type: "string", description: "The URI of the resource" } }),
  call: ({ changes, given: { uri } }) =>
    typeof uri === "string"
      ? Effect.andThen(
          changes.tell("notifications/resources/updated", { uri }),
          saying("Who subscribed to it was told.")
        )
      : mistake("Give a uri, as a string.")
}

/** The tools in the order in which they are listed. */
export const tools: ReadonlyArray<Tool> = [whoAmI, addNumbers, echo, countdown, weather, askName, touch]

/** Returns a tool of this name that says back what it is given. */
export const echoing = (name: string): Tool => ({
  name,
  description: "Says back its arguments.",
  inputSchema: { type: "object" },
  call: ({ given }) => saying(JSON.stringify(given))
})
