// The state diagrams of the page as SVG: every box and arrow bears the names of its states, so that the page can show where
// the machine stands and which way it came.
import type { Laid } from "./Layout.ts"
import { layOut, measures } from "./Layout.ts"
import type { Side, Subject } from "./Data.ts"

/** Returns the diagram of subjects that run the same table, on whatever medium. */
export const diagramOf = (
  title: string,
  side: Side,
  subjects: ReadonlyArray<Subject>,
  texts: ReadonlyArray<string>
): string => {
  const led = new Map<string, Set<string>>()
  const tags = new Set<string>()
  for (const { nodes, outcomes, rows } of subjects) {
    const tagAt = (index: number): string => texts[nodes[index]?.[1] ?? -1] ?? ""
    nodes.forEach((node, index) => {
      tags.add(tagAt(index))
      const row = rows[node[5] ?? -1]
      for (const run of row?.split(" ") ?? []) {
        const [, cell, , next] = outcomes[Number(run.split("*")[0])] ?? [0, 0, 0, -1]
        if (next === -1) continue
        const key = `${tagAt(index)} ${tagAt(next)}`
        const evidence = texts[side.cells[cell]?.[1] ?? -1] ?? ""
        led.set(key, (led.get(key) ?? new Set()).add(evidence))
      }
    })
  }
  const bad = side.id === "client" ? "Failed" : "Closed"
  const good = tags.has("Settled") ? "Settled" : undefined
  const order = side.evidence.map(([tag]) => texts[tag] ?? "")
  const arrows = [...led].flatMap(([key, evidence]) => {
    const [from = "", to = ""] = key.split(" ")
    return evidence.has("OutOfTurn") && evidence.size === 1
      ? []
      : [{ from, to, by: order.filter((tag) => evidence.has(tag)) }]
  })
  const states = [...tags].filter((tag) => tag !== good && tag !== bad)
  return svg(title, layOut({ states, good, bad, arrows }), (from, to) =>
    (arrows.find((arrow) => arrow.from === from && arrow.to === to)?.by ?? []).join(", ")
  )
}

const svg = (
  title: string,
  { boxes, height, paths, width }: Laid,
  by: (from: string, to: string) => string
): string => {
  const [opening] = boxes
  const top = measures.top - measures.boxHeight / 2
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img"><title>${title}</title>`,
    `<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>`,
    opening === undefined
      ? ""
      : `<circle class="start" cx="${Math.round(opening.x)}" cy="9" r="5"/><path class="arrow" d="M${Math.round(opening.x)} 14V${top}"/>`,
    ...paths.map(
      ({ from, path, to }) =>
        `<path class="arrow" data-from="${from}" data-to="${to}" d="${path}"><title>${from} to ${to}: ${by(from, to)}</title></path>`
    ),
    ...boxes.map(
      ({ state, width: own, x, y }) =>
        `<g class="box" data-state="${state}"><rect x="${Math.round(x - own / 2)}" y="${y - measures.boxHeight / 2}" width="${Math.round(own)}" height="${measures.boxHeight}" rx="7"/><text x="${Math.round(x)}" y="${y + 5}">${state}</text></g>`
    ),
    "</svg>"
  ].join("")
}
