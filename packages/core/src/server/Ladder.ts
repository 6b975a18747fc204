// The ladder: every rung that can refuse an HTTP request, in the order of evaluation. A pipe climbs the same rungs without
// those that judge HTTP. Each rung is one fact and one answer; which rungs a message meets is decided in Weigh and Http.
import { bodyRungs } from "./BodyRungs.ts"
import type { BodyRung } from "./BodyRungs.ts"
import type { HeadRung } from "./HeadRungs.ts"
import { headRungs } from "./HeadRungs.ts"
import type { LegacyRung } from "./LegacyRungs.ts"
import { legacyRungs } from "./LegacyRungs.ts"
import type { ModernRung } from "./ModernRungs.ts"
import { modernRungs } from "./ModernRungs.ts"

/** One check of the ladder. */
export type Rung = HeadRung | BodyRung | ModernRung | LegacyRung

/** Every rung in the order of evaluation. A modern request meets the modern ones, a legacy request the legacy ones. */
export const ladder: ReadonlyArray<Rung> = [...headRungs, ...bodyRungs, ...modernRungs, ...legacyRungs]
