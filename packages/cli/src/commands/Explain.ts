// `parley explain`: draws a negotiation that was written down. Reads a file; asks no server.
import * as Policy from "@parley/core/client/Policy"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Arrows from "../Arrows.ts"
import { UsageError } from "../Exit.ts"
import * as Flags from "../Flags.ts"
import * as JsonFile from "../JsonFile.ts"
import * as Recorded from "../Recorded.ts"
import * as Explained from "../render/Explained.ts"
import { oneLine } from "../render/Text.ts"
import { screen } from "../Screen.ts"
import { Trailing } from "../Trailing.ts"

const commandPath = ["parley", "explain"]

export const explain = Command.make(
  "explain",
  {
    file: Argument.String("trace.json").pipe(
      Argument.withDescription("What parley probe --json printed, or a trace; - is standard input")
    ),
    diagram: Flags.switched("diagram", "Print Mermaid: the policy's states, and the way taken"),
    policy: Flag.String("policy").pipe(
      Flag.withDescription("Whose states to draw, where the file does not say"),
      Flag.withMetavar("name"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (input) {
    if ((yield* Trailing) !== undefined) return yield* wrong("explain takes a file: nothing may follow --.")
    const value = yield* Effect.catch(JsonFile.read(input.file), (problem) => wrong(problem.message))
    const recorded = Recorded.read(value)
    if (!recorded.ok) return yield* wrong(`${oneLine(input.file, 200)}: ${recorded.problem}`)
    if (!input.diagram) {
      const view = yield* screen
      return yield* Console.log(Explained.text(recorded.value, view.out, view.columns).join("\n"))
    }
    const named = Option.map(input.policy, Policy.fromSetting)
    if (Option.isSome(named) && named.value.warning !== undefined) return yield* wrong(named.value.warning)
    const policy = recorded.value.policy ?? Option.getOrUndefined(Option.map(named, (setting) => setting.policy.name))
    const arrows = policy === undefined ? [] : yield* Effect.promise(() => Arrows.of(policy, recorded.value.carrier))
    yield* Console.log(Explained.diagram(recorded.value, arrows))
  })
).pipe(
  Command.withDescription(
    [
      "Explain a negotiation that was written down: each step, and why it was taken.",
      "",
      "  --diagram draws all that the policy can do, with the way taken numbered and coloured.",
      "",
      "  Exit code: 0 explained, 2 the command or the file was not understood."
    ].join("\n")
  ),
  Command.withShortDescription("Explain a negotiation that was written down, step by step."),
  Command.withExamples([
    { command: "parley probe --json https://example.com/mcp > it.json", description: "Write one down" },
    { command: "parley explain it.json", description: "Read why it went so" },
    { command: "parley explain it.json --diagram > it.mmd", description: "See it over the policy's states" }
  ])
)

const wrong = (problem: string): Effect.Effect<never, UsageError> =>
  Effect.fail(new UsageError({ problems: [problem], commandPath }))
