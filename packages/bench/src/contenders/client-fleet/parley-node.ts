// Parley over its own carrier on node:http, with one pool for all servers.
import * as HttpClient from "@parley/node/HttpClient"
import * as Effect from "effect/Effect"
import { fleetOf } from "./fleetOf.ts"
import type { Meet } from "./Meeting.ts"

export const meet: Meet = (meeting, connected) =>
  HttpClient.pool().pipe(
    Effect.flatMap((pool) => fleetOf(meeting, connected, (url) => HttpClient.make({ url, pool }))),
    Effect.scoped,
    Effect.runPromise
  )
