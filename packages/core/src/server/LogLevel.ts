// The severities of log notifications and their order. Who may get which is decided where they are sent.

/** From the least severe on. RFC 5424 has them the other way round. */
export const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

/** A severity of log notifications. */
export type LogLevel = (typeof levels)[number]

/** Returns whether a value is a log level. */
export const isLogLevel = (value: unknown): value is LogLevel => typeof value === "string" && ranks.has(value)

/** Returns whether a message of this level may go to somebody who asked for another level and above. */
export const reaches = (level: LogLevel, asked: LogLevel): boolean => (ranks.get(level) ?? 0) >= (ranks.get(asked) ?? 0)

const ranks: ReadonlyMap<string, number> = new Map(levels.map((level, rank) => [level, rank]))
