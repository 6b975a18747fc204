// How contenders are measured beside each other: in rounds, each contender once a round, in an order that rotates, so that
// what disturbs the machine disturbs all of them. What is measured is not known here.

/** What came of several rounds: the median, the least and the most. */
export interface Figure {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** The values of each contender, round by round. */
export type Values = ReadonlyMap<string, ReadonlyArray<number>>

/** Measures each contender once a round, one after the other, beginning with another one each time. */
export const interleaved = async (
  names: ReadonlyArray<string>,
  rounds: number,
  measure: (name: string, round: number) => Promise<number>
): Promise<Values> => {
  const values = new Map<string, Array<number>>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of rotated(names, round)) values.get(name)?.push(await measure(name, round))
  }
  return values
}

/** Returns the values of a contender. */
export const of = (values: Values, name: string): ReadonlyArray<number> => values.get(name) ?? []

/** Returns how many times the floor each round was. */
export const ratios = (values: ReadonlyArray<number>, floor: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value, round) => value / (floor[round] ?? Number.NaN))

/** Returns the figure of several values. */
export const figure = (values: ReadonlyArray<number>): Figure => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle] ?? Number.NaN
  return { median: (upper + lower) / 2, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN }
}

/** Returns a figure that was not measured several times but counted. */
export const exactly = (value: number): Figure => ({ median: value, least: value, most: value })

const rotated = (names: ReadonlyArray<string>, by: number): ReadonlyArray<string> => {
  const at = names.length === 0 ? 0 : by % names.length
  return [...names.slice(at), ...names.slice(0, at)]
}
