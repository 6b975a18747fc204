"""A small MCP server on whichever Python library its environment has: mcp 2.x, mcp 1.x or fastmcp.

`python server.py LIBRARY TRANSPORT`: LIBRARY is mcp or fastmcp; TRANSPORT is stdio, http (stateful) or http-stateless.
Over HTTP it announces its address as one JSON line and ends when its standard input closes.
"""

import json
import os
import socket
import sys
import threading


def echo(message: str) -> str:
    """Answers with the text that it was given."""
    return message


def make(library: str):
    if library == "fastmcp":
        from fastmcp import FastMCP

        server = FastMCP("interop-fastmcp")
    else:
        try:
            from mcp.server.mcpserver import MCPServer as Server
        except ImportError:
            from mcp.server.fastmcp import FastMCP as Server
        server = Server("interop-mcp")
    server.tool()(echo)
    return server


def app_of(server, library: str, stateless: bool):
    if library == "fastmcp":
        return server.http_app(path="/mcp", stateless_http=stateless)
    try:
        return server.streamable_http_app(stateless_http=stateless)
    except TypeError:
        # mcp 1.x takes it as a setting.
        server.settings.stateless_http = stateless
        return server.streamable_http_app()


def serve(app) -> None:
    import uvicorn

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    threading.Thread(target=end_with_standard_input, daemon=True).start()
    print(json.dumps({"url": f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"}, separators=(",", ":")), flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on")).run(sockets=[listener])


def end_with_standard_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    library, transport = sys.argv[1], sys.argv[2]
    server = make(library)
    if transport == "stdio":
        if library == "fastmcp":
            server.run("stdio", show_banner=False)
        else:
            server.run("stdio")
    else:
        serve(app_of(server, library, transport == "http-stateless"))


main()
