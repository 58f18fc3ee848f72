"""The catalogue, served by the Python SDK in both eras. Usage: server.py stdio | http-json | http-sse | sse"""

import socket
import sys
import warnings
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route
from tools import ARGUMENTS, CATALOGUE, HANDLERS, TOOLS, Call, InputNeeded

PAGE_SIZE = 5
ITEM = "note://item/"


class Catalogue:
    """What the handlers share: who watches, and how often a call was stopped."""

    def __init__(self, answers_json: bool):
        self.answers_json = answers_json
        self.stopped = 0
        self.subscribed: set[str] = set()
        self.bus = InMemorySubscriptionBus()

    async def list_tools(self, _: Any, params: types.PaginatedRequestParams | None):
        start = int((params and params.cursor) or 0)
        end = start + PAGE_SIZE
        tools = list(TOOLS.values())
        return types.ListToolsResult(tools=tools[start:end], next_cursor=str(end) if end < len(tools) else None)

    async def call_tool(self, context: Any, params: types.CallToolRequestParams):
        if params.name not in HANDLERS:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")
        given = params.arguments or {}
        for name, kind in ARGUMENTS.get(params.name, {}).items():
            if not isinstance(given.get(name), str if kind == "string" else int | float):
                raise MCPError(code=types.INVALID_PARAMS, message=f"{name} must be a {kind}")
        try:
            return await HANDLERS[params.name](Call(context, params, self))
        except InputNeeded as needed:
            return needed.result

    async def list_resources(self, *_: Any):
        return types.ListResourcesResult(
            resources=[types.Resource(name=uri, uri=uri) for uri in CATALOGUE["RESOURCES"]]
        )

    async def list_templates(self, *_: Any):
        template = types.ResourceTemplate(name="item", uri_template=CATALOGUE["TEMPLATE"])
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, _: Any, params: types.ReadResourceRequestParams):
        uri = str(params.uri)
        if uri == "note://bytes":
            return types.ReadResourceResult(contents=[types.BlobResourceContents(uri=uri, blob=CATALOGUE["BYTES"])])
        texts = {"note://plain": CATALOGUE["PLAIN"], "note://watched": "watched"}
        text = f"Item {uri.removeprefix(ITEM)}" if uri.startswith(ITEM) else texts.get(uri)
        if text is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown resource: {uri}")
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)]
        )

    async def subscribe(self, _: Any, params: types.SubscribeRequestParams):
        self.subscribed.add(str(params.uri))
        return types.EmptyResult()

    async def unsubscribe(self, _: Any, params: types.UnsubscribeRequestParams):
        self.subscribed.discard(str(params.uri))
        return types.EmptyResult()

    async def list_prompts(self, *_: Any):
        argument = types.PromptArgument(name="name", required=True)
        return types.ListPromptsResult(prompts=[types.Prompt(name="greet", arguments=[argument])])

    async def get_prompt(self, _: Any, params: types.GetPromptRequestParams):
        name = (params.arguments or {})["name"]
        content = types.TextContent(text=f"Please greet {name}.")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def complete(self, _: Any, params: types.CompleteRequestParams):
        values = [name for name in CATALOGUE["NAMES"] if name.startswith(params.argument.value)]
        return types.CompleteResult(completion=types.Completion(values=values))

    async def set_level(self, *_: Any):
        return types.EmptyResult()


def create_server(answers_json: bool) -> Server[Any]:
    catalogue = Catalogue(answers_json)
    return Server(
        "python",
        version="1.0.0",
        on_list_tools=catalogue.list_tools,
        on_call_tool=catalogue.call_tool,
        on_list_resources=catalogue.list_resources,
        on_list_resource_templates=catalogue.list_templates,
        on_read_resource=catalogue.read_resource,
        on_subscribe_resource=catalogue.subscribe,
        on_unsubscribe_resource=catalogue.unsubscribe,
        on_subscriptions_listen=ListenHandler(catalogue.bus),
        on_list_prompts=catalogue.list_prompts,
        on_get_prompt=catalogue.get_prompt,
        on_completion=catalogue.complete,
        on_set_logging_level=catalogue.set_level,
    )


async def serve_stdio(server: Server[Any]):
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def create_sse_app(server: Server[Any]) -> Starlette:
    transport = SseServerTransport("/messages/")

    async def open_stream(request: Any):
        async with transport.connect_sse(request.scope, request.receive, request._send) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        return Response()

    return Starlette(routes=[Route("/sse", open_stream), Mount("/messages/", transport.handle_post_message)])


async def serve_http(app: Starlette, path: str):
    """Listens on a port of the system's choice before the address is printed, so that nobody comes too early."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener])


def main():
    warnings.simplefilter("ignore")
    mode = sys.argv[1]
    server = create_server(mode == "http-json")
    if mode == "stdio":
        anyio.run(serve_stdio, server)
    elif mode == "sse":
        anyio.run(serve_http, create_sse_app(server), "/sse")
    else:
        anyio.run(serve_http, server.streamable_http_app(json_response=mode == "http-json"), "/mcp")


main()
