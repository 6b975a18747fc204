// Pictures of the command line in a terminal of 80 columns, dark, light and without colours, for whoever changes how it looks:
// `node scripts/screens.mjs DIRECTORY [NAME…]`. Needs tmux and Chromium. Nothing is judged here: look at them.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"

const root = fileURLToPath(new URL("..", import.meta.url))
const [directory = "screens", ...wanted] = process.argv.slice(2)
const program = (file) =>
  `${process.execPath} --import ${join(root, "scripts/register.mjs")} ${join(root, "packages/cli", file)}`
const parley = program("src/bin.ts")
const host = (file, ...args) => [process.execPath, join(root, "packages/cli/demo/hosts", file), ...args].join(" ")

// What is shown, each in a shell of its own. `$PARLEY` is the program.
const scenes = {
  first: "$PARLEY",
  help: "$PARLEY --help",
  "help-probe": "$PARLEY probe --help",
  "help-observe": "$PARLEY observe --help",
  "help-serve": "$PARLEY serve --help",
  "help-matrix": "$PARLEY matrix --help",
  "help-explain": "$PARLEY explain --help",
  "help-doctor": "$PARLEY doctor --help",
  "help-conform": "$PARLEY conform --help",
  conform: `$PARLEY conform --server "${host("sdk1.ts", "stdio")}" --only fresh --wire`,
  probe: `$PARLEY probe -- ${host("sdk1.ts", "stdio")}; $PARLEY probe --trace -- ${host("sdk2.ts", "stdio", "modern")}`,
  refused: `$PARLEY probe --policy handshakeOnly -- ${host("sdk2.ts", "stdio", "modern")}; $PARLEY probe http://127.0.0.1:1/mcp`,
  died: "$PARLEY probe -- sh -c 'echo ImportError: no module named clock >&2; exit 2'; $PARLEY probe -- no-such-command",
  usage: "$PARLEY prob; $PARLEY probe localhost:3000",
  explain: `$PARLEY probe --json -- ${host("sdk2.ts", "stdio", "modern")} | $PARLEY explain -`,
  matrix: "$PARLEY matrix targets.json",
  doctor: `$PARLEY doctor -- ${host("sdk2.ts", "stdio", "dual")}`,
  "doctor-bad": "$PARLEY doctor http://127.0.0.1:1/mcp",
  observe: "$PARLEY observe --port 0 & sleep 5; kill -INT $!; wait",
  demo: `${program("demo/demo.ts")}`
}

// The 16 colours of xterm, whose light ones are the hardest to read on white, and of a light theme.
const palettes = {
  dark: {
    back: "#1e1e1e",
    fore: "#d4d4d4",
    colours: "#000000 #cd3131 #0dbc79 #e5e510 #2472c8 #bc3fbc #11a8cd #e5e5e5"
  },
  light: {
    back: "#ffffff",
    fore: "#333333",
    colours: "#000000 #cd0000 #00a000 #cdcd00 #0000ee #cd00cd #00a0a0 #555555"
  }
}

let captures = 0
mkdirSync(directory, { recursive: true })
writeFileSync(
  join(directory, "targets.json"),
  JSON.stringify([
    { name: "dual", command: process.execPath, args: [join(root, "packages/cli/demo/hosts/sdk2.ts"), "stdio", "dual"] },
    {
      name: "日本語 サーバー",
      command: process.execPath,
      args: [join(root, "packages/cli/demo/hosts/sdk1.ts"), "stdio"]
    },
    { name: "gone", url: "http://127.0.0.1:1/mcp" },
    { name: "dies", command: "sh", args: ["-c", "echo Error: no DATABASE_URL >&2; exit 1"] }
  ])
)
const executable = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path))
const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] })
try {
  for (const [name, command] of Object.entries(scenes)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const text = await capture(command, {})
    for (const [theme, palette] of Object.entries(palettes)) await picture(`${name}-${theme}`, text, palette)
    writeFileSync(join(directory, `${name}.txt`), await capture(command, { NO_COLOR: "1" }))
  }
} finally {
  await browser.close()
}

// Runs a command in a terminal and returns what stands there at the end, escape sequences and all.
async function capture(command, env) {
  const server = `parley-screens-${process.pid}-${++captures}`
  const tmux = (...args) =>
    execFileSync("tmux", ["-L", server, "-f", "/dev/null", ...args], { encoding: "utf8", env: clean(env) })
  const shown = command.replaceAll("$PARLEY", parley)
  tmux(
    "new-session",
    "-d",
    "-x",
    "80",
    "-y",
    "24",
    "-c",
    directory,
    `cd ${directory}; ${shown}; tmux -L ${server} wait-for -S done; exec cat`
  )
  try {
    tmux("wait-for", "done")
    return tmux("capture-pane", "-e", "-p", "-S", "-", "-N").replace(/\s+$/, "\n")
  } finally {
    tmux("kill-server")
  }
}

function clean(env) {
  const rest = Object.entries(process.env).filter(([name]) => !["FORCE_COLOR", "NO_COLOR"].includes(name))
  return { ...Object.fromEntries(rest), TERM: "xterm-256color", LANG: "C.UTF-8", ...env }
}

async function picture(name, text, palette) {
  const page = await browser.newPage({ viewport: { width: 720, height: 100 }, deviceScaleFactor: 1.5 })
  await page.setContent(`<style>
    body { margin: 12px; background: ${palette.back}; color: ${palette.fore} }
    pre { font: 14px/1.25 "DejaVu Sans Mono", monospace; margin: 0; width: 80ch; outline: 1px dotted #8888 }
  </style><pre>${html(text, palette)}</pre>`)
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
  await page.close()
}

function html(text, { colours, fore }) {
  const names = colours.split(" ")
  let style = {}
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .split(/(\u001b\[[0-9;]*m)/)
      .map((part) => {
        // oxlint-disable-next-line no-control-regex
        const codes = /^\u001b\[([0-9;]*)m$/.exec(part)?.[1]
        if (codes === undefined) {
          const css = `${style.bold ? "font-weight:bold;" : ""}${style.dim ? "opacity:.6;" : ""}color:${style.colour ?? fore}`
          return `<span style="${css}">${part.replace(/[&<]/g, (character) => `&#${character.charCodeAt(0)};`)}</span>`
        }
        for (const code of codes.split(";").map(Number)) {
          if (code === 0) style = {}
          else if (code === 1) style = { ...style, bold: true }
          else if (code === 2) style = { ...style, dim: true }
          else if (code === 22) style = { colour: style.colour }
          else if (code === 39) style = { ...style, colour: undefined }
          else if (code >= 30 && code <= 37) style = { ...style, colour: names[code - 30] }
        }
        return ""
      })
      .join("")
  )
}
