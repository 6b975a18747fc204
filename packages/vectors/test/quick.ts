// A walk makes hundreds of thousands of errors and looks at none of their stacks: most of its time would go there.

/** Runs what walks without capturing stacks, and captures them again for the assertions. */
export const quick = <A>(run: () => A): A => {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return run()
  } finally {
    Error.stackTraceLimit = before
  }
}
