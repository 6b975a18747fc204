// The page at work: shows the place that the link names, and goes on to another when something is chosen. The link is the
// only state there is, so that the browser's own way back takes a step back too.
import { follow, readPlace, whatMayHappen, writePlace } from "./model.js"

/**
 * @typedef {import("./model.js").Place} Place
 * @typedef {import("./model.js").Step} Step
 * @typedef {import("./model.js").State} State
 * @typedef {import("./model.js").Order} Order
 * @typedef {import("./model.js").Trace} Trace
 */

/** @type {import("./Data.ts").PageData} */
const data = JSON.parse(byId("data").textContent ?? "")

/** Shows the place that the link names. */
const show = () => {
  const place = readPlace(data, location.hash)
  const trace = follow(data, place)
  showChoices(place)
  showDiagram(place, trace)
  showNow(place, trace)
  showAnswers(place, trace)
  showPast(place, trace)
  say(place, trace)
}

/**
 * Says where it stands to who does not see, and to the list of what the browser showed.
 * @param {Place} place
 * @param {Trace} trace
 */
const say = ({ choice, medium }, { state, steps }) => {
  const last = steps.at(-1)
  byId("said").textContent = `${last === undefined ? "" : `${last.tag}: ${last.move}. `}Now ${state.title}.`
  document.title = `${state.title}: ${choice} over ${medium}, Parley`
}

/**
 * Goes to a place: the link changes, and what listens to it shows it.
 * @param {Place} place
 */
const go = (place) => {
  location.hash = writePlace(place)
}

// ---- what is chosen

/** @param {Place} place */
const showChoices = (place) => {
  const { choice, medium, side } = place
  for (const link of document.querySelectorAll("[data-side]")) {
    if (link.getAttribute("data-side") === side.id) link.setAttribute("aria-current", "page")
    else link.removeAttribute("aria-current")
  }
  offer(side)
  for (const option of byId("choice").querySelectorAll("option")) option.selected = option.value === choice
  for (const radio of byId("media").querySelectorAll("input")) radio.checked = radio.value === medium
  byId("about").textContent = side.choices.find(({ id }) => id === choice)?.about ?? ""
}

// Only where the machine is another one, so that the focus stays on what was chosen.
let offers = ""
/** @param {Place["side"]} side */
const offer = ({ choices, choosing, id, media }) => {
  if (id === offers) return
  offers = id
  byId("choosing").textContent = choosing
  byId("choice").replaceChildren(...choices.map((choice) => make("option", choice.id)))
  byId("media").replaceChildren(
    ...media.map((name) => {
      const radio = make("input")
      radio.type = "radio"
      radio.name = "medium"
      radio.value = name
      return make("label", radio, ` ${name}`)
    })
  )
}

// ---- the drawing

/**
 * @param {Place} place
 * @param {Trace} trace
 */
const showDiagram = ({ choice, side }, { state, steps }) => {
  const name = side.choices.find(({ id }) => id === choice)?.diagram ?? ""
  const template = byId(name)
  if (!(template instanceof HTMLTemplateElement)) return
  const diagram = byId("diagram")
  diagram.replaceChildren(template.content.cloneNode(true))
  for (const box of diagram.querySelectorAll(".box")) {
    box.classList.toggle("current", box.getAttribute("data-state") === state.tag)
  }
  for (const arrow of diagram.querySelectorAll(".arrow")) {
    /** @param {Step | undefined} step */
    const isOf = (step) =>
      step?.from.tag === arrow.getAttribute("data-from") && step.next.tag === arrow.getAttribute("data-to")
    arrow.classList.toggle("taken", steps.some(isOf))
    arrow.classList.toggle("last", isOf(steps.at(-1)))
  }
  // What is drawn last lies on top.
  for (const arrow of diagram.querySelectorAll(".taken, .last")) arrow.parentNode?.append(arrow)
  for (const box of diagram.querySelectorAll(".box")) box.parentNode?.append(box)
  const title = diagram.querySelector("title")
  if (title !== null) title.textContent = `${title.textContent}: now ${state.tag}`
}

// ---- where it stands

/**
 * @param {Place} place
 * @param {Trace} trace
 */
const showNow = ({ side }, { opening, state, steps, unknown }) => {
  byId("state").textContent = state.title
  byId("facts").replaceChildren(
    ...state.facts.map((fact) => make("li", fact)),
    make("li", "id ", make("code", state.id))
  )
  const problem = byId("problem")
  problem.hidden = unknown === undefined
  problem.textContent =
    unknown === undefined
      ? ""
      : `The link goes on with “${unknown}”, which cannot happen here. The trace ends before it.`
  const last = steps.at(-1)
  const step = byId("step")
  if (last === undefined) {
    step.replaceChildren(
      make("h3", "How it begins"),
      rowsOf([
        ["move", make("code", opening.move)],
        ["because", opening.because]
      ]),
      ...ordersOf(side.id, opening.orders)
    )
    return
  }
  step.replaceChildren(
    make("h3", "The last step"),
    rowsOf([
      [side.id === "client" ? "the server" : "the client", last.label],
      ["on the wire", make("pre", last.wire)],
      ["evidence", last.evidence],
      ["cell", make("code", last.cell)],
      ["move", make("code", last.move)],
      ["because", last.because],
      ["next", last.next.title]
    ]),
    ...ordersOf(side.id, last.orders)
  )
}

/** @param {ReadonlyArray<readonly [string, Node | string]>} rows */
const rowsOf = (rows) => make("dl", ...rows.flatMap(([name, value]) => [make("dt", name), make("dd", value)]))

/**
 * @param {string} who
 * @param {ReadonlyArray<Order>} orders
 */
const ordersOf = (who, orders) => [
  make("h3", `What the ${who} does`),
  orders.length === 0
    ? make("p", "Nothing.")
    : make("ol", ...orders.map(({ wire, words }) => make("li", words, ...(wire === "" ? [] : [make("pre", wire)]))))
]

// ---- what may happen

/**
 * @param {Place} place
 * @param {Trace} trace
 */
const showAnswers = (place, { state }) => {
  const { side } = place
  const steps = whatMayHappen(data, place, state)
  const other = side.id === "client" ? "server" : "client"
  byId("answers-title").textContent = state.ends ? "An ending" : `What the ${other} does next`
  byId("answers-about").textContent = state.ends
    ? "An ending accepts no events. Undo a step, or begin again."
    : "Grouped by what it means here. Open a meaning to choose what is said."
  byId("menu").replaceChildren(
    ...side.evidence.flatMap(([tagPlace, meaningPlace]) => {
      const tag = data.texts[tagPlace] ?? ""
      const own = steps.filter((step) => step.tag === tag)
      return own.length === 0 ? [] : group(place, tag, data.texts[meaningPlace] ?? "", own)
    })
  )
}

/**
 * @param {Place} place
 * @param {string} tag
 * @param {string} meaning
 * @param {ReadonlyArray<Step>} steps
 */
const group = (place, tag, meaning, steps) => {
  const led = [...new Set(steps.map(({ next }) => next.tag))].join(" or ")
  const details = make(
    "details",
    make(
      "summary",
      make("b", tag),
      spanOf("meaning", meaning),
      make("span", make("code", steps[0]?.move ?? ""), ` → ${led}`)
    ),
    make(
      "ul",
      ...steps.map((step) => {
        const button = make("button", step.label)
        button.type = "button"
        button.dataset["event"] = step.id
        button.addEventListener("click", () => take(place, step))
        return make("li", button)
      })
    )
  )
  // Of the browsers that know it, each lets one group be open at a time.
  details.setAttribute("name", "evidence")
  return details
}

/**
 * Takes a step, and leaves the focus where reading goes on.
 * @param {Place} place
 * @param {Step} step
 */
const take = (place, step) => {
  const { steps } = follow(data, place)
  go({ ...place, events: [...steps.map(({ id }) => id), step.id] })
  show()
  byId("state").focus()
}

// ---- what happened

/**
 * @param {Place} place
 * @param {Trace} trace
 */
const showPast = (place, { first, opening, steps }) => {
  byId("link").setAttribute("href", writePlace(place))
  for (const name of ["undo", "reset"]) button(name).disabled = steps.length === 0
  byId("trace").replaceChildren(
    entry({ ...place, events: [] }, "begin", opening.move, first, steps.length === 0),
    ...steps.map((step, index) => {
      const events = steps.slice(0, index + 1).map(({ id }) => id)
      return entry(
        { ...place, events },
        `${step.label} is ${step.evidence}`,
        step.move,
        step.next,
        index === steps.length - 1
      )
    })
  )
}

/**
 * @param {Place} place
 * @param {string} what
 * @param {string} move
 * @param {State} next
 * @param {boolean} isHere
 */
const entry = (place, what, move, next, isHere) => {
  const link = make("a", next.title)
  link.href = writePlace(place)
  if (isHere) link.setAttribute("aria-current", "step")
  return make("li", `${what}: `, make("code", move), " → ", link)
}

// ---- parts

/**
 * @param {string} name
 * @param {string} text
 */
const spanOf = (name, text) => {
  const span = make("span", text)
  span.className = name
  return span
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {ReadonlyArray<Node | string>} children
 */
function make(name, ...children) {
  const element = document.createElement(name)
  element.append(...children)
  return element
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no #${id}`)
  return element
}

/**
 * @param {string} id
 * @returns {HTMLButtonElement}
 */
function button(id) {
  const element = byId(id)
  if (element instanceof HTMLButtonElement) return element
  throw new Error(`#${id} is no button`)
}

// ---- listening

byId("choice").addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLSelectElement)) return
  go({ ...readPlace(data, location.hash), choice: target.value, events: [] })
})

byId("media").addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return
  go({ ...readPlace(data, location.hash), medium: target.value, events: [] })
})

button("undo").addEventListener("click", () => {
  const place = readPlace(data, location.hash)
  const { steps } = follow(data, place)
  go({ ...place, events: steps.slice(0, -1).map(({ id }) => id) })
  // With nothing left to undo the button is no place to be.
  if (steps.length === 1) byId("state").focus()
})

button("reset").addEventListener("click", () => go({ ...readPlace(data, location.hash), events: [] }))

addEventListener("hashchange", show)
show()
