"""Connects with whichever Python client its environment has, as often as it is asked.

`python client.py LIBRARY`, LIBRARY one of mcp2, mcp1, fastmcp, fast-agent, hermes. Each line of standard input is a job
`{"id", "mode", "url" | "command", "timeout", "probe"?, "calls"}`; each line of standard output is its end: `{"id",
"outcome": "established", "version", "tools", "echo"}` or `{"id", "outcome": "failed", "error"}`. Several jobs run at the
same time. Times are in seconds.
"""

import asyncio
import contextlib
import importlib
import json
import logging
import os
import sys
import tempfile

# Some of these libraries write to standard output; the ends of jobs go to the real one.
ends = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)
logging.disable(logging.CRITICAL)


def text_of(result) -> str:
    return result.content[0].text


def error_of(error: BaseException) -> str:
    """The innermost error: its kind, and its JSON-RPC code if it has one."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    inner = getattr(error, "error", None)
    code = getattr(inner, "code", None)
    return type(error).__name__ if code is None else f"{type(error).__name__} {code}"


async def leave() -> dict:
    """Leaves, but not before what the handshake still had to say is out: to close at once would take it back."""
    await asyncio.sleep(0.3)
    return {}


async def with_session(session, job) -> dict:
    """What an initialized session of either major version of mcp can be asked."""
    if not job["calls"]:
        return await leave()
    tools = (await session.list_tools()).tools
    return {"tools": [tool.name for tool in tools], "echo": text_of(await session.call_tool("echo", {"message": "hello"}))}


async def mcp2(job) -> dict:
    import mcp.client.session as sessions
    from mcp.client import Client
    from mcp.client.session import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if "probe" in job:
        sessions.DISCOVER_TIMEOUT_SECONDS = job["probe"]
    stdio = "command" in job
    where = StdioServerParameters(command=job["command"][0], args=job["command"][1:]) if stdio else job["url"]
    if job["mode"].startswith("hermes-"):
        async with stdio_client(where) if stdio else streamable_http_client(where) as (read, write):
            async with ClientSession(read, write) as session:
                await as_hermes(session, job["mode"], job["timeout"])
                return {"version": session.protocol_version, **await with_session(session, job)}
    if job["mode"] in ("initialize", "discover"):
        async with stdio_client(where) if stdio else streamable_http_client(where) as (read, write):
            async with ClientSession(read, write, read_timeout_seconds=job["timeout"]) as session:
                if job["mode"] == "initialize":
                    version = (await session.initialize()).protocol_version
                else:
                    await session.discover()
                    version = session.protocol_version
                return {"version": version, **await with_session(session, job)}
    mode = "2026-07-28" if job["mode"] == "pinned" else job["mode"]
    # 2.0 takes a carrier where later ones take the parameters too.
    async with Client(stdio_client(where) if stdio else where, mode=mode, read_timeout_seconds=job["timeout"]) as client:
        return {"version": client.protocol_version, **await with_session(client, job)}


async def as_hermes(session, mode, timeout) -> None:
    """Negotiates as Hermes Agent's repository does where its `protocol` key says auto or stateless, in words of our own.

    `auto`: the handshake first; on -32022, -32601 or a revision that the SDK does not take, discover; where that fails
    too and the server had answered, the handshake once more, held at the revision offered. `stateless`: discover first,
    then the handshake whatever came. Its own time running out ends either.
    """
    from mcp.shared.exceptions import MCPError
    from mcp_types import InitializedNotification, InitializeRequest, InitializeRequestParams, InitializeResult
    from mcp_types.version import LATEST_HANDSHAKE_VERSION

    def ask(method):
        return asyncio.wait_for(getattr(session, method)(), timeout)

    def answered(error) -> bool:
        return isinstance(error, RuntimeError) and "protocol version" in str(error)

    first, second = ("discover", "initialize") if mode == "hermes-stateless" else ("initialize", "discover")
    try:
        return await ask(first)
    except TimeoutError:
        raise
    except Exception as refused:
        modern = isinstance(refused, MCPError) and refused.error.code in (-32022, -32601)
        if first == "initialize" and not modern and not answered(refused):
            raise
        try:
            return await ask(second)
        except TimeoutError:
            raise
        except Exception:
            if first != "initialize" or not answered(refused):
                raise
        params = InitializeRequestParams(
            protocol_version=LATEST_HANDSHAKE_VERSION,
            capabilities=session._build_capabilities(LATEST_HANDSHAKE_VERSION),
            client_info=session._client_info,
        )
        result = await asyncio.wait_for(
            session.send_request(InitializeRequest(params=params), InitializeResult), timeout
        )
        session.adopt(result.model_copy(update={"protocol_version": LATEST_HANDSHAKE_VERSION}))
        await session.send_notification(InitializedNotification())


async def mcp1(job) -> dict:
    from datetime import timedelta

    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if "command" in job:
        carrier = stdio_client(StdioServerParameters(command=job["command"][0], args=job["command"][1:]))
    else:
        carrier = streamable_http_client(job["url"])
    async with carrier as streams:
        timeout = timedelta(seconds=job["timeout"])
        async with ClientSession(streams[0], streams[1], read_timeout_seconds=timeout) as session:
            version = (await session.initialize()).protocolVersion
            return {"version": version, **await with_session(session, job)}


async def fastmcp(job) -> dict:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    where = job.get("url") or StdioTransport(job["command"][0], job["command"][1:], keep_alive=False)
    mode = "2026-07-28" if job["mode"] == "pinned" else job["mode"]
    async with Client(where, mode=mode, timeout=job["timeout"], init_timeout=job["timeout"]) as client:
        found = {"version": client.protocol_version}
        if not job["calls"]:
            await leave()
        else:
            found["tools"] = [tool.name for tool in await client.list_tools()]
            found["echo"] = text_of(await client.call_tool("echo", {"message": "hello"}))
        return found


class Registry:
    """What fast-agent asks of the registry that it keeps its servers in."""

    active_home = None
    no_home = True

    def set_server_capabilities(self, name, capabilities) -> None:
        pass


async def fast_agent(job) -> dict:
    import mcp.client.session as sessions
    from fast_agent.config import MCPServerSettings
    from fast_agent.mcp.gen_client import gen_client

    if "probe" in job:
        sessions.DISCOVER_TIMEOUT_SECONDS = job["probe"]
    place = {"url": job["url"], "transport": "http"} if "url" in job else {}
    if "command" in job:
        place = {"command": job["command"][0], "args": job["command"][1:], "transport": "stdio"}
    config = MCPServerSettings(
        name="parley", protocol_mode=job["mode"], read_timeout_seconds=max(1, round(job["timeout"])), **place
    )
    # No browser can be opened here, so its one escalation to OAuth is not let happen.
    async with gen_client("parley", Registry(), server_config=config, trigger_oauth=False) as connection:
        return {"version": connection.protocol_version, **await with_session(connection, job)}


async def hermes(job) -> dict:
    from tools import mcp_tool

    # It would try each first connection four times.
    mcp_tool._MAX_INITIAL_CONNECT_RETRIES = 0
    config = {"connect_timeout": job["timeout"], "timeout": job["timeout"]}
    if "url" in job:
        config["url"] = job["url"]
    else:
        config |= {"command": job["command"][0], "args": job["command"][1:]}
    server = await mcp_tool._connect_server(f"parley{job['id']}", config)
    try:
        version = server.initialize_result.protocolVersion
        return {"version": version, **await with_session(server.session, job)}
    finally:
        await server.shutdown()


# Slow to import: to do it while a job runs would eat that job's time.
imports = {
    "mcp2": ["mcp.client"],
    "mcp1": ["mcp"],
    "fastmcp": ["fastmcp"],
    "fast-agent": ["fast_agent.config", "fast_agent.mcp.gen_client"],
    "hermes": ["tools.mcp_tool"],
}
clients = {"mcp2": mcp2, "mcp1": mcp1, "fastmcp": fastmcp, "fast-agent": fast_agent, "hermes": hermes}


async def run(job, room) -> None:
    async with room:
        try:
            found = await asyncio.wait_for(clients[sys.argv[1]](job), 3 * job["timeout"] + 5)
            end = {"outcome": "established", **found}
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            end = {"outcome": "failed", "error": error_of(error)}
        print(json.dumps({"id": job["id"], **end}), file=ends, flush=True)


async def main() -> None:
    room = asyncio.Semaphore(8)
    # Hermes takes every new child of this process for its server's, and ends them with it: one at a time.
    alone = asyncio.Semaphore(1) if sys.argv[1] == "hermes" else room
    jobs = set()
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if line.strip():
            job = json.loads(line)
            jobs.add(asyncio.create_task(run(job, alone if "command" in job else room)))
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*jobs)


if sys.argv[1] in ("hermes", "fast-agent"):
    # Both keep files of their own; none of the user's are touched.
    home = tempfile.TemporaryDirectory()
    os.environ["HERMES_HOME"] = os.environ["FAST_AGENT_HOME"] = home.name
for name in imports[sys.argv[1]]:
    importlib.import_module(name)
asyncio.run(main())
os._exit(0)
