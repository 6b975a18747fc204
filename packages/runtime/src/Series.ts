// The series of a metric by their labels, each made once: making one sorts and writes its labels. What is counted is not
// known here.
import type * as Context from "effect/Context"
import type * as Metric from "effect/Metric"

/** Updates the series of these labels, in the registry of the context. */
export type Series = (labels: ReadonlyArray<string>, input: number, context: Context.Context<never>) => void

/** Labels by their names. */
export type Attributes = { readonly [name: string]: string }

/**
 * Returns the series of a metric. `make` makes one of them: a metric of its own, since one that is shared writes its labels
 * anew whenever another series was updated before. The labels have these names, in this order.
 */
export const of = <State>(
  names: ReadonlyArray<string>,
  make: (attributes: Attributes) => Metric.Metric<number, State>
): Series => {
  const known = new Map<string, Metric.Metric<number, State>>()
  return (labels, input, context) => {
    const key = labels.join("\n")
    let series = known.get(key)
    if (series === undefined) {
      // Policies may be named by whoever makes them.
      if (known.size >= most) known.clear()
      series = make(Object.fromEntries(names.map((name, at) => [name, labels[at] ?? ""])))
      known.set(key, series)
    }
    series.updateUnsafe(input, context)
  }
}

const most = 1000
