// What a peer may answer to an opening request: results and errors, good and bad, as JSON-RPC bodies with a stable id.
// On which carrier and under which status they come is in Occurrences.
import type { ErrorObject, JsonObject } from "@parley/core/Message"
import { Code } from "@parley/core/Message"
import type { AskedMethod } from "@parley/core/client/State"
import { listShapes, named } from "./Lists.ts"

/** A body that answers: a result or an error. */
export type Answer =
  | { readonly id: string; readonly result: JsonObject }
  | { readonly id: string; readonly error: ErrorObject }

/** Returns every answer to a request of the method at the revision asked for. */
export const answersTo = (method: AskedMethod, asked: string): ReadonlyArray<Answer> => [
  ...(method === "initialize" ? initializeResults : discoverResults(asked)),
  ...errorsTo(method, asked)
]

/** A DiscoverResult that lists these revisions. */
export const discoverResult = (supportedVersions: unknown): JsonObject => ({
  ...(supportedVersions === undefined ? undefined : { supportedVersions }),
  capabilities: { tools: {} },
  serverInfo: { name: "peer", version: "1.0.0" },
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private"
})

/** An InitializeResult that names a revision. */
export const initializeResult = (protocolVersion: unknown): JsonObject => ({
  ...(protocolVersion === undefined ? undefined : { protocolVersion }),
  capabilities: { tools: {} },
  serverInfo: { name: "peer", version: "1.0.0" }
})

const without = (result: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(result).filter(([name]) => name !== key))

const initializeResults: ReadonlyArray<Answer> = [
  ...named.map((version) => ({ id: `result.names.${version}`, result: initializeResult(version) })),
  { id: "result.namesNothing", result: initializeResult(undefined) },
  { id: "result.namesNumber", result: initializeResult(20250618) },
  { id: "result.noCapabilities", result: without(initializeResult("2025-11-25"), "capabilities") },
  { id: "result.noServerInfo", result: without(initializeResult("2025-11-25"), "serverInfo") },
  { id: "result.otherMethod", result: discoverResult(["2026-07-28"]) }
]

const discoverResults = (asked: string): ReadonlyArray<Answer> => [
  ...listShapes.map(({ id, of }) => ({ id: `result.lists.${id}`, result: discoverResult(of(asked)) })),
  { id: "result.noResultType", result: without(discoverResult(["2026-07-28"]), "resultType") },
  { id: "result.inputRequired", result: { ...discoverResult(["2026-07-28"]), resultType: "input_required" } },
  { id: "result.noCapabilities", result: without(discoverResult(["2026-07-28"]), "capabilities") },
  { id: "result.otherMethod", result: initializeResult("2025-11-25") }
]

const errorsTo = (method: AskedMethod, asked: string): ReadonlyArray<Answer> => [
  ...listed(Code.UnsupportedProtocolVersion, "Unsupported protocol version", asked),
  ...(method === "initialize"
    ? listed(Code.InvalidParams, "Unsupported protocol version", asked)
    : [plain(Code.InvalidParams, "Invalid params")]),
  plain(Code.HeaderMismatch, "Header mismatch"),
  {
    id: `error.${Code.MissingRequiredClientCapability}`,
    error: {
      code: Code.MissingRequiredClientCapability,
      message: "Missing capability",
      data: { requiredCapabilities: { sampling: {} } }
    }
  },
  plain(Code.MethodNotFound, "Method not found"),
  plain(Code.InvalidRequest, "Invalid request"),
  plain(Code.InternalError, "Internal error"),
  plain(Code.ParseError, "Parse error"),
  plain(-32000, "Server not initialized"),
  plain(-32001, "Request timed out"),
  plain(0, "")
]

const listed = (code: number, message: string, requested: string): ReadonlyArray<Answer> =>
  listShapes.map(({ id, of }) => {
    const supported = of(requested)
    const data = { ...(supported === undefined ? undefined : { supported }), requested }
    return { id: `error.${code}.${id}`, error: { code, message, data } }
  })

const plain = (code: number, message: string): Answer => ({ id: `error.${code}`, error: { code, message } })
