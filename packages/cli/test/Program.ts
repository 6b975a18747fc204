// Runs the real program as a process, and stands up servers for it: hosts of the demo, and small bad ones. No test here.
import { type ChildProcess, spawn } from "node:child_process"
import { createServer, type RequestListener, type Server } from "node:http"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const register = ["--import", `${root}scripts/register.mjs`]
const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

/** Returns the path of a host of the demo. */
export const host = (file: string): string => fileURLToPath(new URL(`../demo/hosts/${file}`, import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly millis: number
}

/** Runs `parley` with these arguments to its end, on pipes, or with a file that is open as its standard output. */
export const parley = (
  args: ReadonlyArray<string>,
  env: { readonly [name: string]: string } = {},
  onStart?: (child: ChildProcess) => void,
  stdout: "pipe" | number = "pipe"
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const inherited = { ...process.env }
    for (const name of ["NO_COLOR", "FORCE_COLOR", "TERM"]) delete inherited[name]
    const child = spawn(process.execPath, [...register, bin, ...args], {
      cwd: root,
      env: { ...inherited, ...env },
      stdio: ["ignore", stdout, "pipe"]
    })
    let out = ""
    let stderr = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text))
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout: out, stderr, millis: performance.now() - started }))
    onStart?.(child)
  })

export interface Running {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts a host of the demo over HTTP. */
export const startHost = (file: string, ...args: ReadonlyArray<string>): Promise<Running> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [host(file), ...args], { stdio: ["pipe", "pipe", "ignore"] })
    const exited = new Promise<void>((done) => child.on("exit", () => done()))
    let output = ""
    child.on("error", reject)
    child.on("exit", (code) => reject(new Error(`the host ${file} ended with code ${code}`)))
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text
      const url = /^\{"url":"([^"]+)"\}$/m.exec(output)?.[1]
      if (url === undefined) return
      resolve({
        url,
        stop: () => {
          child.stdin.end()
          return exited
        }
      })
    })
  })

/** Serves every request with one listener, on a free loopback port. */
export const serve = (listener: RequestListener): Promise<Running> =>
  new Promise((resolve) => {
    const server: Server = createServer(listener)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resolve({
        url: `http://127.0.0.1:${port}/mcp`,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped())
            server.closeAllConnections()
          })
      })
    })
  })

/** Returns whether a process lives. */
export const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Waits until a condition holds. */
export const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((again) => setTimeout(again, 20))
}
