import { summary } from "../src/Profile.ts"
import { expect, it } from "vitest"

const node = (id: number, functionName: string, url: string) => ({
  id,
  callFrame: { functionName, url, lineNumber: 1 }
})

it("summarises a profile by function and by place, without idle time", () => {
  const found = summary(
    {
      nodes: [
        node(1, "(idle)", ""),
        node(2, "step", "file:///w/packages/core/src/client/Client.ts"),
        node(3, "", "file:///w/node_modules/@modelcontextprotocol/client/dist/index.js"),
        node(4, "parse", "node:internal/http"),
        node(5, "step", "file:///w/packages/core/src/client/Client.ts")
      ],
      samples: [1, 2, 3, 4, 5],
      timeDeltas: [1000, 50, 20, 10, 20]
    },
    { title: "t", taken: "2026-12-01", command: "c" }
  )
  expect(found.self).toEqual([
    { name: "step", where: "core/client/Client.ts", percent: 70 },
    { name: "(anonymous)", where: "@modelcontextprotocol/client: dist/index.js", percent: 20 },
    { name: "parse", where: "node:internal/http", percent: 10 }
  ])
  expect(found.modules).toEqual([
    { where: "core", percent: 70 },
    { where: "@modelcontextprotocol/client", percent: 20 },
    { where: "node", percent: 10 }
  ])
})
