// What the page knows and where a trace leads: reads the data, follows events, writes a trace as a link.
// Runs in the browser, and knows no document: that is view.js.

/**
 * @typedef {import("./Data.ts").PageData} PageData
 * @typedef {import("./Data.ts").Side} Side
 * @typedef {import("./Data.ts").Subject} Subject
 * @typedef {{ side: Side, choice: string, medium: string, events: ReadonlyArray<string> }} Place
 *   Which machine, under what, over what, and what happened so far: the ids of the events.
 * @typedef {{ words: string, wire: string }} Order
 * @typedef {{ index: number, id: string, tag: string, title: string, facts: ReadonlyArray<string>, ends: boolean }} State
 * @typedef {{ id: string, label: string, wire: string, evidence: string, tag: string, cell: string, move: string,
 *   because: string, orders: ReadonlyArray<Order>, from: State, next: State }} Step
 *   Something that may happen in a state, and what follows from it.
 * @typedef {{ opening: { move: string, because: string, orders: ReadonlyArray<Order> }, first: State,
 *   steps: ReadonlyArray<Step>, state: State, unknown: string | undefined }} Trace
 *   `unknown` is an event of the link that cannot happen where it stands; the trace ends before it.
 */

/**
 * Returns the place that a link names; what it does not name, or names wrongly, is the first there is.
 * @param {PageData} data
 * @param {string} hash
 * @returns {Place}
 */
export const readPlace = (data, hash) => {
  const [sideId, choice, medium, events] = hash.replace(/^#/, "").split("/").map(decoded)
  const side = data.sides.find(({ id }) => id === sideId) ?? data.sides[0]
  if (side === undefined) throw new Error("the page holds no machine")
  return {
    side,
    choice: side.choices.find(({ id }) => id === choice)?.id ?? side.choices[0]?.id ?? "",
    medium: side.media.find((name) => name === medium) ?? side.media[0] ?? "",
    events: events === undefined || events === "" ? [] : events.split(",")
  }
}

/**
 * Returns the link to a place: `#client/auto/http/` and the ids of the events.
 * @param {Place} place
 */
export const writePlace = ({ choice, events, medium, side }) =>
  `#${[side.id, choice, medium, events.join(",")].map((part) => encodeURIComponent(part).replaceAll("%2C", ",")).join("/")}`

/** @param {string} part */
const decoded = (part) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * Returns where the events of a place lead.
 * @param {PageData} data
 * @param {Place} place
 * @returns {Trace}
 */
export const follow = (data, place) => {
  const { side } = place
  const subject = subjectAt(place)
  const { because, move, order } = subject.opening
  const first = stateAt(data, side, subject, 0)
  /** @type {Array<Step>} */
  const steps = []
  let state = first
  let unknown
  for (const event of place.events) {
    const step = whatMayHappen(data, place, state).find(({ id }) => id === event)
    if (step === undefined) {
      unknown = event
      break
    }
    steps.push(step)
    state = step.next
  }
  const opening = { move: textAt(data, move), because: textAt(data, because), orders: ordersAt(data, side, order) }
  return { opening, first, steps, state, unknown }
}

/**
 * Returns everything that may happen in a state, in the order of the walk.
 * @param {PageData} data
 * @param {Place} place
 * @param {State} from
 * @returns {ReadonlyArray<Step>}
 */
export const whatMayHappen = (data, place, from) => {
  const { side } = place
  const subject = subjectAt(place)
  const node = subject.nodes[from.index]
  const [, , , , menu, row, exchange, asked] = node ?? []
  if (menu === undefined || row === undefined) return []
  const outcomes = (subject.rows[row] ?? "").split(" ").flatMap((run) => {
    const [outcome, times = 1] = run.split("*").map(Number)
    return Array.from({ length: times }, () => outcome ?? 0)
  })
  /** @param {number} place */
  const fill = (place) =>
    textAt(data, place)
      .replaceAll("{exchange}", String(exchange))
      .replaceAll("{older}", String((exchange ?? 0) - 1))
      .replaceAll("{asked}", textAt(data, asked ?? -1))
  return (side.menus[textAt(data, menu)] ?? []).flatMap(([id, label, ...wire], index) => {
    const [evidence, cellIndex, order, next, because] = subject.outcomes[outcomes[index] ?? -1] ?? []
    const cell = side.cells[cellIndex ?? -1]
    if (cell === undefined || evidence === undefined) return []
    const [cellId, tag, move, reason] = cell
    return {
      id: textAt(data, id),
      label: fill(label),
      wire: wire.map(fill).join("\n\n"),
      evidence: textAt(data, evidence),
      tag: textAt(data, tag),
      cell: textAt(data, cellId),
      move: textAt(data, move),
      because: textAt(data, because ?? reason),
      orders: ordersAt(data, side, order ?? -1),
      from,
      next: next === undefined || next === -1 ? from : stateAt(data, side, subject, next)
    }
  })
}

/**
 * @param {Place} place
 * @returns {Subject}
 */
const subjectAt = ({ choice, medium, side }) => {
  const subject = side.subjects[`${choice}/${medium}`]
  if (subject === undefined) throw new Error(`the page holds no ${choice} over ${medium}`)
  return subject
}

/**
 * @param {PageData} data
 * @param {Side} side
 * @param {Subject} subject
 * @param {number} index
 * @returns {State}
 */
const stateAt = (data, side, subject, index) => {
  const node = subject.nodes[index] ?? [-1, -1, -1, -1]
  const [id, tag, title, facts] = node
  return {
    index,
    id: textAt(data, id),
    tag: textAt(data, tag),
    title: textAt(data, title),
    facts: (side.facts[facts] ?? []).map((fact) => textAt(data, fact)),
    ends: node.length === 4
  }
}

/**
 * @param {PageData} data
 * @param {Side} side
 * @param {number} place
 * @returns {ReadonlyArray<Order>}
 */
const ordersAt = (data, side, place) =>
  (side.orders[place] ?? []).flatMap((command) => {
    const [words, ...wire] = side.commands[command] ?? []
    if (words === undefined) return []
    return { words: textAt(data, words), wire: wire.map((part) => textAt(data, part)).join("\n\n") }
  })

/**
 * @param {PageData} data
 * @param {number} place
 */
const textAt = (data, place) => data.texts[place] ?? ""
