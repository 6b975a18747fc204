// What a client's owner wants: the presets, how to read one from a configuration value, and how to derive one's own.
import { eraOf, isModern, legacyVersions, modernVersions, newestOf, type Era } from "../Version.ts"
import { discoverFirst as discoverFirstTable, statelessFirst } from "./DiscoverFirst.ts"
import type { EvidenceTag } from "./Evidence.ts"
import { auto as autoTable, hermes as hermesTable } from "./InitializeFirst.ts"
import type { Budgets, Cell, Policy, Table } from "./Rules.ts"
import { handshakeOnly as handshakeOnlyTable, pinnedLegacy, pinnedModern } from "./SingleEra.ts"
import type { AwaitingTag } from "./State.ts"

export type { Budgets, Policy } from "./Rules.ts"

/** The default budgets: a probe 10 s, any other exchange 30 s, the whole 60 s, 64 messages out of turn, 256 stray lines. */
export const defaultBudgets: Budgets = {
  probeMillis: 10_000,
  exchangeMillis: 30_000,
  negotiationMillis: 60_000,
  outOfTurn: 64,
  noise: 256
}

const versions: ReadonlyArray<string> = [...legacyVersions, ...modernVersions]

const preset = (name: string, open: Policy["open"], fallback: Table): Policy => ({
  name,
  open,
  fallback,
  versions,
  budgets: defaultBudgets
})

/** The default. `initialize` first; `server/discover` only on a definite sign of a modern server, never on a timeout. */
export const auto: Policy = preset("auto", "initialize", autoTable)

/** As Hermes Agent's default: any -32022, a -32601 and a modern revision named in a 200 lead on to `server/discover`. */
export const hermes: Policy = preset("hermes", "initialize", hermesTable)

/** The specification's probe: `server/discover` first, `initialize` unless a modern error forbids it. */
export const discoverFirst: Policy = preset("discoverFirst", "discover", discoverFirstTable)

/** As Hermes Agent's `stateless`: `server/discover` first, then one handshake whatever it met; silence fails. */
export const stateless: Policy = preset("stateless", "discover", statelessFirst)

/** `initialize` and nothing else, at the legacy revisions. */
export const handshakeOnly: Policy = {
  ...preset("handshakeOnly", "initialize", handshakeOnlyTable),
  versions: legacyVersions,
  requires: "legacy"
}

/**
 * Returns the policy that speaks one revision alone, by the opening of its era: no fallback, correction, counter or
 * hold. A text that is no revision gives a policy that fails with PolicyForbids before a byte is sent.
 */
export const pinned = (version: string): Policy => {
  const modern = isModern(version)
  return {
    name: `pinned:${version.slice(0, 64)}`,
    open: modern ? "discover" : "initialize",
    fallback: modern ? pinnedModern : pinnedLegacy,
    versions: eraOf(version) === undefined ? [] : [version],
    requires: modern ? "modern" : "legacy",
    // Without a fallback there is no reason to give up early on a slow start.
    budgets: { ...defaultBudgets, probeMillis: defaultBudgets.exchangeMillis }
  }
}

/** The presets that have a name of their own, by that name. */
export const presets: { readonly [name: string]: Policy } = { auto, hermes, discoverFirst, stateless, handshakeOnly }

/** Returns a policy with one cell of its table replaced. */
export const override = <E extends EvidenceTag>(
  policy: Policy,
  state: AwaitingTag,
  evidence: E,
  cell: Cell<E>,
  name: string = `${policy.name}+`
): Policy => ({
  ...policy,
  name,
  fallback: { ...policy.fallback, [state]: { ...policy.fallback[state], [evidence]: cell } }
})

/** Returns a policy with some of its budgets replaced. */
export const withBudgets = (policy: Policy, budgets: Partial<Budgets>): Policy => ({
  ...policy,
  budgets: { ...policy.budgets, ...budgets }
})

/** Returns a policy that speaks these revisions alone. */
export const withVersions = (policy: Policy, allowed: ReadonlyArray<string>): Policy => ({
  ...policy,
  versions: allowed
})

/**
 * Returns the policy narrowed to the eras that a transport's client can live in: its versions of other eras are dropped,
 * and what is missing is said in the trace and in the errors. `lacking` is one sentence naming the client and the remedy.
 */
export const narrow = (policy: Policy, eras: ReadonlyArray<Era>, lacking?: string): Policy => {
  const isKept = (version: string): boolean => {
    const era = eraOf(version)
    return era !== undefined && eras.includes(era)
  }
  if (policy.versions.every(isKept)) return policy
  const kept = policy.versions.filter(isKept)
  const missing = (["legacy", "modern"] as const).filter((era) => !eras.includes(era)).join(" or the ")
  if (missing === "") return { ...policy, versions: kept }
  return { ...policy, versions: kept, lacking: lacking ?? `This client cannot live in the ${missing} era.` }
}

/** Returns the revision that a policy leads with: the newest of the era that it opens in, or undefined if it speaks none. */
export const preferredProtocolVersion = (policy: Policy): string | undefined => {
  const first: Era = policy.open === "discover" ? "modern" : "legacy"
  return newestOf(first, policy.versions) ?? newestOf(first === "modern" ? "legacy" : "modern", policy.versions)
}

/** What a configuration value was read as, and a sentence for the log where it was not understood. */
export interface Setting {
  readonly policy: Policy
  readonly warning?: string
}

/**
 * Reads a per-server configuration value, in any case and with or without dashes: a preset's name; `legacy` and
 * `handshake` mean handshakeOnly; `stateless`, `modern` and `2026-07-28` mean stateless, as Hermes Agent reads them;
 * `pin:` (or `pinned:`) and a revision pins it. Anything else means auto, with a warning.
 */
export const fromSetting = (text: string): Setting => {
  const value = text.trim().toLowerCase()
  const known = settings.get(value.replace(/[-_ ]/g, "")) ?? settings.get(value)
  if (known !== undefined) return { policy: known }
  const pin = /^pin(?:ned)?:\s*(.*)$/.exec(value)?.[1]
  if (pin !== undefined && eraOf(pin) !== undefined) return { policy: pinned(pin) }
  const shown = JSON.stringify(text.slice(0, 64))
  return {
    policy: auto,
    warning: `${shown} is no protocol setting; auto is used. Known: auto, hermes, discoverFirst, stateless, handshakeOnly, legacy, modern, pin:<revision>.`
  }
}

const settings: ReadonlyMap<string, Policy> = new Map([
  ["auto", auto],
  ["hermes", hermes],
  ["discoverfirst", discoverFirst],
  ["handshakeonly", handshakeOnly],
  ["handshake", handshakeOnly],
  ["legacy", handshakeOnly],
  ["stateless", stateless],
  ["modern", stateless],
  ["2026-07-28", stateless]
])
