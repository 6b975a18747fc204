// The events that carriers make: what a carrier cannot tell is absent.
import { describe, expect, it } from "@effect/vitest"
import { arrived } from "@parley/core/client/Event"
import { notification } from "@parley/core/Message"

describe("the event of a message", () => {
  const message = notification("notifications/initialized")

  it("has the exchange and the head of the response on which it came", () => {
    expect(arrived(message, 3, { status: 200 })).toStrictEqual({
      _tag: "Arrived",
      message,
      exchange: 3,
      head: { status: 200 }
    })
  })

  it("has neither where the carrier cannot tell, as on a pipe", () => {
    expect(arrived(message)).toStrictEqual({ _tag: "Arrived", message })
    expect(arrived(message, 3)).toStrictEqual({ _tag: "Arrived", message, exchange: 3 })
  })
})
