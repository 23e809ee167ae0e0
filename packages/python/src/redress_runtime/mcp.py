"""The contract around tools of the official SDK (`mcp` 1.x and 2.x) and of `fastmcp`: whatever a tool raises becomes an envelope.

`wrap_server(server)` covers all tools of a server, and also what never reaches a tool: wrong arguments, an unknown tool, a result that
cannot be sent. `wrap_handler` covers one function. Both keep signatures, typed returns and output schemas. Neither SDK is a dependency:
the one that is used is imported when the first failure is answered.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar, overload

from .contract import Contract, shipped_contract
from .facts import Dialect
from .jsonsafe import said
from .model import Context, Fault
from .redact import redact
from .unknown import stack_of
from .values import attribute, is_int
from .write import rpc_error, safe, timestamp, tool_result

F = TypeVar("F", bound=Callable[..., Any])
S = TypeVar("S")

_JSON: Final = json.JSONEncoder(ensure_ascii=False).encode
_LOG: Final = logging.getLogger("redress")
#: The errors of the SDKs around what a tool raised.
_WRAPPERS: Final = ("ToolError", "UnexpectedToolError", "_ToolBodyError")
#: The number of the error for what a client cannot do.
_MISSING_CAPABILITY: Final = -32021
#: The functions of the SDKs that turn what a tool returned into a result.
_CONVERSIONS: Final = frozenset(("convert_result", "_convert_to_content", "_serialize_to_jsonable"))


class _Guard:
    """How failures of one server are answered."""

    def __init__(self, contract: Contract | None, dialect: Dialect, structured: bool, server: str | None) -> None:
        self._contract = contract or shipped_contract("core")
        self._dialect: Dialect = dialect
        self._structured, self._server = structured, server

    def fault(self, raised: BaseException, tool: str | None) -> Fault:
        """The fault of what was raised. The operator reads the whole exception in the log `redress`."""
        context = Context(server=self._server, tool=tool)
        fault = self._of_sdk(raised, context) or self._contract.from_unknown(_unwrapped(raised), context=context)
        known = self._contract.tools.get(tool) if tool is not None else None
        if known and known.read_only and fault.ground == "guessed":
            fault.effect = "none"
        fault.timestamp = fault.timestamp or timestamp()
        if fault.stack is None:
            fault.stack = _shown_stack(_unwrapped(raised))
        self._log(fault, raised, tool)
        return fault

    def result(self, raised: BaseException, tool: str | None) -> dict[str, Any]:
        """The result of a call that failed, as JSON. An error of the protocol itself is raised again."""
        if _stays(raised):
            raise raised
        error: Any = None
        try:
            fault = self.fault(raised, tool)
            error = _protocol_error(rpc_error(safe(fault))) if self._dialect == "rpc" else None
            told = tool_result(fault, not self._structured, self._dialect)
            json.dumps(told, ensure_ascii=False).encode()
        except Exception:
            _LOG.exception("what tool %s raised cannot be told as it is", tool)
            told = tool_result(_bare(raised), not self._structured, self._dialect)
        if error is not None:
            raise error from raised
        return told

    def unsendable(self, result: Any, tool: str | None) -> BaseException | None:
        """Why a result cannot be sent, if it cannot: half a character in a text, structured content that is no JSON."""
        try:
            # `mcp` 1.x has blocks, or blocks and structured content, where the others have a result.
            content, structured = result if isinstance(result, tuple) else (result, None)
            if hasattr(result, "content"):
                content = result.content
                structured = attribute(result, "structured_content") or attribute(result, "structuredContent")
            for block in content if isinstance(content, (list, tuple)) else ():
                text = attribute(block, "text")
                if isinstance(text, str) and not text.isascii():
                    text.encode()
            if structured is not None and not _is_flat(structured):
                _JSON(structured).encode()
        except Exception as error:
            return _NoResult(f"the result of {tool} cannot be sent: {said(error)}")
        return None

    def described(self, tool: Any) -> Any:
        """A tool of a list, with the line on its errors in the description."""
        line = self._contract.describe(str(attribute(tool, "name")))
        description = attribute(tool, "description") or ""
        if not line or line in description.splitlines():
            return tool
        return tool.model_copy(update={"description": f"{description}\n{line}" if description else line})

    def _of_sdk(self, raised: BaseException, context: Context) -> Fault | None:
        """What the SDK itself refused: the tool, the arguments, the result."""
        inner = _unwrapped(raised)
        if isinstance(inner, _NoResult) or not _CONVERSIONS.isdisjoint(_functions(inner)):
            fault = shipped_contract("core").make_fault("OUTPUT_INVALID", {"reason": redact(said(inner))[:200]})
        elif type(inner).__name__ in ("ToolError", "NotFoundError") and said(inner).startswith("Unknown tool"):
            fault = shipped_contract("core").make_fault("UNKNOWN_TOOL", {"tool": context.tool or ""})
        elif type(inner).__name__ in _WRAPPERS:
            fault = self._deliberate(inner)
        elif type(inner).__name__ == "ValidationError" and not _is_refusal(inner):
            # The tool used a validator for something of its own.
            fault = self._contract.from_unknown(RuntimeError(said(inner)))
        elif type(inner).__name__ == "ValidationError":
            # The SDK itself says what is wrong, before the tool is asked.
            fault = self._contract.from_unknown(inner)
            fault.ground = "stated"
        else:
            return None
        fault.context.fill_absent(context)
        return fault

    def _deliberate(self, raised: BaseException) -> Fault:
        """An error of the SDK that a tool raised on purpose: its words are for the model, and may name a code."""
        words = said(raised)
        stated = self._contract.parse({"content": [{"type": "text", "text": words}], "isError": True})
        if stated and stated.ground == "stated":
            return stated
        fault = shipped_contract("core").make_fault("UNKNOWN_TOOL_FAILURE")
        fault.message, fault.ground = redact(words) or fault.message, "guessed"
        return fault

    def _log(self, fault: Fault, raised: BaseException, tool: str | None) -> None:
        try:
            if fault.ground == "guessed":
                _LOG.error("tool %s failed: %s", tool, fault.code, exc_info=_unwrapped(raised))
            else:
                _LOG.info("tool %s failed: %s", tool, fault.code)
        except Exception:
            # A log that fails must not take the answer with it.
            return


class _NoResult(Exception):
    """A tool returned what cannot be sent."""


@overload
def wrap_handler(handler: F) -> F: ...


@overload
def wrap_handler(
    *, contract: Contract | None = None, dialect: Dialect = "native", structured: bool = False, tool: str | None = None
) -> Callable[[F], F]: ...


def wrap_handler(
    handler: Any = None,
    *,
    contract: Contract | None = None,
    dialect: Dialect = "native",
    structured: bool = False,
    tool: str | None = None,
) -> Any:
    """Makes a tool answer with an envelope, whatever it raises. The decorator stands below `@server.tool()`.

    It takes functions and coroutine functions. `structured` sends the envelope as structured content, too. What ends a task or the
    program (`CancelledError`, `KeyboardInterrupt`) is passed on. `mcp` 1.x holds failures against the output schema of a tool: use
    `wrap_server` there.
    """

    def around(inner: Any) -> Any:
        guard = _Guard(contract, dialect, structured, None)
        name = tool or attribute(inner, "__name__")

        def failed(error: Exception) -> Any:
            return _mcp_result(guard.result(error, name))

        async def awaited(answer: Awaitable[Any]) -> Any:
            try:
                return await answer
            except Exception as error:
                return failed(error)

        if _is_async(inner):

            @functools.wraps(inner)
            async def wrapped(*args: Any, **kwargs: Any) -> Any:
                try:
                    return await inner(*args, **kwargs)
                except Exception as error:
                    return failed(error)

            return wrapped

        @functools.wraps(inner)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                answer = inner(*args, **kwargs)
            except Exception as error:
                return failed(error)
            return awaited(answer) if inspect.isawaitable(answer) else answer

        return called

    return around if handler is None else around(handler)


def wrap_server(
    server: S, *, contract: Contract | None = None, dialect: Dialect = "native", structured: bool = False
) -> S:
    """Makes every tool of a server answer with an envelope, whatever happens. Returns the server.

    It takes `MCPServer` of `mcp` 2.x, `FastMCP` of `mcp` 1.x and `FastMCP` of `fastmcp`; tools may be added before and after. In the
    list of tools, the description of each tool that the contract knows ends with a line on its errors.
    """
    guard = _Guard(contract, dialect, structured, attribute(server, "name"))
    if callable(attribute(server, "add_middleware")):
        _wrap_fastmcp(server, guard)
        return server
    inner = attribute(server, "call_tool")
    if not callable(inner):
        raise TypeError(f"a {type(server).__name__} is no server whose tools can be wrapped: use wrap_handler for its handler")

    async def call_tool(name: str, arguments: dict[str, Any], *rest: Any, **more: Any) -> Any:
        try:
            result = await inner(name, arguments, *rest, **more)
        except Exception as error:
            return _mcp_result(guard.result(error, name))
        problem = guard.unsendable(result, name)
        return result if problem is None else _mcp_result(guard.result(problem, name))

    listed: Any = attribute(server, "list_tools")

    async def list_tools() -> Any:
        return [guard.described(it) for it in await listed()]

    server.call_tool, server.list_tools = call_tool, list_tools  # type: ignore[attr-defined]
    low_level = attribute(server, "_mcp_server")
    if low_level is not None:
        # `mcp` 1.x has given its handlers away already.
        low_level.list_tools()(list_tools)
        low_level.call_tool(validate_input=False)(call_tool)
    return server


def _wrap_fastmcp(server: Any, guard: _Guard) -> None:
    middleware: Any = _imported("fastmcp.server.middleware", "Middleware")
    make: Any = _imported("fastmcp.tools.base", "ToolResult") or _imported("fastmcp.tools.tool", "ToolResult")

    class Envelopes(middleware):  # type: ignore[misc]
        """Answers calls that fail with an envelope."""

        async def on_list_tools(self, context: Any, call_next: Any) -> Any:
            return [guard.described(it) for it in await call_next(context)]

        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            name = context.message.name
            try:
                result = await call_next(context)
                problem = guard.unsendable(result, name)
                if problem is None:
                    return result
            except Exception as error:
                problem = error
            told = guard.result(problem, name)
            structured = told.get("structuredContent")
            content = _mcp_result(told).content
            return make(content=content, structured_content=structured, meta=told["_meta"], is_error=True)

    server.add_middleware(Envelopes())


def _mcp_result(told: dict[str, Any]) -> Any:
    """A result as the model of the SDK; the JSON itself where there is no SDK."""
    model = _imported("mcp.types", "CallToolResult")
    return told if model is None else model.model_validate(told)


def _protocol_error(error: dict[str, Any]) -> Any:
    """A JSON-RPC error as the exception that `mcp` 2.x answers with it; 1.x has none that a tool can raise."""
    make = _imported("mcp", "MCPError")
    return None if make is None else make(**error)


@functools.lru_cache(maxsize=None)
def _imported(module: str, name: str) -> Any:
    """A class of an SDK; `None` where there is none."""
    try:
        return attribute(importlib.import_module(module), name)
    except ImportError:
        return None


def _bare(raised: BaseException) -> Fault:
    """A fault that says no more than its row: an author can put into one what belongs in none of its members."""
    own = attribute(_unwrapped(raised), "fault")
    return Fault.of(own.row if isinstance(own, Fault) else shipped_contract("core").row("INTERNAL_ERROR"))


def _stays(raised: BaseException) -> bool:
    """Whether an error of the protocol stays one, because the protocol itself has a use for its code."""
    code = attribute(attribute(raised, "error"), "code")
    if "fastmcp" in sys.modules:
        # It makes a text of every other error of the protocol that a tool raises.
        return is_int(code) and code == _MISSING_CAPABILITY
    return is_int(code) and (code in (-32700, -32600) or -32099 <= code <= -32020)


def _unwrapped(raised: BaseException) -> BaseException:
    """What the tool raised, below the errors that the SDKs put around it."""
    while type(raised).__name__ in _WRAPPERS and raised.__cause__ is not None:
        raised = raised.__cause__
    return raised


def _functions(raised: BaseException) -> list[str]:
    """The names of the SDK's functions that an exception came through."""
    return [name for module, name in _frames(raised) if module.partition(".")[0] in ("mcp", "fastmcp")]


def _is_refusal(raised: BaseException) -> bool:
    """Whether a validator was asked by the SDK, and not by a tool."""
    asked = [it for it in _frames(raised) if it[0].partition(".")[0] not in ("pydantic", "pydantic_core")]
    return bool(asked) and asked[-1][0].partition(".")[0] in ("mcp", "fastmcp")


def _frames(raised: BaseException) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    trace = raised.__traceback__
    while trace is not None and len(found) < 200:
        frame = trace.tb_frame
        found.append((str(frame.f_globals.get("__name__", "")), frame.f_code.co_name))
        trace = trace.tb_next
    return found


def _shown_stack(raised: BaseException) -> str | None:
    """The stack, where the environment asks for it: `DEBUG_STACK=true`, or `MCP_ERRORS_VERBOSE` with frames or `full`."""
    verbose = os.environ.get("MCP_ERRORS_VERBOSE", "")
    if os.environ.get("DEBUG_STACK") == "true" or verbose == "full":
        return stack_of(raised)
    return stack_of(raised, int(verbose)) if verbose.isdecimal() and len(verbose) < 6 else None


def _is_flat(structured: Any) -> bool:
    """Whether an object has nothing but plain values, as most results have: then there is nothing to try."""
    if type(structured) is not dict:
        return False
    for value in structured.values():
        kind = type(value)
        if kind is not int and kind is not bool and value is not None and not (kind is str and value.isascii()):
            return False
    return True


def _is_async(handler: Any) -> bool:
    while isinstance(handler, functools.partial):
        handler = handler.func
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(attribute(handler, "__call__"))
