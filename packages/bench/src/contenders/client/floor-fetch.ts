// The floor of what asks by fetch: the same exchanges, their answers read and parsed, and nothing else.
import { type Contender, type Exchange, exchangesOf } from "./Opening.ts"

const ask = async (url: string, { body, headers }: Exchange, id: number): Promise<unknown> => {
  const response = await fetch(url, { method: "POST", headers, body: body(id), redirect: "manual" })
  const text = await response.text()
  return text === "" ? undefined : JSON.parse(text)
}

export const contender: Contender = {
  opener: (opening, url) => {
    const exchanges = exchangesOf(opening)
    return async (times) => {
      for (let time = 0; time < times; time++) {
        let id = 1
        for (const exchange of exchanges) await ask(url, exchange, id++)
      }
    }
  }
}
