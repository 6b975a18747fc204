import { describe, expect, it } from "vitest"
import type { ServerRight } from "@parley/testing/Case"
import { type Answer, check } from "@parley/testing/ServerCheck"

const http = (status: number, message?: unknown, headers: Answer["headers"] = {}): Answer => ({
  status,
  headers,
  text: message === undefined ? "" : JSON.stringify(message),
  ...(message === undefined ? undefined : { message })
})
const line = (message: unknown): Answer => ({ headers: {}, text: JSON.stringify(message), message })
const result = { id: 1, result: { versions: ["a", "b"] } }
const error = { id: 1, error: { code: -32602, message: "no", data: {} } }

describe("an answer is right", () => {
  it.each<[string, ServerRight | null, Answer | undefined]>([
    ["no reply where none may be written", null, undefined],
    ["an accepted notification where no reply may be written", null, http(202)],
    ["none where it is optional", { anyReply: true, optional: true }, undefined],
    ["any where any will do", { anyReply: true }, line(error)],
    ["the status", { status: 404 }, http(404, error)],
    ["one of the statuses", { statusIn: [200, 400] }, http(400, error)],
    ["any status on stdio", { status: 400, code: -32602 }, line(error)],
    ["the status only", { status: 404, statusOnly: true, code: null }, http(404, error)],
    ["no body", { status: 202, noBody: true, code: null }, http(202)],
    ["no error", { code: null }, http(200, result)],
    ["that error", { code: -32602 }, http(400, error)],
    ["some error", { code: "*" }, http(400, error)],
    ["an error in a batch", { code: "*" }, line([result, error])],
    ["a part of the body", { bodyHas: { result: { versions: { $contains: "b" } } } }, http(200, result)],
    ["a part of the text", { bodyContains: ["versions"] }, http(200, result)],
    [
      "a header",
      { headersHas: { "X-A": "1", "x-b": { $absent: true }, "x-c": { $any: true } } },
      http(200, result, { "x-a": "1", "x-c": "" })
    ],
    ["an absent header by null", { headersHas: { "x-a": null } }, http(200, result)]
  ])("%s", (_, right, answer) => {
    expect(check(right, answer, 10)).toEqual([])
  })
})

describe("an answer is wrong", () => {
  it.each<[string, ServerRight | null, Answer | undefined, string]>([
    ["a reply where none may be written", null, line(error), "expected no reply, saw"],
    ["a message where none may be written", null, http(202, error), "expected no reply, saw 202"],
    ["a refusal where no reply may be written", null, http(400), "expected no reply, saw 400"],
    ["none where one must come", { anyReply: true }, undefined, "expected a reply, saw none within 10 ms"],
    ["another status", { status: 404 }, http(200, result), "status: expected 404, saw 200"],
    ["none of the statuses", { statusIn: [400] }, http(500), "status: expected one of 400, saw 500"],
    [
      "another status, where only it counts",
      { status: 404, statusOnly: true },
      http(200),
      "status: expected 404, saw 200"
    ],
    ["a body", { noBody: true }, http(202, result), "body: expected an empty one"],
    ["an error", { code: null }, http(200, error), "code: expected no error, saw -32602"],
    ["another error", { code: -32600 }, http(400, error), "code: expected -32600, saw -32602"],
    ["no error", { code: "*" }, http(200, result), "code: expected an error, saw no error"],
    [
      "no error, no JSON",
      { code: -32600 },
      { status: 400, headers: {}, text: "Bad" },
      "code: expected -32600, saw no error"
    ],
    ["another body", { bodyHas: { id: 2 } }, http(200, result), "body.id: expected 2, saw 1"],
    ["another text", { bodyContains: ["x"] }, http(200, result), 'body: expected to contain "x"'],
    [
      "an absent header",
      { headersHas: { "x-a": { $any: true } } },
      http(200, result),
      "header x-a: expected any value, saw nothing"
    ]
  ])("%s", (_, right, answer, problem) => {
    expect(check(right, answer, 10)).toEqual([expect.stringContaining(problem)])
  })
})
