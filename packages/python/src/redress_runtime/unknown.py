"""A fault of whatever was raised."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .answer import parse
from .http_error import retry_after, status_of
from .jsonsafe import json_safe, said
from .lookup import Lookup
from .make import fault_of
from .model import Context, Fault, Row
from .redact import redact, redact_json
from .taught import matching
from .values import attribute, is_count
from .violation import wrong_argument

_INTERNAL: Final = "INTERNAL_ERROR"
_MAX_VIOLATIONS: Final = 20
#: The types of JSON that pydantic's names of errors begin with.
_TYPES: Final[Mapping[str, str]] = {
    "string": "string",
    "int": "integer",
    "float": "number",
    "decimal": "number",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "dict": "object",
    "model": "object",
}
#: How many causes of an exception are looked at.
_MAX_CAUSES: Final = 8

#: The code of an exception, by the name of its class or of one that it derives from. The nearest class counts.
EXCEPTIONS: Final[Mapping[str, str]] = {
    "FileNotFoundError": "FILE_NOT_FOUND",
    "FileExistsError": "FILE_ALREADY_EXISTS",
    "IsADirectoryError": "INVALID_PATH",
    "NotADirectoryError": "INVALID_PATH",
    "PermissionError": "INSUFFICIENT_PERMISSIONS",
    "TimeoutError": "TIMEOUT",
    "TimeoutException": "TIMEOUT",
    "Timeout": "TIMEOUT",
    "ConnectionError": "UPSTREAM_UNAVAILABLE",
    "gaierror": "UPSTREAM_UNAVAILABLE",
    "TransportError": "UPSTREAM_UNAVAILABLE",
    "CancelledError": "CANCELLED",
    "NotImplementedError": "UNSUPPORTED",
    "ModuleNotFoundError": "NOT_INSTALLED",
    "MemoryError": "OVERLOADED",
}

#: The code of the answer of a service, by its HTTP status.
STATUSES: Final[Mapping[int, str]] = {
    400: "INVALID_INPUT_VALUE",
    401: "AUTH_REQUIRED",
    403: "INSUFFICIENT_PERMISSIONS",
    404: "NOT_FOUND",
    408: "TIMEOUT",
    409: "CONFLICT",
    410: "NOT_FOUND",
    413: "INPUT_TOO_LARGE",
    422: "INVALID_INPUT_VALUE",
    429: "RATE_LIMITED",
    501: "UNSUPPORTED",
    502: "UPSTREAM_UNAVAILABLE",
    503: "UPSTREAM_UNAVAILABLE",
    504: "TIMEOUT",
}


@dataclass
class Ctx:
    """What is known when a fault is made of something unknown."""

    codes: Mapping[str, Row]
    lookup: Lookup
    #: The code, where what was raised names none.
    row: Row | None = None
    message: str | None = None
    context: Context = field(default_factory=Context)


def fault_of_unknown(raised: object, ctx: Ctx) -> Fault:
    """A fault of whatever was raised. A fault stays itself and only gets absent context filled."""
    try:
        fault = _stated(raised, ctx) or _named(raised, ctx) or _taught(raised, ctx) or _mapped(raised, ctx) or _other(raised, ctx)
    except Exception:
        # An exception can be so broken that even its attributes raise; it is told all the same.
        fault = _quoted(_row(ctx, _INTERNAL), type(raised).__name__, {})
    if ctx.message is not None and fault.ground == "guessed":
        fault.message = ctx.message
    fault.context.fill_absent(ctx.context)
    return fault


def _stated(raised: object, ctx: Ctx) -> Fault | None:
    """A fault, an exception around one, or one whose JSON-RPC error or text is an envelope."""
    own = raised if isinstance(raised, Fault) else attribute(raised, "fault")
    if isinstance(own, Fault):
        return replace(own, context=copy(own.context))
    told = attribute(raised, "error") if isinstance(raised, BaseException) else raised
    fault = parse(told, ctx.lookup) if told is not None else None
    return fault if fault and (fault.ground == "stated" or is_count(attribute(told, "code"))) else None


def _named(raised: object, ctx: Ctx) -> Fault | None:
    """An exception that carries a code of the contract itself, in our spelling."""
    code = raised.get("code") if isinstance(raised, dict) else attribute(raised, "code")
    row = ctx.codes.get(code) if isinstance(code, str) else None
    if row is None:
        return None
    given = raised if isinstance(raised, dict) else getattr(raised, "__dict__", {})
    fault = fault_of(row, {str(key): value for key, value in given.items()})
    words = _words(raised).removeprefix(f"[{row.code}] ").removeprefix(f"{row.code}: ")
    fault.message = redact(words) or fault.message
    fault.cause = cause_of(raised)
    return fault


def _taught(raised: object, ctx: Ctx) -> Fault | None:
    """What a taught row of the contract sees in the words of an exception."""
    if not ctx.lookup.matches or not isinstance(raised, (BaseException, str)):
        return None
    text = raised if isinstance(raised, str) else said(raised)
    match = matching(ctx.lookup.matches, text, True, ctx.context.tool or "")
    row = ctx.lookup.spelled("native", match["code"]) if match else None
    fault = _quoted(row, text, {}, raised) if row else None
    if fault and match:
        fault.effect = match.get("effect", fault.effect)
    return fault


def _mapped(raised: object, ctx: Ctx) -> Fault | None:
    """An exception of the language or of a client of HTTP, or one that has such a cause."""
    for error in _causes(raised):
        status = status_of(error)
        if status is not None and status in STATUSES:
            params: dict[str, Any] = {"status": status}
            wait = retry_after(error)
            if wait is not None:
                params["retry_after_ms"] = wait * 1000
            return _quoted(_row(ctx, STATUSES[status]), _words(error), params, error)
        wrong = _violations(error)
        if wrong is not None:
            return _invalid(wrong, error, ctx)
        name = next((it.__name__ for it in type(error).__mro__ if it.__name__ in EXCEPTIONS), None)
        if name is not None:
            return _quoted(_row(ctx, EXCEPTIONS[name]), _words(error), _os_params(error), error)
        if ctx.row is not None:
            # The author's own code says more than what lies below it.
            return None
    return None


def _other(raised: object, ctx: Ctx) -> Fault:
    name = f"{type(raised).__name__}: " if isinstance(raised, BaseException) else ""
    words = _words(raised)
    return _quoted(ctx.row or _row(ctx, _INTERNAL), name + words if words else name.rstrip(": "), {}, raised)


def _quoted(row: Row, words: str, params: Mapping[str, Any], raised: object = None) -> Fault:
    """A fault of a row, with foreign words as a quote. What the call has done by then is not known."""
    fault = fault_of(row, params)
    fault.ground = "guessed"
    if fault.effect == "none":
        fault.effect = "unknown"
    fault.server_text = redact(words) or None
    fault.cause = cause_of(raised)
    return fault


def _invalid(wrong: list[dict[str, Any]], error: BaseException, ctx: Ctx) -> Fault:
    """Arguments that a validator refused."""
    first = wrong[0]
    code = {"missing": "MISSING_REQUIRED_FIELD", "wrong_type": "INVALID_INPUT_TYPE"}.get(first["reason"], "INVALID_INPUT_VALUE")
    fault = fault_of(_row(ctx, code), {"field": first["pointer"]} if first["pointer"] else {})
    if first["pointer"]:
        fault.message = wrong_argument(first)
    fault.violations = wrong
    fault.ground = "guessed"
    fault.cause = cause_of(error)
    return fault


def _violations(error: BaseException) -> list[dict[str, Any]] | None:
    """What pydantic found, by its form: `errors()` gives objects with `loc`, `type` and `msg`."""
    errors = attribute(error, "errors")
    if type(error).__name__ != "ValidationError" or not callable(errors):
        return None
    return [_violation(it) for it in errors()[:_MAX_VIOLATIONS]] or None


def _violation(found: Mapping[str, Any]) -> dict[str, Any]:
    kind, words = str(found.get("type", "")), str(found.get("msg", "")).rstrip(".")
    pointer = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in found.get("loc", ()))
    expected = _TYPES.get(kind.partition("_")[0]) if kind.endswith(("_type", "_parsing", "_from_float")) else None
    if expected is not None:
        return {"pointer": pointer, "reason": "wrong_type", "expected": expected}
    if kind.startswith("missing"):
        return {"pointer": pointer, "reason": "missing"}
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return {"pointer": pointer, "reason": "unknown"}
    head = "Input should be "
    if words.startswith(head):
        return {"pointer": pointer, "reason": "not_allowed", "expected": words.removeprefix(head)}
    return {"pointer": pointer, "reason": words or "not_allowed"}


def _os_params(error: BaseException) -> dict[str, Any]:
    path = attribute(error, "filename")
    dependency = attribute(error, "name") if isinstance(error, ImportError) else None
    found = {"path": _text(path), "resource": _text(path), "dependency": dependency}
    return {key: it for key, it in found.items() if it is not None}


def _text(value: object) -> str | None:
    plain = json_safe(value)
    return plain if isinstance(plain, str) else None


def _causes(raised: object) -> list[BaseException]:
    """An exception, what it was raised from, and what stands in a group, outermost first."""
    found: list[BaseException] = []
    left = [raised]
    while left and len(found) < _MAX_CAUSES:
        error = left.pop(0)
        if isinstance(error, BaseException) and not any(it is error for it in found):
            found.append(error)
            group = getattr(error, "exceptions", ())
            left += [error.__cause__, *(group if isinstance(group, (list, tuple)) else ())]
    return found


def _words(raised: object) -> str:
    """What was raised says of itself."""
    if isinstance(raised, dict):
        words = raised.get("message")
        return words if isinstance(words, str) else str(json_safe(raised))
    return said(raised)


def cause_of(raised: object) -> Any:
    """What was raised as JSON: `{message, code, name}` for an exception, without its credentials."""
    if raised is None or isinstance(raised, Fault):
        return None
    if not isinstance(raised, BaseException):
        plain = json_safe(raised)
        return redact_json(plain if isinstance(plain, (str, list, dict)) else str(plain))
    code = json_safe(attribute(raised, "code"))
    return {"message": redact(said(raised)), "code": code, "name": type(raised).__name__}


def stack_of(raised: object, frames: int | None = None) -> str | None:
    """The stack of an exception: its last frames, or all of them."""
    if not isinstance(raised, BaseException):
        return None
    try:
        lines = traceback.format_exception(type(raised), raised, raised.__traceback__)
    except Exception:
        return None
    kept = lines if frames is None else [*lines[:-1][-frames:], lines[-1]] if frames > 0 else lines[-1:]
    return redact("".join(kept)).rstrip("\n")


def _row(ctx: Ctx, code: str) -> Row:
    row = ctx.codes.get(code) or ctx.lookup.row("core", code)
    if row is None:
        raise LookupError(code)
    return row
