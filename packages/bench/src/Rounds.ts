// How contenders are measured beside each other: in rounds, each contender once a round, in an order that rotates, so that
// what disturbs the machine disturbs all of them. What is measured is not known here.

/** What came of several rounds: the median, the least and the most, and between which the middle half lies. */
export interface Figure {
  readonly median: number
  readonly least: number
  readonly most: number
  /** The lower and the upper quartile. Default: the least and the most. */
  readonly middle?: readonly [lower: number, upper: number] | undefined
}

/** The values of each contender, round by round. */
export type Values = ReadonlyMap<string, ReadonlyArray<number>>

let most = Infinity

/** Bounds how many rounds are made from here on, for a quick look. */
export const atMost = (rounds: number): void => {
  most = rounds
}

/** Measures each contender once a round, one after the other, beginning with another one each time. */
export const interleaved = async (
  names: ReadonlyArray<string>,
  rounds: number,
  measure: (name: string, round: number) => Promise<number>
): Promise<Values> => {
  const values = new Map<string, Array<number>>(names.map((name) => [name, []]))
  for (let round = 0; round < Math.min(rounds, most); round++) {
    for (const name of rotated(names, round)) values.get(name)?.push(await measure(name, round))
  }
  return values
}

/** Returns the values of a contender. */
export const of = (values: Values, name: string): ReadonlyArray<number> => values.get(name) ?? []

/** Returns how many times the floor each round was. */
export const ratios = (values: ReadonlyArray<number>, floor: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value, round) => value / (floor[round] ?? Number.NaN))

/** Returns the figure of several values. Of none, and where one is no number, it is no number. */
export const figure = (values: ReadonlyArray<number>): Figure => {
  if (values.length === 0 || values.some(Number.isNaN)) return exactly(Number.NaN)
  const sorted = values.toSorted((a, b) => a - b)
  return {
    median: quantile(sorted, 0.5),
    least: quantile(sorted, 0),
    most: quantile(sorted, 1),
    middle: [quantile(sorted, 0.25), quantile(sorted, 0.75)]
  }
}

/** Returns a figure that was not measured several times but counted. */
export const exactly = (value: number): Figure => ({ median: value, least: value, most: value })

// Between two values it is as far as between their places.
const quantile = (sorted: ReadonlyArray<number>, part: number): number => {
  const place = part * (sorted.length - 1)
  const lower = sorted[Math.floor(place)] ?? Number.NaN
  const upper = sorted[Math.ceil(place)] ?? Number.NaN
  return lower + (upper - lower) * (place - Math.floor(place))
}

const rotated = (names: ReadonlyArray<string>, by: number): ReadonlyArray<string> => {
  const at = names.length === 0 ? 0 : by % names.length
  return [...names.slice(at), ...names.slice(0, at)]
}
