// Stands for `vitest` in a process that runs tests many times: collects what test files declare. `expect` is vitest's own.
import { format } from "node:util"

const real = await import("vitest")

/** What was declared: set `file` before a test file is imported. */
export const collected = { file: "", tests: [] }

const path = []
const seen = new Map()

const declare = (title, first, second) => {
  const run = typeof first === "function" ? first : second
  const name = [...path, title].join(" > ")
  const id = `${collected.file}#${name}`
  const times = (seen.get(id) ?? 0) + 1
  seen.set(id, times)
  collected.tests.push({ file: collected.file, name, id: times === 1 ? id : `${id} (${times})`, run })
}

/** Forgets which titles a file has declared: it is imported anew. */
export const forget = () => seen.clear()

// The row's number makes a title the only one of its kind; what the row holds helps a reader, where it is short.
const titleOf = (title, row, index) => {
  const cells = (Array.isArray(row) ? row : [row]).filter(
    (cell) => typeof cell !== "object" && typeof cell !== "function"
  )
  return `${format(title.replaceAll(/%[sdijfoO#]/g, "…"), "", ...cells).slice(0, 160)} [${index}]`
}

const never = () => {}
const context = () => ({ signal: new AbortController().signal, onTestFinished: never, expect: real.expect })

const withRows = (declareOne) => ({
  each: (rows) => (title, first, second) => {
    const run = typeof first === "function" ? first : second
    rows.forEach((row, index) =>
      declareOne(titleOf(title, row, index), () => run(...(Array.isArray(row) ? row : [row])))
    )
  },
  for: (rows) => (title, first, second) => {
    const run = typeof first === "function" ? first : second
    rows.forEach((row, index) => declareOne(titleOf(title, row, index), () => run(row, context())))
  }
})

const group = (title, first, second) => {
  path.push(title)
  try {
    const body = typeof first === "function" ? first : second
    body()
  } finally {
    path.pop()
  }
}

const skipped = Object.assign(() => {}, { each: () => () => {}, for: () => () => {} })
const when = (of) => ({
  skipIf: (no) => (no ? skipped : of),
  runIf: (yes) => (yes ? of : skipped),
  skip: skipped,
  todo: skipped
})

export const it = Object.assign((title, first, second) => declare(title, first, second), withRows(declare), {
  fails: skipped,
  only: declare
})
Object.assign(it, when(it))
export { it as test }
export const describe = Object.assign((title, first, second) => group(title, first, second), withRows(group))
Object.assign(describe, when(describe))
export { describe as suite }

export const { expect, assert, assertType, chai, createExpect, expectTypeOf, vi, vitest, should } = real
export const TestRunner = { getCurrentSuite: () => undefined }

const hooks = () => {
  throw new Error("The mutation runner knows no hooks: a test file of core that needs one wants another runner.")
}
export {
  hooks as beforeAll,
  hooks as afterAll,
  hooks as beforeEach,
  hooks as afterEach,
  hooks as aroundAll,
  hooks as aroundEach
}
export { hooks as inject, hooks as onTestFailed, hooks as onTestFinished, hooks as recordArtifact }
export const Snapshots = undefined
export const EvaluatedModules = undefined

/** Runs one test; returns what failed, or undefined. */
export const failureOf = async (one) => {
  try {
    await one.run(context())
    return undefined
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 500) : String(error)
  }
}
