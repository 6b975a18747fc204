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
  let known = new Node<State>()
  let count = 0
  return (labels, input, context) => {
    let node = known
    for (const label of labels) node = node.child(label)
    if (node.series === undefined) {
      // Policies may be named by whoever makes them.
      if (count >= most) {
        known = new Node()
        count = 0
        node = known
        for (const label of labels) node = node.child(label)
      }
      count += 1
      node.series = make(Object.fromEntries(names.map((name, at) => [name, labels[at] ?? ""])))
    }
    node.series.updateUnsafe(input, context)
  }
}

// Found label by label: a key made of them would be hashed anew each time.
class Node<State> {
  series: Metric.Metric<number, State> | undefined = undefined
  private readonly children = new Map<string, Node<State>>()

  child(label: string): Node<State> {
    const known = this.children.get(label)
    if (known !== undefined) return known
    const fresh = new Node<State>()
    this.children.set(label, fresh)
    return fresh
  }
}

const most = 1000
