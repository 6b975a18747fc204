// Keeps each thing once and hands out its place: how a page of some hundred kilobytes holds a walk of megabytes.

/** A collection in which equal things have one place. */
export interface Pool<A> {
  /** Returns the place of a thing, and keeps it if it is new. */
  readonly place: (one: A) => number
  readonly all: ReadonlyArray<A>
}

/** Returns an empty pool. Two things are equal if their JSON is. */
export const pool = <A>(): Pool<A> => {
  const places = new Map<string, number>()
  const all: Array<A> = []
  const place = (one: A): number => {
    const key = JSON.stringify(one)
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, all.length)
    return all.push(one) - 1
  }
  return { place, all }
}

/** Returns a list of numbers on a line, `7*3` for three times seven. */
export const runs = (numbers: ReadonlyArray<number>): string => {
  const parts: Array<string> = []
  for (let index = 0; index < numbers.length;) {
    const number = numbers[index]
    let end = index
    while (numbers[end] === number) end += 1
    parts.push(end - index === 1 ? String(number) : `${number}*${end - index}`)
    index = end
  }
  return parts.join(" ")
}
