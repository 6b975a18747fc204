// A machine's walk as the page carries it: nodes, outcomes and rows by number. Which machine it is, and how its states,
// events and commands read, comes from outside.
import type { Graph, Node as Found, Step } from "../Explore.ts"
import type { Cell, Item, Node, Outcome, Side, Subject, Text } from "./Data.ts"
import type { Written } from "./Lines.ts"
import type { Pool } from "./Pool.ts"
import { pool, runs } from "./Pool.ts"

/** What a step must tell. */
export interface Told {
  readonly occurrence: { readonly id: string }
  readonly evidence: string
  readonly cell: { readonly id: string; readonly evidence: string; readonly move: string; readonly because: string }
  readonly because: string
  readonly orders: ReadonlyArray<Order>
}

/** What is asked, in words, and as it is on the wire where it goes there. */
export interface Order {
  readonly words: string
  readonly wire: Written
}

/** How a state reads. `menu` is absent for an ending. */
export interface Shown {
  readonly id: string
  readonly tag: string
  readonly title: string
  readonly facts: ReadonlyArray<string>
  readonly menu?: string
  readonly exchange?: number
  readonly asked?: string
}

/** Something that may happen: its stable id, in words, and as it is on the wire. */
export interface Happening {
  readonly id: string
  readonly label: string
  readonly wire: Written
}

/** What the subjects of a side share. */
export interface Shelf {
  readonly text: (text: string) => Text
  readonly order: (orders: ReadonlyArray<Order>) => number
  readonly cell: (cell: Told["cell"]) => number
  readonly know: (facts: ReadonlyArray<string>) => number
  readonly item: (happening: Happening) => Item
  readonly cells: ReadonlyArray<Cell>
  readonly commands: Side["commands"]
  readonly orders: Side["orders"]
  readonly facts: Side["facts"]
}

/** Returns an empty shelf over the texts of the page. */
export const shelf = (texts: Pool<string>): Shelf => {
  const cells = pool<Cell>()
  const commands = pool<readonly [Text, ...ReadonlyArray<Text>]>()
  const orders = pool<ReadonlyArray<number>>()
  const facts = pool<ReadonlyArray<Text>>()
  const text = texts.place
  return {
    text,
    cell: ({ because, evidence, id, move }) => cells.place([text(id), text(evidence), text(move), text(because)]),
    order: (all) => orders.place(all.map(({ wire, words }) => commands.place([text(words), ...wire.map(text)]))),
    know: (all) => facts.place(all.map(text)),
    item: ({ id, label, wire }) => [text(id), text(label), ...wire.map(text)],
    cells: cells.all,
    commands: commands.all,
    orders: orders.all,
    facts: facts.all
  }
}

/** Returns a walk by numbers. */
export const subjectOf = <State, Label extends Told>(
  on: Shelf,
  graph: Graph<State, Label>,
  show: (state: State) => Shown,
  opening: { readonly move: string; readonly because: string; readonly orders: ReadonlyArray<Order> }
): Subject => {
  const outcomes = pool<Outcome>()
  const rows = pool<string>()
  const node = (one: Found<State, Label>): Node => {
    const { asked = "", exchange = 0, facts, id, menu, tag, title } = show(one.state)
    const known = [on.text(id), on.text(tag), on.text(title), on.know(facts)] as const
    if (menu === undefined) return known
    const row = (graph.leaving[one.index] ?? []).map((step) => outcomes.place(outcome(one, step)))
    return [...known, on.text(menu), rows.place(runs(row)), exchange, on.text(asked)]
  }
  const outcome = (from: Found<State, Label>, { because, cell, evidence, orders, to }: Step<State, Label>): Outcome => {
    const next = to.index === from.index ? stays : to.index
    const known = [on.text(evidence), on.cell(cell), on.order(orders), next] as const
    return because === cell.because ? known : [...known, on.text(because)]
  }
  return {
    opening: { move: on.text(opening.move), because: on.text(opening.because), order: on.order(opening.orders) },
    nodes: graph.nodes.map(node),
    outcomes: outcomes.all,
    rows: rows.all
  }
}

/** Stands for the state itself where an outcome stays. */
export const stays = -1
