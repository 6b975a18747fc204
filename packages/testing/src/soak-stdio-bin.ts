// The server on a pipe of a soak. Argument: its era (and a mark). Dies without warning where a call asks it to.
import * as StdioServer from "@parley/node/StdioServer"
import * as Admission from "@parley/runtime/Admission"
import * as Effect from "effect/Effect"
import * as Soak from "./SoakServers.ts"

const kind = Soak.kinds.find((one) => one === process.argv[2]) ?? "dual"

const program = Effect.scoped(
  Effect.flatMap(
    Admission.make(
      Soak.profileOf(kind),
      (request, context) => {
        if (request.params?.["name"] === "die") process.kill(process.pid, "SIGKILL")
        return Soak.echo(request, context)
      },
      { listener: Soak.speak }
    ),
    (admission) => StdioServer.serve({ admission })
  )
)

Effect.runPromise(program).then(
  () => process.exit(0),
  () => process.exit(1)
)
