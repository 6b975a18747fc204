// The floor of a classification: the bodies are parsed, and nothing else.
import { inbound } from "../../servers/Inbound.ts"
import type { Repeated } from "./Repeated.ts"

export const contender: Repeated = {
  classify: (share) => {
    const texts = inbound(share).map(({ text }) => text)
    return () => {
      let found = 0
      for (const text of texts) if (typeof JSON.parse(text) === "object") found += 1
      return found
    }
  }
}
