// A server as an application names it: an address or a command, or a transport that it made itself. How either is carried
// is the business of the carriers.
import type { Launch } from "@parley/core/Launch"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import type { Transport } from "@parley/runtime/Transport"

/** An address with what its requests carry, a command to start, or any Transport of Parley's. */
export type Target = HttpClient.Options | Launch | Transport

/** Returns the transport to a target. */
export const transportOf = (target: Target): Transport => {
  if ("open" in target) return target
  return "url" in target ? HttpClient.make(target) : StdioClient.make(target)
}
