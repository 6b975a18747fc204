// Lets Node run the workspace from its TypeScript sources: maps @parley/<package>[/<module>] to packages/<package>/src.
// Needs Node 22.18 or newer, which strips the types. Used by the npm scripts and by child processes in tests.
import { enableCompileCache, registerHooks } from "node:module"

// Programs start many times in the tests: half of each start was to strip and compile the same sources again.
enableCompileCache()

registerHooks({
  resolve(specifier, context, next) {
    const match = /^@parley\/([a-z]+)(?:\/(.+))?$/.exec(specifier)
    if (match === null || specifier.endsWith(".json")) return next(specifier, context)
    return next(new URL(`../packages/${match[1]}/src/${match[2] ?? "index"}.ts`, import.meta.url).href, context)
  }
})
