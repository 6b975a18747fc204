// The shape of what the page of the machines carries: the walk of every policy and profile, each text once.
// What fills it is in ClientSide and ServerSide; what reads it is model.js.

/** A place in {@link PageData.texts}. */
export type Text = number

/** Everything that the page knows. */
export interface PageData {
  readonly texts: ReadonlyArray<string>
  readonly sides: ReadonlyArray<Side>
}

/** One of the two machines. */
export interface Side {
  readonly id: "client" | "server"
  /** What is chosen first, as a label: `Policy`. */
  readonly choosing: string
  readonly choices: ReadonlyArray<Choice>
  readonly media: ReadonlyArray<string>
  /** What an event can mean, in the order of the tables: the tag, and its meaning in a sentence. */
  readonly evidence: ReadonlyArray<readonly [tag: Text, meaning: Text]>
  readonly cells: ReadonlyArray<Cell>
  /** What may be asked: in words, and as it is on the wire where it goes there, parts with an empty line between them. */
  readonly commands: ReadonlyArray<readonly [words: Text, ...wire: ReadonlyArray<Text>]>
  /** What is asked together. */
  readonly orders: ReadonlyArray<ReadonlyArray<number>>
  /** What states know, a fact each. */
  readonly facts: ReadonlyArray<ReadonlyArray<Text>>
  /** What may happen, by the name of the menu. */
  readonly menus: { readonly [name: string]: ReadonlyArray<Item> }
  /** By `<choice>/<medium>`. */
  readonly subjects: { readonly [id: string]: Subject }
}

/** A policy or a profile. */
export interface Choice {
  readonly id: string
  readonly about: string
  /** The name of its diagram. */
  readonly diagram: string
}

/** A cell of a table. */
export type Cell = readonly [id: Text, evidence: Text, move: Text, because: Text]

/**
 * Something that may happen: its stable id, in words, and as it is on the wire, parts with an empty line between them.
 * `{exchange}`, `{older}` and `{asked}` stand for the state's.
 */
export type Item = readonly [id: Text, label: Text, ...wire: ReadonlyArray<Text>]

/** A machine under a choice on a medium. */
export interface Subject {
  readonly opening: { readonly move: Text; readonly because: Text; readonly order: number }
  /** The first one is the opening state. */
  readonly nodes: ReadonlyArray<Node>
  readonly outcomes: ReadonlyArray<Outcome>
  /** What each item of a menu leads to: places in `outcomes`, `7*3` for three times the same. */
  readonly rows: ReadonlyArray<string>
}

/**
 * A state: its stable id, its tag, its title, and what it knows (a place in `facts`). What awaits has more: the menu of what may
 * happen, the row that says what follows, the number of the request in flight, and the revision asked for.
 */
export type Node =
  | readonly [id: Text, tag: Text, title: Text, facts: number]
  | readonly [id: Text, tag: Text, title: Text, facts: number, menu: Text, row: number, exchange: number, asked: Text]

/** What an event leads to. `next` is -1 where the state stays; `because` stands where it says more than the cell does. */
export type Outcome = readonly [evidence: Text, cell: number, order: number, next: number, because?: Text]
