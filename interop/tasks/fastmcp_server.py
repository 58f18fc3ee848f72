"""The tools of tasks/checks.js, served by FastMCP with its tasks extension. Usage: fastmcp_server.py stdio | http-json | http-sse"""

import asyncio
import socket
import sys
from datetime import timedelta
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension
from mcp import MCPError
from pydantic import BaseModel

AS_TASK = TaskConfig(mode="required", poll_interval=timedelta(milliseconds=100))
NAME_FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

server = FastMCP("fastmcp-tasks", version="1.0.0")
server.add_extension(TasksExtension())
stops = 0


class Report(BaseModel):
    pages: int


@server.tool
async def greet(name: str) -> ToolResult:
    return ToolResult(content=f"Hello, {name}!")


@server.tool
async def stopped() -> ToolResult:
    return ToolResult(content=str(stops))


@server.tool(task=AS_TASK)
async def report(pages: int) -> Report:
    await asyncio.sleep(0.2)
    return Report(pages=pages)


@server.tool(task=AS_TASK)
async def failing() -> ToolResult:
    raise ToolError("It failed on purpose.")


@server.tool(task=AS_TASK)
async def broken() -> ToolResult:
    raise MCPError(-32000, "Broken on purpose")


@server.tool(task=AS_TASK)
async def approve(ctx: Context) -> Any:
    answers = ctx.input_responses or {}
    if "name" not in answers:
        params = types.ElicitRequestFormParams(message="Your name?", requested_schema=NAME_FORM)
        return types.InputRequiredResult(input_requests={"name": types.ElicitRequest(params=params)})
    answer = answers["name"]
    return ToolResult(content=f"{answer.action} {(answer.content or {}).get('name')}")


@server.tool(task=AS_TASK)
async def wait() -> ToolResult:
    global stops
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        stops += 1
        raise
    return ToolResult(content="waited")


async def serve_http(app: Any, path: str):
    """Listens on a port of the system's choice before the address is printed, so that nobody comes too early."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener])


def main():
    mode = sys.argv[1]
    if mode == "stdio":
        server.run(transport="stdio", show_banner=False)
    else:
        anyio.run(serve_http, server.http_app(path="/mcp", json_response=mode == "http-json"), "/mcp")


main()
