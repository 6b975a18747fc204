// The conversations that the vectors hold, read once. What is made of them is Script's, Selection's and the judges'.
import type { ClientConversation } from "@parley/vectors/data/Conversations"
import type { ServerConversation } from "@parley/vectors/data/ServerConversations"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

export type { ClientConversation, ServerConversation }

/** What `conversations.json` holds, as far as it is run here. */
export interface Conversations {
  readonly dataVersion: string
  readonly specification: string
  /** The policies by name, with the name of the table that each runs. */
  readonly policies: { readonly [name: string]: { readonly table: string } }
  readonly client: ReadonlyArray<ClientConversation>
  readonly server: ReadonlyArray<ServerConversation>
}

let read: Conversations | undefined

/** Returns the conversations of the installed `@parley/vectors`. */
export const conversations = (): Conversations =>
  // Its only writer is `npm run generate`, and a test holds it to its JSON Schema.
  (read ??= JSON.parse(readFileSync(file, "utf8")) as Conversations)

const file = createRequire(import.meta.url).resolve("@parley/vectors/data/conversations.json")
