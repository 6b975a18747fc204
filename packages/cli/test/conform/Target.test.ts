import { mediaOf } from "@parley/cli/conform/Client"
import { command } from "@parley/cli/conform/Target"
import { describe, expect, it } from "vitest"

describe("command", () => {
  it.each<[string, ReadonlyArray<string>]>([
    ["node client.js {url}", ["node", "client.js", "{url}"]],
    ["  node   -e 'a  b' ", ["node", "-e", "a  b"]],
    ['"/a path/node" "say \\"it\\""', ["/a path/node", 'say "it"']],
    ["a\\ b '' \"\"", ["a b", "", ""]],
    ["node --name='a b'", ["node", "--name=a b"]]
  ])("reads %s", (text, words) => {
    const [first, ...args] = words
    expect(command(text)).toEqual({ ok: true, value: { command: first, args } })
  })

  it.each(["", "   ", "''", "node 'a", 'node "a'])("refuses %j", (text) => {
    expect(command(text).ok).toBe(false)
  })
})

describe("mediaOf", () => {
  it.each<[ReadonlyArray<string>, ReadonlyArray<string>]>([
    [["--url={url}"], ["http"]],
    [["{command}"], ["stdio"]],
    [
      ["{url}", "{command}"],
      ["http", "stdio"]
    ],
    [[], ["http", "stdio"]]
  ])("of %j is %j", (args, media) => {
    expect(mediaOf({ command: "client", args })).toEqual(media)
  })
})
