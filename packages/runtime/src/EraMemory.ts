// The service that remembers what each server spoke, so that the next opening is short or none at all. What a verdict is and
// is good for is in memory/Verdict; a memory on a KeyValueStore has a file of its own, EraMemoryStore.
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { MemoryOptions, Shape } from "./memory/Memory.ts"
import { memory } from "./memory/Memory.ts"

export { defaultLegacyMillis, type Key, memory, type MemoryOptions, type Shape } from "./memory/Memory.ts"
export { negotiate, type Options, type Remembered } from "./memory/Remembering.ts"
export type { LegacyVerdict, ModernVerdict, Verdict } from "./memory/Verdict.ts"

/** Where verdicts are kept. */
export class EraMemory extends Context.Service<EraMemory, Shape>()("@parley/runtime/EraMemory") {
  /** A memory of this process. */
  static readonly layerMemory = (options?: MemoryOptions): Layer.Layer<EraMemory> =>
    Layer.sync(EraMemory, () => memory(options))
}
