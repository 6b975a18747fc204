// A program that asks twice over a pool and never closes it: `pool-user-bin.ts <url>`. It ends by itself.
import * as Message from "@parley/core/Message"
import * as HttpClient from "@parley/node/HttpClient"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"

const pool = await Effect.runPromise(Scope.provide(HttpClient.pool(), Scope.makeUnsafe()))
const asking = Effect.scoped(
  Effect.flatMap(HttpClient.make({ url: process.argv[2] ?? "", pool }).open, (channel) =>
    Effect.andThen(
      channel.send({ _tag: "Post", exchange: 1, message: Message.request(1, "tools/list"), headers: {} }),
      Queue.take(channel.events)
    )
  )
)
await Effect.runPromise(Effect.andThen(asking, asking))
