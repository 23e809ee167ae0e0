"""The official Python client, which knows both eras.

python client.py sessions|stateless STEP,… stdio COMMAND ARGS… | http URL [TOKEN]
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

ERA, NAMES, TRANSPORT, *TARGET = sys.argv[1:]

ASKING = {
    "sessions": {
        "sampling": ("test_sampling", {"prompt": "Capital?"}),
        "elicitation": ("test_elicitation", {"message": "Who?"}),
    },
    "stateless": {
        "sampling": ("test_input_required_result_sampling", {}),
        "elicitation": ("test_input_required_result_elicitation", {}),
    },
}[ERA]


async def sample(context, params):
    said = types.TextContent(type="text", text="Paris")
    return types.CreateMessageResult(role="assistant", model="none", content=said)


async def elicit(context, params):
    content = {"name": "Ada", "username": "Ada", "email": "ada@example.com"}
    return types.ElicitResult(action="accept", content=content)


async def progress(client):
    seen = []

    async def on_progress(done, total, message):
        seen.append(done)

    result = await client.call_tool("test_tool_with_progress", {}, progress_callback=on_progress)
    return {"seen": seen, "result": plain(result)}


async def large(client):
    result = await client.call_tool("large", {"bytes": 1 << 19})
    return len(result.content[0].text)


async def cancel(client):
    call = asyncio.create_task(client.call_tool("hang", {}))
    await asyncio.sleep(0.3)
    call.cancel()
    ended = "answered"
    try:
        await call
    except asyncio.CancelledError:
        ended = "stopped"
    await asyncio.sleep(0.3)
    result = await client.call_tool("cancelled_calls", {})
    return {"ended": ended, "heard": result.content[0].text}


async def server(client):
    return {
        "name": client.server_info.name,
        "version": client.protocol_version,
        "capabilities": plain(client.server_capabilities),
    }


STEPS = {
    "server": server,
    "tools": lambda client: client.list_tools(),
    "ok": lambda client: client.call_tool("test_simple_text", {}),
    "mixed": lambda client: client.call_tool("test_multiple_content_types", {}),
    "sum": lambda client: client.call_tool("sum", {"a": 1, "b": 2}),
    "resource": lambda client: client.read_resource("test://static-text"),
    "prompt": lambda client: client.get_prompt(
        "test_prompt_with_arguments", {"arg1": "a", "arg2": "b"}
    ),
    "progress": progress,
    "sampling": lambda client: client.call_tool(*ASKING["sampling"]),
    "elicitation": lambda client: client.call_tool(*ASKING["elicitation"]),
    "large": large,
    "failed": lambda client: client.call_tool("test_error_handling", {}),
    "file": lambda client: client.call_tool("read_file", {"path": "a.txt"}),
    "no_file": lambda client: client.call_tool("read_file", {"path": "b.txt"}),
    "failed_typed": lambda client: client.call_tool("sum", {"a": 1, "b": 2, "fail": True}),
    "protocol_error": lambda client: client.call_tool("protocol_error", {}),
    "unknown_tool": lambda client: client.call_tool("no_such_tool", {}),
    "missing_resource": lambda client: client.read_resource("test://missing"),
    "timeout": lambda client: client.call_tool("hang", {}),
    "cancel": cancel,
    "crash": lambda client: client.call_tool("exit", {"code": 7}),
    "again": lambda client: client.call_tool("test_simple_text", {}),
}


def plain(value):
    """A result as the JSON that it was."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return value


async def main():
    target = TARGET[0]
    if TRANSPORT == "stdio":
        target = StdioServerParameters(command=TARGET[0], args=TARGET[1:])
    elif len(TARGET) > 1:
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {TARGET[1]}"})
        target = streamable_http_client(TARGET[0], http_client=http)
    mode = "auto" if ERA == "stateless" else "legacy"
    report = {}
    async with Client(
        target, mode=mode, sampling_callback=sample, elicitation_callback=elicit
    ) as client:
        for name in NAMES.split(","):
            try:
                report[name] = {"ok": plain(await STEPS[name](client))}
            except Exception as error:
                told = getattr(error, "error", None)
                report[name] = {"error": plain(told) if told else {"message": repr(error)}}
    print(json.dumps(report))


asyncio.run(main())
