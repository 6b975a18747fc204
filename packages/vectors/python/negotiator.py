"""An example: a client pinned to 2025-11-25. Its decisions are the twelve lines of `begin` and `step`; below them is
what they ask about a message. It knows nothing of Parley but the shapes of events and commands in client.steps.json."""

PIN = "2025-11-25"
OFFER = {"exchange": 1, "version": PIN}


def begin(policy, medium):
    return {"_tag": "Initializing", "Stray": 0, "Arrived": 0}, [{"_tag": "SendInitialize", **OFFER}]


def step(policy, medium, state, event):
    kind, session = event["_tag"], response(event).get("sessionId")
    if is_aside(event) and state[kind] < policy["budgets"]["outOfTurn"]:
        return {**state, kind: state[kind] + 1}, reply_to(event, session)
    named = version_in(event)
    if named == PIN:
        return {"_tag": "Settled", "version": PIN}, [{"_tag": "SendInitialized", "version": PIN, "sessionId": session}]
    if named and session:
        return {"_tag": "Failed"}, [{"_tag": "DeleteSession", "version": min(named, PIN), "sessionId": session}]
    return {"_tag": "Failed"}, []


def response(event):
    """What the HTTP response says of itself; nothing on a pipe."""
    return event["head"] if isinstance(event.get("head"), dict) else {}


def is_aside(event):
    """Whether an event is no answer to our request: a line of noise, a request or notification, another's response."""
    if event["_tag"] == "Stray":
        return event["problem"] != "overlong"
    return event["_tag"] == "Arrived" and ("method" in event["message"] or not is_ours(event))


def is_ours(event):
    """Over HTTP the response tells on which it came, on a pipe the id; an error without one is for what is in flight."""
    message = event["message"]
    if "exchange" in event:
        return event["exchange"] == 1
    return is_one(message.get("id")) or ("error" in message and message.get("id") in (None, ""))


def is_one(number):
    return number == 1 and isinstance(number, int)


def version_in(event):
    """The revision that a usable result names, or None."""
    message = event.get("message", {})
    result = message.get("result", {})
    good = response(event).get("status", 200) in range(200, 300) and is_one(message.get("id"))
    shapes = {"protocolVersion": str, "capabilities": dict, "serverInfo": dict}
    if good and all(isinstance(result.get(key), shape) for key, shape in shapes.items()):
        return result["protocolVersion"]
    return None


def reply_to(event, session):
    """A ping is owed a result, another request an error; a notification and a stranger's response nothing."""
    message = event.get("message", {})
    if "method" not in message or "id" not in message:
        return []
    error = {"code": -32601, "message": "The connection is not initialized yet."}
    answer = {"result": {}} if message["method"] == "ping" else {"error": error}
    body = {"jsonrpc": "2.0", "id": message["id"], **answer}
    return [{"_tag": "Reply", "message": body, "sessionId": session}]
