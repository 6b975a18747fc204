// Parley's route of Effect's HttpRouter.
import * as HttpServer from "@parley/platform/HttpServer"
import type { Server } from "./Served.ts"
import { admission } from "./parleyOf.ts"
import { routed } from "./routed.ts"

export const server: Server = { listen: async () => routed(HttpServer.route({ admission: await admission() })) }
