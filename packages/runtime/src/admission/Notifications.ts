// Handing notifications of clients to the owner's program. Nobody is answered; what fails is logged, and a flood is bounded.
import type { Notification } from "@parley/core/Message"
import { hasInterruptsOnly } from "effect/Cause"
import * as Effect from "effect/Effect"
import type { NotificationContext } from "../Handler.ts"
import type { Host } from "./Host.ts"

/** Runs the owner's program for a notification. Past the profile's bound of unanswered requests it is dropped. */
export const hear = (host: Host, notification: Notification, context: NotificationContext): void => {
  const { onNotification } = host
  if (onNotification === undefined || host.hearing.count >= host.compiled.profile.limits.unanswered) return
  host.hearing.count += 1
  host.fork(Effect.suspend(() => onNotification(notification, context))).addObserver((exit) => {
    host.hearing.count -= 1
    if (exit._tag === "Failure" && !hasInterruptsOnly(exit.cause)) host.failed(notification.method, exit.cause)
  })
}
