import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Launch from "@parley/core/Launch"

describe("Launch.targetOf", () => {
  const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, shown: string]> = [
    [["-y", "server", "/tmp"], "run -y server /tmp"],
    [["a b", ""], "run 'a b' ''"],
    [["-c", 'echo "$x" it\'s; exit'], `run -c 'echo "$x" it'\\''s; exit'`],
    [["--token=abc123"], "run --token=***"],
    [["--token", "abc123", "--port", "80"], "run --token *** --port 80"],
    [["--api-key", "--verbose"], "run --api-key --verbose"],
    [["-e", "GITHUB_TOKEN=abc", "-e", "MODE=fast"], "run -e GITHUB_TOKEN=*** -e MODE=fast"],
    [["--header", "Authorization: Bearer abc.def"], "run --header Authorization:***"],
    [["--say", "the bearer abc.def is"], "run --say 'the bearer *** is'"],
    [["--password=a b;c"], "run --password=***"],
    [["--header", "X-Api-Key:abc"], "run --header X-Api-Key:***"],
    [["https://user:pw@host/mcp?api_key=1&x=2#f"], "run https://***@host/mcp?***#f"],
    [["postgres://u:p@db/x"], "run postgres://***@db/x"],
    [['{"password":"abc","port":1}'], `run '{"password":"***","port":1}'`],
    [["sk-live-abcdefgh12345"], "run ***"],
    [["ghp_abcdefghij0123456789"], "run ***"],
    [["eyJhbGciOi.eyJzdWIiOiI.sgn-aBcDeF"], "run ***"],
    [["monkey=1", "--keyboard=us"], "run monkey=1 --keyboard=us"],
    [["bell\u0007\u001b[31m"], "run 'bell [31m'"],
    [["prefix-own-secret-value-suffix"], "run prefix-***-suffix"]
  ]
  for (const [args, shown] of cases) {
    it(`shows ${JSON.stringify(args)} as ${shown}`, () => {
      expect(Launch.targetOf({ command: "run", args, env: { OWN: "own-secret-value", MODE: "x" } })).toBe(shown)
    })
  }

  it("is at most 300 characters long", () => {
    expect(Launch.targetOf({ command: "x".repeat(1000), args: ["y".repeat(1000)] }).length).toBe(300)
  })

  it.prop("never shows the value of a secret's name", [Schema.String.check(Schema.isMinLength(1))], ([text]) => {
    const value = `v${text}v`
    for (const args of [[`--password=${value}`], ["--password", value]]) {
      expect(Launch.targetOf({ command: "run", args })).toMatch(/^run --password[= ]\*\*\*$/)
    }
  })
})

describe("Launch.environment", () => {
  const inherited = {
    HOME: "/home/a",
    PATH: "/bin",
    AWS_SECRET_ACCESS_KEY: "no",
    SHELL: "() { :; }",
    LANG: "C",
    Path: "C:\\"
  }

  it("inherits an allow-list and nothing that it does not name", () => {
    expect(Launch.environment({ command: "x" }, "linux", inherited)).toEqual({
      HOME: "/home/a",
      PATH: "/bin",
      LANG: "C"
    })
    expect(Launch.environment({ command: "x" }, "win32", inherited)).toEqual({ PATH: "/bin" })
  })

  it("adds what the launch names, and takes away what it says is undefined", () => {
    const env = { TOKEN: "t", PATH: "/opt", LANG: undefined }
    expect(Launch.environment({ command: "x", env }, "linux", inherited)).toEqual({
      HOME: "/home/a",
      PATH: "/opt",
      TOKEN: "t"
    })
  })
})

describe("Launch.cannotStart", () => {
  it("tells a missing directory from a missing command", () => {
    const launch = { command: "run", cwd: "/nowhere" }
    expect(Launch.cannotStart(launch, "ENOENT", "missing").message).toContain("The directory /nowhere does not exist")
    expect(Launch.cannotStart(launch, "ENOENT", "present").message).toContain("The command run was not found")
    expect(Launch.cannotStart(launch, "EACCES", "present").message).toContain("may not be executed")
  })

  it("says that trying again can help only where the machine was short of something", () => {
    expect(Launch.cannotStart({ command: "run" }, "ENOENT", "present").retryable).toBe(false)
    expect(Launch.cannotStart({ command: "run" }, "EAGAIN", "present").retryable).toBe(true)
    expect(Launch.cannotStart({ command: "run" }, undefined, "present").retryable).toBe(false)
  })
})

describe("Launch.tail", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

  it("keeps nothing of nothing, and everything below its limit", () => {
    const tail = Launch.tail(8)
    expect(tail.text()).toBe("")
    tail.push(bytes("abc"))
    tail.push(bytes("def"))
    expect(tail.text()).toBe("abcdef")
  })

  it("leaves out a character that the cut split", () => {
    const tail = Launch.tail(6)
    tail.push(bytes("🐎🐎"))
    expect(tail.text()).toBe("🐎")
  })

  const Size = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))
  it.prop(
    "keeps the last bytes for any cut into chunks",
    [Schema.Array(Size), Size],
    ([sizes, limit]) => {
      const tail = Launch.tail(limit)
      let all = ""
      for (const size of sizes) {
        const chunk = Array.from({ length: size }, (_, index) =>
          String.fromCharCode(97 + ((all.length + index) % 26))
        ).join("")
        all += chunk
        tail.push(bytes(chunk))
      }
      expect(tail.text()).toBe(all.slice(-Math.max(1, limit)))
    },
    { arbitrary: { runs: 500 } }
  )
})
