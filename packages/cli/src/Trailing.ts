// The words behind `--` on the command line, kept apart from the arguments before it.
import * as Context from "effect/Context"

/** The words behind `--`; undefined where there was none. A command that takes none must say so. */
export const Trailing: Context.Reference<ReadonlyArray<string> | undefined> = Context.Reference<
  ReadonlyArray<string> | undefined
>("@parley/cli/Trailing", { defaultValue: () => undefined })
