// A test runner for Stryker: one process that keeps the tests of core in memory and runs each as often as there are
// mutants. Core is pure, so a test needs no process, no worker and no module of its own; vitest's runner starts a worker
// per mutant, which costs a second where the test costs a millisecond. What it promises instead is checked:
// a mutant is killed only if the test that failed passes again at once without it. A mutant of what a module computes
// while it loads gets modules of its own, loaded while it is active. Tests that take long are left out, and properties
// see fewer inputs (arbitrary.mjs): both can only make the score too low.
import { globSync } from "node:fs"
import { relative } from "node:path"
import { INSTRUMENTER_CONSTANTS } from "@stryker-mutator/api/core"
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin"
import { determineHitLimitReached, DryRunStatus, MutantRunStatus, TestStatus } from "@stryker-mutator/api/test-runner"

class Runner {
  #options
  #tools
  #without
  #world
  #millis = new Map()
  #kills = new Map()
  #shared = (globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {})

  constructor(options) {
    this.#options = options.parley
    this.#without = options.parley.without.map((pattern) => new RegExp(pattern))
  }

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    const [loader, shim] = await Promise.all([
      import(`${process.cwd()}/scripts/mutation/loader.mjs`),
      import(`${process.cwd()}/scripts/mutation/shim.mjs`)
    ])
    this.#tools = { loader, shim, files: globSync(this.#options.tests).toSorted() }
  }

  async dryRun() {
    Error.stackTraceLimit = 0
    const world = await this.#loaded()
    const results = []
    for (const one of world.tests) {
      this.#shared.currentTestId = one.id
      const failure = await this.#run(one)
      this.#shared.currentTestId = undefined
      results.push({
        id: one.id,
        name: one.name,
        fileName: `${process.cwd()}/${one.file}`,
        timeSpentMs: this.#millis.get(one.id),
        ...(failure === undefined
          ? { status: TestStatus.Success }
          : { status: TestStatus.Failed, failureMessage: failure })
      })
    }
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: this.#shared.mutantCoverage }
  }

  async mutantRun({ activeMutant, hitLimit, mutantActivation, sandboxFileName, testFilter }) {
    Error.stackTraceLimit = 0
    const source = relative(process.cwd(), sandboxFileName)
    const wanted = testFilter === undefined ? undefined : new Set(testFilter)
    const began = performance.now()
    const run = { id: activeMutant.id, hitLimit, source, wanted, count: 0 }
    const placed = mutantActivation === "static" ? polluted : await this.#inPlace(run)
    const result = placed === polluted ? await this.#anew(run) : placed
    this.#shared.activeMutant = undefined
    const duration = performance.now() - began
    const stuck = determineHitLimitReached(this.#shared.hitCount, hitLimit)
    if (stuck !== undefined) return { ...stuck, duration }
    if (result === undefined) return { status: MutantRunStatus.Survived, nrOfTests: run.count, duration }
    return { status: MutantRunStatus.Killed, ...result, nrOfTests: run.count, duration }
  }

  /** Runs the tests that are in memory, with the mutant switched on. */
  async #inPlace(run) {
    const { tests } = await this.#loaded()
    this.#activate(run)
    for (const one of this.#ordered(tests.filter(({ id }) => run.wanted?.has(id) ?? true))) {
      const killed = await this.#killedBy(one, run)
      if (killed === undefined) continue
      this.#shared.activeMutant = undefined
      if (this.#shared.hitCount > (run.hitLimit ?? Infinity)) return killed
      // What a mutant left behind in a module would make every later one look killed.
      if ((await this.#run(one)) === undefined) return killed
      this.#world = undefined
      return polluted
    }
    return undefined
  }

  /** Loads modules of its own while the mutant is on, test file by test file, and runs the tests. */
  async #anew(run) {
    const { files, loader } = this.#tools
    await this.#loaded()
    const generation = loader.renew()
    this.#activate(run)
    const near = files.filter((file) => loader.reaches(file, run.source))
    // A source file's own tests kill most of its mutants.
    const own = run.source.replace("/src/", "/test/").replace(/\.ts$/, ".test.ts")
    const cost = (file) => this.#world.cost.get(file) / (file === own ? 100 : 1 + (this.#kills.get(file) ?? 0))
    for (const file of near.toSorted((a, b) => cost(a) - cost(b))) {
      const known = this.#world.tests.filter((one) => one.file === file)
      if (run.wanted !== undefined && !known.some(({ id }) => run.wanted.has(id))) continue
      let tests
      try {
        tests = await this.#collect(file, generation)
      } catch (error) {
        return { killedBy: [known[0].id], failureMessage: `${file} does not load: ${String(error).slice(0, 300)}` }
      }
      for (const one of this.#ordered(tests.filter(({ id }) => run.wanted?.has(id) ?? true))) {
        const killed = await this.#killedBy(one, run)
        if (killed !== undefined) return killed
      }
    }
    return undefined
  }

  #activate({ id, hitLimit }) {
    this.#shared.activeMutant = id
    this.#shared.hitCount = hitLimit === undefined ? undefined : 0
    this.#shared.hitLimit = hitLimit
  }

  async #killedBy(one, run) {
    run.count += 1
    const failure = await this.#run(one)
    if (failure === undefined) return undefined
    for (const name of [one.id, one.file]) this.#kills.set(name, (this.#kills.get(name) ?? 0) + 1)
    return { killedBy: [one.id], failureMessage: failure }
  }

  async #run(one) {
    const began = performance.now()
    const failure = await this.#tools.shim.failureOf(one)
    if (!this.#millis.has(one.id)) this.#millis.set(one.id, performance.now() - began)
    return failure
  }

  /** The tests that cost least and have killed most come first. */
  #ordered(tests) {
    const cost = ({ id }) => (0.2 + (this.#millis.get(id) ?? 0)) / (1 + (this.#kills.get(id) ?? 0))
    return tests.toSorted((a, b) => cost(a) - cost(b))
  }

  async #loaded() {
    if (this.#world !== undefined) return this.#world
    const generation = this.#tools.loader.renew()
    const tests = []
    const cost = new Map()
    for (const file of this.#tools.files) {
      const began = performance.now()
      tests.push(...(await this.#collect(file, generation)))
      cost.set(file, performance.now() - began)
    }
    return (this.#world = { tests, cost })
  }

  async #collect(file, generation) {
    const { collected, forget } = this.#tools.shim
    forget()
    collected.file = file
    collected.tests = []
    await this.#tools.loader.load(file, generation)
    return collected.tests.filter(({ name }) => !this.#without.some((pattern) => pattern.test(name)))
  }
}

const polluted = Symbol("polluted")

const runner = (options) => new Runner(options)
runner.inject = tokens(commonTokens.options)

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "parley", runner)]
const texts = { type: "array", items: { type: "string" } }

export const strykerValidationSchema = {
  type: "object",
  properties: {
    parley: {
      type: "object",
      properties: { tests: texts, without: texts },
      required: ["tests", "without"],
      additionalProperties: false
    }
  }
}
