// Why Parley does not do what a real client does, where it does not: each reason covers cases by their ids. A difference
// that no reason covers fails the run.
import type { SeedRow } from "./Results.ts"

interface Reason {
  readonly seeds: RegExp
  readonly cases: RegExp
  readonly because: string
}

const auto = / auto$/
const handshake = /legacy$|^Hermes 0/
const initializing = /legacy$|^Hermes (0|auto)/
const hermesAuto = /^Hermes auto/
const hermesStateless = /^Hermes stateless/

const reasons: ReadonlyArray<Reason> = [
  {
    seeds: auto,
    cases: /^1b-unknown-list/,
    because:
      "A list without a revision that we speak is a disagreement, no sign of a legacy server: nothing initializes after it."
  },
  {
    seeds: auto,
    cases: /^1b-shape-type/,
    because: "An unknown resultType must be treated as an error (basic, Results): it is no DiscoverResult to live by."
  },
  {
    seeds: auto,
    cases: /^1b-3202[012]/,
    because:
      "Only a modern server may say -32020, -32021 or -32022, with or without a usable list; to initialize after it is forbidden (versioning) or pointless."
  },
  {
    seeds: auto,
    cases: /^1b-(code|exit)-then-modern/,
    because:
      "The fallback's handshake is answered with a modern revision. They give up; Parley offers its own revision once more and holds the server to it."
  },
  {
    seeds: auto,
    cases: /^1b-status-(401|403)/,
    because: "A missing or refused credential says nothing about the era; a handshake without it would fail as well."
  },
  {
    seeds: auto,
    cases: /^1b-status-(429|503)$/,
    because: "A busy server is asked again later, after its Retry-After, at the revision that it may well speak."
  },
  {
    seeds: /^TypeScript auto/,
    cases: /^1b-status-500-/,
    because:
      "They end at any 5xx. A JSON-RPC error in its body is the server's own word, so Parley reads the body first."
  },
  {
    seeds: auto,
    cases: /^1b-(status-50\d|silent|sse-cut)$/,
    because:
      "An outage, a cut stream or silence over HTTP is never what makes an era: it would lock a modern server out."
  },
  {
    seeds: /^TypeScript auto/,
    cases: /^1b-(body-|sse-ends|wrong-id)/,
    because:
      "They end at a 2xx without a usable answer, or wait for one. A legacy server behind an intermediary may answer so: any other error or no response means legacy."
  },
  {
    seeds: /^(Python|fast-agent) auto/,
    cases: /^1b-(exit|closed)/,
    because: "They write the handshake to the dead pipe. Parley starts the process once more and initializes there."
  },
  {
    seeds: auto,
    cases: /^1b-late-/,
    because:
      "The answer to the probe comes after its deadline. They drop it; Parley keeps it, and settles on it when the handshake is not agreed."
  },
  {
    seeds: handshake,
    cases: /^1a-(32022-(both|legacy)|32602-(legacy-list|counter-refused))/,
    because:
      "The refusal lists a legacy revision that we speak. They fail; Parley asks once more, at that one (lifecycle, Version Negotiation)."
  },
  {
    seeds: initializing,
    cases: /^1a-body-batch$/,
    because:
      "The answer comes in a batch, as 2025-03-26 allows. They refuse an array; Parley looks in it for its own id."
  },
  {
    seeds: initializing,
    cases: /^1a-crlf-pieces/,
    because: "The first line begins with a byte order mark. They take the line for no JSON; Parley drops the mark."
  },
  {
    seeds: /^TypeScript legacy/,
    cases: /^1a-sse-cr$/,
    because: "The stream's lines end with a lone CR, as the format of event streams allows. They do not read on."
  },
  {
    seeds: /^Python legacy/,
    cases: /^1a-sse-empty-data$/,
    because: "An event before the answer is no JSON. They end there; Parley skips what is no message."
  },
  {
    seeds: initializing,
    cases: /^1a-copies$/,
    because: "A header comes twice with the same value. They send the joined text back; to Parley equal copies are one."
  },
  {
    seeds: /^(Python|Hermes)/,
    cases: /^1a-keys-deep/,
    because:
      "The capabilities are nested ten thousand deep. Python's reader refuses it; Parley's is bounded in size alone."
  },
  {
    seeds: /^Hermes/,
    cases: /^1a-answers-and-exits/,
    because: "It lists the tools before it counts itself connected, and the process was gone."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-modern-hold-session$/,
    because:
      "Its second `initialize` carries the session of the first. Parley's carries none, and ends the first session: an initialize opens one."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-modern-changes/,
    because:
      "The second answer names another revision than the first. It takes it unread; Parley holds a server to one answer."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-modern-discover-counters/,
    because: "It holds the server at the revision first offered; Parley at the newest that the server then listed."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-modern-discover-disjoint/,
    because: "The server listed its revisions, and none is ours: there is nothing to hold it to."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-modern-discover-(silent|busy|401|500)/,
    because:
      "It holds the handshake after any failure of discover, the SDK's own 10 s included. To Parley a silent, busy, refusing or broken server has not said that discover is not to be had."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-modern-discover-exits/,
    because: "It writes the second handshake to the dead pipe. Parley starts the process once more and holds it there."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-(ancient|no-date)/,
    because:
      "It knows the SDK's error by its text, which is the same for any revision not in its list. Only a later date names a modern server to Parley."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-32601-then-counter/,
    because: "Discover is refused with a list of legacy revisions. It fails; Parley initializes at one of the list."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-status-404$/,
    because:
      "The SDK below it makes a -32601 of a bare 404. Parley tells a missing page from a missing method, and says so."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-sse-empty-data$/,
    because: "An event before the answer is no JSON. The SDK below it ends there; Parley skips what is no message."
  },
  {
    seeds: hermesAuto,
    cases: /^1a-(null|empty|absent)-id/,
    because:
      "The refusal carries no id of ours. The SDK below it waits on; Parley gives it to the only request in flight, as JSON-RPC allows where an id cannot be read."
  },
  {
    seeds: hermesStateless,
    cases: /^1b-shape-type/,
    because: "An unknown resultType must be treated as an error (basic, Results): it is no DiscoverResult to live by."
  },
  {
    seeds: hermesStateless,
    cases: /^1b-(code|exit)-then-modern/,
    because: "The fallback's handshake is answered with a modern revision. It gives up; Parley holds the server once."
  },
  {
    seeds: hermesStateless,
    cases: /^1b-status-(401|403|429|50\d)|^1b-sse-cut$/,
    because:
      "A missing credential, a busy server and an outage say nothing about the era, under every policy of Parley's."
  },
  {
    seeds: hermesStateless,
    cases: /^1b-(silent|garbage-instead|wrong-id-stdio|null-id-late|late-)/,
    because:
      "The probe is silent. Its own rule is that time never falls back, but the SDK's 10 s limit comes as an error and slips through; Parley keeps the rule."
  },
  {
    seeds: hermesStateless,
    cases: /^1b-(exit|closed)/,
    because: "It writes the handshake to the dead pipe. Parley starts the process once more and initializes there."
  }
]

/** Returns why Parley differs from a seed in a case, or undefined where nobody knows. */
export const because = ({ case: id, seed }: Pick<SeedRow, "case" | "seed">): string | undefined =>
  reasons.find((reason) => reason.seeds.test(seed) && reason.cases.test(id))?.because
