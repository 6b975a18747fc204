// effect/ai's McpClient.Transport over a connection of Parley's: the client's opening is answered from the agreement, and
// every other request is the connection's. How the connection came to be is not known here.
import type { JsonRpcRequest, JsonRpcResponse } from "effect/ai/McpSchema"
import type { Agreement } from "@parley/core/Agreement"
import type { RequestError } from "@parley/core/Errors"
import type { JsonObject } from "@parley/core/Message"
import { Code, Method } from "@parley/core/Message"
import type * as Connection from "@parley/runtime/Connection"
import type * as McpClient from "effect/ai/McpClient"
import {
  ClosedError,
  HttpError,
  McpClientError,
  type McpClientErrorReason,
  ProtocolError,
  TimeoutError,
  TransportError
} from "effect/ai/McpClientError"
import type * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import { answerOf } from "./Handed.ts"

/**
 * Returns the transport of a client that is made for the agreed revision. Requests have no deadline of their own: the
 * client sets its own. Every tool is callable, since the connection leaves out those whose headers cannot be written.
 */
export const make = (
  connection: Connection.Shape,
  protocol: McpProtocol.ProtocolAdapter<McpClient.ProtocolVersion>
): McpClient.Transport => ({
  "~effect/ai/McpClient/Transport": "~effect/ai/McpClient/Transport",
  protocol,
  isCallable: () => true,
  notify: ({ method, params }) =>
    method === Method.Initialized
      ? Effect.void
      : Effect.mapError(connection.notify(method, params), (error) => errorOf(method, error)),
  request: (message) => {
    const { id, method, params } = message
    if (method === Method.Initialize || method === Method.Discover) {
      return Effect.succeed({ jsonrpc: "2.0", id, result: openingOf(connection.agreement) })
    }
    return connection.request(method, params, { millis: Infinity }).pipe(
      Effect.map((result): JsonRpcResponse => ({ jsonrpc: "2.0", id, result })),
      Effect.catch((error) => {
        const response = responseOf(message, error)
        return response === undefined ? Effect.fail(errorOf(method, error)) : Effect.succeed(response)
      })
    )
  }
})

// An agreement keeps what an InitializeResult says, not the object itself.
const openingOf = (agreement: Agreement): JsonObject => {
  const { capabilities, instructions, serverInfo, version } = agreement
  const initialized = {
    protocolVersion: version,
    capabilities,
    serverInfo: serverInfo ?? { name: "", version: "" },
    ...(instructions === undefined ? undefined : { instructions })
  }
  return answerOf(agreement, initialized) ?? initialized
}

// What the server itself answered is an answer.
const responseOf = ({ id }: JsonRpcRequest, { reason }: RequestError): JsonRpcResponse | undefined => {
  const refused = (code: number, message: string, data?: unknown): JsonRpcResponse => ({
    jsonrpc: "2.0",
    id,
    error: data === undefined ? { code, message } : { code, message, data }
  })
  switch (reason._tag) {
    case "ErrorResponse":
      return refused(reason.code, reason.serverMessage, reason.data)
    case "MethodNotFound":
      return refused(Code.MethodNotFound, reason.message)
    case "UnsupportedProtocolVersion":
      return refused(Code.UnsupportedProtocolVersion, reason.message, {
        supported: reason.supported,
        requested: reason.requested
      })
    case "HeaderMismatch":
      return refused(Code.HeaderMismatch, reason.message)
    case "MissingRequiredClientCapability":
      return refused(Code.MissingRequiredClientCapability, reason.message, {
        requiredCapabilities: reason.requiredCapabilities
      })
    default:
      return undefined
  }
}

const errorOf = (method: string, error: RequestError): McpClientError =>
  new McpClientError({ reason: reasonOf(method, error) })

const reasonOf = (method: string, error: RequestError): McpClientErrorReason => {
  const { reason } = error
  switch (reason._tag) {
    case "Timeout":
      return new TimeoutError({ operation: method })
    case "SessionUnknown":
      return new ClosedError({ sessionExpired: true })
    case "Unauthorized":
      return new HttpError({
        status: reason.status,
        description: reason.message,
        ...(reason.challenge === undefined ? undefined : { wwwAuthenticate: reason.challenge })
      })
    case "Busy":
      return new HttpError({
        status: reason.status,
        description: reason.message,
        ...(reason.retryAfterMillis === undefined
          ? undefined
          : { retryAfter: String(Math.ceil(reason.retryAfterMillis / 1000)) })
      })
    case "TransportFailure": {
      const { message, status } = reason
      if (status === undefined) return new TransportError({ description: message, cause: error })
      return status >= 200 && status <= 299
        ? new ProtocolError({ description: message, cause: error })
        : new HttpError({ status, description: message })
    }
    case "MalformedResult":
      return new ProtocolError({ description: reason.message, cause: error })
    default:
      return new TransportError({ description: error.message, cause: error })
  }
}
