"""Typed errors of the Gmail and Obsidian servers: `MCPError`, `MCPErrorCode`, a map of exceptions, and the client's fallback.

Every tool returns text: JSON with the keys `error`, `message` and `details` when it failed.
"""

from __future__ import annotations

import functools
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, get_args, overload

from .chain import is_nothing
from .contract import shipped_contract
from .http_error import retry_after, status_of
from .jsonsafe import json_safe, said
from .lookup import shipped
from .make import fault_of
from .model import Fault, Row
from .redact import redact
from .values import attribute
from .write import bounded, write

#: The eight ways in which a tool fails.
MCPErrorCode = Literal[
    "auth_required",
    "not_found",
    "rate_limited",
    "send_failed",
    "permission_denied",
    "parse_error",
    "mcp_unavailable",
    "internal_error",
]

F = TypeVar("F", bound=Callable[..., Any])
_LOG: Final = logging.getLogger("redress")
#: How long to wait where a service that limits calls does not say.
_RETRY_AFTER: Final = 60

#: The code of an exception, by the name of its class or of one that it derives from. The nearest class counts.
EXCEPTIONS: Final[Mapping[str, MCPErrorCode]] = {
    "AuthRequiredError": "auth_required",
    "RefreshError": "auth_required",
    "FileNotFoundError": "not_found",
    "NotADirectoryError": "not_found",
    "PermissionError": "permission_denied",
    "JSONDecodeError": "parse_error",
    "YAMLError": "parse_error",
    "UnicodeDecodeError": "parse_error",
    "TimeoutError": "mcp_unavailable",
    "ConnectionError": "mcp_unavailable",
    "MCPUnavailableError": "mcp_unavailable",
}

#: The code of a service's answer, by its HTTP status. Another status is `send_failed` while sending, else `internal_error`.
STATUSES: Final[Mapping[int, MCPErrorCode]] = {
    401: "auth_required",
    403: "permission_denied",
    404: "not_found",
    410: "not_found",
    429: "rate_limited",
    503: "mcp_unavailable",
    504: "mcp_unavailable",
}


@dataclass
class MCPError:
    """The error of a tool. It has the methods of the pydantic model that it takes the place of."""

    error: MCPErrorCode
    message: str
    details: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.error not in get_args(MCPErrorCode):
            raise ValueError(f"{self.error!r} is no MCPErrorCode: use one of {', '.join(get_args(MCPErrorCode))}")
        if not isinstance(self.message, str):
            raise ValueError("message must be a text")
        if self.details is not None and not isinstance(self.details, dict):
            raise ValueError("details must be an object or None")

    @classmethod
    def model_validate(cls, document: Mapping[str, Any]) -> MCPError:
        """The error that an envelope holds; `details` may be absent."""
        return cls(document["error"], document["message"], document.get("details"))

    @property
    def fault(self) -> Fault:
        """The same as a fault, for a card, for another dialect or for `decide`."""
        fault = fault_of(_row(self.error), self.details)
        fault.message, fault.dialect = self.message, "mailvault"
        fault.details = json_safe(self.details)
        return fault

    def model_dump(self, mode: str = "json", exclude_none: bool = False) -> dict[str, Any]:
        """The envelope: always three keys, unless `exclude_none` drops absent details. It is always JSON."""
        details = write(bounded(self.fault), "mailvault")["details"] if self.details is not None else None
        document = {"error": self.error, "message": json_safe(self.message), "details": details}
        return {key: it for key, it in document.items() if it is not None or not exclude_none}

    def model_dump_json(self) -> str:
        """The envelope as text, as a tool returns it."""
        return json.dumps(self.model_dump(), ensure_ascii=False, separators=(",", ":"))


class ToolFailed(Exception):
    """An `MCPError` that is raised: `raise ToolFailed("not_found", "Note not found: a.md", {"path": "a.md"})`."""

    def __init__(self, error: MCPErrorCode, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.mcp_error = MCPError(error, message, details)
        self.fault = self.mcp_error.fault


class AuthRequiredError(Exception):
    """Credentials are missing or expired."""


class MCPUnavailableError(Exception):
    """No way to make a call is left."""


def error_of(raised: BaseException, while_sending: bool = False) -> MCPError:
    """The error of an exception. What it says is kept, without credentials; no traceback is."""
    own = attribute(raised, "mcp_error")
    if isinstance(own, MCPError):
        return own
    stated = attribute(raised, "fault")
    if isinstance(stated, Fault):
        return MCPError(**write(bounded(stated), "mailvault"))
    status = status_of(raised)
    code: MCPErrorCode = "internal_error"
    if status is not None:
        code = STATUSES.get(status, "send_failed" if while_sending else "internal_error")
    else:
        names = (it.__name__ for it in type(raised).__mro__)
        code = next((EXCEPTIONS[it] for it in names if it in EXCEPTIONS), code)
    details: dict[str, Any] | None = None
    if code == "rate_limited":
        wait = retry_after(raised)
        details = {"retry_after": _RETRY_AFTER if wait is None else wait}
    elif code in ("not_found", "permission_denied", "parse_error") and attribute(raised, "filename") is not None:
        details = {"path": json_safe(getattr(raised, "filename"))}
    return MCPError(code, redact(said(raised)) or _row(code).said, details)


@overload
def returns_errors(handler: F) -> F: ...


@overload
def returns_errors(*, while_sending: bool = False) -> Callable[[F], F]: ...


def returns_errors(handler: Any = None, *, while_sending: bool = False) -> Any:
    """Makes a tool return an `MCPError` as JSON text, whatever it raises. It takes functions and coroutine functions."""

    def around(inner: Any) -> Any:
        def failed(error: Exception) -> str:
            try:
                _LOG.error("tool %s failed", getattr(inner, "__name__", inner), exc_info=error)
                return error_of(error, while_sending).model_dump_json()
            except Exception:
                return MCPError("internal_error", _row("internal_error").said).model_dump_json()

        @functools.wraps(inner)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            try:
                return await inner(*args, **kwargs)
            except Exception as error:
                return failed(error)

        @functools.wraps(inner)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                return inner(*args, **kwargs)
            except Exception as error:
                return failed(error)

        return awaited if inspect.iscoroutinefunction(inner) else called

    return around if handler is None else around(handler)


async def call_with_fallback(
    attempt: Callable[[], Any | Awaitable[Any]],
    fallback: Callable[[], Any | Awaitable[Any]] | None = None,
    on_event: Callable[[dict[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """The client's call: the tool, then the fallback. A failure and an answer that says nothing never pass for success.

    `on_event` gets `mcp_fallback` and `mcp_escalation`, with the error and without the arguments, for a log.
    """
    contract = shipped_contract("mailvault")
    problem = ""
    ways = [("mcp_fallback", "WARNING", attempt)]
    if fallback is not None:
        ways.append(("mcp_escalation", "ERROR", fallback))
    for event, severity, way in ways:
        try:
            said_back = way()
            answer = await said_back if inspect.isawaitable(said_back) else said_back
            fault = contract.parse(answer)
            if fault is None and not is_nothing(answer):
                return answer if isinstance(answer, dict) else {"result": answer}
            who = "fallback" if way is fallback else "call"
            problem = f"the {who} answered with nothing" if fault is None else fault.message
        except Exception as error:
            problem = redact(said(error)) or type(error).__name__
        _tell(on_event, {"event": event, "severity": severity, "error": problem})
    raise MCPUnavailableError(problem)


def _tell(on_event: Callable[[dict[str, Any]], object] | None, event: dict[str, Any]) -> None:
    try:
        if on_event is not None:
            on_event(event)
    except Exception:
        # A log that fails must not change what the caller gets.
        return


def _row(code: str) -> Row:
    row = shipped().row("mailvault", code.upper())
    if row is None:
        raise ValueError(f"{code!r} is no MCPErrorCode")
    return row
