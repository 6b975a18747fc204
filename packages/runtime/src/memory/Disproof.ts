// When a memory was wrong: what a refusal has to look like, so that it says so and not merely that nobody answered.
import type { NegotiationReason, RequestReason } from "@parley/core/Errors"
import type { Medium } from "@parley/core/Medium"
import { Code } from "@parley/core/Message"

/** Returns whether the failure of a remembered opening says that the memory was wrong, rather than that nobody answered. */
export const refutes = (reason: NegotiationReason, medium: Medium): boolean => {
  switch (reason._tag) {
    case "UnsupportedProtocolVersion":
    case "MethodNotFound":
    case "InitializeRejected":
    case "HeaderMismatch":
    case "MissingRequiredClientCapability":
    case "MalformedInit":
    case "SessionUnknown":
      return true
    case "Timeout":
      return medium.silence === "maybeLegacy" && reason.phase !== "negotiation"
    case "TransportFailure":
      // On a pipe a process that ended; over HTTP an answer that is no MCP. Neither is what an outage looks like.
      return medium.streams === "shared"
        ? reason.stderr !== undefined
        : reason.status !== undefined && !reason.retryable
    case "Unauthorized":
    case "Busy":
    case "PolicyForbids":
      return false
  }
}

/**
 * Returns whether the failure of the first request says that an agreement without an exchange was wrong. Then it was
 * certainly not executed: what may have been (a cut, a timeout, a 5xx, an error in a 200 of the server's own range) never
 * says so.
 */
export const disproves = (reason: RequestReason, medium: Medium): boolean => {
  switch (reason._tag) {
    case "UnsupportedProtocolVersion":
    case "MethodNotFound":
      return true
    case "TransportFailure":
      return isRefusal(reason.status)
    case "ErrorResponse":
      if (reason.code === Code.InvalidRequest) return true
      return isServerRange(reason.code) && (medium.streams === "shared" || isRefusal(reason.status))
    default:
      return false
  }
}

/**
 * Returns whether the failure of the first request may say so, and may as well be the answer to what was asked: servers of
 * the handshake exist that refuse what comes before it with -32602, and so does any tool whose arguments are wrong. Then the
 * server is asked anew, and the request, which may have been executed, is not sent again.
 */
export const makesDoubtful = (reason: RequestReason): boolean =>
  reason._tag === "ErrorResponse" && reason.code === Code.InvalidParams

const isRefusal = (status: number | undefined): boolean => status !== undefined && status >= 400 && status <= 499

// The codes that JSON-RPC leaves to servers and that no modern revision has given a meaning.
const isServerRange = (code: number): boolean => code <= -32_000 && code >= -32_019
