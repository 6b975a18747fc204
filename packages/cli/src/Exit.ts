// How the command line ends badly, and with which exit code: 1 for a failed task, 2 for a command that was not understood.
import * as Data from "effect/Data"
import * as Runtime from "effect/Runtime"

/** The command was not understood: an unknown flag, a missing target, a URL that is none. Exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{
  /** What is wrong, in sentences. Empty where it was already said. */
  readonly problems: ReadonlyArray<string>
  /** The command that was meant, as in ["parley", "probe"]. */
  readonly commandPath: ReadonlyArray<string>
}> {
  override readonly [Runtime.errorExitCode] = 2
  override readonly [Runtime.errorReported] = false
}

/** The task was understood and failed, and the reader was told why. Exit code 1. */
export class TaskFailed extends Data.TaggedError("TaskFailed")<{}> {
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false
}
