// Which states the evidences of a policy lead to: read from the published walk of the machines, @parley/vectors/data.
import { isModern } from "@parley/core/Version"
import { isObject } from "@parley/core/Message"
import { readFile } from "node:fs/promises"

/** That an evidence in a state leads to a state. */
export interface Arrow {
  readonly from: string
  readonly evidence: string
  readonly to: string
}

/**
 * Returns the arrows of a policy, by its name in a document, on one carrier or on both. Empty for a policy that is not
 * walked: one that somebody derived. What keeps the state because it is out of turn is no arrow.
 */
export const of = async (policy: string, carrier: "http" | "stdio" | undefined): Promise<ReadonlyArray<Arrow>> => {
  const name = walked(policy)
  const document: unknown = JSON.parse(await readFile(data, "utf8"))
  const steps = isObject(document) && Array.isArray(document["steps"]) ? document["steps"] : []
  const found = new Map<string, Arrow>()
  for (const step of steps) {
    if (!isObject(step) || step["policy"] !== name) continue
    if (carrier !== undefined && step["medium"] !== carrier) continue
    const arrow = {
      from: stateIn(step["from"]),
      evidence: String(step["cell"]).split(".").at(-1) ?? "",
      to: stateIn(step["next"])
    }
    if (arrow.evidence !== "OutOfTurn") found.set(`${arrow.from} ${arrow.evidence} ${arrow.to}`, arrow)
  }
  return [...found.values()]
}

// Every pinned revision of an era runs the same table; one of each is walked.
const walked = (policy: string): string => {
  const pinned = /^pin(?:ned)?:(.*)$/.exec(policy)?.[1]
  return pinned === undefined ? policy : `pinned:${isModern(pinned) ? "2026-07-28" : "2025-11-25"}`
}

// The id of a state is <policy>@<medium>/<state>-<hash>.
const stateIn = (id: unknown): string => /\/([A-Za-z]+)-[^/]*$/.exec(String(id))?.[1] ?? ""

// Beside the sources as beside the build; the name of a module is what both resolve.
const data = new URL("../data/client.steps.json", import.meta.resolve("@parley/vectors/Subjects"))
