// A JSON file that is named on the command line, read with a bound. What it must hold is its reader's business.
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { open } from "node:fs/promises"
import { oneLine } from "./render/Text.ts"

/** A file that cannot be read, is too large or is no JSON. `message` is a sentence for its owner. */
export class Unreadable extends Data.TaggedError("Unreadable")<{ readonly message: string }> {}

/** The largest file that is read, in bytes: 16 MiB. */
export const mostBytes = 16 * 1024 * 1024

/** Reads the JSON value of a file; `-` is standard input. Fails with Unreadable. */
export const read = (file: string): Effect.Effect<unknown, Unreadable> => {
  const shown = file === "-" ? "Standard input" : oneLine(file, 200)
  return Effect.tryPromise({
    try: () => contents(file),
    catch: () => new Unreadable({ message: `${shown} cannot be read.` })
  }).pipe(
    Effect.flatMap((text) =>
      text === undefined
        ? Effect.fail(new Unreadable({ message: `${shown} is larger than ${mostBytes} bytes.` }))
        : Effect.try({
            try: (): unknown => JSON.parse(text),
            catch: () => new Unreadable({ message: `${shown} is no JSON.` })
          })
    )
  )
}

const contents = async (file: string): Promise<string | undefined> => {
  if (file === "-") return gather(process.stdin)
  await using handle = await open(file)
  return await gather(handle.createReadStream())
}

const gather = async (source: AsyncIterable<Buffer | string>): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > mostBytes) return undefined
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString("utf8")
}
