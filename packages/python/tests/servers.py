"""One server for each SDK that is installed, with tools that fail in every way."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field
from redress_runtime import CORE, Contract, FaultError
from redress_runtime.core import FileNotFound
from redress_runtime.mcp import wrap_handler, wrap_server


#: The codes of `core`, and what a tool of these servers may answer with.
CONTRACT = Contract(
    "tests", taken={"core": None}, tools={"typed": {"may": ["FILE_NOT_FOUND", "TIMEOUT"], "read_only": False, "idempotent": False}}
)


@dataclass
class Note:
    """What `typed` returns."""

    id: int
    text: str


class Mute(Exception):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    @property
    def code(self) -> str:
        raise RuntimeError("no code")


class Coded(Exception):
    """An exception with a code of the contract, as servers had them before."""

    code = "INVALID_PATH"


def cycle() -> dict[str, Any]:
    """A value that contains itself."""
    value: dict[str, Any] = {"a": 1}
    value["self"] = value
    return value


class _Response:
    status_code = 429
    headers = {"retry-after": "7"}


class HttpError(Exception):
    """As clients of HTTP raise it."""

    response = _Response()


RAISED: dict[str, Any] = {
    "fault": lambda: FileNotFound(path="a.txt"),
    "details": lambda: FaultError(CORE.make_fault("CONFLICT")).with_(
        details={"cycle": cycle(), "bytes": b"\xff\x00", "nan": float("nan"), "object": object(), "set": {1}, 5: "five", "half": "\ud800"}
    ),
    "members": lambda: FileNotFound(path="a").with_(http=object(), timestamp=5, ledger={1: object()}, context=7),
    "mute": Mute,
    "coded": lambda: Coded("no"),
    "missing": lambda: FileNotFoundError(2, "No such file", "b.txt"),
    "limited": lambda: HttpError("slow down"),
    "value": lambda: ValueError("password=hunter2 is wrong"),
    "empty": Exception,
    "timeout": lambda: TimeoutError("late"),
    "half": lambda: ValueError("\ud800"),
}


def own_validation() -> Exception:
    """What a tool gets that validates something of its own."""
    import pydantic

    return pydantic.TypeAdapter(int).validate_python("x")  # type: ignore[return-value]


def tool_error(words: str) -> Exception:
    """The error that the SDK has for tools."""
    try:
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        from mcp.server.fastmcp.exceptions import ToolError  # type: ignore
    try:
        from fastmcp.exceptions import ToolError as Fast  # type: ignore

        made: Exception = Fast(words)
    except ImportError:
        made = ToolError(words)
    return made


def protocol_error(code: int) -> Exception:
    """An error of the protocol itself, as the SDK has it."""
    try:
        from mcp import MCPError

        made: Exception = MCPError(code, "words")
    except ImportError:
        from mcp.shared import exceptions

        types: Any = importlib.import_module("mcp.types")
        old: Any = exceptions
        asked = types.ElicitRequestURLParams(mode="url", message="Sign in", url="https://example.com", elicitationId="1")
        error = types.ErrorData(code=code, message="words")
        made = old.UrlElicitationRequiredError([asked]) if code == QUESTION else old.McpError(error)
    return made


#: The number of the error by which a server asks the user to open an address.
QUESTION = -32042

RAISED.update(
    own_validation=own_validation,
    words=lambda: tool_error("The moon is full."),
    card=lambda: tool_error('FILE_NOT_FOUND: No file at "c.txt".'),
)
#: What the protocol has a use for; not all SDKs pass it on.
PROTOCOL: dict[str, Any] = {str(it): (lambda it=it: protocol_error(it)) for it in (QUESTION, -32600, -32602, -32001)}
RETURNED: dict[str, Any] = {"cycle": cycle, "half": lambda: "\ud800"}


def make_server(kind: str, wrap: str = "server") -> Any:
    """A server of an SDK: `mcp2`, `mcp1` or `fastmcp`."""
    if kind == "mcp2":
        from mcp.server import MCPServer as Server
    elif kind == "mcp1":
        from mcp.server.fastmcp import FastMCP as Server  # type: ignore
    else:
        from fastmcp import FastMCP as Server  # type: ignore
    server: Any = Server("tests")
    around: Any = wrap_handler if wrap == "handler" else lambda it: it
    if wrap == "server":
        wrap_server(server, contract=CONTRACT)

    @server.tool()  # type: ignore[untyped-decorator]
    @around  # type: ignore[untyped-decorator]
    def typed(id: Annotated[int, Field(lt=99)]) -> Note:
        """Answers as its type says."""
        if id < 0:
            raise FileNotFound(path=f"note-{id}")
        return Note(id, "x")

    @server.tool()  # type: ignore[untyped-decorator]
    @around  # type: ignore[untyped-decorator]
    def raises(how: str) -> str:
        """Raises."""
        raise (RAISED | PROTOCOL)[how]()

    @server.tool()  # type: ignore[untyped-decorator]
    @around  # type: ignore[untyped-decorator]
    async def raises_later(how: str) -> str:
        """Raises after a pause."""
        await asyncio.sleep(0)
        raise RAISED[how]()

    @server.tool()  # type: ignore[untyped-decorator]
    @around  # type: ignore[untyped-decorator]
    def returns(how: str) -> Any:
        """Returns what is no answer."""
        return RETURNED[how]()

    return server


async def connect(kind: str, server: Any) -> Any:
    """A client of a server, in one process."""
    if kind == "mcp2":
        from mcp import Client

        return Client(server)
    if kind == "fastmcp":
        from fastmcp import Client as Fast

        return Fast(server)
    from mcp.shared.memory import create_connected_server_and_client_session  # type: ignore

    return create_connected_server_and_client_session(server._mcp_server)


def answer(kind: str, tool: str, arguments: dict[str, Any], wrap: str = "server") -> dict[str, Any]:
    """The answer to a call, as JSON."""

    async def call() -> dict[str, Any]:
        async with await connect(kind, make_server(kind, wrap)) as client:
            result: Any
            if kind == "fastmcp":
                result = await client.call_tool_mcp(tool, arguments)
            else:
                result = await client.call_tool(tool, arguments)
            told: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            return told

    return asyncio.run(call())


def tools(kind: str, wrap: str) -> dict[str, Any]:
    """The tools of a server by name, as JSON."""

    async def ask() -> dict[str, Any]:
        async with await connect(kind, make_server(kind, wrap)) as client:
            listed = await client.list_tools()
            found = listed if isinstance(listed, list) else listed.tools
            return {it.name: it.model_dump(mode="json", by_alias=True, exclude_none=True) for it in found}

    return asyncio.run(ask())
