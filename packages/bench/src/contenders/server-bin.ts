// A server contender in a process of its own: `server-bin.ts <name>` serves as the file server/<name>.ts does.
import { take } from "../Job.ts"
import type { Server, Told } from "./server/Served.ts"

const { server } = (await import(`./server/${process.argv[2]}.ts`)) as { readonly server: Server }
const port = await server.listen()
let marked = process.cpuUsage()

take({
  port: () => port,
  answers: (told: Told) => server.answers?.(told),
  /** From here on its CPU time counts. */
  mark: () => {
    marked = process.cpuUsage()
  },
  /** Returns its CPU time since then, in microseconds. */
  spent: () => {
    const { system, user } = process.cpuUsage(marked)
    return user + system
  },
  /** Returns what lives on its heap, in bytes, once what is due to be forgotten is. */
  heap: async () => {
    for (let time = 0; time < 4; time++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      globalThis.gc?.()
    }
    return process.memoryUsage().heapUsed
  }
})
