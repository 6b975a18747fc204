// One HTTP request on its way through the admission: from the ladder's verdict to what is written. Everything up to the
// owner's handler happens in the caller's stack, but for a session store that takes time.
import type { Id, Parsed, Request } from "@parley/core/Message"
import { isRequest, Method, parse, success } from "@parley/core/Message"
import { accepted, deleted, json, refused } from "@parley/core/server/Answer"
import type { Command, Deliver, Hear } from "@parley/core/server/Command"
import * as Grounds from "@parley/core/server/Grounds"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import * as Http from "@parley/core/server/Http"
import { isLogLevel } from "@parley/core/server/LogLevel"
import type { Refusal } from "@parley/core/server/Refusal"
import { toMessage } from "@parley/core/server/Refusal"
import type { Opening } from "@parley/core/server/State"
import * as Delivery from "./Delivery.ts"
import type { Exchange, HttpExchange, Reply } from "./Exchange.ts"
import * as Exchanges from "./Exchange.ts"
import type { Host } from "./Host.ts"
import type { LiveSessions, Session } from "./LiveSessions.ts"
import * as LogLevels from "./LogLevels.ts"
import * as Notifications from "./Notifications.ts"
import type { Running } from "./Running.ts"

/** An HTTP request whose body has been read. */
export interface InboundHttp {
  readonly method: string
  /** By lower-case name, as Node's `request.headers` has them. */
  readonly headers: RequestHeaders
  /** The body as text. Not needed for GET and DELETE. */
  readonly body?: string | undefined
  /** The body where somebody else has parsed it already: its text is then not looked at. */
  readonly parsed?: Parsed | undefined
  /** Who the application says the client is. A session belongs to the principal that opened it. */
  readonly principal?: string | undefined
}

/** A request that is not answered yet. */
export interface InFlight {
  /**
   * The carrier tells that the client has gone before the response was complete. A modern request and a stream are
   * cancelled by that; a legacy request is served on, for its client cancels with a message.
   */
  readonly gone: () => void
}

/** Admits a request. Returns undefined where it is answered already, as refusals and Parley's own answers are. */
export const admit = (host: Host, sessions: LiveSessions, inbound: InboundHttp, reply: Reply): InFlight | undefined => {
  const refusal = Http.head(host.compiled, inbound)
  if (refusal !== undefined) {
    host.refused(refusal)
    reply.whole(refused(host.compiled, refusal))
    return undefined
  }
  const call = new HttpCall(host, sessions, inbound, reply)
  call.begin(inbound)
  return call.isOver() ? undefined : call
}

class HttpCall implements InFlight {
  private readonly host: Host
  private readonly sessions: LiveSessions
  // Not the whole request: a stream that stays open would keep its body.
  private readonly headers: RequestHeaders
  private readonly principal: string | undefined
  private readonly exchange: HttpExchange
  /** What the client's going ends. */
  private readonly cancellable: Array<Running> = []

  constructor(host: Host, sessions: LiveSessions, inbound: InboundHttp, reply: Reply) {
    this.host = host
    this.sessions = sessions
    this.headers = inbound.headers
    this.principal = inbound.principal
    this.exchange = Exchanges.http(reply)
  }

  gone(): void {
    this.exchange.gone()
    for (const running of this.cancellable) running.cancel()
  }

  isOver(): boolean {
    return this.exchange.isOver()
  }

  begin(inbound: InboundHttp): void {
    const { body, method, parsed, principal } = inbound
    const sent = method === "POST" ? (parsed ?? parse(body ?? "")) : undefined
    const judged = Http.judge(this.host.compiled, inbound, sent)
    if (judged._tag === "Done") return this.perform(judged, undefined)
    const unavailable = this.unavailable(idIn(judged))
    return this.sessions.find(judged.sessionId, principal, (session) => this.resume(judged, session), unavailable)
  }

  private resume(needs: Http.NeedsSession, session: Session | undefined): void {
    const done = Http.resume(this.host.compiled, needs, session?.state)
    if (session === undefined) return this.perform(done, undefined)
    if (done.state._tag === "Closed") {
      return this.sessions.remove(session.id, () => this.exchange.whole(deleted), this.unavailable(undefined))
    }
    if (needs.use === "Listen" && done.commands.length === 0) return this.listen(session)
    return this.sessions.move(session, done.state, () => this.perform(done, session), this.unavailable(idIn(needs)))
  }

  private perform({ batched, commands }: Http.Done, session: Session | undefined): void {
    const due = commands.filter(isAnswering).length
    const members = batched ? Exchanges.batch(this.exchange, due) : []
    let at = 0
    let opening: Opening | undefined
    for (const command of commands) {
      switch (command._tag) {
        case "Issue":
          opening = this.host.compiled.sessions ? command.opening : undefined
          break
        case "Reply":
          this.reply(members[at++], command, opening)
          break
        case "Refuse":
          this.refuse(members[at++], command.refusal)
          break
        case "Deliver":
          this.deliver(members[at++] ?? this.exchange, command, session)
          break
        case "Hear":
          this.hear(command, session)
          break
        case "Resolve":
          if (session !== undefined) this.sessions.live(session.id)?.conversation.resolve(command.response)
          break
        case "StartDeadline":
        case "ClearDeadline":
        case "Close":
          break
      }
    }
    if (due === 0) this.exchange.whole(accepted)
  }

  private reply(member: Exchange | undefined, { id, result }: ReplyCommand, opening: Opening | undefined): void {
    const message = success(id, result)
    if (member !== undefined) return member.answer(JSON.stringify(message), 200)
    if (opening === undefined) return this.exchange.whole(json(message))
    return this.sessions.open(
      opening,
      this.principal,
      (sessionId) => this.exchange.whole(json(message, sessionId)),
      this.unavailable(id)
    )
  }

  private refuse(member: Exchange | undefined, refusal: Refusal): void {
    this.host.refused(refusal)
    if (member === undefined) this.exchange.whole(refused(this.host.compiled, refusal))
    else member.answer(JSON.stringify(toMessage(refusal)), 200)
  }

  private deliver(exchange: Exchange, { admitted, request }: Deliver, session: Session | undefined): void {
    if (this.host.isClosing())
      return this.refuse(exchange === this.exchange ? undefined : exchange, Grounds.nowClosing(request.id))
    this.host.admitted(admitted.era)
    if (admitted.era === "legacy" && request.method === Method.SetLogLevel) {
      return this.setLogLevel(exchange, request, session)
    }
    const { headers, principal } = this
    const conversation = session === undefined ? undefined : this.sessions.hold(session).conversation
    const running = Delivery.serve(
      this.host,
      exchange,
      request,
      admitted,
      { headers, principal, sessionId: session?.id, conversation },
      session === undefined ? undefined : () => this.sessions.release(session.id)
    )
    if (admitted.era === "modern") this.cancellable.push(running)
    return undefined
  }

  private setLogLevel(exchange: Exchange, request: Request, session: Session | undefined): void {
    const level = request.params?.["level"]
    if (!isLogLevel(level)) return exchange.answer(LogLevels.refusal(request.id), 200)
    const answer = (): void => exchange.answer(LogLevels.taken(request.id), 200)
    return session === undefined
      ? answer()
      : this.sessions.setLogLevel(session, level, answer, this.unavailable(request.id))
  }

  private hear({ notification, version }: Hear, session: Session | undefined): void {
    if (notification.method !== Method.Cancelled) {
      const { principal } = this
      Notifications.hear(this.host, notification, {
        version: version ?? session?.record.version,
        sessionId: session?.id,
        principal
      })
    } else if (session !== undefined) {
      this.sessions.live(session.id)?.conversation.cancel(notification.params?.["requestId"])
    }
  }

  private listen(session: Session): void {
    // The client may have gone while its session was looked up.
    if (this.exchange.isOver()) return
    const { headers, principal } = this
    const { client, version } = session.record
    const live = this.sessions.hold(session)
    // One message goes out on one stream only, so the latest stream takes the place of the one before.
    live.stream?.cancel()
    this.exchange.open()
    const running = Delivery.listen(
      this.host,
      this.exchange,
      { era: "legacy", version, client, meta: undefined },
      { headers, principal, sessionId: session.id, conversation: live.conversation },
      () => {
        if (live.stream === running) live.stream = undefined
        this.sessions.release(session.id)
      }
    )
    if (this.exchange.isOver()) return
    live.stream = running
    this.cancellable.push(running)
  }

  private unavailable(id: Id | undefined): () => void {
    return () => this.refuse(undefined, Grounds.storeUnavailable(id))
  }
}

type ReplyCommand = Extract<Command, { readonly _tag: "Reply" }>

const isAnswering = ({ _tag }: Command): boolean => _tag === "Reply" || _tag === "Refuse" || _tag === "Deliver"

const idIn = ({ sent }: Http.NeedsSession): Id | undefined =>
  sent?._tag === "One" && isRequest(sent.message) ? sent.message.id : undefined
