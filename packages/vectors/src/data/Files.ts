// The data files with their schemas, as texts by path.
import { cells } from "../Cells.ts"
import { walkBudgets } from "../Subjects.ts"
import type { Output } from "../Output.ts"
import { serverCells } from "../server/Cells.ts"
import type { ServerWalk } from "../server/Walk.ts"
import type { ClientSteps } from "./ClientSteps.ts"
import { policyRows } from "./ClientSteps.ts"
import type { EvidenceErrors } from "./Codes.ts"
import { codesFile } from "./Codes.ts"
import type { ClientConversation } from "./Conversations.ts"
import { merged } from "./Conversations.ts"
import { header, layOut } from "./Layout.ts"
import type { MoveSources } from "./Moves.ts"
import { movesOf } from "./Moves.ts"
import * as Schemas from "./Schemas.ts"
import { serverConversations } from "./ServerConversations.ts"
import { profileRows, serverStepsFile } from "./ServerSteps.ts"

/** What was gathered while the client's subjects were walked. */
export interface Gathered {
  readonly steps: ClientSteps
  readonly evidence: EvidenceErrors
  readonly conversations: ReadonlyArray<ClientConversation>
}

/** Returns the data files and their schemas. */
export const dataFiles = (
  { conversations, evidence, steps }: Gathered,
  servers: ReadonlyArray<ServerWalk>,
  sources: MoveSources
): ReadonlyArray<Output> => [
  {
    path: `${folder}/client.steps.json`,
    text: layOut(
      steps.file(
        movesOf(
          sources.client,
          cells.map(({ move }) => move)
        )
      )
    )
  },
  { path: `${folder}/client.steps.schema.json`, text: Schemas.schemaText(Schemas.clientSteps) },
  {
    path: `${folder}/server.steps.json`,
    text: layOut(
      serverStepsFile(
        servers,
        movesOf(
          sources.server,
          serverCells.map(({ move }) => move)
        )
      )
    )
  },
  { path: `${folder}/server.steps.schema.json`, text: Schemas.schemaText(Schemas.serverSteps) },
  {
    path: `${folder}/conversations.json`,
    text: layOut({
      ...header("conversations.schema.json"),
      policies: policyRows(),
      walkBudgets,
      profiles: profileRows(),
      client: merged(conversations),
      server: serverConversations()
    })
  },
  { path: `${folder}/conversations.schema.json`, text: Schemas.schemaText(Schemas.conversations) },
  { path: `${folder}/codes.json`, text: layOut(codesFile(evidence)) },
  { path: `${folder}/codes.schema.json`, text: Schemas.schemaText(Schemas.codes) }
]

const folder = "packages/vectors/data"
