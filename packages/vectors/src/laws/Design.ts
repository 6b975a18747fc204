// Which laws keep each sentence that the design says of every run: section 9, in its order. The laws themselves are in the
// files beside this one, in server/laws and in product/Laws.

/** A sentence of the design, and the ids of the laws that keep it. */
export interface Sentence {
  readonly says: string
  readonly laws: ReadonlyArray<string>
}

/** The sentences of section 9. */
export const sentences: ReadonlyArray<Sentence> = [
  { says: "endings are final", laws: ["endings-are-final", "closed-is-final"] },
  { says: "every run ends", laws: ["every-run-ends", "closes-for-a-reason", "pairs-end"] },
  { says: "at most one correction", laws: ["one-correction"] },
  { says: "at most one counter", laws: ["one-counter"] },
  { says: "at most one hold", laws: ["one-hold", "hold-is-earned"] },
  { says: "at most one reopen", laws: ["one-reopen"] },
  { says: "at most four exchanges", laws: ["four-exchanges", "two-initializes", "two-discovers"] },
  { says: "settle only on a version that the policy lists", laws: ["settles-on-listed", "settles-on-shared"] },
  { says: "handshakeOnly never probes", laws: ["handshake-only-never-probes"] },
  { says: "pinned says nothing outside its version", laws: ["pinned-stays-pinned"] },
  {
    says: "no initialize when the last list received named no legacy revision (stateless excepted)",
    laws: ["no-initialize-against-a-list", "modern-errors-are-believed"]
  },
  { says: "no modern version out of a handshake", laws: ["no-modern-from-a-handshake", "answers-what-it-serves"] },
  {
    says: "a timeout, access refusal, busy or outage is never what makes an era, but for a silent stdio probe under discoverFirst",
    laws: ["no-verdict-from-trouble", "modern-pairs-stay-modern"]
  },
  { says: "a late DiscoverResult that was kept is evidence of its own", laws: ["kept-is-kept"] },
  { says: "nothing settles on a closed pipe", laws: ["nothing-on-a-closed-pipe"] },
  { says: "every deadline started is cleared or passed", laws: ["deadlines-are-cleared", "opening-deadline-ends"] },
  { says: "an answered request is answered once", laws: ["answered-once", "every-request-one-answer"] }
]
