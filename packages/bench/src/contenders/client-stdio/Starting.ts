// What is started: a program that speaks MCP over its standard streams. How a contender opens it is its own.
import type { Opening } from "../client/Opening.ts"

/** A program and its arguments. */
export interface Launch {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** A contender: starts a program, connects to it, and ends it again. */
export interface Contender {
  /** Returns what does it once, or undefined where the contender has no such policy. `ready` is called when it is connected. */
  readonly opener: (opening: Opening, launch: Launch) => ((ready: () => void) => Promise<void>) | undefined
}
