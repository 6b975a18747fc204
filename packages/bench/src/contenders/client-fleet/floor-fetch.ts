// The floor of what asks by fetch: the same exchanges with each server, within the same time.
import { exchangesOf } from "../client/Opening.ts"
import { each, type Meet } from "./Meeting.ts"

export const meet: Meet = ({ deadlineMillis, inFlight, urls }, connected) =>
  each(urls, inFlight, async (url) => {
    const era = url.endsWith("/modern") ? "modern" : "legacy"
    const signal = AbortSignal.timeout(deadlineMillis)
    try {
      let id = 1
      for (const { body, headers } of exchangesOf({ policy: "discoverFirst", era })) {
        const response = await fetch(url, { method: "POST", headers, body: body(id++), redirect: "manual", signal })
        const text = await response.text()
        if (text !== "") JSON.parse(text)
      }
      connected()
    } catch {
      // It did not answer in time.
    }
  })
