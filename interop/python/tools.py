"""The tools of the catalogue: each answers a call in the way of the request's own era."""

import json
import os
import uuid
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.subscriptions import ResourceUpdated, ToolsListChanged

CATALOGUE: dict[str, Any] = json.loads(os.environ["INTEROP_CATALOGUE"])

PAUSE_SECONDS = 0.02


@dataclass
class Call:
    """One call of a tool: its arguments, its context, and the server it came to."""

    context: ServerRequestContext[Any, Any]
    params: types.CallToolRequestParams
    server: Any

    @property
    def args(self) -> dict[str, Any]:
        return self.params.arguments or {}

    @property
    def is_modern(self) -> bool:
        return self.context.protocol_version >= "2026"

    @property
    def related(self) -> Any:
        """A JSON answer has no room for anything else, which then travels on the stream of the session."""
        return None if self.server.answers_json else self.context.request_id


def text(value: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=value)])


def block(content: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[content])


async def echo(call: Call):
    return text(call.args["text"])


async def add(call: Call):
    answer = {"sum": call.args["a"] + call.args["b"]}
    return types.CallToolResult(content=[types.TextContent(text=json.dumps(answer))], structured_content=answer)


async def picture(_: Call):
    return block(types.ImageContent(data=CATALOGUE["PNG"], mime_type="image/png"))


async def sound(_: Call):
    return block(types.AudioContent(data=CATALOGUE["WAV"], mime_type="audio/wav"))


async def embedded(_: Call):
    return block(types.EmbeddedResource(resource=types.TextResourceContents.model_validate(CATALOGUE["EMBEDDED"])))


async def fail(_: Call):
    content: list[Any] = [types.TextContent(text="It failed on purpose.")]
    return types.CallToolResult(content=content, is_error=True)


async def big(call: Call):
    return text("é" * (int(call.args["bytes"]) // 2))


async def count(call: Call):
    total = int(call.args["to"])
    for step in range(1, total + 1):
        await report_progress(call, step, total)
        await anyio.sleep(PAUSE_SECONDS)
    return text("counted")


async def report_progress(call: Call, step: int, total: int):
    token = (call.context.meta or {}).get("progress_token")
    if call.related is None and not call.is_modern and token is not None:
        await call.context.session.send_progress_notification(token, step, total)
    else:
        await call.context.session.report_progress(step, total)


async def slow(call: Call):
    await anyio.sleep(call.args["ms"] / 1000)
    return text("slept")


async def grow(call: Call):
    TOOLS["grown"] = types.Tool(name="grown", input_schema=schema_of({}))
    if call.is_modern:
        await call.server.bus.publish(ToolsListChanged())
    else:
        await call.context.session.send_tool_list_changed()
    return text("more")


async def wait(call: Call):
    try:
        await anyio.sleep_forever()
    except anyio.get_cancelled_exc_class():
        call.server.stopped += 1
        raise


async def stopped(call: Call):
    return text(str(call.server.stopped))


class InputNeeded(Exception):
    """In the modern era a question is a result, and its answer comes with the next call."""

    def __init__(self, requests: dict[str, Any]):
        super().__init__("the client is asked first")
        self.result = types.InputRequiredResult(input_requests=requests)


def answered(call: Call, key: str, request: Any) -> Any:
    answer = (call.params.input_responses or {}).get(key)
    if answer is None:
        raise InputNeeded({key: request})
    return answer


async def ask(call: Call):
    form = CATALOGUE["NAME_FORM"]
    if call.is_modern:
        params = types.ElicitRequestFormParams(message="Your name?", requested_schema=form)
        answer = answered(call, "name", types.ElicitRequest(params=params))
    else:
        answer = await call.context.session.elicit_form("Your name?", form, call.related)
    return text(f"{answer.action} {answer.content['name']}")


async def visit(call: Call):
    page = CATALOGUE["PAGE"]
    if call.is_modern:
        params = types.ElicitRequestURLParams(message="Please visit", url=page)
        answer = answered(call, "visit", types.ElicitRequest(params=params))
    else:
        answer = await call.context.session.elicit_url("Please visit", page, uuid.uuid4().hex, call.related)
    return text(answer.action)


async def think(call: Call):
    params = types.CreateMessageRequestParams.model_validate(CATALOGUE["QUESTION"])
    if call.is_modern:
        answer = answered(call, "capital", types.CreateMessageRequest(params=params))
    else:
        answer = await call.context.session.create_message(
            params.messages, max_tokens=params.max_tokens, related_request_id=call.related
        )
    return text(answer.content.text)


async def where(call: Call):
    if call.is_modern:
        answer = answered(call, "roots", types.ListRootsRequest())
    else:
        answer = await call.context.session.list_roots()
    return text(" ".join(str(root.uri) for root in answer.roots))


async def shout(call: Call):
    await call.context.session.send_log_message("info", "A message from the server", related_request_id=call.related)
    return text("shouted")


async def touch(call: Call):
    uri = "note://watched"
    if call.is_modern:
        await call.server.bus.publish(ResourceUpdated(uri))
    elif uri in call.server.subscribed:
        await call.context.session.send_resource_updated(uri)
    return text("touched")


FUNCTIONS = [
    add,
    ask,
    big,
    count,
    echo,
    embedded,
    fail,
    grow,
    picture,
    shout,
    slow,
    sound,
    stopped,
    think,
    touch,
    visit,
    wait,
    where,
]

ARGUMENTS = {
    "add": {"a": "number", "b": "number"},
    "big": {"bytes": "number"},
    "count": {"to": "number"},
    "echo": {"text": "string"},
    "slow": {"ms": "number"},
}


def schema_of(members: dict[str, str]) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in members.items()}
    return {"type": "object", "properties": properties, "required": list(members)}


TOOLS = {
    function.__name__: types.Tool(
        name=function.__name__,
        input_schema=schema_of(ARGUMENTS.get(function.__name__, {})),
        output_schema=schema_of({"sum": "number"}) if function is add else None,
    )
    for function in FUNCTIONS
}
HANDLERS = {function.__name__: function for function in FUNCTIONS}
