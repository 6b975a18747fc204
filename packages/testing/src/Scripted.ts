// What a scripted peer is to whoever runs it: where it can be reached, and the record of what it received. How it
// listens is the business of ScriptedHttp and ScriptedStdio.
import type * as Effect from "effect/Effect"
import type { Received } from "./Script.ts"

/** Where a peer can be reached: a URL, or a command to start. */
export type Target = HttpTarget | CommandTarget

/** A URL of a peer. */
export interface HttpTarget {
  readonly url: string
}

/** A command that starts a peer. */
export interface CommandTarget {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** A scripted peer, open until its scope closes. */
export interface Scripted {
  readonly target: Target
  /** What it has received and answered so far. */
  readonly record: Effect.Effect<Transcript>
}

/** What happened at a scripted peer. */
export interface Transcript {
  /** In the order of arrival. */
  readonly received: ReadonlyArray<Received>
  /** The wire, line by line, for a person: `12 ms > initialize {…}`. Each line is at most 600 characters. */
  readonly wire: ReadonlyArray<string>
  /** stdio: the processes in the order of their start. */
  readonly processes: ReadonlyArray<ProcessRecord>
  /** What the script asked for and could not be done: an impossible header, a row that is no row. */
  readonly problems: ReadonlyArray<string>
}

/** A process of a peer. */
export interface ProcessRecord {
  readonly pid: number
  /** Absent while it lives, and when it was killed. */
  readonly exitCode?: number
}

/** Returns one line of the wire: the time since the start, who spoke (`>` the client, `<` the peer, `*` neither). */
export const wireLine = (sinceMillis: number, who: ">" | "<" | "*", text: string): string => {
  const line = `${String(Math.round(sinceMillis)).padStart(6)} ms ${who} ${text.replaceAll("\n", "\\n").replaceAll("\r", "\\r")}`
  return line.length > 600 ? `${line.slice(0, 599)}…` : line
}
