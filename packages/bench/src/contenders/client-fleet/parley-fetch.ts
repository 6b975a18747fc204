// Parley over the platform's own fetch.
import * as FetchClient from "@parley/platform/FetchClient"
import * as Effect from "effect/Effect"
import { fleetOf } from "./fleetOf.ts"
import type { Meet } from "./Meeting.ts"

export const meet: Meet = (meeting, connected) =>
  Effect.runPromise(fleetOf(meeting, connected, (url) => FetchClient.make({ url })))
