// Every requirement, the modern revision first.
import { legacyLifecycle, legacyStdio } from "./Legacy.ts"
import { legacyHttp, legacySessions } from "./LegacyHttp.ts"
import { legacyMessages } from "./LegacyMessages.ts"
import { modernStdio, modernVersioning } from "./Modern.ts"
import { modernHeaders } from "./ModernHeaders.ts"
import { modernHttp } from "./ModernHttp.ts"
import { modernEnvelope, modernMessages } from "./ModernMessages.ts"
import type { Requirement } from "./Requirement.ts"

/** A chapter of requirements. */
export interface Chapter {
  readonly title: string
  readonly requirements: ReadonlyArray<Requirement>
}

export const chapters: ReadonlyArray<Chapter> = [
  { title: "2026-07-28: messages", requirements: modernMessages },
  { title: "2026-07-28: envelope", requirements: modernEnvelope },
  { title: "2026-07-28: versioning and discovery", requirements: modernVersioning },
  { title: "2026-07-28: stdio", requirements: modernStdio },
  { title: "2026-07-28: Streamable HTTP", requirements: modernHttp },
  { title: "2026-07-28: headers", requirements: modernHeaders },
  { title: "Handshake revisions: messages", requirements: legacyMessages },
  { title: "Handshake revisions: lifecycle", requirements: legacyLifecycle },
  { title: "Handshake revisions: stdio", requirements: legacyStdio },
  { title: "Handshake revisions: Streamable HTTP", requirements: legacyHttp },
  { title: "Handshake revisions: sessions and version header", requirements: legacySessions }
]

export const requirements: ReadonlyArray<Requirement> = chapters.flatMap((chapter) => chapter.requirements)
