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

describe("Launch.targetOf, to the letter", () => {
  const shown = (args: ReadonlyArray<string>, env?: Record<string, string | undefined>): string =>
    Launch.targetOf({ command: "run", args, ...(env === undefined ? undefined : { env }) })

  it("hides own values from 8 characters on, and shows shorter ones", () => {
    expect(shown(["x-12345678"], { A: "12345678" })).toBe("run x-***")
    expect(shown(["x-1234567"], { A: "1234567", B: undefined })).toBe("run x-1234567")
  })

  it("takes a word for a value only after an option that names a secret", () => {
    expect(shown(["-token", "-v"])).toBe("run -token -v")
    expect(shown(["-token", "abc"])).toBe("run -token ***")
    expect(shown(["--token", "a-b"])).toBe("run --token ***")
    expect(shown(["token--token", "abc"])).toBe("run token--token abc")
    expect(shown(["--token/x", "abc"])).toBe("run --token/x abc")
    expect(shown(["--token", "-1"])).toBe("run --token ***")
    expect(shown(["--TOKEN", "abc", "abc"])).toBe("run --TOKEN *** abc")
    expect(shown(["--token=abc", "serve"])).toBe("run --token=*** serve")
  })

  it("shows 300 characters whole and cuts 301", () => {
    expect(Launch.targetOf({ command: "x".repeat(300) })).toBe("x".repeat(300))
    expect(shown(["y".repeat(297)])).toBe(`run ${"y".repeat(295)}…`)
    expect(shown(Array.from({ length: 60 }, () => "a"))).toBe(`run${" a".repeat(50)}`)
  })

  it("hides every known kind of token, and what follows a scheme", () => {
    for (const kind of ["sk", "pk", "rk", "ghp", "gho", "ghu", "ghs", "ghr", "github_pat", "glpat", "npm", "hf"]) {
      expect(shown([`${kind}-abcdefgh`, `${kind}_a.b-c_d1`])).toBe("run *** ***")
    }
    for (const kind of ["xoxa", "xoxb", "xoxe", "xoxp", "xoxr", "xoxs"])
      expect(shown([`${kind}-abcdefgh`])).toBe("run ***")
    expect(shown(["xoxz-abcdefgh", "sk-abcdefg"])).toBe("run xoxz-abcdefgh sk-abcdefg")
    expect(shown(["AKIAABCDEFGH1234", "AKIAABC", "eyJab-_c.de-_f.gh-_i"])).toBe("run *** AKIAABC ***")
    expect(shown(["say Basic  abc"])).toBe("run 'say Basic ***'")
    expect(shown(["a TOKEN=x b token: y"])).toBe("run 'a TOKEN=*** b token: ***'")
  })
})

describe("Launch.limitsOf", () => {
  it("has a default for every bound, and takes what the launch says", () => {
    expect(Launch.limitsOf({ command: "x" })).toEqual({
      lineBytes: 16 * 1024 * 1024,
      queuedEvents: 16,
      stderrBytes: 65_536,
      settleMillis: 500,
      stdinMillis: 2000,
      termMillis: 2000,
      killMillis: 1000
    })
    expect(Launch.limitsOf({ command: "x", limits: { lineBytes: 7 } })).toMatchObject({
      lineBytes: 7,
      queuedEvents: 16
    })
  })
})

describe("Launch.inheritedNames", () => {
  // Each is a name that programs cannot do without; none usually holds a secret.
  it("are these on Windows, and these elsewhere", () => {
    expect(Launch.inheritedNames("win32").join(" ")).toBe(
      "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR"
    )
    expect(Launch.inheritedNames("darwin").join(" ")).toBe(
      "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER"
    )
  })

  it("that are not set are not set in the program either", () => {
    const env = Launch.environment({ command: "x", env: { GONE: undefined } }, "linux", { HOME: undefined, TZ: "UTC" })
    expect(Object.entries(env)).toEqual([["TZ", "UTC"]])
  })
})

describe("What a carrier tells of its program", () => {
  it("names the code of a start that failed, and what to look at", () => {
    const message = (code: string | undefined): string =>
      Launch.cannotStart({ command: "run --token=abc" }, code, "present").message
    expect(message("EPERM")).toContain("may not be executed (EPERM)")
    expect(message("EIO")).toContain("cannot be started (EIO)")
    expect(message("EIO")).not.toContain("may not be executed")
    expect(message(undefined)).toContain("cannot be started (invalid arguments)")
    expect(message("EIO")).not.toContain("abc")
  })

  it("shows a command that cannot be started without its secrets, and at most 300 characters of it", () => {
    const env = { KEY: "own-secret-value" }
    for (const code of ["ENOENT", "EACCES", "EIO"]) {
      const { reason } = Launch.cannotStart({ command: "/opt/own-secret-value/run", env }, code, "present")
      expect(reason).toContain("The command /opt/***/run ")
      expect(Launch.cannotStart({ command: "x".repeat(10_000) }, code, "present").reason).toMatch(
        /^The command x{300} /
      )
    }
  })

  it.each(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ETXTBSY"])("%s passes", (code) => {
    expect(Launch.cannotStart({ command: "run" }, code, "present").retryable).toBe(true)
  })

  it("is how it ended, without what is not known", () => {
    expect(Object.entries(Launch.closed(0, null, "bye"))).toEqual([
      ["_tag", "Closed"],
      ["exitCode", 0],
      ["stderr", "bye"]
    ])
    expect(Object.entries(Launch.closed(null, "SIGTERM", ""))).toEqual([
      ["_tag", "Closed"],
      ["signal", "SIGTERM"],
      ["stderr", ""]
    ])
  })

  it("is what can no longer be sent", () => {
    expect(Launch.deaf).toEqual({ _tag: "Lost", cause: expect.stringContaining("closed its input") })
    expect(Launch.unwritable(3, "a cycle")).toEqual({
      _tag: "Lost",
      exchange: 3,
      cause: expect.stringContaining("a cycle")
    })
  })

  it("keeps a byte order mark in the middle of standard error, and no more than its limit", () => {
    const tail = Launch.tail(4)
    tail.push(new TextEncoder().encode("\ufeffa"))
    expect(tail.text()).toBe("\ufeffa")
    tail.push(new TextEncoder().encode("bcde"))
    expect(tail.text()).toBe("bcde")
    tail.push(Uint8Array.from([0x80, 0x80, 0x80, 0x80]))
    expect(tail.text()).toBe("\ufffd")
  })
})
