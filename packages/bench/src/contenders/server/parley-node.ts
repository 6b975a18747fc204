// Parley's listener on node:http.
import { listener } from "@parley/node/HttpServer"
import { listening, type Server } from "./Served.ts"
import { admission } from "./parleyOf.ts"

export const server: Server = { listen: async () => listening(listener(await admission())) }
