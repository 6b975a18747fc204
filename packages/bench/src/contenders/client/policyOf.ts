// Parley's policy of an opening, for its contenders.
import * as Policy from "@parley/core/client/Policy"
import type { Opening } from "./Opening.ts"

export const policyOf = ({ policy }: Opening): Policy.Policy => (policy === "auto" ? Policy.auto : Policy.discoverFirst)
