// What a hostile process writes, by its manner. Imports nothing, so that its program starts at once.

/** How a process misbehaves. */
export type Manner = (typeof manners)[number]

export const manners = [
  "floodsLines",
  "floodsMessages",
  "endlessLine",
  "floodsStderr",
  "ignoresSignals",
  "leavesAChild",
  "neverReads",
  "writesBadBytes"
] as const

/** Returns the manner of that name, or undefined. */
export const mannerOf = (name: string | undefined): Manner | undefined => manners.find((manner) => manner === name)

/** What it pours out for ever, where it does. */
export const pours: { readonly [M in Manner]?: string } = {
  floodsLines: "noise that is no message\n".repeat(100),
  floodsMessages:
    `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x".repeat(200) } })}\n`.repeat(
      100
    ),
  endlessLine: "a".repeat(65_536),
  floodsStderr: "trouble and more trouble\n".repeat(100)
}

/** The good answer to an initialize with this id. */
export const agreement = (id: unknown): string =>
  `${JSON.stringify({
    jsonrpc: "2.0",
    id,
    result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "hostile", version: "1" } }
  })}\n`
