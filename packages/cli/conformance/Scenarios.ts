// What the official conformance suite is asked, by version of the suite and leg. A scenario that is not of Parley's
// business (OAuth, content types, the tasks extension) is not here.

export type Leg = "server" | "client"

/** One run of a scenario at a revision. */
export interface Scenario {
  readonly suite: Suite
  readonly leg: Leg
  readonly name: string
  readonly version: string
  /** The one check that must fail, and why the suite is wrong there. If it passes, this entry is stale and the run fails. */
  readonly known?: { readonly check: string; readonly because: string }
}

/** The versions of the suite, by the names under which they are installed. */
export const suites = { "0.1.16": "conformance-016", "0.2.0-alpha.12": "conformance-020" } as const
export type Suite = keyof typeof suites

const [march, june, november, modern] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const

const of = (
  suite: Suite,
  leg: Leg,
  names: { readonly [name: string]: ReadonlyArray<string> }
): ReadonlyArray<Scenario> =>
  Object.entries(names).flatMap(([name, versions]) => versions.map((version) => ({ suite, leg, name, version })))

/** The pinned negotiation list: every run must pass. */
export const negotiation: ReadonlyArray<Scenario> = [
  ...of("0.1.16", "server", {
    "server-initialize": [november],
    ping: [november],
    "logging-set-level": [november],
    "tools-list": [november],
    "dns-rebinding-protection": [november]
  }),
  {
    suite: "0.1.16",
    leg: "server",
    name: "server-sse-multiple-streams",
    version: november,
    known: {
      check: "server-accepts-multiple-post-streams",
      because:
        "0.1.16 sends the version header 2025-03-26 whatever was negotiated; 0.2.0-alpha.12 mended it, and passes"
    }
  },
  ...of("0.2.0-alpha.12", "server", {
    "server-initialize": [june, november],
    "server-session-lifecycle": [march, june, november],
    ping: [june, november],
    "tools-list": [june, november, modern],
    "server-sse-multiple-streams": [november, modern],
    "dns-rebinding-protection": [november, modern],
    "server-stateless": [modern],
    "http-header-validation": [modern],
    caching: [modern]
  }),
  ...of("0.1.16", "client", { initialize: [november], tools_call: [november], "sse-retry": [november] }),
  ...of("0.2.0-alpha.12", "client", {
    initialize: [june, november],
    tools_call: [june, november, modern],
    "sse-retry": [november],
    "request-metadata": [modern],
    "http-standard-headers": [modern]
  })
]

/** The next ring: header mirroring, schema rejection, state echo. Held too. */
export const extended: ReadonlyArray<Scenario> = [
  ...of("0.2.0-alpha.12", "server", {
    "http-custom-header-server-validation": [modern],
    "sep-2164-resource-not-found": [modern],
    "input-required-result-unsupported-methods": [modern],
    "input-required-result-capability-check": [modern]
  }),
  ...of("0.2.0-alpha.12", "client", {
    "http-custom-headers": [modern],
    "http-invalid-tool-headers": [modern],
    "sep-2322-client-request-state": [modern],
    "json-schema-2020-12-preservation": [november, modern],
    "json-schema-ref-no-deref": [modern]
  })
]
