// One self-contained HTML page around a table: light or dark as its reader prefers, readable on a narrow screen. What stands
// in the table is MatrixPage's and ClientPage's.

/** What stands above a table. */
export interface Frame {
  readonly title: string
  /** Paragraphs of ours, in which `code` and *emphasis* are marked as in Markdown. */
  readonly notes: ReadonlyArray<string>
}

/** Returns text as HTML that says the same, whatever it holds. */
export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Returns text as a cell of a Markdown table: a bar ends a cell, and the rest is markup that a peer must not write. */
export const cellOf = (text: string): string => escape(text).replace(/[|\\`*_[\]]/g, (character) => `\\${character}`)

/** Returns a Markdown table. */
export const markdownTable = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.map(cellOf).join(" | ")} |`).join("\n")

/** Returns a short text set off as a kind of thing: an era, a verdict. */
export const chip = (kind: "legacy" | "modern" | "good" | "bad" | "mute" | "warn", text: string): string =>
  `<span class="chip ${kind}">${escape(text)}</span>`

/** Returns a text that is shown when its reader asks for it. */
export const folded = (summary: string, text: string): string =>
  `<details><summary>${escape(summary)}</summary><code>${escape(text)}</code></details>`

/** Returns the page. Heads and rows are HTML already. */
export const page = (
  { notes, title }: Frame,
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<string>
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escape(title)}</h1>
${notes.map((note) => `<p>${marked(note)}</p>\n`).join("")}<div class="table" tabindex="0" role="region" aria-label="${escape(title)}">
<table>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
</div>
</body>
</html>
`

const marked = (note: string): string =>
  escape(note)
    .replace(/`([^`]*)`/g, "<code>$1</code>")
    .replace(/\*([^*]+)\*/g, "<em>$1</em>")

const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #14171c);
  --text: light-dark(#1d2430, #dde3ec);
  --mute: light-dark(#626c7c, #97a2b3);
  --line: light-dark(#dfe4ec, #2b323d);
  --head: light-dark(#f3f5f9, #1c2129);
  --legacy: light-dark(#fdebc8, #4a3a12);
  --legacy-text: light-dark(#6b4700, #f5d58c);
  --modern: light-dark(#d9e8ff, #17335c);
  --modern-text: light-dark(#0d3f86, #a9ccff);
  --good: light-dark(#d8f2df, #173d26);
  --good-text: light-dark(#0f5a2a, #9be0b3);
  --bad: light-dark(#fbdcdc, #521f22);
  --bad-text: light-dark(#8b1a1a, #ffb3b3);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
}
body { margin: 2rem clamp(1rem, 3vw, 3rem); background: var(--page); color: var(--text) }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem }
p { max-width: 52rem; margin: 0 0 .6rem; color: var(--mute) }
code { font: .88em ui-monospace, "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace }
.table { margin-top: 1.4rem; overflow: auto; max-height: 88vh; border: 1px solid var(--line); border-radius: 8px }
table { border-collapse: separate; border-spacing: 0; font-size: .87rem; min-width: 100% }
th, td { padding: .45rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
tbody tr:last-child > * { border-bottom: 0 }
thead th { position: sticky; top: 0; z-index: 2; background: var(--head); font-weight: 600; white-space: nowrap }
tbody th { position: sticky; left: 0; z-index: 1; background: var(--page); font-weight: 600; min-width: 13rem; max-width: 20rem }
thead th:first-child { left: 0; z-index: 3 }
small { display: block; font-weight: 400; color: var(--mute); line-height: 1.4; overflow-wrap: anywhere }
details { font-weight: 400; font-size: .8rem; color: var(--mute); max-width: 20rem; overflow-wrap: anywhere }
summary { cursor: pointer; width: fit-content }
td.text { min-width: 8.5rem; max-width: 24rem }
td.tight { white-space: nowrap }
tr.failed > * { color: var(--mute) }
.chip { display: inline-block; padding: .05rem .5rem; margin: 0 .2rem .2rem 0; border-radius: 99px; white-space: nowrap }
.chip.legacy { background: var(--legacy); color: var(--legacy-text) }
.chip.modern { background: var(--modern); color: var(--modern-text) }
.chip.good { background: var(--good); color: var(--good-text) }
.chip.bad { background: var(--bad); color: var(--bad-text) }
.chip.warn { background: var(--bad); color: var(--bad-text); white-space: normal; border-radius: 8px }
.chip.mute { background: var(--head); color: var(--mute) }
@media (max-width: 50rem) { tbody th { position: static; min-width: 10rem } }
@media print { .table { overflow: visible; max-height: none } thead th, tbody th { position: static } }
`
