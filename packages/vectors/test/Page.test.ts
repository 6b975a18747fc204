// The page of the machines: what it carries is what the machines do, and a browser shows it from the file system. The
// second half is skipped by name where there is no chromium; with PARLEY_REQUIRE_CHROMIUM=1 it fails there instead.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, Page } from "playwright-core"
import { chromium } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Client from "@parley/core/client/Client"
import * as Policy from "@parley/core/client/Policy"
import type { State } from "@parley/core/client/State"
import { http, stdio } from "@parley/core/Medium"
import type { Medium } from "@parley/core/Medium"
import * as Server from "@parley/core/server/Server"
import type { State as ServerState } from "@parley/core/server/State"
import { stateId } from "@parley/vectors/data/ClientSteps"
import { stateId as serverStateId } from "@parley/vectors/data/ServerSteps"
import { pathTo } from "@parley/vectors/Explore"
import { sentBy } from "@parley/vectors/link/Wire"
import { occurrences } from "@parley/vectors/Occurrences"
import { clientMenu, labelOf, marks, wireOf } from "@parley/vectors/page/ClientMenu"
import { clientGraph, uncounted } from "@parley/vectors/page/ClientSide"
import { offered } from "@parley/vectors/page/Offered"
import { assetFiles, machinesPage, pageData } from "@parley/vectors/page/Page"
import { runs } from "@parley/vectors/page/Pool"
import { serverGraph, shownServers } from "@parley/vectors/page/ServerSide"
import { sayState } from "@parley/vectors/Say"
import { serverCells } from "@parley/vectors/server/Cells"
import { serverOccurrences } from "@parley/vectors/server/Occurrences"
import { profiles } from "@parley/vectors/server/Subjects"
import { subjects } from "@parley/vectors/Subjects"
import { clientMachine, distinct, walk } from "@parley/vectors/Walk"
import { quick } from "./quick.ts"

const asset = (name: string): string => readFileSync(new URL(`../src/page/${name}`, import.meta.url), "utf8")
const data = quick(pageData)
const html = machinesPage({ style: asset(assetFiles.style), scripts: assetFiles.scripts.map(asset) }, data)
const presets = subjects.filter(({ preset }) => preset)
const textAt = (place: number): string => data.texts[place] ?? ""

// As model.js fills them in, which is read in a browser below.
const filled = (text: string, exchange: number, asked: string): string =>
  text
    .replaceAll(marks.exchange, String(exchange))
    .replaceAll(marks.older, String(exchange - 1))
    .replaceAll(marks.asked, asked)

describe("What the page carries", () => {
  const [clientSide, serverSide] = data.sides

  it("reaches every cell that a preset reaches, and every cell of the server", () => {
    const shown = new Set(data.sides.flatMap(({ cells }) => cells.map(([id]) => textAt(id))))
    const reached = quick(() =>
      presets.flatMap((subject) => {
        const policy = Policy.withBudgets(subject.policy, { outOfTurn: 1, noise: 1 })
        return walk({ ...subject, policy }, clientMachine, distinct).steps.map(({ cell }) => cell)
      })
    )
    expect([...new Set(reached)].filter((id) => !shown.has(id))).toEqual([])
    expect(serverCells.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([])
  })

  it("tells each event in every state as it is there", () => {
    let compared = 0
    for (const subject of presets) {
      const { medium } = subject
      for (const { state } of quick(() => clientGraph(subject)).nodes) {
        if (Client.isEnding(state)) continue
        const { exchanges } = state.ledger
        const method =
          state._tag === "Discovering" || state._tag === "DiscoveringAgain" ? "server/discover" : "initialize"
        const menu = menuOf(medium, method, exchanges === 1 ? "first" : "later")
        const here = offered(medium, state).map(({ event, id }) => ({
          id,
          label: labelOf(medium, event, exchanges),
          wire: wireOf(medium, event, exchanges)
        }))
        const told = menu.map(({ id, label, wire }) => ({
          id,
          label: filled(label, exchanges, state.asked),
          wire: wire.map((part) => filled(part, exchanges, state.asked))
        }))
        expect(told).toEqual(here)
        compared += 1
      }
    }
    expect(compared).toBeGreaterThan(300)
  })

  it("has a label of its own for each event, a meaning for each evidence and a diagram for each choice", () => {
    for (const side of data.sides) {
      for (const items of Object.values(side.menus)) {
        const labels = items.map(([, label]) => label)
        expect(new Set(labels).size).toBe(labels.length)
      }
      expect(side.evidence.every(([, meaning]) => textAt(meaning).length > 5)).toBe(true)
      expect(side.choices.filter(({ diagram }) => !html.includes(`<template id="${diagram}"><svg`))).toEqual([])
    }
    expect(clientSide?.choices).toHaveLength(7)
    expect(serverSide?.choices.length).toBeGreaterThan(3)
  })

  it("is one file of less than 400 kB that names nothing elsewhere", () => {
    expect(html.length).toBeLessThan(400_000)
    expect(html.match(/(?:src|href)="(?!#)[^"]*"|@import|url\((?!"#)|\bfetch\(|https?:/g)).toBeNull()
    expect(html.startsWith("<!-- Generated by")).toBe(true)
  })

  it("writes what comes several times in a row as a run", () => {
    expect(runs([7, 7, 7, 1, 2, 2])).toBe("7*3 1 2*2")
    expect(runs([])).toBe("")
  })
})

const menus = new Map<string, ReturnType<typeof clientMenu>>()
const menuOf = (...[medium, method, place]: Parameters<typeof clientMenu>): ReturnType<typeof clientMenu> => {
  const key = [medium.name, method, place].join()
  const menu = menus.get(key) ?? clientMenu(medium, method, place)
  menus.set(key, menu)
  return menu
}

// ---- in a browser

const isRequired = process.env["PARLEY_REQUIRE_CHROMIUM"] === "1"
const executablePath = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path !== undefined && existsSync(path)
)
const hasBrowser = executablePath !== undefined

describe.skipIf(!hasBrowser && !isRequired)(
  `The page in Chromium${hasBrowser ? "" : " (skipped: there is no chromium here)"}`,
  { timeout: 120_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-page-"))
    const file = join(folder, "index.html")
    const url = pathToFileURL(file).href
    let browser: Browser | undefined
    // What must not be: anything on the console, anything thrown, any request but that for the file.
    const complaints: Array<string> = []

    beforeAll(async () => {
      if (executablePath === undefined) throw new Error("PARLEY_REQUIRE_CHROMIUM is set, and there is no chromium here")
      writeFileSync(file, html)
      browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const open = async (hash: string, width = 1280, colorScheme: "light" | "dark" = "light"): Promise<Page> => {
      if (browser === undefined) throw new Error("the browser was not started")
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
      const page = await context.newPage()
      page.on("console", (message) => complaints.push(message.text()))
      page.on("pageerror", ({ message }) => complaints.push(message))
      page.on("request", (request) => {
        if (request.url().split("#")[0] !== url) complaints.push(request.url())
      })
      await page.goto(`${url}${hash}`)
      return page
    }

    const textOf = async (page: Page, selector: string): Promise<string> =>
      (await page.locator(selector).textContent()) ?? ""

    const choose = async (page: Page, evidence: string, event: string): Promise<void> => {
      await page.locator("summary", { has: page.locator(`b:text-is("${evidence}")`) }).click()
      await page.locator(`button[data-event="${event}"]`).click()
    }

    /** What the page says of where it stands, and what the machine says. */
    const expectState = async (page: Page, state: State): Promise<void> => {
      expect(await standing(page)).toEqual([sayState(state), stateId(uncounted(state)), state._tag])
    }

    const eventIn = (medium: Medium, state: State, id: string) => {
      if (Client.isEnding(state)) throw new Error("an ending accepts no events")
      const found = occurrences(medium, state).find((one) => one.id === id)
      if (found === undefined) throw new Error(`${id} cannot happen in ${state._tag}`)
      return found.event
    }

    it("steps discoverFirst over HTTP through -32601 into a legacy agreement, as the machine does", async () => {
      const page = await open("#client/discoverFirst/http/")
      const policy = Policy.discoverFirst
      const begun = Client.begin(policy, http)
      let { state } = begun
      await expectState(page, state)
      const wires = async (): Promise<string> => (await page.locator("#step pre").allTextContents()).join("\n")
      for (const [evidence, id] of [
        ["MethodMissing", "error.-32601"],
        ["Agreed", "result.names.2025-11-25+session"]
      ] as const) {
        const made = Client.step(policy, http, state, eventIn(http, state, id))
        await choose(page, evidence, id)
        ;({ state } = made)
        await expectState(page, state)
        const shown = await textOf(page, "#step")
        expect(shown).toContain(`discoverFirst.${made.trace?.state}.${evidence}`)
        expect(shown).toContain(made.trace?.because)
        const sent = made.commands.flatMap((command) => sentBy(http, command, () => 9) ?? [])
        expect(sent.length).toBeGreaterThan(0)
        for (const { headers, text } of sent) {
          expect(await wires()).toContain(text)
          for (const [name, value] of Object.entries(headers)) expect(await wires()).toContain(`${name}: ${value}`)
        }
      }
      expect(state._tag).toBe("Settled")
      expect(await textOf(page, "#answers-title")).toBe("An ending")
      expect(await page.locator("#diagram .arrow.taken").count()).toBe(2)
      expect(await page.locator("#trace li").count()).toBe(3)

      // The link carries the trace: another page shows the same.
      const address = page.url()
      expect(address).toContain("#client/discoverFirst/http/error.-32601,result.names.2025-11-25%2Bsession")
      const again = await open(new URL(address).hash)
      await expectState(again, state)
      expect(await textOf(again, "#trace")).toBe(await textOf(page, "#trace"))
      expect(new URL((await again.locator("#link").getAttribute("href")) ?? "", again.url()).href).toBe(address)

      // Undo goes one step back, the browser's own way back undoes that, and to begin again goes to the beginning.
      await page.getByRole("button", { name: "Undo" }).click()
      expect(await textOf(page, "#diagram .box.current")).toBe("Initializing")
      await page.goBack()
      await expectState(page, state)
      await page.getByRole("button", { name: "Begin again" }).click()
      await expectState(page, begun.state)
      expect(await page.getByRole("button", { name: "Undo" }).isDisabled()).toBe(true)
      expect(complaints).toEqual([])
    })

    it("stands in every state of auto where the machine stands, by its link alone", async () => {
      const page = await open("#client/auto/http/")
      for (const medium of [stdio, http]) {
        const subject = presets.find((one) => one.table === "auto" && one.medium === medium)
        if (subject === undefined) throw new Error("auto is walked")
        for (const node of quick(() => clientGraph(subject)).nodes) {
          const ids = pathTo(node).map(({ occurrence }) => occurrence.id)
          let { state } = Client.begin(Policy.auto, medium)
          for (const id of ids) ({ state } = Client.step(Policy.auto, medium, state, eventIn(medium, state, id)))
          await goTo(page, `#client/auto/${medium.name}/${ids.map(encodeURIComponent).join(",")}`)
          await expectState(page, state)
          if (state._tag === "Failed") expect(await textOf(page, "#facts")).toContain(state.reason.message)
        }
      }
      expect(complaints).toEqual([])
    })

    it("steps every server as its machine does, by its link alone", async () => {
      const page = await open("#server")
      for (const subject of shownServers) {
        for (const node of quick(() => serverGraph(subject)).nodes) {
          const ids = pathTo(node).map(({ occurrence }) => occurrence.id)
          const compiled = profiles[subject.profile]
          if (compiled === undefined) throw new Error(`no profile ${subject.profile}`)
          let state: ServerState = Server.begin(compiled).state
          for (const id of ids) {
            const event = serverOccurrences(subject.carrier).find((one) => one.id === id)?.event
            if (event !== undefined) ({ state } = Server.step(compiled, state, event))
          }
          await goTo(page, `#server/${subject.profile}/${subject.carrier}/${ids.map(encodeURIComponent).join(",")}`)
          expect((await standing(page)).slice(1)).toEqual([serverStateId(state), state._tag])
        }
      }
      expect(complaints).toEqual([])
    })

    it("is worked by the keyboard alone, and says what happened", async () => {
      const page = await open("")
      await page.locator("#choice").focus()
      await page.keyboard.press("End")
      expect(await page.locator("#choice").inputValue()).toBe("pinned:2025-11-25")
      await page.keyboard.press("Home")
      expect(await page.locator("#choice").inputValue()).toBe("auto")
      await page.keyboard.press("Tab")
      await page.keyboard.press("ArrowRight")
      await page.waitForURL(/#client\/auto\/http\//)
      expect(await page.locator("#media :focus").getAttribute("value")).toBe("http")
      await page.locator("summary", { hasText: "MethodMissing" }).focus()
      await page.keyboard.press("Enter")
      await page.keyboard.press("Tab")
      expect(await page.locator(":focus").textContent()).toBe("404: error -32601 Method not found")
      await page.keyboard.press("Enter")
      const begun = Client.begin(Policy.auto, http)
      const { state } = Client.step(Policy.auto, http, begun.state, eventIn(http, begun.state, "error.-32601"))
      await expectState(page, state)
      expect(await page.locator("#state:focus").count()).toBe(1)
      expect(await textOf(page, "[aria-live]")).toContain(`Now ${sayState(state)}`)
      await page.locator("#undo").focus()
      await page.keyboard.press("Enter")
      await expectState(page, begun.state)
      expect(await textOf(page, "[aria-live]")).toBe(`Now ${sayState(begun.state)}.`)
      expect(await page.title()).toBe(`${sayState(begun.state)}: auto over http, Parley`)
      expect(complaints).toEqual([])
    })

    it("says so where a link goes on with what cannot happen, or names no machine", async () => {
      const page = await open("#client/auto/stdio/error.-32601,no-such,closed")
      expect(await textOf(page, "[role=alert]")).toContain("no-such")
      expect(await page.locator("#trace li").count()).toBe(2)
      await goTo(page, "#nowhere/%E0%A4%A/x")
      expect(await textOf(page, "#state")).toBe(sayState(Client.begin(Policy.auto, stdio).state))
      expect(await page.locator("[role=alert]").isHidden()).toBe(true)
      expect(complaints).toEqual([])
    })

    it.each([
      [380, "light"],
      [380, "dark"],
      [1280, "light"],
      [1280, "dark"]
    ] as const)("fits %i px in %s, names what it shows, and is legible", async (width, scheme) => {
      const page = await open("#client/discoverFirst/http/error.-32601", width, scheme)
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width)
      expect(await page.locator("h1").count()).toBe(1)
      expect(await page.getByLabel("Policy").inputValue()).toBe("discoverFirst")
      expect(await page.getByLabel("http").isChecked()).toBe(true)
      expect(await page.getByRole("img", { name: "now Initializing" }).count()).toBe(1)
      expect(await page.evaluate<ReadonlyArray<string>>(faint)).toEqual([])
    })
  }
)

/** Returns where the page says that it stands: the state in words, its id, and the box that is marked in the drawing. */
const standing = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>(
    `["#state", "#facts code", "#diagram .box.current"].map((one) => document.querySelector(one).textContent)`
  )

const goTo = async (page: Page, hash: string): Promise<void> => {
  await page.evaluate(`new Promise((shown) => {
    if (location.hash === ${JSON.stringify(hash)}) return shown()
    addEventListener("hashchange", () => shown(), { once: true })
    location.hash = ${JSON.stringify(hash)}
  })`)
}

// The texts whose contrast with what is behind them is below 4.5 to 1, as WCAG reckons it. Runs in the page.
const faint = `(() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number)
  const light = ([red, green, blue]) =>
    [red, green, blue]
      .map((one) => one / 255)
      .map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
      .reduce((sum, one, index) => sum + one * [0.2126, 0.7152, 0.0722][index], 0)
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor)
      if (colour.length === 3 || colour[3] > 0) return colour
    }
    return [255, 255, 255]
  }
  const found = []
  for (const element of document.querySelectorAll("body *:not(script, template, :disabled)")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "")) continue
    if (element.closest("title, template, style") !== null) continue
    const inBox = element.closest(".box")
    const style = getComputedStyle(element)
    const [one, other] = [
      light(parts(inBox === null ? style.color : style.fill)),
      light(inBox === null ? behind(element) : parts(getComputedStyle(inBox.querySelector("rect")).fill))
    ].sort((a, b) => b - a)
    if ((one + 0.05) / (other + 0.05) < 4.5) found.push(element.tagName + " " + element.textContent.slice(0, 40))
  }
  return found
})()`
