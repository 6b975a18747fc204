// The JSON Schemas of the data files: what a reader in another language may rely on. Drafts of 2020-12, closed where the
// shape is ours, open where a JSON-RPC message or an error's fields stand.
import { dataVersion } from "./Layout.ts"
import type { Schema } from "./Shapes.ts"
import * as Shapes from "./Shapes.ts"
import { anyObject, boolean, closed, fault, integer, text, texts } from "./Shapes.ts"

const mapOf = (values: Schema): Schema => ({ type: "object", additionalProperties: values })
const listOf = (items: Schema): Schema => ({ type: "array", items })

const file = (title: string, description: string, properties: { readonly [key: string]: Schema }): Schema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title,
  description,
  ...closed({
    $schema: text,
    dataVersion: { const: dataVersion },
    specification: text,
    revisions: texts,
    ...properties
  })
})

const cellRows = listOf(closed({ id: text, move: text, because: text }))

const policyRows = mapOf(
  closed({
    table: text,
    open: { enum: ["initialize", "discover"] },
    versions: texts,
    budgets: mapOf(integer)
  })
)

const walkBudgets = closed({ outOfTurn: integer, noise: integer })

const profileRows = mapOf(
  closed({
    versions: texts,
    serverInfo: anyObject,
    methods: closed({ legacy: texts, modern: texts }),
    capabilities: anyObject,
    requires: listOf(anyObject),
    toolHeaders: mapOf(listOf(closed({ header: text, path: texts, type: text }))),
    sessions: { enum: ["issued", "none"] },
    interleave: { enum: ["admit", "refuse"] },
    deadlines: mapOf(integer)
  })
)

const stepRow = (subject: { readonly [key: string]: Schema }, command: Schema): Schema =>
  closed({
    id: text,
    ...subject,
    from: text,
    event: text,
    cell: text,
    evidence: text,
    move: text,
    because: text,
    next: text,
    commands: listOf(command)
  })

/** The schema of `client.steps.json`. */
export const clientSteps: Schema = file(
  "Parley: steps of the client machine",
  "Each step says what a client under a policy, on a medium, in a state, makes of an event: the evidence, the move and its reason, the next state, and the commands in order. `events` and `states` hold what the ids stand for; `via` is a way to a state from the opening. `policies` hold the budgets that people have; the steps were walked with `walkBudgets` in the place of those that they name, so that a bound is reached within a few events. An ending is exactly what is reached; what an awaiting state remembers of the opening may read otherwise after another way that goes on alike. `moves` says what each move does. A step's id is <policy>@<medium>/<state>/<event>; a cell's id never changes its meaning.",
  {
    media: mapOf(anyObject),
    policies: policyRows,
    walkBudgets,
    moves: mapOf(text),
    cells: cellRows,
    events: mapOf(Shapes.clientEvent),
    states: mapOf(closed({ state: Shapes.clientState, via: texts })),
    openings: listOf(closed({ policy: text, medium: text, next: text, commands: listOf(Shapes.clientCommand) })),
    steps: listOf(stepRow({ policy: text, medium: text }, Shapes.clientCommand))
  }
)

const carrier: Schema = { enum: ["pipe", "http"] }

/** The schema of `server.steps.json`. */
export const serverSteps: Schema = file(
  "Parley: steps of the server machine",
  "Each step says what a server under a profile, on a pipe or in an HTTP session, in a state, makes of an event. `states` hold what the ids stand for, and `via` a shortest way there; who the client says it is decides nothing, and of the revisions that a handshake may have agreed on the newest stands for all. A refusal is given by its code, its data, its ground and its HTTP status; a delivery by the terms on which the request was admitted.",
  {
    profiles: profileRows,
    moves: mapOf(text),
    cells: cellRows,
    events: mapOf(Shapes.serverEvent),
    states: mapOf(closed({ state: Shapes.serverState, via: texts })),
    openings: listOf(closed({ profile: text, carrier, next: text, commands: listOf(Shapes.serverCommand) })),
    steps: listOf(stepRow({ profile: text, carrier }, Shapes.serverCommand))
  }
)

const headers = mapOf({ anyOf: [text, texts] })
const lineTurn = closed({ line: text })
const answer = closed({ status: integer, headers, text }, ["text"])

/** The schema of `conversations.json`. */
export const conversations: Schema = file(
  "Parley: conversations on the wire",
  "Wire text in and out only. `in` is what reaches the side under test, `out` what it must send, in order. A client conversation scripts a server: over HTTP `in` answers the last request, `silentMillis` is a deadline of the client that passes, `ended` the end of the process, `cut` a connection that breaks; `out` may be `reopen`, a fresh process. A server conversation scripts a client: `handled` means that the request reached the handler. Those with `bounds` need the client's to be `walkBudgets`, since it gives up on what is out of turn; all others hold with the budgets of the `policies` too. `profiles` are those of the servers. `meets` names the cells followed, behind the name of the policy's table. Ids and headers may be compared; the words of an error message may not, and `facts` only where errors hold the same.",
  {
    policies: policyRows,
    walkBudgets,
    profiles: profileRows,
    client: listOf(
      closed(
        {
          id: text,
          side: { const: "client" },
          policies: texts,
          medium: { enum: ["stdio", "http"] },
          meets: texts,
          turns: listOf({
            oneOf: [
              closed({
                out: {
                  oneOf: [
                    lineTurn,
                    closed({ method: text, headers, text }, ["text"]),
                    closed({ reopen: { const: true } })
                  ]
                }
              }),
              closed({
                in: {
                  oneOf: [
                    lineTurn,
                    answer,
                    closed({ silentMillis: integer }),
                    closed({ ended: closed({ exitCode: integer, signal: text }, ["exitCode", "signal"]) }),
                    closed({ cut: { const: true } })
                  ]
                }
              })
            ]
          }),
          outcome: {
            oneOf: [
              closed({ agreed: closed({ version: text, named: text, era: { enum: ["legacy", "modern"] } }) }),
              closed({
                failed: closed({
                  error: text,
                  fault,
                  retryable: boolean,
                  facts: anyObject
                })
              })
            ]
          },
          bounds: { const: "walk" }
        },
        ["bounds"]
      )
    ),
    server: listOf(
      closed({
        id: text,
        side: { const: "server" },
        profile: text,
        medium: { enum: ["stdio", "http"] },
        turns: listOf(
          closed({
            in: { oneOf: [lineTurn, closed({ method: text, headers, text }, ["text"])] },
            out: { oneOf: [closed({ lines: texts }), answer, closed({ handled: text, status: integer }, ["status"])] }
          })
        )
      })
    )
  }
)

/** The schema of `codes.json`. */
export const codes: Schema = file(
  "Parley: codes, statuses, errors and faults",
  "`codes` are the JSON-RPC codes by name; `grounds` everything on which a server refuses, with code, HTTP status and remedy; `errors` the error classes with who is at fault; `evidence` with which errors each evidence of a client fails where nothing was refused before it.",
  {
    codes: listOf(closed({ code: integer, name: text, modernOnly: boolean })),
    grounds: listOf(
      closed({
        id: text,
        stage: { enum: ["head", "body", "modern", "legacy", "machine"] },
        code: integer,
        status: integer,
        remedy: text,
        because: text
      })
    ),
    errors: listOf(
      closed({
        name: text,
        fault: { anyOf: [fault, { const: "depends" }] },
        retryable: { enum: [true, false, "depends"] },
        example: text
      })
    ),
    evidence: listOf(closed({ evidence: text, errors: texts }))
  }
)

/** A schema as a file's text. */
export const schemaText = (schema: Schema): string => `${JSON.stringify(schema, undefined, 2)}\n`
