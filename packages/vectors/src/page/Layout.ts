// Where the boxes and arrows of a state diagram go: rows by the longest way from the opening, arrows to the endings along
// two rails at the sides. A small layout for at most a dozen states; how it looks is in Diagram and style.css.

/** What is laid out. */
export interface Drawing {
  /** The states in the order of the tables, the opening first. */
  readonly states: ReadonlyArray<string>
  /** The ending on the left rail, if there is one, and the one on the right rail. */
  readonly good: string | undefined
  readonly bad: string
  readonly arrows: ReadonlyArray<{ readonly from: string; readonly to: string }>
}

/** A box with its middle. */
export interface Box {
  readonly state: string
  readonly x: number
  readonly y: number
  readonly width: number
}

/** An arrow as the data of an SVG path. */
export interface Path {
  readonly from: string
  readonly to: string
  readonly path: string
}

/** A drawing with everything in its place. */
export interface Laid {
  readonly width: number
  readonly height: number
  readonly boxes: ReadonlyArray<Box>
  readonly paths: ReadonlyArray<Path>
}

/** Measures in the units of the drawing: a browser shows one as about a pixel. */
export const measures = { width: 400, boxHeight: 34, rowPitch: 84, top: 44, gap: 16, rail: 14 } as const

/** Returns where everything goes. */
export const layOut = (drawing: Drawing): Laid => {
  const { arrows, bad, good, states } = drawing
  const inner = arrows.filter(({ from, to }) => from !== to && to !== good && to !== bad)
  const rows = rowsOf(states, inner)
  const boxes = rows.flatMap(placed)
  const bottom = measures.top + rows.length * measures.rowPitch
  const ends = [
    ...(good === undefined ? [] : [{ state: good, x: widthOf(good) / 2 + 4, y: bottom, width: widthOf(good) }]),
    { state: bad, x: measures.width - widthOf(bad) / 2 - 4, y: bottom, width: widthOf(bad) }
  ]
  const all = new Map([...boxes, ...ends].map((box) => [box.state, box]))
  const lanes = lanesOf(boxes, all, inner)
  const paths = arrows.flatMap((arrow): ReadonlyArray<Path> => {
    const from = all.get(arrow.from)
    const to = all.get(arrow.to)
    if (from === undefined || to === undefined) return []
    if (from === to) return [{ ...arrow, path: loop(from) }]
    if (arrow.to === good) return [{ ...arrow, path: along(from, -1, to) }]
    if (arrow.to === bad) return [{ ...arrow, path: along(from, 1, to) }]
    if (to.y <= from.y) return [{ ...arrow, path: back(from, to) }]
    return [{ ...arrow, path: down(from, to, lanes.get(arrow)) }]
  })
  return { width: measures.width, height: bottom + half + 8, boxes: [...all.values()], paths }
}

// ---- rows

type Arrow = Drawing["arrows"][number]
type Arrows = Drawing["arrows"]

// The longest way from the opening, so that arrows go down; what would close a circle does not count. In a row, each goes
// below the middle of what leads to it.
const rowsOf = (states: ReadonlyArray<string>, arrows: Arrows): ReadonlyArray<ReadonlyArray<string>> => {
  const ranks = ranksOf(states, arrows)
  const seats = new Map<string, number>()
  const seat = (state: string): number => {
    const above = arrows.flatMap(({ from, to }) => (to === state ? (seats.get(from) ?? []) : []))
    return above.reduce((sum, one) => sum + one, 0) / Math.max(1, above.length)
  }
  return Array.from({ length: Math.max(...ranks.values()) + 1 }, (_, rank) => {
    const row = states.filter((state) => ranks.get(state) === rank).toSorted((one, other) => seat(one) - seat(other))
    row.forEach((state, index) => seats.set(state, (index + 1) / (row.length + 1)))
    return row
  })
}

const ranksOf = (states: ReadonlyArray<string>, arrows: Arrows): ReadonlyMap<string, number> => {
  const onward = onwardOf(states, arrows)
  const ranks = new Map<string, number>()
  const visit = (state: string, rank: number): void => {
    if ((ranks.get(state) ?? -1) >= rank) return
    ranks.set(state, rank)
    for (const { from, to } of onward) if (from === state) visit(to, rank + 1)
  }
  const [opening] = states
  if (opening !== undefined) visit(opening, 0)
  return ranks
}

// The arrows without those that lead back to a state on the way to them.
const onwardOf = (states: ReadonlyArray<string>, arrows: Arrows): Arrows => {
  const onward: Array<Arrow> = []
  const seen = new Set<string>()
  const visit = (state: string, way: ReadonlyArray<string>): void => {
    if (seen.has(state)) return
    seen.add(state)
    for (const arrow of arrows) {
      if (arrow.from !== state || arrow.to === state || way.includes(arrow.to)) continue
      onward.push(arrow)
      visit(arrow.to, [...way, state])
    }
  }
  const [opening] = states
  if (opening !== undefined) visit(opening, [])
  return onward
}

const placed = (row: ReadonlyArray<string>, rank: number): ReadonlyArray<Box> => {
  const whole = row.reduce((sum, state) => sum + widthOf(state) + measures.gap, -measures.gap)
  let left = (measures.width - whole) / 2
  return row.map((state) => {
    const width = widthOf(state)
    const box = { state, x: left + width / 2, y: measures.top + rank * measures.rowPitch, width }
    left += width + measures.gap
    return box
  })
}

const widthOf = (state: string): number => 26 + 7.2 * state.length

// ---- arrows

// An arrow that passes rows on its way does so to the right of their boxes, the longer ones farther out.
const lanesOf = (
  boxes: ReadonlyArray<Box>,
  all: ReadonlyMap<string, Box>,
  arrows: Arrows
): ReadonlyMap<Arrow, number> => {
  const span = ({ from, to }: Arrow): number => (all.get(to)?.y ?? 0) - (all.get(from)?.y ?? 0)
  const long = arrows
    .filter((arrow) => span(arrow) > measures.rowPitch)
    .toSorted((one, other) => span(one) - span(other))
  return new Map(
    long.map((arrow, index) => {
      const passed = boxes.filter(({ y }) => y > (all.get(arrow.from)?.y ?? 0) && y < (all.get(arrow.to)?.y ?? 0))
      const edge = Math.max(...passed.map(({ width, x }) => x + width / 2))
      return [arrow, edge + 12 + index * 9]
    })
  )
}

const half = measures.boxHeight / 2
const point = (x: number, y: number): string => `${Math.round(x)} ${Math.round(y)}`

// From the lower edge of a box to the upper edge of another, by a lane beside what is between.
const down = (from: Box, to: Box, lane: number | undefined): string => {
  const [start, end] = [from.y + half, to.y - half]
  const bend = measures.rowPitch / 2 - half
  const out = `M${point(from.x, start)}C${point(from.x, start + bend)} `
  const back = `${point(to.x, end - bend)} ${point(to.x, end)}`
  if (lane === undefined) return `${out}${back}`
  const [first, last] = [from.y + measures.rowPitch - half, to.y - measures.rowPitch + half]
  return `${out}${point(lane, first - bend)} ${point(lane, first)}V${Math.round(last)}C${point(lane, last + bend)} ${back}`
}

// Out at the corner, through the gap below the row, and down the rail.
const along = (from: Box, side: -1 | 1, to: Box): string => {
  const x = from.x + side * (from.width / 2 - 12)
  const y = from.y + half
  const gap = y + (side === -1 ? 14 : 22)
  const rail = side === -1 ? measures.rail : measures.width - measures.rail
  const turn = 8
  return [
    `M${point(x, y)}V${Math.round(gap - turn)}`,
    `Q${point(x, gap)} ${point(x + side * turn, gap)}H${Math.round(rail - side * turn)}`,
    `Q${point(rail, gap)} ${point(rail, gap + turn)}V${Math.round(to.y - half)}`
  ].join("")
}

// From the left edge of a box up to the left edge of another.
const back = (from: Box, to: Box): string => {
  const [start, end] = [from.x - from.width / 2, to.x - to.width / 2]
  const out = Math.min(start, end) - 34
  return `M${point(start, from.y)}C${point(out, from.y)} ${point(out, to.y)} ${point(end, to.y)}`
}

const loop = ({ width, x, y }: Box): string => {
  const edge = x - width / 2
  return `M${point(edge + 14, y - half)}C${point(edge + 14, y - half - 22)} ${point(edge - 22, y - 22)} ${point(edge, y - 4)}`
}
