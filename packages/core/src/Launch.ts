// How a server's program is started: what the stdio carriers share. Which names of the environment it inherits, how it
// is shown without secrets, why it could not start, how its end is told. No process is started here.
import type { Closed, Lost } from "./client/Event.ts"
import { TransportFailure } from "./Errors.ts"
import { defaultLimitBytes } from "./Lines.ts"

/** A program that serves MCP on its standard streams. */
export interface Launch {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** Variables beside the inherited ones of {@link inheritedNames}; `undefined` takes an inherited one away. */
  readonly env?: { readonly [name: string]: string | undefined }
  /** Where it runs. Default: the directory of this process. */
  readonly cwd?: string
  readonly limits?: Partial<Limits>
}

/** The bounds of a stdio carrier. Sizes are in bytes, times in milliseconds. */
export interface Limits {
  /** The longest line that is read. Default 16 MiB. */
  readonly lineBytes: number
  /** How many events wait for their reader before nothing more is read from the program. Default 16. */
  readonly queuedEvents: number
  /** How much of the end of standard error is kept. Default 64 KiB. */
  readonly stderrBytes: number
  /** How long an exit waits for the rest of the output, and an end of output for the exit code. Default 500. */
  readonly settleMillis: number
  /** How long the program may take to exit once its input is closed. Default 2000. */
  readonly stdinMillis: number
  /** How long it may take after SIGTERM, before SIGKILL. Default 2000. */
  readonly termMillis: number
  /** How long it is waited for after SIGKILL. Default 1000. */
  readonly killMillis: number
}

/** Returns the limits with their defaults. */
export const limitsOf = (launch: Launch): Limits => ({
  lineBytes: defaultLimitBytes,
  queuedEvents: 16,
  stderrBytes: 64 * 1024,
  settleMillis: 500,
  stdinMillis: 2000,
  termMillis: 2000,
  killMillis: 1000,
  ...launch.limits
})

/** Returns which variables a program inherits unless it is told otherwise: none that usually holds a secret. */
export const inheritedNames = (platform: string): ReadonlyArray<string> =>
  platform === "win32" ? windowsNames : posixNames

/** Returns the environment of a program: the inherited names that are set, then what the launch says. */
export const environment = (
  launch: Launch,
  platform: string,
  inherited: { readonly [name: string]: string | undefined }
): { [name: string]: string } => {
  const env: { [name: string]: string } = {}
  for (const name of inheritedNames(platform)) {
    const value = inherited[name]
    // A value that begins like this is an exported shell function.
    if (value !== undefined && !value.startsWith("()")) env[name] = value
  }
  for (const [name, value] of Object.entries(launch.env ?? {})) {
    if (value === undefined) delete env[name]
    else env[name] = value
  }
  return env
}

/**
 * Returns the command and its arguments as one line of at most 300 characters for spans, logs and memory, with `***` for
 * what looks like a secret: values of names such as token or key, credentials and queries of URLs, bearer tokens, values
 * of the launch's own `env`.
 */
export const targetOf = (launch: Launch): string => {
  const own = ownOf(launch)
  let previous = ""
  const words = [launch.command, ...(launch.args ?? []).slice(0, 50)].map((word) => {
    const isValue = previous.startsWith("-") && secretName.test(previous) && !/^--?[a-z]/i.test(word)
    previous = word
    return isValue ? hidden : quoted(masked(word, own))
  })
  const line = words.join(" ")
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}

/**
 * Returns why a program could not be started, from the code of the operating system. `cwd` tells whether its directory
 * is there, since a missing directory and a missing command have one code. The original error is not kept: it holds the
 * arguments as they are.
 */
export const cannotStart = (launch: Launch, code: string | undefined, cwd: "present" | "missing"): TransportFailure => {
  const command = masked(launch.command, ownOf(launch))
  const reason =
    cwd === "missing"
      ? `The directory ${launch.cwd} does not exist, so that ${command} cannot be started in it. Correct cwd.`
      : code === "ENOENT"
        ? `The command ${command} was not found. Check its spelling and PATH; a script also needs its interpreter.`
        : code === "EACCES" || code === "EPERM"
          ? `The command ${command} may not be executed (${code}). Check its permissions.`
          : `The command ${command} cannot be started (${code ?? "invalid arguments"}).`
  return new TransportFailure({ reason, retryable: code !== undefined && transientCodes.has(code) })
}

/** Returns the event of a program that exited or closed its output. What is not known is null. */
export const closed = (exitCode: number | null, signal: string | null, stderr: string): Closed => ({
  _tag: "Closed",
  ...(exitCode === null ? undefined : { exitCode }),
  ...(signal === null ? undefined : { signal }),
  stderr
})

/** The event of a program that takes no more input but neither exits nor closes its output. */
export const deaf: Lost = {
  _tag: "Lost",
  cause: "The server closed its input and runs on, so that nothing can be sent to it."
}

/** Returns the event of a message that could not be written as a line: its exchange alone is lost. */
export const unwritable = (exchange: number, problem: string): Lost => ({
  _tag: "Lost",
  exchange,
  cause: `The message has no JSON: ${problem}.`
})

/** The end of a stream of bytes. */
export interface Tail {
  readonly push: (chunk: Uint8Array) => void
  /** What is kept, as text. */
  readonly text: () => string
}

/** Returns a tail that keeps the last so many bytes, in memory of that size. */
export const tail = (limitBytes: number): Tail => {
  let ring: Uint8Array | undefined
  let position = 0
  let full = false
  const push = (chunk: Uint8Array): void => {
    ring ??= new Uint8Array(Math.max(1, limitBytes))
    const size = ring.length
    const last = chunk.length > size ? chunk.subarray(-size) : chunk
    const fits = Math.min(last.length, size - position)
    ring.set(last.subarray(0, fits), position)
    ring.set(last.subarray(fits), 0)
    full ||= position + last.length >= size
    position = (position + last.length) % size
  }
  const text = (): string => {
    if (ring === undefined) return ""
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    if (!full) return decoder.decode(ring.subarray(0, position))
    const whole = new Uint8Array(ring.length)
    whole.set(ring.subarray(position), 0)
    whole.set(ring.subarray(0, position), ring.length - position)
    // The cut may have split a character: its remaining bytes are left out.
    let start = 0
    while (start < 3 && ((whole[start] ?? 0) & 0xc0) === 0x80) start += 1
    return decoder.decode(whole.subarray(start))
  }
  return { push, text }
}

// The values of the launch's own environment that are long enough to be told from a word.
const ownOf = (launch: Launch): ReadonlyArray<string> =>
  Object.values(launch.env ?? {}).filter((value): value is string => value !== undefined && value.length >= 8)

const masked = (word: string, own: ReadonlyArray<string>): string => {
  let text = word
  for (const value of own) text = text.replaceAll(value, hidden)
  return text
    .slice(0, 300)
    .replace(secretWhole, `$1${hidden}`)
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*@/gi, `$1${hidden}@`)
    .replace(/(:\/\/[^\s?#]*\?)[^\s#]+/g, `$1${hidden}`)
    .replace(/\b(bearer|basic)\s+[^\s"',]+/gi, `$1 ${hidden}`)
    .replace(knownTokens, hidden)
    .replace(secretValue, `$1${hidden}`)
}

const quoted = (word: string): string => {
  // Control characters must not reach a terminal, and a blank must not look like two words.
  // oxlint-disable-next-line no-control-regex
  const line = word.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
  // As a shell reads it, so that the line can be run by hand.
  return line === "" || /[\s"'$`\\|&;<>()]/.test(line) ? `'${line.replaceAll("'", `'\\''`)}'` : line
}

const hidden = "***"
const secretWord =
  "[\\w.-]*(?:token|secret|passw(?:or)?d|passphrase|pwd|credential|authorization|api[-_]?key|access[-_]?key|private[-_]?key|cookie)[\\w.-]*|(?:[\\w.-]*[-_.])?(?:key|auth|pass|pat)"
const secretName = new RegExp(`^(?:${secretWord})$`, "i")
// A word that begins with such a name is its value to the end; inside a word, the value ends where it may end.
const secretWhole = new RegExp(`^(-{0,2}(?:${secretWord})\\s*[=:]).*$`, "is")
const secretValue = new RegExp(`(\\b(?:${secretWord})["']?\\s*[=:]\\s*["']?)(?!\\*\\*\\*)[^\\s"',;&]+`, "gi")
const knownTokens =
  /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|npm|hf)[-_][\w.-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\bAKIA[0-9A-Z]{12,}/g
const transientCodes = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ETXTBSY"])

const posixNames = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"]
const windowsNames = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR"
]
