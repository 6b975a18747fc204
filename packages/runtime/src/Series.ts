// The series of a metric by their labels, each made once: making one sorts and writes its labels. What is counted is not
// known here.
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** Updates the series of these labels, in the registry of the context. The names of the labels are the metric's own. */
export type Series = (labels: ReadonlyArray<string>, input: number, context: Context.Context<never>) => void

/** Returns the series of a metric. Their labels have these names, in this order. */
export const of = <State>(metric: Metric.Metric<number, State>, names: ReadonlyArray<string>): Series => {
  const known = new Map<string, Metric.Metric<number, State>>()
  return (labels, input, context) => {
    const key = labels.join("\n")
    let series = known.get(key)
    if (series === undefined) {
      // Policies may be named by whoever makes them.
      if (known.size >= most) known.clear()
      series = Metric.withAttributes(metric, Object.fromEntries(names.map((name, at) => [name, labels[at] ?? ""])))
      known.set(key, series)
    }
    series.updateUnsafe(input, context)
  }
}

const most = 1000
