// What a long run holds, measured again and again: memory, open files, processes, fibers. Tells whether it grows. What is
// run meanwhile is SoakRun's.
import { readdirSync, readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** What was held at one time. */
export interface Sample {
  /** Since the beginning, in seconds. */
  readonly seconds: number
  /** The JavaScript heap after a full collection, in MiB. */
  readonly heap: number
  /** The memory of the process, in MiB. */
  readonly resident: number
  /** Open file descriptors; 0 where the platform does not tell. */
  readonly files: number
  /** Child processes. */
  readonly processes: number
  readonly fibers: number
}

/** Returns what is held now. Collects garbage first, which takes some tens of milliseconds. */
export const sample = (seconds: number, fibers: number): Sample => {
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { seconds, heap: heapUsed / mebi, resident: rss / mebi, files: openFiles(), processes: children(), fibers }
}

/** Returns the line of a sample, under {@link heading}. */
export const line = (one: Sample): string =>
  [
    one.seconds.toFixed(0),
    one.heap.toFixed(1),
    one.resident.toFixed(0),
    one.files.toFixed(0),
    one.processes.toFixed(0),
    one.fibers.toFixed(0)
  ]
    .map((text) => text.padStart(9))
    .join("")

/** The heading of the lines. */
export const heading = ["seconds", "heap MiB", "rss MiB", "files", "children", "fibers"]
  .map((text) => text.padStart(9))
  .join("")

/**
 * Returns what grew, a sentence each: the median of the last quarter of the samples against that of the second quarter, by
 * which time caches are full and what is compiled is warm. Nothing is said of fewer than 12 samples.
 */
export const growth = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  if (samples.length < fewest) return []
  const quarter = Math.floor(samples.length / 4)
  return bounds.flatMap(([name, most]) => {
    const early = median(samples.slice(quarter, 2 * quarter).map((one) => one[name]))
    const late = median(samples.slice(-quarter).map((one) => one[name]))
    return late - early > most ? [`${name} grew from ${early.toFixed(1)} to ${late.toFixed(1)}`] : []
  })
}

/** Returns the processes, of this one or of nobody, whose command line ends in the mark; none where that cannot be seen. */
export const marked = (mark: string): ReadonlyArray<number> =>
  entries("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      return readFileSync(`/proc/${entry}/cmdline`, "latin1").endsWith(`\0${mark}\0`) ? [Number(entry)] : []
    } catch {
      return []
    }
  })

/** Collects all garbage. */
export const collect = (): void => {
  if (typeof collector === "function") for (let round = 0; round < 3; round++) collector()
}

const openFiles = (): number => entries("/proc/self/fd").length

const children = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length

const entries = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

setFlagsFromString("--expose-gc")
const collector: unknown = runInNewContext("gc")

const mebi = 1_048_576
const fewest = 12

// By how much the medians may differ: what a fixed number of clients holds by chance.
const bounds = [
  ["heap", 12],
  ["files", 40],
  ["processes", 8],
  ["fibers", 60]
] as const
