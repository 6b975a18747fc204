// Runs the matrix and writes its page: `npx node --import ./scripts/register.mjs packages/adapters/test/matrix/write-bin.ts`.
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import * as Servers from "../support/Servers.ts"
import * as Matrix from "./Matrix.ts"
import * as Render from "./Render.ts"

const cells = await Effect.runPromise(Effect.forEach(Servers.servers, Matrix.run))
await writeFile(Render.page, Render.render(cells.flat()))
