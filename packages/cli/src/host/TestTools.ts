// The tools that the official conformance suite calls by name. What each must do is said in its scenarios.
import type { JsonObject } from "@parley/core/Message"
import { MissingRequiredClientCapability } from "@parley/core/Errors"
import type { Requirement } from "@parley/core/server/Profile"
import * as Effect from "effect/Effect"
import * as Samples from "./Samples.ts"
import type { Call, Tool } from "./Tool.ts"
import { mistake, nothing, saying, text } from "./Tool.ts"

const tool = (name: string, description: string, call: (call: Call) => Effect.Effect<JsonObject, unknown>): Tool => ({
  name,
  description,
  inputSchema: nothing,
  call
})

const fixed = (name: string, description: string, ...content: ReadonlyArray<JsonObject>): Tool =>
  tool(name, description, () => Effect.succeed({ content }))

const image: JsonObject = { type: "image", data: Samples.png, mimeType: "image/png" }
const words = (said: string): JsonObject => ({ type: "text", text: said })

/** The tools in the order in which they are listed. */
export const testTools: ReadonlyArray<Tool> = [
  tool("test_missing_capability", "Needs a client that can sample.", ({ context }) =>
    context.client.capabilities["sampling"] === undefined
      ? Effect.fail(new MissingRequiredClientCapability({ requiredCapabilities: { sampling: {} } }))
      : saying("The client can sample.")
  ),
  tool("test_streaming_elicitation", "Asks the user to confirm, through the client.", ({ context }) =>
    Effect.map(
      context.interact({
        confirm: {
          method: "elicitation/create",
          params: {
            message: "Please confirm.",
            requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
          }
        }
      }),
      ({ confirm }) => text(`The user answered: ${JSON.stringify(confirm)}`)
    )
  ),
  tool("test_logging_tool", "Logs while it works.", ({ context }) =>
    Effect.andThen(
      Effect.forEach(["debug", "info", "warning"] as const, (level) => context.log(level, `At ${level}.`), {
        discard: true
      }),
      saying("It has logged at debug, info and warning.")
    )
  ),
  tool("test_trigger_tool_change", "Tells that the list of tools has changed.", ({ changes }) =>
    Effect.andThen(changes.tell("notifications/tools/list_changed"), saying("Who listens was told."))
  ),
  tool("test_trigger_prompt_change", "Tells that the list of prompts has changed.", ({ changes }) =>
    Effect.andThen(changes.tell("notifications/prompts/list_changed"), saying("Who listens was told."))
  ),
  fixed("test_simple_text", "Says a text.", words("This is a simple text response for testing.")),
  fixed("test_image_content", "Shows an image.", image),
  fixed("test_audio_content", "Plays a sound.", { type: "audio", data: Samples.wav, mimeType: "audio/wav" }),
  fixed("test_embedded_resource", "Embeds a resource.", {
    type: "resource",
    resource: {
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content."
    }
  }),
  fixed("test_multiple_content_types", "Says, shows and embeds.", words("Multiple content types test:"), image, {
    type: "resource",
    resource: {
      uri: "test://mixed-content-resource",
      mimeType: "application/json",
      text: JSON.stringify({ test: "data", value: 123 })
    }
  }),
  tool("test_error_handling", "Fails.", () => mistake("This tool intentionally returns an error for testing")),
  tool("test_tool_with_logging", "Logs three times, with pauses.", ({ context }) =>
    Effect.gen(function* () {
      yield* context.log("info", "Tool execution started")
      yield* Effect.sleep(50)
      yield* context.log("info", "Tool processing data")
      yield* Effect.sleep(50)
      yield* context.log("info", "Tool execution completed")
      return text("It has logged three times.")
    })
  ),
  tool("test_tool_with_progress", "Tells its progress three times, with pauses.", ({ context }) =>
    Effect.gen(function* () {
      yield* context.progress({ progress: 0, total: 100 })
      yield* Effect.sleep(50)
      yield* context.progress({ progress: 50, total: 100 })
      yield* Effect.sleep(50)
      yield* context.progress({ progress: 100, total: 100 })
      return text("It has told its progress three times.")
    })
  )
]

/** What modern clients must declare before a tool is called. */
export const requirements: ReadonlyArray<Requirement> = [
  { method: "tools/call", name: "test_missing_capability", capabilities: { sampling: {} } }
]
