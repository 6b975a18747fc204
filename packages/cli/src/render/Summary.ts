// A finding in one line for a person, and the warnings that belong to it.
import type { Agreement } from "@parley/core/Agreement"
import type { Finding } from "../Finding.ts"
import type { Style } from "./Style.ts"
import { counted, duration, oneLine } from "./Text.ts"

/**
 * Returns what the server speaks, in one line: server, revision, era, capabilities, round trips, time.
 *
 *     everything 2.0.0 speaks 2025-11-25 (legacy): tools, prompts. 1 round trip, 84 ms.
 */
export const summary = (finding: Finding, agreement: Agreement, style: Style): string =>
  [
    style.bold(serverName(agreement)),
    " speaks ",
    style.good(oneLine(agreement.version, 40)),
    ` (${agreement.era}${also(agreement)}): `,
    capabilities(agreement),
    ". ",
    style.dim(`${counted(finding.roundTrips, "round trip")}, ${duration(finding.totalMillis)}.`)
  ].join("")

/** Returns what was not as it should be and did not stop the agreement, one harmless line each. */
export const warnings = (agreement: Agreement): ReadonlyArray<string> =>
  agreement.warnings.slice(0, 20).map((warning) => oneLine(warning, 300))

/** Returns who the server says it is. */
export const serverName = (agreement: Agreement): string => {
  const info = agreement.serverInfo
  if (info === undefined) return "A server without a name"
  const name = oneLine(info.name, 60)
  return `${name === "" ? "A server without a name" : name} ${oneLine(info.version, 30)}`.trim()
}

const also = (agreement: Agreement): string => {
  const others = (agreement.discovered?.supportedVersions ?? []).filter((version) => version !== agreement.version)
  return others.length === 0
    ? ""
    : `, lists also ${others
        .slice(0, 8)
        .map((version) => oneLine(version, 40))
        .join(", ")}`
}

const capabilities = (agreement: Agreement): string => {
  const names = Object.keys(agreement.capabilities)
  if (names.length === 0) return "no capabilities"
  const shown = names.slice(0, 12).map((name) => oneLine(name, 30))
  return names.length > shown.length ? `${shown.join(", ")} and ${names.length - shown.length} more` : shown.join(", ")
}
