"""FastMCP's client, driven from outside by the commands that clients/driven.js describes."""

import json
import sys
import warnings
from typing import Any

import anyio
import mcp_types as types
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport


def tell(message: dict[str, Any]):
    print(json.dumps(message), flush=True)


def plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def open_target(target: dict[str, Any]) -> Any:
    if "command" in target:
        return StdioTransport(target["command"], target["args"], env=target.get("env"), keep_alive=False)
    return SSETransport(target["url"]) if target["kind"] == "sse" else StreamableHttpTransport(target["url"])


class Driver:
    """One connection and the commands that came for it."""

    def __init__(self, start: dict[str, Any]):
        self.is_modern = start["era"] == "modern"
        self.answers = start["answers"]
        self.scopes: dict[int, anyio.CancelScope] = {}
        self.client = Client(
            open_target(start["target"]),
            mode=start.get("revision") or ("2026-07-28" if self.is_modern else "legacy"),
            roots=[root["uri"] for root in self.answers["roots"]["roots"]],
            sampling_handler=self.on_sampling,
            elicitation_handler=self.on_elicitation,
            log_handler=self.on_log,
        )

    async def on_sampling(self, *_: Any):
        return types.CreateMessageResult.model_validate(self.answers["sample"])

    async def on_elicitation(self, *_: Any):
        return ElicitResult(action="accept", content=self.answers["form"]["content"])

    async def on_log(self, message: Any):
        data = message.data
        # FastMCP wraps a text of its own servers.
        tell({"event": "log", "params": {"level": message.level, "data": data.get("msg", data) if isinstance(data, dict) else data}})

    async def call_tool(self, call_id: int, name: str, arguments: dict[str, Any]):
        async def on_progress(progress: float, total: float | None, message: str | None):
            tell({"event": "progress", "call": call_id, "params": {"progress": progress, "total": total}})

        return plain(await self.client.call_tool_mcp(name, arguments, progress_handler=on_progress))

    async def perform(self, command: dict[str, Any]) -> Any:
        args = command["args"]
        match command["verb"]:
            case "listTools":
                return [plain(tool) for tool in await self.client.list_tools()]
            case "listResources":
                return [plain(resource) for resource in await self.client.list_resources()]
            case "listTemplates":
                return [plain(template) for template in await self.client.list_resource_templates()]
            case "listPrompts":
                return [plain(prompt) for prompt in await self.client.list_prompts()]
            case "callTool":
                return await self.call_tool(command["id"], *args)
            case "readResource":
                return plain(await self.client.read_resource_mcp(args[0]))
            case "getPrompt":
                return plain(await self.client.get_prompt_mcp(*args))
            case "complete":
                ref, argument = args
                return plain(await self.client.complete_mcp(types.PromptReference.model_validate(ref), argument))
            case "askForLogs":
                return None if self.is_modern else await self.client.set_logging_level("info")
            case verb:
                raise ValueError(f"unknown verb {verb}")

    async def answer(self, command: dict[str, Any]):
        command_id = command["id"]
        with anyio.CancelScope() as scope:
            self.scopes[command_id] = scope
            try:
                tell({"id": command_id, "result": await self.perform(command)})
            except Exception as error:
                tell({"id": command_id, "error": f"{type(error).__name__}: {error}"})
        del self.scopes[command_id]
        if scope.cancelled_caught:
            tell({"id": command_id, "error": "cancelled"})

    async def run(self, lines: Any):
        async with self.client, anyio.create_task_group() as tasks:
            tell({"id": 0, "result": self.client.protocol_version})
            async for line in lines:
                command = json.loads(line)
                if "cancel" not in command:
                    tasks.start_soon(self.answer, command)
                elif scope := self.scopes.get(command["cancel"]):
                    scope.cancel()
            tasks.cancel_scope.cancel()


async def main():
    warnings.simplefilter("ignore")
    lines = anyio.wrap_file(sys.stdin)
    start = json.loads(await lines.readline())
    try:
        await Driver(start).run(lines)
    except Exception as error:
        tell({"id": 0, "error": f"{type(error).__name__}: {error}"})


anyio.run(main)
