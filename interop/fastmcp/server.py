"""The catalogue, served by FastMCP. Usage: server.py stdio | http-json | http-sse | sse, then the era."""

import base64
import json
import os
import socket
import sys
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ResourceError, ToolError
from fastmcp.tools import ToolResult
from fastmcp.utilities.types import Audio, Image
from pydantic import BaseModel

CATALOGUE: dict[str, Any] = json.loads(os.environ["INTEROP_CATALOGUE"])
PAUSE_SECONDS = 0.02
PAGE_SIZE = 5

server = FastMCP("fastmcp", version="1.0.0", strict_input_validation=True, list_page_size=PAGE_SIZE)
stops = 0


class Sum(BaseModel):
    sum: float


class Name(BaseModel):
    name: str


@server.tool
async def echo(text: str) -> ToolResult:
    return ToolResult(content=text)


@server.tool
async def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool
async def picture() -> Image:
    return Image(data=base64.b64decode(CATALOGUE["PNG"]), format="png")


@server.tool
async def sound() -> Audio:
    return Audio(data=base64.b64decode(CATALOGUE["WAV"]), format="wav")


@server.tool
async def embedded() -> ToolResult:
    resource = types.TextResourceContents.model_validate(CATALOGUE["EMBEDDED"])
    return ToolResult(content=[types.EmbeddedResource(type="resource", resource=resource)])


@server.tool
async def fail() -> ToolResult:
    raise ToolError("It failed on purpose.")


@server.tool
async def big(bytes: int) -> ToolResult:
    return ToolResult(content="é" * (bytes // 2))


@server.tool
async def count(to: int, ctx: Context) -> ToolResult:
    for step in range(1, to + 1):
        await ctx.report_progress(step, to)
        await anyio.sleep(PAUSE_SECONDS)
    return ToolResult(content="counted")


@server.tool
async def slow(ms: int) -> ToolResult:
    await anyio.sleep(ms / 1000)
    return ToolResult(content="slept")


@server.tool
async def wait() -> ToolResult:
    global stops
    try:
        await anyio.sleep_forever()
    except anyio.get_cancelled_exc_class():
        stops += 1
        raise


@server.tool
async def stopped() -> ToolResult:
    return ToolResult(content=str(stops))


@server.tool
async def ask(ctx: Context) -> ToolResult:
    answer = await ctx.elicit("Your name?", Name)
    return ToolResult(content=f"{answer.action} {answer.data.name}")


@server.tool
async def shout(ctx: Context) -> ToolResult:
    await ctx.info("A message from the server")
    return ToolResult(content="shouted")


@server.tool
async def grow(ctx: Context) -> ToolResult:
    async def grown() -> ToolResult:
        return ToolResult(content="grown")

    server.tool(grown)
    await ctx.send_notification(types.ToolListChangedNotification())
    return ToolResult(content="more")


def unavailable(name: str):
    """Tools that FastMCP has no means for; they are listed like everywhere."""

    async def refuse() -> ToolResult:
        raise ToolError("FastMCP cannot do this")

    server.tool(refuse, name=name)


for name in ("think", "touch", "visit", "where"):
    unavailable(name)


@server.resource("note://plain", mime_type="text/plain")
async def plain() -> str:
    return CATALOGUE["PLAIN"]


@server.resource("note://watched", mime_type="text/plain")
async def watched() -> str:
    return "watched"


@server.resource("note://bytes")
async def some_bytes() -> bytes:
    return base64.b64decode(CATALOGUE["BYTES"])


@server.resource("note://item/{id}", mime_type="text/plain")
async def item(id: str) -> str:
    if not id:
        raise ResourceError("no such item")
    return f"Item {id}"


@server.prompt
async def greet(name: str) -> str:
    return f"Please greet {name}."


async def serve_http(app: Any, path: str):
    """Listens on a port of the system's choice before the address is printed, so that nobody comes too early."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener])


def main():
    mode = sys.argv[1]
    if mode == "stdio":
        server.run(transport="stdio", show_banner=False)
    elif mode == "sse":
        anyio.run(serve_http, server.http_app(path="/sse", transport="sse"), "/sse")
    else:
        anyio.run(serve_http, server.http_app(path="/mcp", json_response=mode == "http-json"), "/mcp")


main()
