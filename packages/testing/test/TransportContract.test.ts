import { describe, it } from "@effect/vitest"
import * as Medium from "@parley/core/Medium"
import * as TransportContract from "@parley/testing/TransportContract"

TransportContract.suite({ describe, it }, "The in-memory link, as a pipe,", TransportContract.linkPeer(Medium.stdio))
TransportContract.suite({ describe, it }, "The in-memory link, as HTTP,", TransportContract.linkPeer(Medium.http))
