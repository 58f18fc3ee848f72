"""FastMCP's client with its tasks package, driven from outside by the commands that clients/driven.js describes."""

import json
import sys
import warnings
from typing import Any

import anyio
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp_tasks import ToolTask, call_tool_task


def tell(message: dict[str, Any]):
    print(json.dumps(message), flush=True)


def plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def open_target(target: dict[str, Any]) -> Any:
    if "command" in target:
        return StdioTransport(target["command"], target["args"], env=target.get("env"), keep_alive=False)
    return StreamableHttpTransport(target["url"])


class Driver:
    """One connection, its tasks, and the commands that came for it."""

    def __init__(self, start: dict[str, Any]):
        self.answers = start["answers"]
        self.tasks: dict[str, ToolTask] = {}
        self.client = Client(open_target(start["target"]), mode="2026-07-28", elicitation_handler=self.on_elicitation)

    async def on_elicitation(self, *_: Any):
        return ElicitResult(action="accept", content=self.answers["form"]["content"])

    def task(self, task_id: str) -> ToolTask:
        if task_id in self.tasks:
            return self.tasks[task_id]
        known = next(iter(self.tasks.values()))
        stranger = known.create_result.model_copy(update={"task_id": task_id})
        return ToolTask(self.client, "report", stranger)

    async def perform(self, verb: str, args: list[Any]) -> Any:
        match verb:
            case "callTool":
                return plain(await self.client.call_tool_mcp(args[0], args[1]))
            case "startTask":
                task = await call_tool_task(self.client, args[0], args[1])
                self.tasks[task.task_id] = task
                return {"taskId": task.task_id, "status": task.create_result.status}
            case "taskState":
                return {"status": (await self.task(args[0]).status()).status}
            case "cancelTask":
                return await self.task(args[0]).cancel()
            case _:
                raise ValueError(f"unknown verb {verb}")

    async def answer(self, command: dict[str, Any]):
        try:
            tell({"id": command["id"], "result": await self.perform(command["verb"], command["args"])})
        except Exception as error:
            tell({"id": command["id"], "error": f"{type(error).__name__}: {error}"})

    async def run(self, lines: Any):
        async with self.client, anyio.create_task_group() as group:
            tell({"id": 0, "result": self.client.protocol_version})
            async for line in lines:
                group.start_soon(self.answer, json.loads(line))
            group.cancel_scope.cancel()


async def main():
    warnings.simplefilter("ignore")
    lines = anyio.wrap_file(sys.stdin)
    start = json.loads(await lines.readline())
    try:
        await Driver(start).run(lines)
    except Exception as error:
        tell({"id": 0, "error": f"{type(error).__name__}: {error}"})


anyio.run(main)
