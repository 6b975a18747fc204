// Standard output kept for messages alone. A line of anything else in there breaks the client that reads it.

/** Standard output while it is taken. */
export interface Taken {
  readonly write: (text: string, done?: () => void) => boolean
  readonly giveBack: () => void
}

/** Takes standard output: until it is given back, whatever else is written to it goes to standard error. */
export const take = (): Taken => {
  const { stderr, stdout } = process
  const write = stdout.write
  const diverted: typeof stdout.write = (...given: ReadonlyArray<unknown>) => Reflect.apply(stderr.write, stderr, given)
  stdout.write = diverted
  return {
    write: (text, done) => Reflect.apply(write, stdout, [text, done]),
    giveBack: () => {
      if (stdout.write === diverted) stdout.write = write
    }
  }
}
