"""The Python SDK as a client that is driven from outside: commands on standard input, answers on standard output.

The first line says where to connect; then each line is {"id", "verb", "args"} or {"cancel": id}, and each answer
{"id", "result"} or {"id", "error"}. Lines with "event" tell what the server sent by itself.
"""

import json
import sys
import warnings
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

MAX_EVENT_BYTES = 16_000_000


def tell(message: dict[str, Any]):
    print(json.dumps(message), flush=True)


def plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def open_target(target: dict[str, Any]) -> Any:
    if "command" in target:
        return StdioServerParameters(command=target["command"], args=target["args"], env=target.get("env"))
    if target["kind"] == "sse":
        return sse_client(target["url"])
    return streamable_http_client(target["url"], max_sse_event_size=MAX_EVENT_BYTES)


class Driver:
    """One connection and the commands that came for it."""

    def __init__(self, start: dict[str, Any]):
        self.is_modern = start["era"] == "modern"
        self.answers = start["answers"]
        self.scopes: dict[int, anyio.CancelScope] = {}
        self.watches: dict[str, anyio.CancelScope] = {}
        self.client = Client(
            open_target(start["target"]),
            mode=start.get("revision") or ("2026-07-28" if self.is_modern else "legacy"),
            log_level="info",
            sampling_callback=self.on_sampling,
            elicitation_callback=self.on_elicitation,
            list_roots_callback=self.on_roots,
            logging_callback=self.on_log,
            message_handler=self.on_message,
        )

    async def on_sampling(self, _: Any, params: Any):
        return types.CreateMessageResult.model_validate(self.answers["sample"])

    async def on_elicitation(self, _: Any, params: Any):
        return types.ElicitResult.model_validate(self.answers["visit" if params.mode == "url" else "form"])

    async def on_roots(self, _: Any):
        return types.ListRootsResult.model_validate(self.answers["roots"])

    async def on_log(self, params: types.LoggingMessageNotificationParams):
        tell({"event": "log", "params": plain(params)})

    async def on_message(self, message: Any):
        if isinstance(message, types.ResourceUpdatedNotification) and not self.is_modern:
            tell({"event": "updated", "uri": str(message.params.uri)})
        if isinstance(message, types.ToolListChangedNotification) and not self.is_modern:
            tell({"event": "toolsChanged"})

    async def list_all(self, verb: str, member: str) -> list[Any]:
        items: list[Any] = []
        cursor = None
        while True:
            page = plain(await getattr(self.client, verb)(cursor=cursor))
            items += page[member]
            cursor = page.get("nextCursor")
            if cursor is None:
                return items

    async def call_tool(self, call_id: int, name: str, arguments: dict[str, Any]):
        async def on_progress(progress: float, total: float | None, message: str | None):
            tell({"event": "progress", "call": call_id, "params": {"progress": progress, "total": total}})

        return plain(await self.client.call_tool(name, arguments, progress_callback=on_progress))

    async def watch(self, uri: str, tasks: Any):
        if not self.is_modern:
            return plain(await self.client.subscribe_resource(uri))

        def on_event(event: Any):
            tell({"event": "updated", "uri": event.uri})

        await self.listen(uri, on_event, tasks, resource_subscriptions=[uri])

    async def watch_tools(self, tasks: Any):
        if self.is_modern:
            await self.listen("tools", lambda _: tell({"event": "toolsChanged"}), tasks, tools_list_changed=True)

    async def listen(self, key: str, on_event: Any, tasks: Any, **wanted: Any):
        ready = anyio.Event()
        scope = anyio.CancelScope()

        async def hear():
            with scope:
                async with self.client.listen(**wanted) as subscription:
                    ready.set()
                    async for event in subscription:
                        on_event(event)

        tasks.start_soon(hear)
        await ready.wait()
        self.watches[key] = scope

    async def unwatch(self, uri: str):
        if not self.is_modern:
            return plain(await self.client.unsubscribe_resource(uri))
        self.watches.pop(uri).cancel()

    async def perform(self, command: dict[str, Any], tasks: Any) -> Any:
        args = command["args"]
        match command["verb"]:
            case "listTools":
                return await self.list_all("list_tools", "tools")
            case "listResources":
                return await self.list_all("list_resources", "resources")
            case "listTemplates":
                return await self.list_all("list_resource_templates", "resourceTemplates")
            case "listPrompts":
                return await self.list_all("list_prompts", "prompts")
            case "callTool":
                return await self.call_tool(command["id"], *args)
            case "readResource":
                return plain(await self.client.read_resource(*args))
            case "getPrompt":
                return plain(await self.client.get_prompt(*args))
            case "complete":
                ref, argument = args
                return plain(await self.client.complete(types.PromptReference.model_validate(ref), argument))
            case "askForLogs":
                return None if self.is_modern else plain(await self.client.set_logging_level("info"))
            case "watch":
                return await self.watch(*args, tasks)
            case "unwatch":
                return await self.unwatch(*args)
            case "watchTools":
                return await self.watch_tools(tasks)
            case "unwatchTools":
                return self.watches.pop("tools").cancel() if self.is_modern else None
            case verb:
                raise ValueError(f"unknown verb {verb}")

    async def answer(self, command: dict[str, Any], tasks: Any):
        command_id = command["id"]
        with anyio.CancelScope() as scope:
            self.scopes[command_id] = scope
            try:
                tell({"id": command_id, "result": await self.perform(command, tasks)})
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
                    tasks.start_soon(self.answer, command, tasks)
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
