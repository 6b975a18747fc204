// Work without input or output that is measured by doing it many times.
import type { Share } from "../../servers/Inbound.ts"

/** A contender: each work does one round of itself a time, and returns what it found, so that none of it is left out. */
export interface Repeated {
  /** Classifies each of the requests, their bodies parsed. */
  readonly classify?: ((share: Share) => () => number) | undefined
  /** Makes the steps of one negotiation. Returns how many they were. */
  readonly negotiate?: (() => number) | undefined
}
