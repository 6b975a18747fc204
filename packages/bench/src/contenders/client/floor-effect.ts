// The same exchanges by hand over Effect's own HttpClient on fetch: what of a carrier's price is its client's.
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { type Contender, type Exchange, exchangesOf } from "./Opening.ts"

export const contender: Contender = {
  opener: (opening, url) => {
    const exchanges = exchangesOf(opening)
    return (times) =>
      Effect.runPromise(
        repeated(url, exchanges, times).pipe(
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
          // No spans, as in Parley's carrier while nobody traces.
          Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
          Effect.provide(FetchHttpClient.layer)
        )
      )
  }
}

const repeated = Effect.fnUntraced(function* (url: string, exchanges: ReadonlyArray<Exchange>, times: number) {
  const client = yield* HttpClient.HttpClient
  for (let time = 0; time < times; time++) {
    let id = 1
    for (const { body, headers } of exchanges) {
      const request = HttpClientRequest.post(url, { headers }).pipe(
        HttpClientRequest.bodyText(body(id++), "application/json")
      )
      const response = yield* client.execute(request)
      const text = yield* response.text
      if (text !== "") JSON.parse(text)
    }
  }
})
