"""The error codes of notes 0.1.0: types, facts, failures to make, a reader of every dialect, and the decision after one.

Written by `redress registry export --format python`; not to be edited.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeGuard, get_args, overload

#: The codes of the registry.
Code = Literal[
    "NOTE_NOT_FOUND",
    "SESSION_NOT_INITIALIZED",
    "SESSION_LOCKED",
    "SESSION_INITIALIZATION_FAILED",
    "INVALID_INPUT_VALUE",
    "INVALID_INPUT_TYPE",
    "INVALID_INPUT_FORMAT",
    "MISSING_REQUIRED_FIELD",
    "UNAUTHORIZED_ACTION",
    "INSUFFICIENT_PERMISSIONS",
    "ROLE_MISMATCH",
    "AUTH_REQUIRED",
    "USER_ACTION_REQUIRED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "CONFLICT",
    "QUERY_FAILED",
    "FILE_NOT_FOUND",
    "FILE_ALREADY_EXISTS",
    "FILE_READ_FAILED",
    "FILE_WRITE_FAILED",
    "INVALID_PATH",
    "PATH_NOT_FOUND",
    "OUTSIDE_WORKSPACE",
    "PATH_TRAVERSAL_BLOCKED",
    "PATCH_INVALID",
    "PATCH_APPLY_FAILED",
    "HASH_MISMATCH",
    "PLAN_NOT_FOUND",
    "PLAN_NOT_APPROVED",
    "PLAN_ENFORCEMENT_FAILED",
    "PLAN_SCOPE_VIOLATION",
    "POLICY_VIOLATION",
    "RUST_POLICY_VIOLATION",
    "PREFLIGHT_FAILED",
    "EVAL_BLOCKED_KEYWORD",
    "EVAL_BLOCKED_CONSTRUCT",
    "EVAL_SYNTAX_ERROR",
    "INVARIANT_VIOLATION",
    "BOOTSTRAP_FAILURE",
    "SELF_AUDIT_FAILURE",
    "AUDIT_LOG_FAILED",
    "AUDIT_LOCK_FAILED",
    "UNKNOWN_TOOL",
    "METHOD_NOT_FOUND",
    "INVALID_REQUEST",
    "PARSE_FAILED",
    "UPSTREAM_UNAVAILABLE",
    "UPSTREAM_CRASHED",
    "UPSTREAM_PROTOCOL_ERROR",
    "UPSTREAM_PARKED",
    "CIRCUIT_OPEN",
    "OUTPUT_TOO_LARGE",
    "OUTPUT_INVALID",
    "INTERNAL_ERROR",
    "UNKNOWN_TOOL_FAILURE",
    "RATE_LIMITED",
    "OVERLOADED",
    "CANCELLED",
    "CONFIG_INVALID",
    "SHUTTING_DOWN",
    "TIMEOUT",
    "LIMIT_EXCEEDED",
    "NOT_INSTALLED",
    "SESSION_NOT_FOUND",
    "INPUT_TOO_LARGE",
    "UNSUPPORTED",
]
#: What a client does with a code that it does not know.
Class = Literal["cancelled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists", "permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented", "internal", "unavailable", "data_loss", "unauthenticated"]
#: When the same call may be made again.
RetryKind = Literal["now", "after_delay", "after_change", "after_state", "after_human", "never"]
#: Whether the failed call may have changed something.
Effect = Literal["none", "unknown", "partial", "done"]
#: How bad it is for the operator.
Severity = Literal["info", "warning", "error", "critical"]
#: Who failed.
Origin = Literal["tool", "server", "gate", "client"]
#: A shape of envelope.
Dialect = Literal["native", "atlas-gate", "workrail", "rpc", "stagewright", "mailvault", "tool-failure"]
#: Whether a failure says itself what it is, or that is a guess, or the server never had the call.
Ground = Literal["not_sent", "stated", "guessed"]
#: Why a call is given up.
StopReason = Literal["cancelled", "already_done", "refused", "attempts_used", "wait_too_long", "budget_spent", "cannot_succeed"]

#: The name and the version of the registry that this file was written from.
REGISTRY: Final = ("notes", "0.1.0")


@dataclass(frozen=True)
class Retry:
    """When the same call may be made again."""

    kind: RetryKind
    #: How long to wait.
    after_ms: int | None = None
    #: The earliest time of a repeat, in milliseconds since 1970.
    not_before: int | None = None
    #: How often at most.
    max: int | None = None

    @property
    def retryable(self) -> bool:
        """Whether a program may send the same call again by itself, if it had no effect."""
        return self.kind in ("now", "after_delay")


@dataclass(frozen=True)
class NextCall:
    """A call that helps."""

    tool: str
    args: dict[str, Any] | None = None


#: A call that helps, or advice in words.
NextAction = NextCall | str


@dataclass
class Context:
    """Where a failure happened."""

    server: str | None = None
    tool: str | None = None
    request_id: str | None = None
    session_id: str | None = None
    role: str | None = None
    workspace_root: str | None = None
    phase_id: str | None = None
    plan_hash: str | None = None
    invariant_id: str | None = None
    trace_id: str | None = None


@dataclass
class Fault:
    """One failure. `code` is one of `Code`, or one that a server or a plugin brings along."""

    code: str
    message: str
    #: What to do.
    hint: str
    class_: Class
    http: int
    retry: Retry
    effect: Effect
    domain: str
    severity: Severity
    #: The shape that it came in.
    dialect: Dialect
    #: The registry whose row it is.
    registry: str
    origin: Origin = "tool"
    number: int | None = None
    next_actions: list[NextAction] = field(default_factory=list)
    #: What was probably meant: objects with `ref`.
    similar_refs: list[dict[str, Any]] = field(default_factory=list)
    #: Which arguments are wrong: objects with `pointer`, a JSON pointer into the arguments of the call.
    violations: list[dict[str, Any]] = field(default_factory=list)
    #: What is known about this time, any JSON.
    details: Any = None
    #: What a foreign server wrote: not to be trusted.
    server_text: str | None = None
    context: Context = field(default_factory=Context)
    timestamp: str | None = None
    elapsed_ms: int | None = None
    estimated_tokens: int | None = None
    #: Its place in the ledger: an object with `seq` and `hash`.
    ledger: dict[str, Any] | None = None
    cause: Any = None
    stack: str | None = None
    ground: Ground = "stated"

    @property
    def retryable(self) -> bool:
        """Whether a program may send the same call again by itself, if it had no effect."""
        return self.retry.retryable


@dataclass(frozen=True)
class Param:
    """A member of `details` that a code declares."""

    name: str
    type: Literal["string", "integer", "number", "boolean", "array", "object"]
    doc: str
    required: bool
    #: Whether it is shown in quotes, because a caller or a foreign server wrote it.
    untrusted: bool
    #: Its longest value.
    max_chars: int | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Deprecated:
    """Why a code should no longer be raised."""

    since: str
    reason: str
    to: str | None = None
    until: str | None = None


@dataclass(frozen=True)
class Row:
    """What is known about a code. The rows of other registries have no title, message, params and next calls."""

    code: str
    registry: str
    domain: str
    class_: Class
    http: int
    retry: Retry
    effect: Effect
    severity: Severity
    hint: str
    #: What happened, as far as it is known without details.
    said: str
    #: Its spellings in each dialect.
    spelled: Mapping[str, Sequence[str]]
    number: int | None = None
    #: The parameter that is looked up, and can be like one that exists.
    similar: str | None = None
    #: Its number and domain in JSON-RPC, where they are not its own.
    rpc: tuple[int, str | None] | None = None
    title: str = ""
    #: What happened: a template over the params.
    message: str = ""
    params: tuple[Param, ...] = ()
    next: tuple[NextCall, ...] = ()
    deprecated: Deprecated | None = None


@dataclass(frozen=True)
class Tool:
    """What the registry says about a tool."""

    may: tuple[Code, ...]
    read_only: bool
    idempotent: bool


# --------------------------------------------------------------------------------------------------- reading

#: Where the native envelope stands, in `_meta` of a result and in `data` of an error.
_FAULT_KEY: Final = "dev.redress/fault"
#: Where the open proposal puts its envelope.
_TOOL_FAILURE_KEY: Final = "io.modelcontextprotocol/toolFailure"
#: The key that carries what a dialect has no place for.
_RESIDUE: Final = "_x"
#: An answer inside another one is read up to this depth.
_MAX_WRAPPINGS: Final = 3
#: A larger text that nobody flagged is content, whatever it looks like.
_MAX_UNFLAGGED: Final = 16384
#: How much of a foreign text is kept.
_MAX_SAID: Final = 500
_UNKNOWN: Final = "UNKNOWN_TOOL_FAILURE"


def parse(answer: object) -> Fault | None:
    """Reads the failure out of whatever a call was answered with, in any dialect.

    That is a JSON-RPC response, a tool's result, a JSON-RPC error, an envelope, a text; also as the SDK's models and
    exceptions. `None` if nothing failed.

    A failure that does not say what it is has the ground `guessed`. Of these, what the SDK or the runtime raises when a
    server does not answer is `TIMEOUT`, `UPSTREAM_UNAVAILABLE` or `CANCELLED`; an error of the protocol is what its number
    says; and the rest is `UNKNOWN_TOOL_FAILURE`.
    """
    if isinstance(answer, BaseException):
        told = getattr(answer, "error", None)
        return (parse(told) if told is not None else None) or _raised(answer, 0) or _guessed(str(answer))
    answer = _plain(answer)
    if isinstance(answer, dict):
        return _parse_object(answer)
    if not isinstance(answer, str):
        return None
    document = _json(answer)
    if isinstance(document, dict):
        return _parse_object(document)
    broken = _parse_broken(answer) if document is None else None
    return broken or _unsure(_parse_text(document if isinstance(document, str) else answer, False, 0))


def _unsure(fault: Fault | None) -> Fault | None:
    """What is read of an answer that nobody flagged: the call may have succeeded, and this may be what it was asked for."""
    return replace(fault, ground="guessed") if fault else None


def _parse_broken(text: str) -> Fault | None:
    """An answer that is no JSON. What failed must not pass for a success, because nobody can read all of it."""
    document, is_cut = _mended(text, _MAX_WRAPPINGS + 1)
    is_response = "jsonrpc" in document and "method" not in document
    is_flagged = (
        document.get("isError") is True
        or _at(document, ("result", "isError")) is True
        or _is_int(document.get("code"))
        or _is_count(document.get("v"))
        or (is_response and document.get("error") is not None)
    )
    fault = _unsure(_parse_object(document)) if is_flagged or len(text) <= _MAX_UNFLAGGED else None
    is_answer = is_response or isinstance(document.get("content"), list) or not {"structuredContent", "isError"}.isdisjoint(document)
    return fault or (_guessed(text) if is_cut and is_answer else None)


_KEY: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*:\s*', re.DOTALL)
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},]', re.DOTALL)


def _mended(text: str, levels: int) -> tuple[dict[str, Any], bool]:
    """The members of a broken object that can be told, and whether it never ends."""
    document: dict[str, Any] = {}
    opened = re.match(r"\s*\{", text)
    place, is_cut = opened.end() if opened else None, True
    while place is not None:
        key = _KEY.match(text, place, place + 1024)
        if not key:
            break
        end = _end_of(text, key.end())
        name = _json(key[1])
        if isinstance(name, str) and name not in document:
            document[name] = _mended_value(text[key.end() : end], levels)
        is_cut = end is None or text[end] != "}"
        place = end + 1 if end is not None and text[end] == "," else None
    return document, is_cut


def _mended_value(text: str, levels: int) -> Any:
    value = _json(text)
    if value is not None:
        return value
    if text.startswith("{"):
        return _mended(text, levels - 1)[0] if levels > 0 else {}
    return [] if text.startswith("[") else "" if text.startswith('"') else None


def _end_of(text: str, start: int) -> int | None:
    """Where the value that starts there ends, if it does."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        it = token[0]
        if it in "{[":
            depth += 1
        elif depth == 0 and not it.startswith('"'):
            return token.start()
        elif it in "}]":
            depth -= 1
    return None


def _plain(answer: object) -> object:
    """What the official SDK hands out as the JSON that it was."""
    if isinstance(answer, (bytes, bytearray)):
        return answer.decode("utf-8", "replace")
    dump = getattr(answer, "model_dump", None)
    return dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else answer


def _parse_object(answer: dict[str, Any]) -> Fault | None:
    content = answer.get("content")
    is_blocks = isinstance(content, list) and all(isinstance(_at(it, ("type",)), str) for it in content)
    # Our own envelope has its version first, so that it is found without a look at what else it could be.
    own = _envelope(answer, False) if _is_count(answer.get("v")) else None
    if own:
        return own
    if "jsonrpc" in answer:
        return _parse_response(answer)
    if "isError" in answer or "structuredContent" in answer or is_blocks:
        return _parse_result(answer, 0)
    if _is_int(answer.get("code")) and isinstance(answer.get("message"), str):
        return _parse_error(answer)
    text = answer.get("text")
    if answer.get("type") == "text" and isinstance(text, str):
        return _unsure(_parse_text(text, False, 0))
    return _parse_payload(answer, False, 0)


def _parse_response(response: dict[str, Any]) -> Fault | None:
    error, result = response.get("error"), response.get("result")
    if error is not None:
        return _parse_error(error) if isinstance(error, dict) else _guessed(error)
    if isinstance(result, dict):
        return _parse_result(result, 0)
    return None if "method" in response or "result" in response else _guessed(None)


def _parse_error(error: dict[str, Any]) -> Fault | None:
    code, message, data = error.get("code"), error.get("message"), error.get("data")
    fault = _ours(_at(data, (_FAULT_KEY,))) or _envelope(data, True)
    # JSON-RPC's own numbers say too little.
    if not fault and _is_int(code) and (code > 0 or _at(data, ("symbol",)) is not None):
        fault = read_as("rpc", {"jsonrpc": "2.0", "id": None, "error": error})
    return fault or _said_by_sdk(message) or _guessed(message, _spelled("rpc", str(code)))


#: What the official SDKs and the runtime raise when a server does not answer: the names of classes, and the words of messages.
_RAISED: Final[Sequence[tuple[str, tuple[str, ...], re.Pattern[str]]]] = (
    ("CANCELLED", ("CancelledError",), re.compile("request was cancelled", re.IGNORECASE)),
    (
        "TIMEOUT",
        ("TimeoutError", "TimeoutException", "Timeout"),
        re.compile("request(?: '[^']*')? timed out|maximum total timeout exceeded|timed out while waiting for response", re.IGNORECASE),
    ),
    (
        "UPSTREAM_UNAVAILABLE",
        ("ConnectionError", "gaierror", "TransportError", "ClosedResourceError", "BrokenResourceError", "EndOfStream"),
        re.compile("connection closed|not connected", re.IGNORECASE),
    ),
)


def _said_by_sdk(message: object) -> Fault | None:
    """A failure of the way to the server, by its message. What became of the call is not known."""
    said = re.sub("^MCP error -?[0-9]+: ", "", message) if isinstance(message, str) else ""
    row = next((_spelled("native", code) for code, _, words in _RAISED if words.match(said)), None)
    return _guessed(said, row) if row else None


def _raised(error: BaseException, depth: int) -> Fault | None:
    """A failure of the way to the server, by what was raised, or by what stands in it or below it."""
    names = [it.__name__ for it in type(error).__mro__]
    row = next((_spelled("native", code) for code, known, _ in _RAISED if not set(known).isdisjoint(names)), None)
    if row:
        return _guessed(str(error), row)
    inner = [*getattr(error, "exceptions", ()), error.__cause__]
    below = (it for it in inner if isinstance(it, BaseException) and depth < _MAX_WRAPPINGS)
    found = (_said_by_sdk(str(error)), *(_raised(it, depth + 1) for it in below))
    return next((it for it in found if it), None)


def _parse_result(result: dict[str, Any], depth: int) -> Fault | None:
    is_flagged = result.get("isError") is True
    meta, content = result.get("_meta"), result.get("content")
    fault = _ours(_at(meta, (_FAULT_KEY,))) or read_as("tool-failure", _at(meta, (_TOOL_FAILURE_KEY,)))
    if is_flagged and fault:
        return fault
    blocks = [_at(it, ("text",)) for it in content] if isinstance(content, list) else [content]
    texts = [it for it in blocks if isinstance(it, str)]
    fault = _parse_payload(result.get("structuredContent"), is_flagged, depth)
    fault = fault or next((it for it in (_parse_text(text, is_flagged, depth) for text in texts) if it), None)
    return fault or _guessed(texts[0] if texts else None) if is_flagged else _unsure(fault)


def _parse_text(text: str, is_flagged: bool, depth: int) -> Fault | None:
    """The text of a block. Without a flag it must be a failure as a whole."""
    trimmed = text.strip()
    if not is_flagged and len(trimmed) > _MAX_UNFLAGGED:
        return None
    document = _json(trimmed) if trimmed.startswith(("{", '"')) else None
    return _read_card(trimmed, is_flagged) if document is None else _parse_payload(document, is_flagged, depth)


def _parse_payload(payload: object, is_flagged: bool, depth: int) -> Fault | None:
    """JSON that a tool answered with, as structure or as text."""
    if isinstance(payload, str) and depth < _MAX_WRAPPINGS:
        return _parse_text(payload, is_flagged, depth + 1)
    if not isinstance(payload, dict):
        return None
    fault = _envelope(payload, is_flagged)
    if fault:
        return fault
    if list(payload) == ["result"] and depth < _MAX_WRAPPINGS:
        return _parse_payload(payload["result"], is_flagged, depth + 1)
    if "isError" in payload and depth < _MAX_WRAPPINGS:
        return _parse_result(payload, depth + 1)
    return None if is_flagged or not _has_error(payload) else _guessed(_compact(payload["error"]))


def _has_error(payload: dict[str, Any]) -> bool:
    """An `error` is a failure, unless it says nothing."""
    error = payload.get("error")
    if isinstance(error, str):
        return error.strip() != ""
    return isinstance(error, dict) and ("message" in error or "code" in error)


def _envelope(document: object, is_flagged: bool) -> Fault | None:
    """An envelope. Without a flag, its dialect must leave no doubt: any answer can have a member `code`."""
    if not isinstance(document, dict):
        return None
    if _is_v1(document):
        return _ours(document)
    fault = read(document)
    return fault if fault and (is_flagged or fault.dialect not in ("native", "rpc")) else None


def _ours(document: object) -> Fault | None:
    """Our own envelope, also with a code that no registry here has: then its class is all that is known."""
    known = read_as("native", document)
    if known or not isinstance(document, dict):
        return known
    code, unknown, name = document.get("code"), _spelled("native", _UNKNOWN), document.get("class")
    if not unknown or not isinstance(code, str) or not _FULL_CODE.fullmatch(code):
        return None
    class_: Class = name if isinstance(name, str) and name in CLASSES else "unknown"  # type: ignore[assignment]
    http, retry = CLASSES[class_]
    row = replace(unknown, registry="", code=code, number=None, class_=class_, http=http, retry=Retry(retry), effect="unknown")
    fault = _fault_of(row, "native")
    return _finished(fault) if _fill_native(fault, document) else None


_FULL_CODE: Final = re.compile("^((?!(core|electron|mcp|rpc|test|x)\\.)[a-z][a-z0-9-]{0,31}\\.)?(?=.{3,63}$)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")


def _guessed(text: object, row: Row | None = None) -> Fault | None:
    """A failure that does not say what it is."""
    row = row or _spelled("native", _UNKNOWN)
    if not row:
        return None
    fault = replace(_fault_of(row, "native"), ground="guessed")
    if row.effect == "none":
        fault.effect = "unknown"
    if isinstance(text, str) and text:
        fault.server_text = text[:_MAX_SAID]
    return fault


def _read_card(text: str, is_flagged: bool) -> Fault | None:
    """Reads a card: `CODE: message`, or `[CODE] message`. Without a flag, it must have a card's second line, too."""
    first, *lines = re.split(r"\r?\n", text)
    head = re.match(r"\[(.*?)\] (.*)$", first) or re.match(r"([^\[].*?): (.*)$", first)
    row = _spelled("native", head[1]) if head else None
    if not head or not row or row.code != head[1]:
        return None
    fault = _fault_of(row, "native")
    fault.message = head[2].strip()
    is_card = False
    for line in lines:
        is_card = _card_line(fault, line) or is_card
    if not fault.next_actions:
        # A first line alone has no room for them.
        fault.next_actions = _next_calls(row, {})
    return fault if is_card or is_flagged else None


def _card_line(fault: Fault, line: str) -> bool:
    """Takes what one line of a card says. Whether it was the line that only cards have."""
    label, _, rest = line.partition(": ")
    if label == "Retry":
        return _read_retry_line(fault, line)
    if label == "Fix":
        fault.hint = re.sub(r"^(.*) Expected .*$", r"\1", re.sub(r"^(.*) Did you mean .*$", r"\1", rest))
    elif label == "Server said":
        fault.server_text = rest.strip('"')
    elif label == "Next":
        tool, space, args = rest.partition(" ")
        parsed = _json(args)
        fault.next_actions.append(
            NextCall(tool) if not space else NextCall(tool, parsed) if isinstance(parsed, dict) else rest
        )
    return False


#: The code whose wrong name is no argument, and what its card says instead.
_NO_TOOL: Final = "UNKNOWN_TOOL"
_OTHER_ARGUMENTS: Final = "only with other arguments."
_ANOTHER_TOOL: Final = "only with another tool."
_DELAY: Final = re.compile(r"after ([0-9.]+) (ms|s)\b")


def _read_retry_line(fault: Fault, line: str) -> bool:
    names = re.search(r" \((.*?)\)", line)
    plain = line.replace(_ANOTHER_TOOL, _OTHER_ARGUMENTS)
    plain = _DELAY.sub("after {delay}", re.sub(r" \(.*?\)", "", plain, count=1), count=1)
    known = next((it for it in _CARD_LINES if it[0] == plain), None)
    if not known:
        return False
    after_ms: int | None = None
    delay = _DELAY.search(line)
    if delay and delay[2] == "ms":
        after_ms = int(delay[1])
    elif delay:
        # What was cut to tenths of a second is taken for the longest that it can mean.
        after_ms = round(float(delay[1]) * 1000) + (99 if "." in delay[1] else 0)
    fault.retry, fault.effect = Retry(known[1], after_ms, max=fault.retry.max), known[2]
    fault.violations = [{"pointer": f"/{it}", "reason": "wrong"} for it in names[1].split(", ")] if names else []
    return True


def read(document: object) -> Fault | None:
    """Reads an envelope in whichever dialect it is."""
    if not isinstance(document, dict):
        return None
    if _is_v1(document):
        return read_as("native", document)
    for dialect in _DETECTED:
        if _claims(dialect, document) and _row_of(dialect, document):
            return read_as(dialect, document)
    return None


def read_as(dialect: Dialect, document: object) -> Fault | None:
    """Reads an envelope of a dialect."""
    if not isinstance(document, dict):
        return None
    residue = _at(document, ("error", "data", _RESIDUE) if dialect == "rpc" else (_RESIDUE,))
    if isinstance(residue, dict) and isinstance(residue.get("code"), str):
        row = _row_of_residue(residue["code"], residue.get("contract"))
    else:
        row = _row_of(dialect, document)
    if not row:
        return None
    fault = _fault_of(row, dialect)
    if not (_fill_native(fault, document) if dialect == "native" else _fill(fault, row, document)):
        return None
    if isinstance(residue, dict):
        _overlay(fault, residue)
    return _finished(fault)


def _finished(fault: Fault) -> Fault:
    # Whoever made it from the words of another server says so.
    if _at(fault.details, ("upstream", "guessed")) is True:
        fault.ground = "guessed"
    return fault


def _fault_of(row: Row, dialect: Dialect) -> Fault:
    """A fault that says what its row says."""
    return Fault(
        code=row.code,
        message=row.said,
        hint=row.hint,
        class_=row.class_,
        http=row.http,
        retry=row.retry,
        effect=row.effect,
        domain=row.domain,
        severity=row.severity,
        dialect=dialect,
        registry=row.registry,
        number=row.number,
    )


def _claims(dialect: Dialect, document: dict[str, Any]) -> bool:
    """Whether a document has the form of a dialect."""

    def is_text(key: str) -> bool:
        return isinstance(document.get(key), str)

    if dialect == "rpc":
        return isinstance(document.get("error"), dict) and (
            "jsonrpc" in document or _is_int(document["error"].get("code"))
        )
    if dialect == "stagewright":
        return document.get("ok") is False
    if dialect == "atlas-gate":
        return is_text("error_code")
    if dialect == "tool-failure":
        return is_text("code") and is_text("correlationId") and is_text("class") and document["class"] in _GROUPS
    if dialect == "workrail":
        return is_text("code") and _at(document, ("retry", "kind")) in _WORKRAIL_KINDS
    if dialect == "mailvault":
        return is_text("error")
    return "v" in document or is_text("code")


def _row_of(dialect: Dialect, document: dict[str, Any]) -> Row | None:
    """The row that a document names."""
    spelling = _at(document, _PLACES[dialect]["code"])
    number = _at(document, ("error", "code"))
    if dialect == "rpc" and not _is_int(number):
        return None
    if isinstance(spelling, str):
        # A number is no symbol, though both spell a row.
        is_number = dialect == "rpc" and re.fullmatch(r"-?[0-9]+", spelling)
        return None if is_number else _spelled(dialect, spelling)
    return _spelled(dialect, str(number)) if dialect == "rpc" else None


def _row_of_residue(code: str, contract: object) -> Row | None:
    if not isinstance(contract, str):
        return _spelled("native", code)
    return next((it for it in _ROWS if it.registry == contract and it.code == code), None)


def _fill(fault: Fault, row: Row, document: dict[str, Any]) -> bool:
    """Puts what a document of another dialect says onto the fault."""
    places = _PLACES[fault.dialect]
    if "message" in places and not isinstance(_at(document, places["message"]), str):
        return False
    for member, place in places.items():
        value = _at(document, place)
        if value is None or (fault.dialect == "workrail" and member == "hint" and value == ""):
            continue
        if member.startswith("context."):
            _set_context(fault, member.removeprefix("context."), value)
        elif member == "next_actions":
            fault.next_actions = _actions(value)
        else:
            _set(fault, member, value)
    _fill_retry(fault, row, document)
    return True


def _fill_retry(fault: Fault, row: Row, document: dict[str, Any]) -> None:
    """What a dialect says about a repeat, and whatever else has a form of its own there."""
    if fault.dialect == "workrail":
        rule = _workrail_rule(document.get("retry"))
        # What we do not understand must not make anybody repeat a call.
        if not rule:
            fault.retry = Retry("never") if "retry" in document else fault.retry
        elif rule != _workrail_form(row.retry):
            fault.retry = rule
    elif fault.dialect == "rpc":
        number, domain = _at(document, ("error", "code")), _at(document, ("error", "data", "domain"))
        usual = row.rpc or (row.number, row.domain)
        if _is_int(number) and number != usual[0]:
            fault.number = number
        if isinstance(domain, str) and domain != usual[1]:
            fault.domain = domain
        _set_retryable(fault, _at(document, ("error", "data")), "retryable")
    elif fault.dialect == "stagewright":
        _set_retryable(fault, document, "retryable")
    elif fault.dialect == "mailvault" and document.get("error") == "rate_limited":
        wait = _delay(_at(document, ("details", "retry_after")))
        if wait is False:
            _say_retryable(fault, False)
        elif wait is not None and not (
            row.retry.retryable and row.retry.after_ms is not None and math.ceil(row.retry.after_ms / 1000) == wait
        ):
            fault.retry = Retry("after_delay", wait * 1000)
    elif fault.dialect == "tool-failure":
        class_, classes = _GROUPS.get(str(document.get("class")), (row.class_, (row.class_,)))
        if row.class_ not in classes:
            fault.class_ = class_
        _set_retryable(fault, document, "retryable")
        if _delay(document.get("retryNotBefore")) is False:
            _say_retryable(fault, False)


def _fill_native(fault: Fault, document: dict[str, Any]) -> bool:
    """Puts what a native envelope says onto the fault. What has the wrong type is left as the row has it."""
    if "v" in document and not _is_v1(document):
        return False
    for member, value in document.items():
        if member in _ENVELOPE:
            _set(fault, member, value)
    # A rule says more than a yes; nothing says more than a no.
    if "retryable" in document and ("retry" not in document or document["retryable"] is not True):
        _set_retryable(fault, document, "retryable")
    return True


def _overlay(fault: Fault, residue: dict[str, Any]) -> None:
    """Puts back what a residue holds."""
    for member, value in residue.items():
        if member == "context" and isinstance(value, dict):
            for name, it in value.items():
                _set_context(fault, name, it)
        elif member == "invented" and isinstance(value, list):
            for pointer in value:
                _forget(fault, str(pointer))
        elif member != "code":
            _set(fault, member, value)


def _forget(fault: Fault, pointer: str) -> None:
    """Makes a value absent that a writer invented."""
    _, _, path = pointer.partition("/")
    member, _, name = path.partition("/")
    if member == "context" and name in _CONTEXT:
        setattr(fault.context, name, None)
    elif member in ("timestamp", "elapsed_ms", "details"):
        setattr(fault, member, None)


def _set(fault: Fault, member: str, value: Any) -> None:
    if member in ("message", "hint", "domain", "server_text", "timestamp", "stack"):
        if isinstance(value, str):
            setattr(fault, member, value)
    elif member in _CLOSED:
        name, known = _CLOSED[member]
        if isinstance(value, str) and value in known:
            setattr(fault, name, value)
    elif member == "http":
        if _is_count(value) and 100 <= value <= 599:
            fault.http = value
    elif member == "number":
        if value is None or _is_int(value):
            fault.number = value
    elif member == "retry":
        fault.retry = _rule(value) or Retry("never")
    elif member == "not_before":
        when = _delay(value)
        if when is not None and when is not False:
            fault.retry = replace(fault.retry, not_before=when)
    elif member in ("elapsed_ms", "estimated_tokens"):
        if _is_count(value):
            setattr(fault, member, value)
    elif member in ("details", "cause"):
        setattr(fault, member, value)
    elif member == "next_actions":
        actions = [_action(it) for it in value] if isinstance(value, list) else [None]
        if None not in actions:
            fault.next_actions = [it for it in actions if it is not None]
    elif member == "similar_refs":
        if isinstance(value, list) and all(isinstance(it, dict) and "ref" in it for it in value):
            fault.similar_refs = value
    elif member == "violations":
        if isinstance(value, list) and all(isinstance(_at(it, ("pointer",)), str) for it in value):
            fault.violations = value
    elif member == "context":
        if isinstance(value, dict):
            for name in _CONTEXT:
                _set_context(fault, name, value.get(name))
    elif member == "ledger":
        if isinstance(value, dict) and _is_count(value.get("seq")) and isinstance(value.get("hash"), str):
            fault.ledger = {"seq": value["seq"], "hash": value["hash"]}


def _set_context(fault: Fault, name: str, value: object) -> None:
    if name in _CONTEXT and isinstance(value, str):
        setattr(fault.context, name, value)


def _set_retryable(fault: Fault, said: Any, key: str) -> None:
    if isinstance(said, dict) and key in said:
        _say_retryable(fault, said[key] is True)


def _say_retryable(fault: Fault, yes: bool) -> None:
    """Takes a retry rule that is only yes or no; a rule that says the same already stays."""
    if yes != fault.retry.retryable:
        fault.retry = Retry("now" if yes else "never", not_before=fault.retry.not_before)


def _rule(value: object) -> Retry | None:
    """A rule of the native envelope, if all of it can be understood."""
    if not isinstance(value, dict) or value.get("kind") not in get_args(RetryKind):
        return None
    after_ms, not_before, most = _delay(value.get("after_ms")), _delay(value.get("not_before")), value.get("max")
    if after_ms is False or not_before is False or not (most is None or (_is_count(most) and most < 2**32)):
        return None
    return Retry(value["kind"], after_ms, not_before, most)


_WORKRAIL_KINDS: Final = ("not_retryable", "retryable_immediate", "retryable_after_ms")
_WORKRAIL_AFTER_MS: Final = 1000


def _workrail_rule(said: object) -> Retry | None:
    """WorkRail's rule. Stores inside its server also say `retryable`, with a delay or without."""
    if not isinstance(said, dict):
        return None
    kind, after = said.get("kind"), _delay(said.get("afterMs"))
    if kind == "not_retryable":
        return Retry("never")
    if kind == "retryable_immediate" or (kind == "retryable" and after is None):
        return Retry("now")
    if kind in ("retryable_after_ms", "retryable") and after is not False:
        return Retry("after_delay", _WORKRAIL_AFTER_MS if after is None else after)
    return None


def _workrail_form(retry: Retry) -> Retry:
    """What WorkRail can say of a rule: six kinds become three."""
    if retry.kind == "after_delay":
        return Retry("after_delay", _WORKRAIL_AFTER_MS if retry.after_ms is None else retry.after_ms)
    return Retry("now" if retry.kind == "now" else "never")


def _delay(value: object) -> int | None | Literal[False]:
    """A time to wait in whole units, rounded up: `None` if there is none, `False` if it makes no sense."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**64:
        return False
    return math.ceil(value)


def _action(value: object) -> NextAction | None:
    """An element of `next_actions`."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or not isinstance(value.get("tool"), str):
        return None
    args = value.get("args")
    return NextCall(value["tool"], args if isinstance(args, dict) else None)


def _actions(value: object) -> list[NextAction]:
    """Stagewright's sentences; `tool({…})` is a call."""
    found: list[NextAction] = []
    for text in value if isinstance(value, list) else []:
        if not isinstance(text, str):
            continue
        call = re.fullmatch(r"([A-Za-z0-9_\-./:]+)\((.*)\)", text, re.DOTALL)
        args = _json(call[2]) if call else None
        if call and call[2] == "":
            found.append(NextCall(call[1]))
        elif call and isinstance(args, dict) and _compact(args) == call[2]:
            found.append(NextCall(call[1], args))
        else:
            found.append(text)
    return found


def _compact(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""


def _spelled(dialect: Dialect, spelling: str) -> Row | None:
    return _SPELLED.get((dialect, spelling))


def _at(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _is_v1(document: dict[str, Any]) -> bool:
    return _is_int(document.get("v")) and document["v"] == 1


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: object) -> TypeGuard[int]:
    return _is_int(value) and value >= 0


def _json(text: str) -> Any:
    """A text as the JSON that it is, if it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# ---------------------------------------------------------------------------------------------------- making


def _make_fault(code: Code, params: Mapping[str, Any] | None = None) -> Fault:
    """A fault of a code of the registry.

    The parameters fill its message, its next calls and `details`; one that does not fit the row is left out. Set what else you
    know: `similar_refs`, `violations`, `effect`, `context`.
    """
    row = CODES[code]
    given = params or {}
    values = {
        it.name: (it, _shortened(it, given[it.name])) for it in row.params if it.name in given and _fits(it, given[it.name])
    }
    fault = _fault_of(row, "native")
    fault.message = _said(row, values)
    fault.next_actions = _next_calls(row, values)
    details = {name: value for name, (_, value) in values.items()}
    fault.details = details or None
    wait = details.get("retry_after_ms")
    if wait is None and _is_count(details.get("retry_after")):
        wait = details["retry_after"] * 1000
    if _is_count(wait) and fault.retry.kind == "after_delay":
        fault.retry = replace(fault.retry, after_ms=wait)
    return fault


if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypedDict

    _NOTE_NOT_FOUND = TypedDict("_NOTE_NOT_FOUND", {"id": str})
    _SESSION_NOT_INITIALIZED = TypedDict("_SESSION_NOT_INITIALIZED", {"tool": NotRequired[str]})
    _SESSION_LOCKED = TypedDict("_SESSION_LOCKED", {"failed_code": NotRequired[str], "ledger_seq": NotRequired[int]})
    _SESSION_INITIALIZATION_FAILED = TypedDict("_SESSION_INITIALIZATION_FAILED", {"workspace_root": NotRequired[str], "reason": NotRequired[str]})
    _INVALID_INPUT_VALUE = TypedDict("_INVALID_INPUT_VALUE", {"field": NotRequired[str], "value": NotRequired[str], "allowed": NotRequired[list[Any]]})
    _INVALID_INPUT_TYPE = TypedDict("_INVALID_INPUT_TYPE", {"field": NotRequired[str], "expected": NotRequired[str], "actual": NotRequired[str]})
    _INVALID_INPUT_FORMAT = TypedDict("_INVALID_INPUT_FORMAT", {"field": NotRequired[str], "expected": NotRequired[str]})
    _MISSING_REQUIRED_FIELD = TypedDict("_MISSING_REQUIRED_FIELD", {"field": NotRequired[str]})
    _UNAUTHORIZED_ACTION = TypedDict("_UNAUTHORIZED_ACTION", {"action": NotRequired[str], "role": NotRequired[str]})
    _INSUFFICIENT_PERMISSIONS = TypedDict("_INSUFFICIENT_PERMISSIONS", {"permission": NotRequired[str], "resource": NotRequired[str]})
    _ROLE_MISMATCH = TypedDict("_ROLE_MISMATCH", {"required_role": str, "role": str})
    _AUTH_REQUIRED = TypedDict("_AUTH_REQUIRED", {"command": NotRequired[str], "service": NotRequired[str]})
    _USER_ACTION_REQUIRED = TypedDict("_USER_ACTION_REQUIRED", {"action": NotRequired[str], "url": NotRequired[str]})
    _NOT_FOUND = TypedDict("_NOT_FOUND", {"kind": NotRequired[str], "id": NotRequired[str]})
    _ALREADY_EXISTS = TypedDict("_ALREADY_EXISTS", {"kind": NotRequired[str], "id": NotRequired[str]})
    _CONFLICT = TypedDict("_CONFLICT", {"kind": NotRequired[str], "id": NotRequired[str]})
    _QUERY_FAILED = TypedDict("_QUERY_FAILED", {"query": NotRequired[str], "reason": NotRequired[str]})
    _FILE_NOT_FOUND = TypedDict("_FILE_NOT_FOUND", {"path": str})
    _FILE_ALREADY_EXISTS = TypedDict("_FILE_ALREADY_EXISTS", {"path": str})
    _FILE_READ_FAILED = TypedDict("_FILE_READ_FAILED", {"path": NotRequired[str], "reason": NotRequired[str]})
    _FILE_WRITE_FAILED = TypedDict("_FILE_WRITE_FAILED", {"path": NotRequired[str], "reason": NotRequired[str]})
    _INVALID_PATH = TypedDict("_INVALID_PATH", {"path": str, "reason": NotRequired[str]})
    _PATH_NOT_FOUND = TypedDict("_PATH_NOT_FOUND", {"path": str})
    _OUTSIDE_WORKSPACE = TypedDict("_OUTSIDE_WORKSPACE", {"path": str})
    _PATH_TRAVERSAL_BLOCKED = TypedDict("_PATH_TRAVERSAL_BLOCKED", {"path": str})
    _PATCH_INVALID = TypedDict("_PATCH_INVALID", {"line": NotRequired[int], "reason": NotRequired[str]})
    _PATCH_APPLY_FAILED = TypedDict("_PATCH_APPLY_FAILED", {"path": NotRequired[str], "hunk": NotRequired[int]})
    _HASH_MISMATCH = TypedDict("_HASH_MISMATCH", {"path": str, "expected": NotRequired[str], "actual": NotRequired[str]})
    _PLAN_NOT_FOUND = TypedDict("_PLAN_NOT_FOUND", {"plan_hash": str})
    _PLAN_NOT_APPROVED = TypedDict("_PLAN_NOT_APPROVED", {"plan_hash": str})
    _PLAN_ENFORCEMENT_FAILED = TypedDict("_PLAN_ENFORCEMENT_FAILED", {"plan_hash": str, "reason": NotRequired[str]})
    _PLAN_SCOPE_VIOLATION = TypedDict("_PLAN_SCOPE_VIOLATION", {"path": NotRequired[str], "plan_hash": NotRequired[str]})
    _POLICY_VIOLATION = TypedDict("_POLICY_VIOLATION", {"rule": str, "path": NotRequired[str], "line": NotRequired[int], "reason": NotRequired[str]})
    _RUST_POLICY_VIOLATION = TypedDict("_RUST_POLICY_VIOLATION", {"rule": str, "path": NotRequired[str], "line": NotRequired[int]})
    _PREFLIGHT_FAILED = TypedDict("_PREFLIGHT_FAILED", {"check": NotRequired[str], "reason": NotRequired[str]})
    _EVAL_BLOCKED_KEYWORD = TypedDict("_EVAL_BLOCKED_KEYWORD", {"keyword": str, "code_hash": NotRequired[str]})
    _EVAL_BLOCKED_CONSTRUCT = TypedDict("_EVAL_BLOCKED_CONSTRUCT", {"construct": str, "code_hash": NotRequired[str]})
    _EVAL_SYNTAX_ERROR = TypedDict("_EVAL_SYNTAX_ERROR", {"line": NotRequired[int], "column": NotRequired[int], "reason": NotRequired[str]})
    _INVARIANT_VIOLATION = TypedDict("_INVARIANT_VIOLATION", {"invariant_id": str})
    _BOOTSTRAP_FAILURE = TypedDict("_BOOTSTRAP_FAILURE", {"reason": NotRequired[str]})
    _SELF_AUDIT_FAILURE = TypedDict("_SELF_AUDIT_FAILURE", {"failed_checks": NotRequired[int]})
    _AUDIT_LOG_FAILED = TypedDict("_AUDIT_LOG_FAILED", {})
    _AUDIT_LOCK_FAILED = TypedDict("_AUDIT_LOCK_FAILED", {"waited_ms": NotRequired[int]})
    _UNKNOWN_TOOL = TypedDict("_UNKNOWN_TOOL", {"tool": str})
    _METHOD_NOT_FOUND = TypedDict("_METHOD_NOT_FOUND", {"method": str})
    _INVALID_REQUEST = TypedDict("_INVALID_REQUEST", {"pointer": NotRequired[str], "reason": NotRequired[str]})
    _PARSE_FAILED = TypedDict("_PARSE_FAILED", {"offset": NotRequired[int], "reason": NotRequired[str]})
    _UPSTREAM_UNAVAILABLE = TypedDict("_UPSTREAM_UNAVAILABLE", {"server": NotRequired[str], "service": NotRequired[str], "status": NotRequired[int]})
    _UPSTREAM_CRASHED = TypedDict("_UPSTREAM_CRASHED", {"server": NotRequired[str], "exit_code": NotRequired[int], "signal": NotRequired[str]})
    _UPSTREAM_PROTOCOL_ERROR = TypedDict("_UPSTREAM_PROTOCOL_ERROR", {"server": NotRequired[str], "reason": NotRequired[str]})
    _UPSTREAM_PARKED = TypedDict("_UPSTREAM_PARKED", {"server": str, "crashes": NotRequired[int]})
    _CIRCUIT_OPEN = TypedDict("_CIRCUIT_OPEN", {"server": str})
    _OUTPUT_TOO_LARGE = TypedDict("_OUTPUT_TOO_LARGE", {"limit_bytes": int, "size_bytes": NotRequired[int]})
    _OUTPUT_INVALID = TypedDict("_OUTPUT_INVALID", {"pointer": NotRequired[str], "reason": NotRequired[str]})
    _INTERNAL_ERROR = TypedDict("_INTERNAL_ERROR", {})
    _UNKNOWN_TOOL_FAILURE = TypedDict("_UNKNOWN_TOOL_FAILURE", {"tool": NotRequired[str]})
    _RATE_LIMITED = TypedDict("_RATE_LIMITED", {"retry_after_ms": NotRequired[int], "service": NotRequired[str]})
    _OVERLOADED = TypedDict("_OVERLOADED", {"limit": NotRequired[int]})
    _CANCELLED = TypedDict("_CANCELLED", {"reason": NotRequired[str]})
    _CONFIG_INVALID = TypedDict("_CONFIG_INVALID", {"place": str, "problem": str})
    _SHUTTING_DOWN = TypedDict("_SHUTTING_DOWN", {})
    _TIMEOUT = TypedDict("_TIMEOUT", {"tool": NotRequired[str], "timeout_ms": NotRequired[int]})
    _LIMIT_EXCEEDED = TypedDict("_LIMIT_EXCEEDED", {"limit_name": NotRequired[str], "limit": NotRequired[int]})
    _NOT_INSTALLED = TypedDict("_NOT_INSTALLED", {"dependency": NotRequired[str]})
    _SESSION_NOT_FOUND = TypedDict("_SESSION_NOT_FOUND", {"session_id": NotRequired[str]})
    _INPUT_TOO_LARGE = TypedDict("_INPUT_TOO_LARGE", {"field": NotRequired[str], "size_bytes": NotRequired[int], "limit_bytes": NotRequired[int]})
    _UNSUPPORTED = TypedDict("_UNSUPPORTED", {"operation": NotRequired[str]})

    @overload
    def make_fault(code: Literal["NOTE_NOT_FOUND"], params: _NOTE_NOT_FOUND) -> Fault: ...

    @overload
    def make_fault(code: Literal["SESSION_NOT_INITIALIZED"], params: _SESSION_NOT_INITIALIZED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["SESSION_LOCKED"], params: _SESSION_LOCKED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["SESSION_INITIALIZATION_FAILED"], params: _SESSION_INITIALIZATION_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["INVALID_INPUT_VALUE"], params: _INVALID_INPUT_VALUE | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["INVALID_INPUT_TYPE"], params: _INVALID_INPUT_TYPE | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["INVALID_INPUT_FORMAT"], params: _INVALID_INPUT_FORMAT | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["MISSING_REQUIRED_FIELD"], params: _MISSING_REQUIRED_FIELD | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["UNAUTHORIZED_ACTION"], params: _UNAUTHORIZED_ACTION | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["INSUFFICIENT_PERMISSIONS"], params: _INSUFFICIENT_PERMISSIONS | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["ROLE_MISMATCH"], params: _ROLE_MISMATCH) -> Fault: ...

    @overload
    def make_fault(code: Literal["AUTH_REQUIRED"], params: _AUTH_REQUIRED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["USER_ACTION_REQUIRED"], params: _USER_ACTION_REQUIRED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["NOT_FOUND"], params: _NOT_FOUND | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["ALREADY_EXISTS"], params: _ALREADY_EXISTS | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["CONFLICT"], params: _CONFLICT | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["QUERY_FAILED"], params: _QUERY_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["FILE_NOT_FOUND"], params: _FILE_NOT_FOUND) -> Fault: ...

    @overload
    def make_fault(code: Literal["FILE_ALREADY_EXISTS"], params: _FILE_ALREADY_EXISTS) -> Fault: ...

    @overload
    def make_fault(code: Literal["FILE_READ_FAILED"], params: _FILE_READ_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["FILE_WRITE_FAILED"], params: _FILE_WRITE_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["INVALID_PATH"], params: _INVALID_PATH) -> Fault: ...

    @overload
    def make_fault(code: Literal["PATH_NOT_FOUND"], params: _PATH_NOT_FOUND) -> Fault: ...

    @overload
    def make_fault(code: Literal["OUTSIDE_WORKSPACE"], params: _OUTSIDE_WORKSPACE) -> Fault: ...

    @overload
    def make_fault(code: Literal["PATH_TRAVERSAL_BLOCKED"], params: _PATH_TRAVERSAL_BLOCKED) -> Fault: ...

    @overload
    def make_fault(code: Literal["PATCH_INVALID"], params: _PATCH_INVALID | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["PATCH_APPLY_FAILED"], params: _PATCH_APPLY_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["HASH_MISMATCH"], params: _HASH_MISMATCH) -> Fault: ...

    @overload
    def make_fault(code: Literal["PLAN_NOT_FOUND"], params: _PLAN_NOT_FOUND) -> Fault: ...

    @overload
    def make_fault(code: Literal["PLAN_NOT_APPROVED"], params: _PLAN_NOT_APPROVED) -> Fault: ...

    @overload
    def make_fault(code: Literal["PLAN_ENFORCEMENT_FAILED"], params: _PLAN_ENFORCEMENT_FAILED) -> Fault: ...

    @overload
    def make_fault(code: Literal["PLAN_SCOPE_VIOLATION"], params: _PLAN_SCOPE_VIOLATION | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["POLICY_VIOLATION"], params: _POLICY_VIOLATION) -> Fault: ...

    @overload
    def make_fault(code: Literal["RUST_POLICY_VIOLATION"], params: _RUST_POLICY_VIOLATION) -> Fault: ...

    @overload
    def make_fault(code: Literal["PREFLIGHT_FAILED"], params: _PREFLIGHT_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["EVAL_BLOCKED_KEYWORD"], params: _EVAL_BLOCKED_KEYWORD) -> Fault: ...

    @overload
    def make_fault(code: Literal["EVAL_BLOCKED_CONSTRUCT"], params: _EVAL_BLOCKED_CONSTRUCT) -> Fault: ...

    @overload
    def make_fault(code: Literal["EVAL_SYNTAX_ERROR"], params: _EVAL_SYNTAX_ERROR | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["INVARIANT_VIOLATION"], params: _INVARIANT_VIOLATION) -> Fault: ...

    @overload
    def make_fault(code: Literal["BOOTSTRAP_FAILURE"], params: _BOOTSTRAP_FAILURE | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["SELF_AUDIT_FAILURE"], params: _SELF_AUDIT_FAILURE | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["AUDIT_LOG_FAILED"], params: _AUDIT_LOG_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["AUDIT_LOCK_FAILED"], params: _AUDIT_LOCK_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["UNKNOWN_TOOL"], params: _UNKNOWN_TOOL) -> Fault: ...

    @overload
    def make_fault(code: Literal["METHOD_NOT_FOUND"], params: _METHOD_NOT_FOUND) -> Fault: ...

    @overload
    def make_fault(code: Literal["INVALID_REQUEST"], params: _INVALID_REQUEST | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["PARSE_FAILED"], params: _PARSE_FAILED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["UPSTREAM_UNAVAILABLE"], params: _UPSTREAM_UNAVAILABLE | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["UPSTREAM_CRASHED"], params: _UPSTREAM_CRASHED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["UPSTREAM_PROTOCOL_ERROR"], params: _UPSTREAM_PROTOCOL_ERROR | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["UPSTREAM_PARKED"], params: _UPSTREAM_PARKED) -> Fault: ...

    @overload
    def make_fault(code: Literal["CIRCUIT_OPEN"], params: _CIRCUIT_OPEN) -> Fault: ...

    @overload
    def make_fault(code: Literal["OUTPUT_TOO_LARGE"], params: _OUTPUT_TOO_LARGE) -> Fault: ...

    @overload
    def make_fault(code: Literal["OUTPUT_INVALID"], params: _OUTPUT_INVALID | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["INTERNAL_ERROR"], params: _INTERNAL_ERROR | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["UNKNOWN_TOOL_FAILURE"], params: _UNKNOWN_TOOL_FAILURE | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["RATE_LIMITED"], params: _RATE_LIMITED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["OVERLOADED"], params: _OVERLOADED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["CANCELLED"], params: _CANCELLED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["CONFIG_INVALID"], params: _CONFIG_INVALID) -> Fault: ...

    @overload
    def make_fault(code: Literal["SHUTTING_DOWN"], params: _SHUTTING_DOWN | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["TIMEOUT"], params: _TIMEOUT | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["LIMIT_EXCEEDED"], params: _LIMIT_EXCEEDED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["NOT_INSTALLED"], params: _NOT_INSTALLED | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["SESSION_NOT_FOUND"], params: _SESSION_NOT_FOUND | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["INPUT_TOO_LARGE"], params: _INPUT_TOO_LARGE | None = None) -> Fault: ...

    @overload
    def make_fault(code: Literal["UNSUPPORTED"], params: _UNSUPPORTED | None = None) -> Fault: ...

    def make_fault(code: Any, params: Any = None) -> Fault:
        return _make_fault(code, params)
else:
    make_fault = _make_fault


def tool_result(fault: Fault, has_output_schema: bool = False) -> dict[str, Any]:
    """The answer of a tool that failed: a card for the model, and the envelope for the program.

    A tool that declares an `outputSchema` must say so: clients refuse a structured failure that does not fit it.
    """
    short = _bounded(fault)
    written = write(short)
    return {
        "resultType": "complete",
        "content": [{"type": "text", "text": card(short)}],
        **({} if has_output_schema else {"structuredContent": written}),
        "isError": True,
        "_meta": {_FAULT_KEY: written},
    }


def write(fault: Fault) -> dict[str, Any]:
    """The native envelope of a fault."""
    row = next((it for it in _ROWS if (it.registry, it.code) == (fault.registry, fault.code)), None)
    document: dict[str, Any] = {"v": 1, "code": fault.code}
    for key in _ENVELOPE:
        value = _written(getattr(fault, "class_" if key == "class" else key))
        is_of_the_row = key in ("domain", "number", "severity") and row and value == getattr(row, key)
        is_nothing = value is None or (key in ("next_actions", "similar_refs", "violations", "context") and not value)
        if key == "retry":
            document["retryable"] = fault.retryable
        if not is_of_the_row and not is_nothing:
            document[key] = value
    return document


def _written(value: Any) -> Any:
    """A value as JSON; what is absent has no key."""
    if isinstance(value, (Retry, NextCall, Context)):
        return {key: it for key, it in vars(value).items() if it is not None}
    return [_written(it) for it in value] if isinstance(value, list) else value


#: The parameters that were given, by name.
_Values = Mapping[str, tuple[Param, Any]]

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": (list, tuple),
    "object": dict,
}


def _fits(param: Param, value: object) -> bool:
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return param.type == "boolean" and isinstance(value, bool)
    return isinstance(value, _TYPES[param.type])


def _shortened(param: Param, value: Any) -> Any:
    return _cut(value, param.max_chars) if isinstance(value, str) and param.max_chars is not None else value


#: `{name}` is a parameter, and a brace twice is a brace.
_GAPS: Final = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}")


def _said(row: Row, values: _Values) -> str:
    """The row's message with its parameters; the title where one is absent that it needs: half a sentence helps nobody."""
    text = ""
    end = 0
    for gap in _GAPS.finditer(row.message):
        text += row.message[end : gap.start()]
        end = gap.end()
        only = next((it.values for it in row.params if it.name == gap[1]), ())
        if gap[1] is None:
            text += gap[0][0]
        elif gap[1] in values:
            text += _shown(*values[gap[1]])
        elif len(only) == 1:
            text += only[0]
        else:
            return f"{row.title}."
    return text + row.message[end:]


def _shown(param: Param, value: object) -> str:
    """A value inside a sentence: what is not to be trusted stands in quotes and is cut."""
    most = 120 if param.max_chars is None else param.max_chars
    return _quote(_text(value), most) if param.untrusted else _cut(_text(value), most)


def _next_calls(row: Row, values: _Values) -> list[NextAction]:
    """The calls of a row that help."""
    return [it for it in (_helping(step, values) for step in row.next) if it]


def _helping(step: NextCall, values: _Values) -> NextCall | None:
    """A call that helps, unless it names a parameter that is absent or not to be trusted."""
    if step.args is None:
        return step
    trusted = {name: value for name, (param, value) in values.items() if not param.untrusted}
    args: dict[str, Any] = {}
    for name, template in step.args.items():
        if not isinstance(template, str):
            args[name] = template
            continue
        gaps = list(_GAPS.finditer(template))
        if any(it[1] is not None and it[1] not in trusted for it in gaps):
            return None
        if len(gaps) == 1 and gaps[0][1] is not None and gaps[0][0] == template:
            # A lone parameter keeps its type.
            args[name] = trusted[gaps[0][1]]
        else:
            args[name] = _GAPS.sub(lambda it: it[0][0] if it[1] is None else _text(trusted[it[1]]), template)
    return NextCall(step.tool, args)


def _bounded(fault: Fault) -> Fault:
    """Cuts every part to its bound, and notes what the card costs."""

    def is_small(part: object) -> bool:
        if isinstance(part, NextCall):
            return _bytes(part.tool + ("" if part.args is None else _compact(part.args))) <= 1024
        return _bytes(part if isinstance(part, str) else _compact(part)) <= 1024

    context = {key: it if it is None else _cut(it, 256) for key, it in vars(fault.context).items()}
    short = replace(
        fault,
        message=_cut(fault.message, 200),
        hint=_cut(fault.hint, 240),
        similar_refs=[it for it in fault.similar_refs if is_small(it)][:5],
        next_actions=[it for it in fault.next_actions if is_small(it)][:3],
        violations=[it for it in fault.violations if is_small(it)][:20],
        context=Context(**context),
    )
    if short.server_text is not None:
        short.server_text = _gist(_strip(short.server_text), 500)
    if short.timestamp is not None:
        short.timestamp = _cut(short.timestamp, 256)
    if _bytes(_compact(short.details)) > 2048:
        short.details = _bounded_details(short.details)
    short.estimated_tokens = math.ceil(len(card(short)) * 10 / 32)
    return short


def _bounded_details(details: object) -> dict[str, Any]:
    """As many members as fit, in order, and a note that some are missing."""
    kept: dict[str, Any] = {}
    size = 1
    for key, value in details.items() if isinstance(details, dict) else ():
        size += _bytes(_compact(key)) + _bytes(_compact(value)) + 2
        if size + len(',"truncated":true}') > 2048:
            break
        kept[key] = value
    return {**kept, "truncated": True}


def card(fault: Fault) -> str:
    """The card of a fault: what a model reads. What matters least is cut first."""
    text = f"{fault.code}: {_cut(_strip(fault.message), 200)}\n{_retry_line(fault)}"
    room = 384 - len(text) - len("\nFix: ")
    hint = _cut(_strip(fault.hint), min(max(room, 80), 240))
    further = []
    if hint:
        text += f"\nFix: {hint}"
        further += [_expected(fault), _did_you_mean(fault)]
    for it in fault.next_actions[:3]:
        call = _strip(it) if isinstance(it, str) else it.tool if it.args is None else f"{it.tool} {_compact(it.args)}"
        further.append(f"\nNext: {call}")
    for more in further:
        if len(text) + len(more) <= 384:
            text += more
    if fault.server_text is not None:
        text += _server_line(fault.server_text, 384 - len(text))
    return _cut(text, 384)


def _retry_line(fault: Fault) -> str:
    """The line on what a repeat is good for, and what the call has done."""
    kind, after_ms = fault.retry.kind, fault.retry.after_ms
    has_delay = kind == "after_delay" and after_ms is not None
    fits = [it for it in _CARD_LINES if it[1:3] == (kind, fault.effect) and ("{delay}" in it[0]) == has_delay]
    line = next((it[0] for wanted in (fault.class_, None) for it in fits if it[3] == wanted), "")
    names = [it for it in (_strip(it.lstrip("/")) for it in wrong_arguments(fault)) if it]
    listed = _cut(", ".join(names[:3]), 60)
    if fault.code == _NO_TOOL:
        line = line.replace(_OTHER_ARGUMENTS, _ANOTHER_TOOL)
    if kind == "after_change" and listed:
        line = line.replace("arguments.", f"arguments ({listed}).")
    return line.replace("{delay}", _duration(after_ms or 0))


def _duration(ms: int) -> str:
    if ms < 1000:
        return f"{ms} ms"
    return f"{ms // 1000} s" if ms % 1000 == 0 else f"{ms // 1000}.{ms % 1000 // 100} s"


def _expected(fault: Fault) -> str:
    """What the wrong arguments should have been, where that is known."""
    known = [it for it in fault.violations if isinstance(it.get("expected"), str)][:3]
    named = [(_strip(str(it.get("pointer", "")).lstrip("/")), _cut(_strip(it["expected"]), 60)) for it in known]
    listed = "; ".join(f"{name}: {what}" if name else what for name, what in named)
    return f" Expected {listed}." if known else ""


def _did_you_mean(fault: Fault) -> str:
    """What may have been meant, as a sentence after another one."""
    names = [_cut(_strip(_text(it.get("ref", ""))), 60) for it in fault.similar_refs[:3]]
    if len(names) < 2:
        return "".join(f" Did you mean {it}?" for it in names)
    return f" Did you mean {', '.join(names[:-1])} or {names[-1]}?"


def _server_line(text: str, left: int) -> str:
    """What a foreign server wrote, in quotes, as far as there is room."""
    label = "\nServer said: "
    room = most = left - len(label) - 2
    if room < 24:
        return ""
    while True:
        quoted = _compact(_gist(_strip(text), most))
        over = len(quoted) - (room + 2)
        if over <= 0:
            return label + quoted
        most = max(0, most - over)


def _text(value: object) -> str:
    """A value in a sentence."""
    return value if isinstance(value, str) else _compact(value)


def _quote(text: str, most: int) -> str:
    """Foreign text for a sentence of ours: stripped, cut and put in quotes."""
    return _compact(_cut(_strip(text), most))


_ESCAPES: Final = re.compile("\x1b(?:\\[[^@-~]*[@-~]?|\\][^\x07\x1b]*\x07?|.)?", re.DOTALL)
_SPACES: Final = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
#: Characters that change how a text reads without being seen.
_INVISIBLE: Final = re.compile(
    "[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)


def _strip(text: str) -> str:
    """Foreign text made harmless: no control, bidi, invisible or escape-sequence characters, white space folded."""
    return _SPACES.sub(" ", _INVISIBLE.sub("", _ESCAPES.sub("", text))).strip(" ")


def _cut(text: str, most: int) -> str:
    """At most so many characters; a cut text ends in `…`."""
    return text if len(text) <= most else text[: max(0, most - 1)] + "…"


#: What tells of a failure in a long text, most of all first.
_MARKS: Final[list[list[str]]] = [["error:", "error[", "error ts", "exception:", "panicked at", "fatal:", "npm err"], ["failed", "expected", "assert", "cannot", "not found", "denied", "must be"]]
#: Of whose marks the last one tells.
_LAST_TELLS: Final = "traceback (most recent call last)"
_ASCII_LOWER: Final = {it: it + 32 for it in range(ord("A"), ord("Z") + 1)}


def _gist(text: str, most: int) -> str:
    """At most so many characters, chosen for what they tell: the start and, after `…`, the place further on that tells of a
    failure, else the end."""
    count = len(text)
    if count <= most or most < 64:
        return _cut(text, most)

    def whole_words(start: int, end: int) -> int:
        space = text.rfind(" ", max(start, end - 24), end)
        return end if end >= count or text[end] == " " or space < 0 else space

    room = most - 3
    told = _telling(text, most // 3)
    tail = room * 2 // 5 if told is None else min(count - told, room * 3 // 5)
    head = room - tail
    start = count - tail if told is None else told
    if start <= head:
        return text[: whole_words(0, most - 1)].strip(" ") + "…"
    end = whole_words(start, start + tail - 1) if start + tail < count else count
    space = text.find(" ", start, min(end, start + 24))
    if told is None and text[start - 1] != " " and space >= 0:
        start = space
    first, last = text[: whole_words(0, head)].strip(" "), text[start:end].strip(" ")
    return f"{first} … {last}" + ("…" if end < count else "")


def _telling(text: str, begin: int) -> int | None:
    """Where the words start that tell most, from a character on."""
    lower = text.translate(_ASCII_LOWER)
    is_last = _LAST_TELLS in lower
    for marks in _MARKS:
        places = [lower.rfind(it, begin) if is_last else lower.find(it, begin) for it in marks]
        places = [it for it in places if it >= 0]
        if places:
            at = max(places) if is_last else min(places)
            word = text.rfind(" ", 0, at) + 1
            return word if at - word <= 24 else at
    return None


def _bytes(text: str) -> int:
    """How many bytes a text has in UTF-8."""
    return len(text.encode(errors="surrogatepass"))


# -------------------------------------------------------------------------------------------------- deciding


@dataclass(frozen=True)
class Traits:
    """What a tool is known to be."""

    #: It changes nothing.
    read_only: bool = False
    #: Calling it twice is calling it once.
    idempotent: bool = False
    #: Whether whoever says so is to be believed.
    trusted: bool = False


@dataclass(frozen=True)
class Attempt:
    """What is known about a call that failed."""

    #: How often the call was made so far.
    made: int
    #: How it is known what failed. As the fault says, if absent.
    ground: Ground | None = None
    #: Whether there is another way that was not tried yet.
    fallback: bool = False
    #: Now, in milliseconds since 1970.
    now_ms: int | None = None
    #: How long the caller still waits, if that has an end.
    time_left_ms: int | None = None
    #: Chance: from 0 up to, not including, 2^32.
    random: int | None = None


@dataclass(frozen=True)
class Policy:
    """How a client repeats calls."""

    #: How often a call is made at most.
    attempts: int = 3
    #: The longest first pause; it doubles with each further one.
    first_pause_ms: int = 200
    #: The longest pause of our own, and the longest that a server may ask for.
    longest_wait_ms: int = 30000


@dataclass(frozen=True)
class Decision:
    """What to do about a fault, and the row of the table that says so. Only what belongs to `do` is there."""

    do: Literal["retry_now", "retry_after", "change_arguments", "call_first", "ask_human", "fall_back", "stop"]
    row: str
    #: How long to wait.
    after_ms: int | None = None
    #: Where the wrong arguments stand. Empty: the hint says it in words.
    pointers: tuple[str, ...] | None = None
    #: What to do first.
    next: tuple[NextAction, ...] | None = None
    #: What to ask a person for.
    what: str | None = None
    why: StopReason | None = None


class Budget:
    """The repeats that are left, in thousandths. Share one among all calls to a server."""

    def __init__(
        self,
        capacity: int = 10000,
        per_success: int = 100,
        per_second: int = 0,
        saved: int | None = None,
    ) -> None:
        self._capacity, self._per_success, self._per_second = capacity, per_success, per_second
        self._saved = capacity if saved is None else min(saved, capacity)
        self._counted_ms: int | None = None
        self._parts = 0

    @property
    def saved(self) -> int:
        """What it holds, in thousandths of a repeat."""
        return self._saved

    def succeeded(self) -> None:
        """A call succeeded."""
        self._put(self._per_success)

    def pass_(self, now_ms: int) -> None:
        """It is so late now. A clock that goes back puts nothing in."""
        since = 0 if self._counted_ms is None else max(0, now_ms - self._counted_ms)
        more, self._parts = divmod(self._parts + since * self._per_second, 1000)
        self._put(more)
        self._counted_ms = now_ms if self._counted_ms is None else max(self._counted_ms, now_ms)

    def has_one(self) -> bool:
        """Whether there is one repeat left."""
        return self._saved >= 1000

    def spend(self) -> None:
        """Takes one repeat, if there is one."""
        self._saved = max(0, self._saved - 1000)

    def _put(self, more: int) -> None:
        self._saved = min(self._saved + more, self._capacity)


def decide(
    fault: Fault, traits: Traits, attempt: Attempt, budget: Budget, policy: Policy = Policy()
) -> Decision:
    """What to do about a fault: the first row of the table that fits. A repeat is taken from the budget."""
    now_ms = int(time.time() * 1000) if attempt.now_ms is None else attempt.now_ms
    budget.pass_(now_ms)
    asked = max(fault.retry.after_ms or 0, (fault.retry.not_before or 0) - now_ms, 0)
    retry = fault.retry.kind
    if retry == "now" and (asked > 0 or attempt.made > 1):
        retry = "after_delay"
    wait = _wait_ms(attempt, asked, policy) if retry == "after_delay" else 0
    facts: dict[str, str | bool] = {
        "retry": retry,
        "code": fault.code,
        "class": fault.class_,
        "repeat": _repeat(fault, traits, attempt.ground or fault.ground),
        "room": _room(fault, attempt, policy, asked, wait, budget),
        "next": bool(fault.next_actions),
        "fallback": attempt.fallback,
    }
    rule = next((it for it in DECISIONS if it.fits(facts)), _LAST)
    advice = fault.hint or fault.message
    decision = Decision(rule.do, rule.id, why=rule.why)
    if rule.do in ("retry_now", "retry_after"):
        budget.spend()
    if rule.do == "retry_after":
        return replace(decision, after_ms=wait)
    if rule.do == "change_arguments":
        return replace(decision, pointers=wrong_arguments(fault))
    if rule.do == "call_first":
        return replace(decision, next=tuple(fault.next_actions) or (advice,))
    if rule.do == "ask_human":
        return replace(decision, what=rule.what or advice)
    return decision


def wrong_arguments(fault: Fault) -> tuple[str, ...]:
    """Where the arguments stand that are to be changed: those of the violations, else the parameter that was looked up."""
    pointers = tuple(dict.fromkeys(str(it["pointer"]) for it in fault.violations if it["pointer"] != ""))
    row = next((it for it in _ROWS if it.registry == fault.registry and it.code == fault.code), None)
    is_given = row is not None and isinstance(fault.details, dict) and row.similar in fault.details
    return (f"/{row.similar}",) if row is not None and is_given and not pointers and fault.code != _NO_TOOL else pointers


def _room(fault: Fault, attempt: Attempt, policy: Policy, asked: int, wait: int, budget: Budget) -> str:
    most = policy.attempts if fault.retry.max is None else min(policy.attempts, fault.retry.max + 1)
    if attempt.made >= most:
        return "attempts_used"
    if asked > policy.longest_wait_ms or (attempt.time_left_ms is not None and attempt.time_left_ms <= wait):
        return "wait_too_long"
    return "left" if budget.has_one() else "budget_spent"


def _repeat(fault: Fault, traits: Traits, ground: Ground) -> str:
    """What making the call again would do, whether or not it helps."""
    if ground == "not_sent":
        return "safe"
    if fault.effect == "done":
        return "double"
    if fault.effect == "partial":
        return "doubtful"
    if traits.trusted and (traits.read_only or traits.idempotent):
        return "safe"
    return "safe" if ground == "stated" and fault.effect == "none" else "doubtful"


def _wait_ms(attempt: Attempt, asked: int, policy: Policy) -> int:
    """At least as long as is asked for, and a part of a pause that grows, so that clients do not all come back at once."""
    chance = random.getrandbits(32) if attempt.random is None else attempt.random
    pause = min(policy.first_pause_ms << min(max(attempt.made - 1, 0), 32), policy.longest_wait_ms)
    return asked + ((pause + 1) * chance >> 32)


# ----------------------------------------------------------------------------------------------------- facts


@dataclass(frozen=True)
class Rule:
    """A row of the decision table: a column that is not there fits always."""

    id: str
    when: Mapping[str, Sequence[str] | bool]
    do: Literal["retry_now", "retry_after", "change_arguments", "call_first", "ask_human", "fall_back", "stop"]
    because: str
    why: StopReason | None = None
    what: str | None = None

    def fits(self, facts: Mapping[str, str | bool]) -> bool:
        """Whether every column fits."""
        for column, fit in self.when.items():
            if facts[column] != fit if isinstance(fit, bool) else facts[column] not in fit:
                return False
        return True


_CLOSED: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "class": ("class_", get_args(Class)),
    "effect": ("effect", get_args(Effect)),
    "origin": ("origin", get_args(Origin)),
    "severity": ("severity", get_args(Severity)),
}

#: What is known about each code of the registry.
CODES: Final[Mapping[Code, Row]] = {
    "NOTE_NOT_FOUND": Row(code="NOTE_NOT_FOUND", registry="notes", number=5000, domain="notes", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="List the notes, then use an id from the list.", similar="id", said="Note not found.", spelled={"native": ["NOTE_NOT_FOUND"], "rpc": ["5000", "E_NOTE_NOT_FOUND"], "tool-failure": ["note_not_found"]}, title="Note not found", message="There is no note {id}.", next=(NextCall(tool="list_notes"),), params=(Param(name="id", type="string", doc="The id that was asked for.", required=True, untrusted=True, max_chars=80),)),
    "SESSION_NOT_INITIALIZED": Row(code="SESSION_NOT_INITIALIZED", registry="core", number=4000, domain="session", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Start a session first, then make the same call again.", said="No session has been started.", spelled={"atlas-gate": ["SESSION_NOT_INITIALIZED"], "native": ["SESSION_NOT_INITIALIZED"], "rpc": ["4000", "E_SESSION_NOT_INITIALIZED"], "tool-failure": ["session_not_initialized"]}, title="Session not started", message="No session has been started.", next=(NextCall(tool="begin_session"),), params=(Param(name="tool", type="string", doc="The tool that needs a session.", required=False, untrusted=True, max_chars=80),)),
    "SESSION_LOCKED": Row(code="SESSION_LOCKED", registry="core", number=4001, domain="session", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Submit a failure report that names the failed call, then make the same call again.", said="The session is locked because an earlier call failed.", spelled={"atlas-gate": ["SESSION_LOCKED"], "native": ["SESSION_LOCKED"], "rpc": ["4001", "E_SESSION_LOCKED"], "tool-failure": ["session_locked"]}, title="Session locked after a failure", message="The session is locked because an earlier call failed.", next=(NextCall(tool="submit_failure_report"),), params=(Param(name="failed_code", type="string", doc="The code of the failure that locked the session.", required=False, untrusted=False), Param(name="ledger_seq", type="integer", doc="The ledger record of that failure.", required=False, untrusted=False),)),
    "SESSION_INITIALIZATION_FAILED": Row(code="SESSION_INITIALIZATION_FAILED", registry="core", number=4002, domain="session", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Give the absolute path of an existing directory as workspace root.", said="The session could not be started.", spelled={"atlas-gate": ["SESSION_INITIALIZATION_FAILED"], "native": ["SESSION_INITIALIZATION_FAILED"], "rpc": ["4002", "E_SESSION_INITIALIZATION_FAILED"], "tool-failure": ["session_initialization_failed"]}, title="Session could not start", message="The session could not be started.", params=(Param(name="workspace_root", type="string", doc="The workspace root that was given.", required=False, untrusted=True, max_chars=120), Param(name="reason", type="string", doc="Why it could not start.", required=False, untrusted=True, max_chars=120),)),
    "INVALID_INPUT_VALUE": Row(code="INVALID_INPUT_VALUE", registry="core", number=4100, domain="input", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use a value within what the tool's description and input schema allow.", said="An argument has a value that the tool does not accept.", spelled={"atlas-gate": ["INVALID_INPUT_VALUE"], "native": ["INVALID_INPUT_VALUE"], "rpc": ["4100", "E_INVALID_INPUT_VALUE", "E_INVALID_PARAMS"], "tool-failure": ["invalid_input", "invalid_input_value"]}, rpc=(1000, "common"), title="Value not allowed", message="An argument has a value that the tool does not accept.", params=(Param(name="field", type="string", doc="The argument, as a JSON pointer.", required=False, untrusted=True, max_chars=80), Param(name="value", type="string", doc="The value that was sent.", required=False, untrusted=True, max_chars=80), Param(name="allowed", type="array", doc="The values that are accepted.", required=False, untrusted=False),)),
    "INVALID_INPUT_TYPE": Row(code="INVALID_INPUT_TYPE", registry="core", number=4101, domain="input", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Send the argument with the type that the tool's input schema asks for.", said="An argument has the wrong type.", spelled={"atlas-gate": ["INVALID_INPUT_TYPE"], "native": ["INVALID_INPUT_TYPE"], "rpc": ["4101", "E_INVALID_INPUT_TYPE"], "tool-failure": ["invalid_input_type"]}, rpc=(1000, "common"), title="Wrong type", message="An argument has the wrong type.", params=(Param(name="field", type="string", doc="The argument, as a JSON pointer.", required=False, untrusted=True, max_chars=80), Param(name="expected", type="string", doc="The type that is asked for.", required=False, untrusted=True, max_chars=80), Param(name="actual", type="string", doc="The type that was sent.", required=False, untrusted=True, max_chars=80),)),
    "INVALID_INPUT_FORMAT": Row(code="INVALID_INPUT_FORMAT", registry="core", number=4102, domain="input", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Write the argument in the form that the tool's description asks for.", said="An argument is malformed and cannot be read.", spelled={"atlas-gate": ["INVALID_INPUT_FORMAT"], "native": ["INVALID_INPUT_FORMAT"], "rpc": ["4102", "E_INVALID_INPUT_FORMAT"], "tool-failure": ["invalid_input_format"]}, rpc=(1000, "common"), title="Malformed argument", message="An argument is malformed and cannot be read.", params=(Param(name="field", type="string", doc="The argument, as a JSON pointer.", required=False, untrusted=True, max_chars=80), Param(name="expected", type="string", doc="The form that is asked for.", required=False, untrusted=True, max_chars=80),)),
    "MISSING_REQUIRED_FIELD": Row(code="MISSING_REQUIRED_FIELD", registry="core", number=4103, domain="input", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Add every argument that the tool's input schema lists as required.", said="A required argument is missing.", spelled={"atlas-gate": ["MISSING_REQUIRED_FIELD"], "native": ["MISSING_REQUIRED_FIELD"], "rpc": ["4103", "E_MISSING_REQUIRED_FIELD"], "tool-failure": ["missing_required_field"]}, rpc=(1000, "common"), title="Required argument missing", message="A required argument is missing.", params=(Param(name="field", type="string", doc="The missing argument, as a JSON pointer.", required=False, untrusted=True, max_chars=80),)),
    "UNAUTHORIZED_ACTION": Row(code="UNAUTHORIZED_ACTION", registry="core", number=4200, domain="authorization", class_="permission_denied", http=403, retry=Retry(kind="never"), effect="none", severity="error", hint="Choose an action that your role and the server's rules allow.", said="This action is not allowed here.", spelled={"atlas-gate": ["UNAUTHORIZED_ACTION"], "native": ["UNAUTHORIZED_ACTION"], "rpc": ["4200", "E_UNAUTHORIZED_ACTION"], "tool-failure": ["policy_blocked", "unauthorized_action"]}, title="Action not allowed", message="This action is not allowed here.", params=(Param(name="action", type="string", doc="What was refused.", required=False, untrusted=True, max_chars=80), Param(name="role", type="string", doc="The role of the session.", required=False, untrusted=False),)),
    "INSUFFICIENT_PERMISSIONS": Row(code="INSUFFICIENT_PERMISSIONS", registry="core", number=4201, domain="authorization", class_="permission_denied", http=403, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the user or the operator to grant the permission, then repeat the call.", said="The credentials in use lack a permission that this call needs.", spelled={"atlas-gate": ["INSUFFICIENT_PERMISSIONS"], "mailvault": ["permission_denied"], "native": ["INSUFFICIENT_PERMISSIONS"], "rpc": ["4201", "E_INSUFFICIENT_PERMISSIONS"], "tool-failure": ["insufficient_permissions", "permission_denied"]}, title="Permission missing", message="The credentials in use lack a permission that this call needs.", params=(Param(name="permission", type="string", doc="The permission that is missing.", required=False, untrusted=True, max_chars=80), Param(name="resource", type="string", doc="What it is missing on.", required=False, untrusted=True, max_chars=120),)),
    "ROLE_MISMATCH": Row(code="ROLE_MISMATCH", registry="core", number=4202, domain="authorization", class_="permission_denied", http=403, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the operator for a session with the role that is needed.", said="Wrong role.", spelled={"atlas-gate": ["ROLE_MISMATCH"], "native": ["ROLE_MISMATCH"], "rpc": ["4202", "E_ROLE_MISMATCH"], "tool-failure": ["role_mismatch"]}, title="Wrong role", message="The call needs the role {required_role}; this session has {role}.", params=(Param(name="required_role", type="string", doc="The role that the call needs.", required=True, untrusted=False), Param(name="role", type="string", doc="The role of the session.", required=True, untrusted=False),)),
    "AUTH_REQUIRED": Row(code="AUTH_REQUIRED", registry="core", number=4203, domain="authorization", class_="unauthenticated", http=401, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the user to sign in or to renew the credentials, then repeat the call.", said="Credentials are missing, expired or refused.", spelled={"mailvault": ["auth_required"], "native": ["AUTH_REQUIRED"], "rpc": ["4203", "E_AUTH_REQUIRED"], "tool-failure": ["auth_required"]}, title="Sign-in required", message="Credentials are missing, expired or refused.", params=(Param(name="command", type="string", doc="The command with which a person signs in.", required=False, untrusted=False), Param(name="service", type="string", doc="The service that wants the credentials.", required=False, untrusted=True, max_chars=80),)),
    "USER_ACTION_REQUIRED": Row(code="USER_ACTION_REQUIRED", registry="core", number=4204, domain="authorization", class_="permission_denied", http=403, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Tell the user what to do and where, wait for it, then repeat the call.", said="A person must do something before this call can work.", spelled={"native": ["USER_ACTION_REQUIRED"], "rpc": ["4204", "E_USER_ACTION_REQUIRED"], "tool-failure": ["user_action_required"]}, title="The user must act first", message="A person must do something before this call can work.", params=(Param(name="action", type="string", doc="What the user has to do.", required=False, untrusted=True, max_chars=200), Param(name="url", type="string", doc="Where the user can do it.", required=False, untrusted=True, max_chars=200),)),
    "NOT_FOUND": Row(code="NOT_FOUND", registry="core", number=4300, domain="resource", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Search or list what exists, then use a name or id from there.", said="What was asked for does not exist.", spelled={"mailvault": ["not_found"], "native": ["NOT_FOUND"], "rpc": ["4300", "E_NOT_FOUND"], "tool-failure": ["not_found", "resource_not_found"], "workrail": ["NOT_FOUND"]}, title="Not found", message="What was asked for does not exist.", params=(Param(name="kind", type="string", doc="What kind of thing it is.", required=False, untrusted=True, max_chars=80), Param(name="id", type="string", doc="The name or id that was given.", required=False, untrusted=True, max_chars=120),)),
    "ALREADY_EXISTS": Row(code="ALREADY_EXISTS", registry="core", number=4301, domain="resource", class_="already_exists", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use the existing one, or choose another name or id.", said="Something of that name or id already exists.", spelled={"native": ["ALREADY_EXISTS"], "rpc": ["4301", "E_ALREADY_EXISTS"], "tool-failure": ["already_exists"]}, title="Already exists", message="Something of that name or id already exists.", params=(Param(name="kind", type="string", doc="What kind of thing it is.", required=False, untrusted=True, max_chars=80), Param(name="id", type="string", doc="The name or id that is taken.", required=False, untrusted=True, max_chars=120),)),
    "CONFLICT": Row(code="CONFLICT", registry="core", number=4302, domain="resource", class_="aborted", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Read the present state, then make a call that fits it.", said="The call conflicts with the present state of what it would change.", spelled={"native": ["CONFLICT"], "rpc": ["4302", "E_CONFLICT"], "tool-failure": ["conflict"]}, title="Conflict with the present state", message="The call conflicts with the present state of what it would change.", params=(Param(name="kind", type="string", doc="What kind of thing it is.", required=False, untrusted=True, max_chars=80), Param(name="id", type="string", doc="The name or id of it.", required=False, untrusted=True, max_chars=120),)),
    "QUERY_FAILED": Row(code="QUERY_FAILED", registry="core", number=4303, domain="resource", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="unknown", severity="error", hint="Correct the query: check its syntax, and every table and column name.", said="The database or search engine refused the query.", spelled={"native": ["QUERY_FAILED"], "rpc": ["4303", "E_QUERY_FAILED"], "tool-failure": ["query_failed"]}, title="Query failed", message="The database or search engine refused the query.", params=(Param(name="query", type="string", doc="The query.", required=False, untrusted=True, max_chars=200), Param(name="reason", type="string", doc="What the engine said.", required=False, untrusted=True, max_chars=200),)),
    "FILE_NOT_FOUND": Row(code="FILE_NOT_FOUND", registry="core", number=4400, domain="file", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Check the path, or list the directory first.", similar="path", said="File not found.", spelled={"atlas-gate": ["FILE_NOT_FOUND"], "native": ["FILE_NOT_FOUND"], "rpc": ["4400", "E_FILE_NOT_FOUND", "E_FS_NOT_FOUND"], "stagewright": ["FILE_NOT_FOUND"], "tool-failure": ["file_not_found"]}, rpc=(2502, "filesystem"), title="File not found", message="No file at {path}.", params=(Param(name="path", type="string", doc="The path that was given.", required=True, untrusted=True, max_chars=120),)),
    "FILE_ALREADY_EXISTS": Row(code="FILE_ALREADY_EXISTS", registry="core", number=4401, domain="file", class_="already_exists", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Choose another path, or ask for overwriting if the tool offers it.", said="File already exists.", spelled={"atlas-gate": ["FILE_ALREADY_EXISTS"], "native": ["FILE_ALREADY_EXISTS"], "rpc": ["4401", "E_FILE_ALREADY_EXISTS"], "tool-failure": ["file_already_exists"]}, title="File already exists", message="There is already something at {path}.", params=(Param(name="path", type="string", doc="The path that was given.", required=True, untrusted=True, max_chars=120),)),
    "FILE_READ_FAILED": Row(code="FILE_READ_FAILED", registry="core", number=4402, domain="file", class_="internal", http=500, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Tell the user that the file needs repair, or work without it.", said="A file exists, but reading it failed.", spelled={"atlas-gate": ["FILE_READ_FAILED"], "native": ["FILE_READ_FAILED"], "rpc": ["4402", "E_FILE_READ_FAILED"], "tool-failure": ["file_read_failed"]}, title="File could not be read", message="A file exists, but reading it failed.", params=(Param(name="path", type="string", doc="The file.", required=False, untrusted=True, max_chars=120), Param(name="reason", type="string", doc="What the system or the parser said.", required=False, untrusted=True, max_chars=120),)),
    "FILE_WRITE_FAILED": Row(code="FILE_WRITE_FAILED", registry="core", number=4403, domain="file", class_="internal", http=500, retry=Retry(kind="after_human"), effect="unknown", severity="error", hint="Read the file to see its state, and tell the operator to check disk space and rights.", said="Writing a file failed; it may be incomplete.", spelled={"atlas-gate": ["FILE_WRITE_FAILED"], "native": ["FILE_WRITE_FAILED"], "rpc": ["4403", "E_FILE_WRITE_FAILED"], "tool-failure": ["file_write_failed"]}, title="File could not be written", message="Writing a file failed; it may be incomplete.", params=(Param(name="path", type="string", doc="The file.", required=False, untrusted=True, max_chars=120), Param(name="reason", type="string", doc="What the system said.", required=False, untrusted=True, max_chars=120),)),
    "INVALID_PATH": Row(code="INVALID_PATH", registry="core", number=4404, domain="file", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Give a path of the kind that the call needs, a file or a directory.", said="Path not usable.", spelled={"atlas-gate": ["INVALID_PATH"], "native": ["INVALID_PATH"], "rpc": ["4404", "E_INVALID_PATH"], "tool-failure": ["invalid_path"]}, title="Path not usable", message="The path {path} cannot be used here.", params=(Param(name="path", type="string", doc="The path that was given.", required=True, untrusted=True, max_chars=120), Param(name="reason", type="string", doc="What is wrong with it.", required=False, untrusted=True, max_chars=120),)),
    "PATH_NOT_FOUND": Row(code="PATH_NOT_FOUND", registry="core", number=4405, domain="file", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Check the path from its first directory on, or list the parent directory.", similar="path", said="Path not found.", spelled={"atlas-gate": ["PATH_NOT_FOUND"], "native": ["PATH_NOT_FOUND"], "rpc": ["4405", "E_PATH_NOT_FOUND"], "tool-failure": ["path_not_found"]}, rpc=(2502, "filesystem"), title="Path not found", message="Nothing exists at {path}.", params=(Param(name="path", type="string", doc="The path that was given.", required=True, untrusted=True, max_chars=120),)),
    "OUTSIDE_WORKSPACE": Row(code="OUTSIDE_WORKSPACE", registry="core", number=4406, domain="file", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Give a path relative to the workspace root, and inside it.", said="Outside the workspace.", spelled={"atlas-gate": ["OUTSIDE_WORKSPACE"], "native": ["OUTSIDE_WORKSPACE"], "rpc": ["4406", "E_FS_PATH_ESCAPE", "E_OUTSIDE_WORKSPACE"], "tool-failure": ["outside_workspace"]}, rpc=(2500, "filesystem"), title="Outside the workspace", message="The path {path} is outside the workspace.", params=(Param(name="path", type="string", doc="The path that was given.", required=True, untrusted=True, max_chars=120),)),
    "PATH_TRAVERSAL_BLOCKED": Row(code="PATH_TRAVERSAL_BLOCKED", registry="core", number=4407, domain="file", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Give a path inside the workspace, without `..` in it.", said="Path traversal blocked.", spelled={"atlas-gate": ["PATH_TRAVERSAL_BLOCKED"], "native": ["PATH_TRAVERSAL_BLOCKED"], "rpc": ["4407", "E_PATH_TRAVERSAL_BLOCKED"], "tool-failure": ["path_traversal_blocked"]}, rpc=(2500, "filesystem"), title="Path traversal blocked", message="The path {path} climbs out with \"..\" and was refused.", params=(Param(name="path", type="string", doc="The path that was given.", required=True, untrusted=True, max_chars=120),)),
    "PATCH_INVALID": Row(code="PATCH_INVALID", registry="core", number=4408, domain="file", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Write the patch anew in the format that the tool names.", said="The patch is malformed and cannot be read.", spelled={"atlas-gate": ["PATCH_INVALID"], "native": ["PATCH_INVALID"], "rpc": ["4408", "E_PATCH_INVALID"], "tool-failure": ["patch_invalid"]}, title="Patch malformed", message="The patch is malformed and cannot be read.", params=(Param(name="line", type="integer", doc="The first line of the patch that cannot be read, from 1.", required=False, untrusted=False), Param(name="reason", type="string", doc="What is wrong there.", required=False, untrusted=True, max_chars=120),)),
    "PATCH_APPLY_FAILED": Row(code="PATCH_APPLY_FAILED", registry="core", number=4409, domain="file", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Read the file again and make the change from its exact text.", said="The patch does not fit the present text of the file.", spelled={"atlas-gate": ["PATCH_APPLY_FAILED"], "native": ["PATCH_APPLY_FAILED"], "rpc": ["4409", "E_PATCH_APPLY_FAILED"], "tool-failure": ["patch_apply_failed"]}, title="Patch does not apply", message="The patch does not fit the present text of the file.", params=(Param(name="path", type="string", doc="The file.", required=False, untrusted=True, max_chars=120), Param(name="hunk", type="integer", doc="The first part of the patch that does not fit, from 1.", required=False, untrusted=False),)),
    "HASH_MISMATCH": Row(code="HASH_MISMATCH", registry="core", number=4410, domain="file", class_="aborted", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Read the file again, then repeat the change with the new hash.", said="File changed in between.", spelled={"atlas-gate": ["HASH_MISMATCH"], "native": ["HASH_MISMATCH"], "rpc": ["4410", "E_HASH_MISMATCH"], "tool-failure": ["hash_mismatch"]}, title="File changed in between", message="The file {path} is not the one whose hash was given.", next=(NextCall(tool="read_file"),), params=(Param(name="path", type="string", doc="The file.", required=True, untrusted=True, max_chars=120), Param(name="expected", type="string", doc="The hash that was given.", required=False, untrusted=True, max_chars=80), Param(name="actual", type="string", doc="The hash of the file as it is.", required=False, untrusted=False),)),
    "PLAN_NOT_FOUND": Row(code="PLAN_NOT_FOUND", registry="core", number=4500, domain="governance", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="List the approved plans, then use a hash from the list.", similar="plan_hash", said="Plan not found.", spelled={"atlas-gate": ["PLAN_NOT_FOUND"], "native": ["PLAN_NOT_FOUND"], "rpc": ["4500", "E_PLAN_NOT_FOUND"], "tool-failure": ["plan_not_found"]}, title="Plan not found", message="There is no plan {plan_hash}.", next=(NextCall(tool="list_plans"),), params=(Param(name="plan_hash", type="string", doc="The hash that was given.", required=True, untrusted=True, max_chars=64),)),
    "PLAN_NOT_APPROVED": Row(code="PLAN_NOT_APPROVED", registry="core", number=4501, domain="governance", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the plan's owner to approve it, then make the same call again.", said="Plan not approved.", spelled={"atlas-gate": ["PLAN_NOT_APPROVED"], "native": ["PLAN_NOT_APPROVED"], "rpc": ["4501", "E_PLAN_NOT_APPROVED"], "tool-failure": ["plan_not_approved"]}, title="Plan not approved", message="The plan {plan_hash} is not approved.", params=(Param(name="plan_hash", type="string", doc="The hash of the plan.", required=True, untrusted=True, max_chars=64),)),
    "PLAN_ENFORCEMENT_FAILED": Row(code="PLAN_ENFORCEMENT_FAILED", registry="core", number=4502, domain="governance", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the plan's owner to correct it and to approve it again.", said="Plan does not validate.", spelled={"atlas-gate": ["PLAN_ENFORCEMENT_FAILED"], "native": ["PLAN_ENFORCEMENT_FAILED"], "rpc": ["4502", "E_PLAN_ENFORCEMENT_FAILED"], "tool-failure": ["plan_enforcement_failed"]}, title="Plan does not validate", message="The plan {plan_hash} does not pass validation.", params=(Param(name="plan_hash", type="string", doc="The hash of the plan.", required=True, untrusted=True, max_chars=64), Param(name="reason", type="string", doc="What does not hold.", required=False, untrusted=True, max_chars=120),)),
    "PLAN_SCOPE_VIOLATION": Row(code="PLAN_SCOPE_VIOLATION", registry="core", number=4503, domain="governance", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Keep to the paths and tools that the plan allows, or use a plan that covers this.", said="The call is outside the scope of the approved plan.", spelled={"atlas-gate": ["PLAN_SCOPE_VIOLATION"], "native": ["PLAN_SCOPE_VIOLATION"], "rpc": ["4503", "E_PLAN_SCOPE_VIOLATION"], "tool-failure": ["plan_scope_violation"]}, title="Outside the plan's scope", message="The call is outside the scope of the approved plan.", params=(Param(name="path", type="string", doc="The path that is out of scope.", required=False, untrusted=True, max_chars=120), Param(name="plan_hash", type="string", doc="The hash of the plan.", required=False, untrusted=True, max_chars=64),)),
    "POLICY_VIOLATION": Row(code="POLICY_VIOLATION", registry="core", number=4504, domain="governance", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Change the content so that it follows the rule.", said="Policy violated.", spelled={"atlas-gate": ["POLICY_VIOLATION"], "native": ["POLICY_VIOLATION"], "rpc": ["4504", "E_POLICY_VIOLATION"], "tool-failure": ["policy_violation"]}, title="Policy violated", message="The call breaks the policy rule {rule}.", params=(Param(name="rule", type="string", doc="The rule.", required=True, untrusted=False), Param(name="path", type="string", doc="The file that the call would change.", required=False, untrusted=True, max_chars=120), Param(name="line", type="integer", doc="The line that breaks it, from 1.", required=False, untrusted=False), Param(name="reason", type="string", doc="How the rule is broken, where no line is.", required=False, untrusted=True, max_chars=120),)),
    "RUST_POLICY_VIOLATION": Row(code="RUST_POLICY_VIOLATION", registry="core", number=4505, domain="governance", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Handle the error or drop the construct that the rule names.", said="Rust policy violated.", spelled={"atlas-gate": ["RUST_POLICY_VIOLATION"], "native": ["RUST_POLICY_VIOLATION"], "rpc": ["4505", "E_RUST_POLICY_VIOLATION"], "tool-failure": ["rust_policy_violation"]}, title="Rust policy violated", message="The Rust code breaks the policy rule {rule}.", params=(Param(name="rule", type="string", doc="The rule.", required=True, untrusted=False), Param(name="path", type="string", doc="The file that the call would change.", required=False, untrusted=True, max_chars=120), Param(name="line", type="integer", doc="The line of the code, from 1.", required=False, untrusted=False),)),
    "PREFLIGHT_FAILED": Row(code="PREFLIGHT_FAILED", registry="core", number=4506, domain="governance", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Correct the change until tests and lints pass with it.", said="The checks that run on every change failed, so the change was undone.", spelled={"atlas-gate": ["PREFLIGHT_FAILED"], "native": ["PREFLIGHT_FAILED"], "rpc": ["4506", "E_PREFLIGHT_FAILED"], "tool-failure": ["preflight_failed"]}, title="Preflight checks failed", message="The checks that run on every change failed, so the change was undone.", params=(Param(name="check", type="string", doc="The check that failed.", required=False, untrusted=False), Param(name="reason", type="string", doc="What it said.", required=False, untrusted=True, max_chars=200),)),
    "EVAL_BLOCKED_KEYWORD": Row(code="EVAL_BLOCKED_KEYWORD", registry="core", number=4507, domain="governance", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Remove the keyword from the code, or do the step with a dedicated tool.", said="Code with a blocked keyword.", spelled={"native": ["EVAL_BLOCKED_KEYWORD"], "rpc": ["4507", "E_EVAL_BLOCKED_KEYWORD"], "stagewright": ["EVAL_BLOCKED_KEYWORD"], "tool-failure": ["eval_blocked_keyword"]}, title="Code with a blocked keyword", message="The code contains the blocked keyword {keyword}.", params=(Param(name="keyword", type="string", doc="The keyword of the blocklist that was found.", required=True, untrusted=False), Param(name="code_hash", type="string", doc="A fingerprint of the code, which is itself never recorded.", required=False, untrusted=False),)),
    "EVAL_BLOCKED_CONSTRUCT": Row(code="EVAL_BLOCKED_CONSTRUCT", registry="core", number=4508, domain="governance", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Rewrite the code without the construct, or do the step with a dedicated tool.", said="Code with a blocked construct.", spelled={"native": ["EVAL_BLOCKED_CONSTRUCT"], "rpc": ["4508", "E_EVAL_BLOCKED_CONSTRUCT"], "stagewright": ["EVAL_BLOCKED_CONSTRUCT"], "tool-failure": ["eval_blocked_construct"]}, title="Code with a blocked construct", message="The code contains a blocked construct: {construct}.", params=(Param(name="construct", type="string", doc="The construct that was found.", required=True, untrusted=False), Param(name="code_hash", type="string", doc="A fingerprint of the code, which is itself never recorded.", required=False, untrusted=False),)),
    "EVAL_SYNTAX_ERROR": Row(code="EVAL_SYNTAX_ERROR", registry="core", number=4509, domain="governance", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Correct the syntax of the code, then send it again.", said="The code has a syntax mistake and was not run.", spelled={"native": ["EVAL_SYNTAX_ERROR"], "rpc": ["4509", "E_EVAL_SYNTAX_ERROR"], "stagewright": ["EVAL_SYNTAX_ERROR"], "tool-failure": ["eval_syntax_error"]}, title="Code does not parse", message="The code has a syntax mistake and was not run.", params=(Param(name="line", type="integer", doc="The line of the mistake, from 1.", required=False, untrusted=False), Param(name="column", type="integer", doc="The column of the mistake, from 1.", required=False, untrusted=False), Param(name="reason", type="string", doc="What the parser said.", required=False, untrusted=True, max_chars=120),)),
    "INVARIANT_VIOLATION": Row(code="INVARIANT_VIOLATION", registry="core", number=4510, domain="governance", class_="internal", http=500, retry=Retry(kind="never"), effect="unknown", severity="critical", hint="Stop this line of work and report the invariant to the operator.", said="Invariant violated.", spelled={"atlas-gate": ["INVARIANT_VIOLATION"], "native": ["INVARIANT_VIOLATION"], "rpc": ["4510", "E_INVARIANT_VIOLATION"], "tool-failure": ["invariant_violation"]}, title="Invariant violated", message="The invariant {invariant_id} was violated.", params=(Param(name="invariant_id", type="string", doc="The invariant.", required=True, untrusted=False),)),
    "BOOTSTRAP_FAILURE": Row(code="BOOTSTRAP_FAILURE", registry="core", number=4511, domain="governance", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="critical", hint="Ask the operator to correct the server's set-up and to start it again.", said="The server could not finish its start-up.", spelled={"atlas-gate": ["BOOTSTRAP_FAILURE"], "native": ["BOOTSTRAP_FAILURE"], "rpc": ["4511", "E_BOOTSTRAP_FAILURE"], "tool-failure": ["bootstrap_failure"]}, title="Start-up failed", message="The server could not finish its start-up.", params=(Param(name="reason", type="string", doc="What failed.", required=False, untrusted=True, max_chars=120),)),
    "SELF_AUDIT_FAILURE": Row(code="SELF_AUDIT_FAILURE", registry="core", number=4512, domain="governance", class_="internal", http=500, retry=Retry(kind="after_human"), effect="none", severity="critical", hint="Ask the operator to repair what the audit found and to restart.", said="The server's self-audit failed, so it refuses to serve.", spelled={"atlas-gate": ["SELF_AUDIT_FAILURE"], "native": ["SELF_AUDIT_FAILURE"], "rpc": ["4512", "E_SELF_AUDIT_FAILURE"], "tool-failure": ["self_audit_failure"]}, title="Self-audit failed", message="The server's self-audit failed, so it refuses to serve.", params=(Param(name="failed_checks", type="integer", doc="How many checks failed.", required=False, untrusted=False),)),
    "AUDIT_LOG_FAILED": Row(code="AUDIT_LOG_FAILED", registry="core", number=4600, domain="audit", class_="internal", http=500, retry=Retry(kind="after_human"), effect="unknown", severity="critical", hint="Stop, and tell the operator that the ledger cannot be written.", said="The call could not be recorded in the audit trail.", spelled={"atlas-gate": ["AUDIT_LOG_FAILED"], "native": ["AUDIT_LOG_FAILED"], "rpc": ["4600", "E_AUDIT_LOG_FAILED"], "tool-failure": ["audit_log_failed"]}, title="Audit trail not writable", message="The call could not be recorded in the audit trail.", params=()),
    "AUDIT_LOCK_FAILED": Row(code="AUDIT_LOCK_FAILED", registry="core", number=4601, domain="audit", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=1000, max=3), effect="unknown", severity="error", hint="Wait a moment, check whether the call took effect, then repeat it.", said="Another process holds the lock of the audit trail.", spelled={"atlas-gate": ["AUDIT_LOCK_FAILED"], "native": ["AUDIT_LOCK_FAILED"], "rpc": ["4601", "E_AUDIT_LOCK_FAILED"], "tool-failure": ["audit_lock_failed"]}, title="Audit trail locked", message="Another process holds the lock of the audit trail.", params=(Param(name="waited_ms", type="integer", doc="How long the lock was waited for, in milliseconds.", required=False, untrusted=False),)),
    "UNKNOWN_TOOL": Row(code="UNKNOWN_TOOL", registry="core", number=4700, domain="protocol", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use a tool name exactly as the server's list of tools gives it.", similar="tool", said="Unknown tool.", spelled={"native": ["UNKNOWN_TOOL"], "rpc": ["4700", "E_UNKNOWN_TOOL"], "tool-failure": ["unknown_tool"]}, title="Unknown tool", message="There is no tool {tool}.", params=(Param(name="tool", type="string", doc="The name that was called.", required=True, untrusted=True, max_chars=80),)),
    "METHOD_NOT_FOUND": Row(code="METHOD_NOT_FOUND", registry="core", number=4701, domain="protocol", class_="unimplemented", http=501, retry=Retry(kind="never"), effect="none", severity="error", hint="Do without this method; the server's capabilities say what it offers.", said="Method not found.", spelled={"native": ["METHOD_NOT_FOUND"], "rpc": ["-32601", "4701", "E_METHOD_NOT_FOUND"], "tool-failure": ["method_not_found"]}, rpc=(-32601, None), title="Method not found", message="The server has no method {method}.", params=(Param(name="method", type="string", doc="The method that was asked for.", required=True, untrusted=True, max_chars=80),)),
    "INVALID_REQUEST": Row(code="INVALID_REQUEST", registry="core", number=4702, domain="protocol", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Send a message that follows JSON-RPC 2.0 and the MCP schema.", said="The message is not a valid request.", spelled={"native": ["INVALID_REQUEST"], "rpc": ["-32600", "4702", "E_INVALID_REQUEST"], "tool-failure": ["invalid_request"]}, rpc=(-32600, None), title="Invalid request", message="The message is not a valid request.", params=(Param(name="pointer", type="string", doc="The part that is wrong, as a JSON pointer.", required=False, untrusted=True, max_chars=80), Param(name="reason", type="string", doc="What is wrong with it.", required=False, untrusted=True, max_chars=120),)),
    "PARSE_FAILED": Row(code="PARSE_FAILED", registry="core", number=4703, domain="protocol", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Send one complete JSON value in valid UTF-8 for each message.", said="The message could not be read as JSON.", spelled={"native": ["PARSE_FAILED"], "rpc": ["-32700", "4703", "E_PARSE_FAILED"], "tool-failure": ["parse_failed"]}, rpc=(-32700, None), title="Not valid JSON", message="The message could not be read as JSON.", params=(Param(name="offset", type="integer", doc="The byte where reading stopped, from 0.", required=False, untrusted=False), Param(name="reason", type="string", doc="What was wrong there.", required=False, untrusted=True, max_chars=120),)),
    "UPSTREAM_UNAVAILABLE": Row(code="UPSTREAM_UNAVAILABLE", registry="core", number=4800, domain="upstream", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=2000, max=3), effect="unknown", severity="error", hint="Wait a moment and try again; tell the user if it stays away.", said="The server, or a service behind it, cannot be reached.", spelled={"mailvault": ["mcp_unavailable"], "native": ["UPSTREAM_UNAVAILABLE"], "rpc": ["4800", "E_UPSTREAM_UNAVAILABLE"], "tool-failure": ["retryable_transient_error", "upstream_unavailable"]}, title="Upstream unavailable", message="The server, or a service behind it, cannot be reached.", params=(Param(name="server", type="string", doc="The server, by its name in the configuration.", required=False, untrusted=False), Param(name="service", type="string", doc="The service behind it that is away.", required=False, untrusted=True, max_chars=120), Param(name="status", type="integer", doc="The HTTP status that it gave.", required=False, untrusted=False),)),
    "UPSTREAM_CRASHED": Row(code="UPSTREAM_CRASHED", registry="core", number=4801, domain="upstream", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=2000, max=1), effect="unknown", severity="error", hint="Check whether the call took effect, then try once more; tell the operator if it ends again.", said="The server process ended before it answered.", spelled={"native": ["UPSTREAM_CRASHED"], "rpc": ["4801", "E_UPSTREAM_CRASHED"], "tool-failure": ["upstream_crashed"]}, title="Server process ended", message="The server process ended before it answered.", params=(Param(name="server", type="string", doc="The server, by its name in the configuration.", required=False, untrusted=False), Param(name="exit_code", type="integer", doc="The exit code of the process.", required=False, untrusted=False), Param(name="signal", type="string", doc="The signal that ended the process.", required=False, untrusted=False),)),
    "UPSTREAM_PROTOCOL_ERROR": Row(code="UPSTREAM_PROTOCOL_ERROR", registry="core", number=4802, domain="upstream", class_="internal", http=500, retry=Retry(kind="never"), effect="unknown", severity="error", hint="Check whether the call took effect, and tell the operator about this server.", said="The answer does not follow the protocol and cannot be used.", spelled={"native": ["UPSTREAM_PROTOCOL_ERROR"], "rpc": ["4802", "E_UPSTREAM_PROTOCOL_ERROR"], "tool-failure": ["upstream_protocol_error"]}, title="Answer breaks the protocol", message="The answer does not follow the protocol and cannot be used.", params=(Param(name="server", type="string", doc="The server, by its name in the configuration.", required=False, untrusted=False), Param(name="reason", type="string", doc="What is wrong with the answer.", required=False, untrusted=True, max_chars=120),)),
    "UPSTREAM_PARKED": Row(code="UPSTREAM_PARKED", registry="core", number=4803, domain="upstream", class_="unavailable", http=503, retry=Retry(kind="after_human"), effect="none", severity="critical", hint="Ask the operator to repair and restart the server; use other tools until then.", said="Server parked.", spelled={"native": ["UPSTREAM_PARKED"], "rpc": ["4803", "E_UPSTREAM_PARKED"], "tool-failure": ["upstream_parked"]}, title="Server parked", message="The server {server} keeps crashing and was parked.", params=(Param(name="server", type="string", doc="The server, by its name in the configuration.", required=True, untrusted=False), Param(name="crashes", type="integer", doc="How often it ended in a row.", required=False, untrusted=False),)),
    "CIRCUIT_OPEN": Row(code="CIRCUIT_OPEN", registry="core", number=4804, domain="upstream", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=5000, max=3), effect="none", severity="warning", hint="Wait until the pause is over, or use another tool meanwhile.", said="Circuit open.", spelled={"native": ["CIRCUIT_OPEN"], "rpc": ["4804", "E_CIRCUIT_OPEN"], "tool-failure": ["circuit_open"]}, title="Circuit open", message="Calls to the server {server} are paused after repeated failures.", params=(Param(name="server", type="string", doc="The server, by its name in the configuration.", required=True, untrusted=False),)),
    "OUTPUT_TOO_LARGE": Row(code="OUTPUT_TOO_LARGE", registry="core", number=4805, domain="upstream", class_="resource_exhausted", http=502, retry=Retry(kind="after_change"), effect="done", severity="error", hint="Ask for less: a smaller range, fewer items, or one page at a time.", said="Answer too large.", spelled={"native": ["OUTPUT_TOO_LARGE"], "rpc": ["4805", "E_OUTPUT_TOO_LARGE"], "tool-failure": ["output_too_large"]}, title="Answer too large", message="The answer is larger than {limit_bytes} bytes and was dropped.", params=(Param(name="limit_bytes", type="integer", doc="The largest answer that is passed on, in bytes.", required=True, untrusted=False), Param(name="size_bytes", type="integer", doc="The size of the answer as far as it is known, in bytes.", required=False, untrusted=False),)),
    "OUTPUT_INVALID": Row(code="OUTPUT_INVALID", registry="core", number=4806, domain="upstream", class_="internal", http=500, retry=Retry(kind="never"), effect="done", severity="error", hint="Treat the call as done, and tell the operator about this tool.", said="The result does not fit the output schema that the tool declares.", spelled={"native": ["OUTPUT_INVALID"], "rpc": ["4806", "E_OUTPUT_INVALID"], "tool-failure": ["output_invalid"]}, title="Answer breaks its schema", message="The result does not fit the output schema that the tool declares.", params=(Param(name="pointer", type="string", doc="The part that does not fit, as a JSON pointer.", required=False, untrusted=True, max_chars=80), Param(name="reason", type="string", doc="How it does not fit.", required=False, untrusted=True, max_chars=120),)),
    "INTERNAL_ERROR": Row(code="INTERNAL_ERROR", registry="core", number=4900, domain="service", class_="internal", http=500, retry=Retry(kind="never"), effect="unknown", severity="error", hint="Check whether the call took effect, and tell the operator what you called.", said="Something unexpected went wrong inside the server.", spelled={"atlas-gate": ["INTERNAL_ERROR"], "mailvault": ["internal_error"], "native": ["INTERNAL_ERROR"], "rpc": ["-32603", "4900", "E_INTERNAL_ERROR"], "stagewright": ["INTERNAL_ERROR"], "tool-failure": ["internal_error"], "workrail": ["INTERNAL_ERROR"]}, title="Internal error", message="Something unexpected went wrong inside the server.", params=()),
    "UNKNOWN_TOOL_FAILURE": Row(code="UNKNOWN_TOOL_FAILURE", registry="core", number=4901, domain="service", class_="unknown", http=500, retry=Retry(kind="never"), effect="unknown", severity="error", hint="Try another way, or tell the user that this tool failed.", said="The tool failed in a way that fits no known code.", spelled={"atlas-gate": ["UNKNOWN_TOOL_FAILURE"], "native": ["UNKNOWN_TOOL_FAILURE"], "rpc": ["4901", "E_UNKNOWN_TOOL_FAILURE"], "tool-failure": ["unknown_tool_failure"]}, title="Unrecognised failure", message="The tool failed in a way that fits no known code.", params=(Param(name="tool", type="string", doc="The tool that was called.", required=False, untrusted=True, max_chars=80),)),
    "RATE_LIMITED": Row(code="RATE_LIMITED", registry="core", number=4902, domain="service", class_="resource_exhausted", http=429, retry=Retry(kind="after_delay", after_ms=5000, max=3), effect="none", severity="warning", hint="Wait as long as the retry rule says, then go on more slowly.", said="Too many calls were made in a short time.", spelled={"mailvault": ["rate_limited"], "native": ["RATE_LIMITED"], "rpc": ["4902", "E_RATE_LIMITED"], "tool-failure": ["rate_limited"]}, title="Rate limited", message="Too many calls were made in a short time.", params=(Param(name="retry_after_ms", type="integer", doc="How long to wait, in milliseconds.", required=False, untrusted=False), Param(name="service", type="string", doc="The service that limits the rate.", required=False, untrusted=True, max_chars=80),)),
    "OVERLOADED": Row(code="OVERLOADED", registry="core", number=4903, domain="service", class_="resource_exhausted", http=503, retry=Retry(kind="after_delay", after_ms=1000, max=5), effect="none", severity="warning", hint="Wait for some of your calls to finish, then repeat this one.", said="Too many calls are in progress at the same time.", spelled={"native": ["OVERLOADED"], "rpc": ["4903", "E_OVERLOADED"], "tool-failure": ["overloaded"]}, title="Too busy", message="Too many calls are in progress at the same time.", params=(Param(name="limit", type="integer", doc="How many calls may be in progress.", required=False, untrusted=False),)),
    "CANCELLED": Row(code="CANCELLED", registry="core", number=4904, domain="service", class_="cancelled", http=499, retry=Retry(kind="after_human"), effect="unknown", severity="info", hint="Ask the user before you start this call again.", said="The call was cancelled before it finished.", spelled={"native": ["CANCELLED"], "rpc": ["4904", "E_CANCELLED"], "tool-failure": ["cancelled"]}, title="Cancelled", message="The call was cancelled before it finished.", params=(Param(name="reason", type="string", doc="Why it was cancelled.", required=False, untrusted=True, max_chars=120),)),
    "CONFIG_INVALID": Row(code="CONFIG_INVALID", registry="core", number=4905, domain="service", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Correct the configuration, or ask the operator to do it.", said="Configuration not valid.", spelled={"native": ["CONFIG_INVALID"], "rpc": ["4905", "E_CONFIG_INVALID"], "tool-failure": ["config_invalid"]}, title="Configuration not valid", message="The configuration is not valid at {place}: {problem}", params=(Param(name="place", type="string", doc="The file, with line and column where they are known.", required=True, untrusted=False), Param(name="problem", type="string", doc="What is wrong, as a sentence.", required=True, untrusted=False),)),
    "SHUTTING_DOWN": Row(code="SHUTTING_DOWN", registry="core", number=4906, domain="service", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=5000, max=3), effect="unknown", severity="info", hint="Wait until it runs again, check whether the call took effect, then repeat it.", said="The server is shutting down and takes no more calls.", spelled={"native": ["SHUTTING_DOWN"], "rpc": ["4906", "E_SHUTTING_DOWN"], "tool-failure": ["shutting_down"]}, title="Shutting down", message="The server is shutting down and takes no more calls.", params=()),
    "TIMEOUT": Row(code="TIMEOUT", registry="core", number=1001, domain="common", class_="deadline_exceeded", http=504, retry=Retry(kind="after_delay", after_ms=1000, max=2), effect="unknown", severity="error", hint="Check whether the call took effect before you repeat it, or ask for less at once.", said="The call did not finish in time.", spelled={"native": ["TIMEOUT"], "rpc": ["1001", "E_TIMEOUT"], "stagewright": ["OPERATION_TIMEOUT"], "tool-failure": ["timeout"], "workrail": ["TIMEOUT"]}, title="Timed out", message="The call did not finish in time.", params=(Param(name="tool", type="string", doc="The tool that was called.", required=False, untrusted=True, max_chars=80), Param(name="timeout_ms", type="integer", doc="The time that was allowed, in milliseconds.", required=False, untrusted=False),)),
    "LIMIT_EXCEEDED": Row(code="LIMIT_EXCEEDED", registry="core", number=1002, domain="common", class_="resource_exhausted", http=429, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Release what you no longer need, or ask the operator to raise the limit.", said="A limit of the server or of the account is used up.", spelled={"native": ["LIMIT_EXCEEDED"], "rpc": ["1002", "E_LIMIT_EXCEEDED"], "tool-failure": ["limit_exceeded"]}, title="Limit exceeded", message="A limit of the server or of the account is used up.", params=(Param(name="limit_name", type="string", doc="What is limited.", required=False, untrusted=True, max_chars=80), Param(name="limit", type="integer", doc="The most that is allowed.", required=False, untrusted=False),)),
    "NOT_INSTALLED": Row(code="NOT_INSTALLED", registry="core", number=1003, domain="common", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the operator to install it where the server runs, or use another tool.", said="A program or library that this tool needs is not installed.", spelled={"native": ["NOT_INSTALLED"], "rpc": ["1003", "E_NOT_INSTALLED"], "tool-failure": ["not_installed"]}, title="Dependency not installed", message="A program or library that this tool needs is not installed.", params=(Param(name="dependency", type="string", doc="What is missing.", required=False, untrusted=True, max_chars=80),)),
    "SESSION_NOT_FOUND": Row(code="SESSION_NOT_FOUND", registry="core", number=1004, domain="common", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Open a new session, or use the id of one that is still open.", said="The session does not exist, or it has ended.", spelled={"native": ["SESSION_NOT_FOUND"], "rpc": ["1004", "E_SESSION_NOT_FOUND"], "tool-failure": ["session_not_found"]}, title="Session not found", message="The session does not exist, or it has ended.", params=(Param(name="session_id", type="string", doc="The id that was given.", required=False, untrusted=True, max_chars=80),)),
    "INPUT_TOO_LARGE": Row(code="INPUT_TOO_LARGE", registry="core", number=1005, domain="common", class_="invalid_argument", http=413, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Send less: shorten the input, or split it over several calls.", said="The input is larger than the server accepts.", spelled={"native": ["INPUT_TOO_LARGE"], "rpc": ["1005", "E_INPUT_TOO_LARGE"], "tool-failure": ["input_too_large"]}, title="Input too large", message="The input is larger than the server accepts.", params=(Param(name="field", type="string", doc="The argument that is too large.", required=False, untrusted=True, max_chars=80), Param(name="size_bytes", type="integer", doc="The size of what was sent, in bytes.", required=False, untrusted=False), Param(name="limit_bytes", type="integer", doc="The largest size that is accepted, in bytes.", required=False, untrusted=False),)),
    "UNSUPPORTED": Row(code="UNSUPPORTED", registry="core", number=1006, domain="common", class_="unimplemented", http=501, retry=Retry(kind="never"), effect="none", severity="error", hint="Use another tool or another way; this one will not work here.", said="The server does not support this operation.", spelled={"native": ["UNSUPPORTED"], "rpc": ["1006", "E_UNSUPPORTED"], "stagewright": ["NOT_IMPLEMENTED"], "tool-failure": ["capability_unsupported", "unsupported"]}, title="Unsupported operation", message="The server does not support this operation.", params=(Param(name="operation", type="string", doc="What was asked for.", required=False, untrusted=True, max_chars=80),)),
}

#: The tools that the registry knows.
TOOLS: Final[Mapping[str, Tool]] = {
    "read_note": Tool(may=("NOTE_NOT_FOUND",), read_only=True, idempotent=False),
    "list_notes": Tool(may=(), read_only=True, idempotent=False),
}

#: The decision table. The first row that fits decides.
DECISIONS: Final[Sequence[Rule]] = (
    Rule(id="cancelled", when={"class": ["cancelled"]}, do="stop", why="cancelled", because="The caller gave the call up."),
    Rule(id="not_here", when={"class": ["unimplemented"], "repeat": ["safe"], "fallback": True}, do="fall_back", because="This server does not do it; another one may."),
    Rule(id="no_such_tool", when={"code": ["UNKNOWN_TOOL"], "class": ["not_found"], "repeat": ["safe"], "fallback": True}, do="fall_back", because="This server has no such tool; another one may."),
    Rule(id="forbidden", when={"retry": ["after_human"], "class": ["permission_denied"]}, do="ask_human", because="What is forbidden here is not tried elsewhere."),
    Rule(id="without_a_person", when={"retry": ["after_human"], "repeat": ["safe"], "fallback": True}, do="fall_back", because="Another way needs nobody to act."),
    Rule(id="a_person", when={"retry": ["after_human"]}, do="ask_human", because="Only a person can change this."),
    Rule(id="other_arguments", when={"retry": ["after_change"]}, do="change_arguments", because="The same arguments fail anywhere."),
    Rule(id="other_state", when={"retry": ["after_state"]}, do="call_first", because="The call fits once the state has changed."),
    Rule(id="already_done", when={"repeat": ["double"]}, do="stop", why="already_done", because="It was carried out; what failed came after."),
    Rule(id="look_first", when={"retry": ["now", "after_delay"], "repeat": ["doubtful"], "next": True}, do="call_first", because="It may have taken effect: look first."),
    Rule(id="in_doubt", when={"retry": ["now", "after_delay"], "repeat": ["doubtful"]}, do="ask_human", what="Find out whether the call took effect, before anybody makes it again.", because="It may have taken effect, and no call tells."),
    Rule(id="again_now", when={"retry": ["now"], "room": ["left"]}, do="retry_now", because="The same call works now."),
    Rule(id="again_later", when={"retry": ["after_delay"], "room": ["left"]}, do="retry_after", because="The same call works later."),
    Rule(id="refused", when={"class": ["permission_denied"]}, do="stop", why="refused", because="It is forbidden, and nobody can allow it."),
    Rule(id="elsewhere", when={"retry": ["now", "after_delay"], "fallback": True}, do="fall_back", because="Here, no repeat is left."),
    Rule(id="attempts_used", when={"retry": ["now", "after_delay"], "room": ["attempts_used"]}, do="stop", why="attempts_used", because="It was made as often as it may be."),
    Rule(id="wait_too_long", when={"retry": ["now", "after_delay"], "room": ["wait_too_long"]}, do="stop", why="wait_too_long", because="The wait is longer than allowed."),
    Rule(id="budget_spent", when={"retry": ["now", "after_delay"]}, do="stop", why="budget_spent", because="The budget for repeats is used up."),
    Rule(id="another_way", when={"repeat": ["safe"], "fallback": True}, do="fall_back", because="Here it can never work; another way may."),
    Rule(id="cannot_succeed", when={}, do="stop", why="cannot_succeed", because="Nothing that is known helps."),
)

_LAST: Final = Rule("cannot_succeed", {}, "stop", "", "cannot_succeed")

#: The codes of other registries, which a server may use all the same.
_OTHERS: Final[Sequence[Row]] = (
    Row(code="VALIDATION_ERROR", registry="workrail", domain="general", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Correct the fields that the details name, then call again.", said="Invalid input", spelled={"native": ["VALIDATION_ERROR"], "tool-failure": ["validation_error"], "workrail": ["VALIDATION_ERROR"]}, rpc=(1000, "common")),
    Row(code="NOT_FOUND", registry="workrail", domain="general", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Check available workflows with workflow_list", similar="id", said="The workflow does not exist.", spelled={}, rpc=(4300, "resource")),
    Row(code="PRECONDITION_FAILED", registry="workrail", domain="general", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Provide the required keys in the `context` object, or use a token of an existing run.", said="A condition for this call is not met.", spelled={"native": ["PRECONDITION_FAILED"], "tool-failure": ["precondition_failed"], "workrail": ["PRECONDITION_FAILED"]}, rpc=(4302, "resource")),
    Row(code="TIMEOUT", registry="workrail", domain="general", class_="deadline_exceeded", http=504, retry=Retry(kind="now"), effect="unknown", severity="error", hint="Call the tool again with the same input.", said="The tool did not finish in time.", spelled={}, rpc=(1001, "common")),
    Row(code="INTERNAL_ERROR", registry="workrail", domain="general", class_="internal", http=500, retry=Retry(kind="never"), effect="unknown", severity="error", hint="Tell the user which tool you called, with what input, and what came back.", said="WorkRail encountered an unexpected error. This is not caused by your input.", spelled={}, rpc=(4900, "service")),
    Row(code="TOKEN_INVALID_FORMAT", registry="workrail", domain="token", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use the exact tokens returned by WorkRail. Tokens are opaque; do not edit or construct them.", said="The token is not one that WorkRail wrote.", spelled={"native": ["TOKEN_INVALID_FORMAT"], "tool-failure": ["token_invalid_format"], "workrail": ["TOKEN_INVALID_FORMAT"]}, rpc=(1000, "common")),
    Row(code="TOKEN_UNSUPPORTED_VERSION", registry="workrail", domain="token", class_="unimplemented", http=501, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Update WorkRail to a version that supports this token format.", said="The token is of a version that this WorkRail does not read.", spelled={"native": ["TOKEN_UNSUPPORTED_VERSION"], "tool-failure": ["token_unsupported_version"], "workrail": ["TOKEN_UNSUPPORTED_VERSION"]}, rpc=(1006, "common")),
    Row(code="TOKEN_BAD_SIGNATURE", registry="workrail", domain="token", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Token signature verification failed. Use the exact tokens returned by WorkRail.", said="The token does not carry a valid signature.", spelled={"native": ["TOKEN_BAD_SIGNATURE"], "tool-failure": ["token_bad_signature"], "workrail": ["TOKEN_BAD_SIGNATURE"]}, rpc=(1000, "common")),
    Row(code="TOKEN_SCOPE_MISMATCH", registry="workrail", domain="token", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Tokens must come from the same WorkRail response. Do not mix tokens from different runs or nodes.", said="The tokens are of different runs, nodes or sessions.", spelled={"native": ["TOKEN_SCOPE_MISMATCH"], "tool-failure": ["token_scope_mismatch"], "workrail": ["TOKEN_SCOPE_MISMATCH"]}, rpc=(1000, "common")),
    Row(code="TOKEN_UNKNOWN_NODE", registry="workrail", domain="token", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use a stateToken returned by WorkRail for an existing run/node.", said="No durable run/node state was found for this stateToken.", spelled={"native": ["TOKEN_UNKNOWN_NODE"], "tool-failure": ["token_unknown_node"], "workrail": ["TOKEN_UNKNOWN_NODE"]}, rpc=(4300, "resource")),
    Row(code="TOKEN_WORKFLOW_HASH_MISMATCH", registry="workrail", domain="token", class_="aborted", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use the stateToken returned by WorkRail for this node.", said="workflowHash mismatch for this node.", spelled={"native": ["TOKEN_WORKFLOW_HASH_MISMATCH"], "tool-failure": ["token_workflow_hash_mismatch"], "workrail": ["TOKEN_WORKFLOW_HASH_MISMATCH"]}, rpc=(4302, "resource")),
    Row(code="TOKEN_SESSION_LOCKED", registry="workrail", domain="token", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=1000, max=5), effect="none", severity="warning", hint="Retry in a few seconds; if this persists >10s, ensure no other WorkRail process is running.", said="Another writer holds the lock of this session.", spelled={"native": ["TOKEN_SESSION_LOCKED"], "tool-failure": ["token_session_locked"], "workrail": ["TOKEN_SESSION_LOCKED"]}, rpc=(4800, "upstream")),
    Row(code="SESSION_NOT_HEALTHY", registry="workrail", domain="session", class_="data_loss", http=500, retry=Retry(kind="never"), effect="none", severity="critical", hint="Execution requires a healthy session. Export salvage view, then recreate.", said="The session is corrupt or of an unknown version, and was left untouched.", spelled={"native": ["SESSION_NOT_HEALTHY"], "tool-failure": ["session_not_healthy"], "workrail": ["SESSION_NOT_HEALTHY"]}, rpc=(4900, "service")),
    Row(code="PARSE_FAILED", registry="rpc-taxonomy", domain="protocol", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Send one complete JSON value on each line.", said="Invalid JSON", spelled={}, rpc=(-32700, None)),
    Row(code="METHOD_NOT_FOUND", registry="rpc-taxonomy", domain="protocol", class_="unimplemented", http=501, retry=Retry(kind="never"), effect="none", severity="error", hint="Call a method that the ready line of the server lists.", said="Method not found", spelled={}, rpc=(-32601, None)),
    Row(code="RPC_INVALID_PARAMS", registry="rpc-taxonomy", domain="protocol", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Correct the parameters so that they fit the method.", said="Invalid params", spelled={"native": ["RPC_INVALID_PARAMS"], "rpc": ["-32602"], "tool-failure": ["rpc_invalid_params"]}, rpc=(-32602, None)),
    Row(code="RPC_SERVER_FAILURE", registry="rpc-taxonomy", domain="protocol", class_="unknown", http=500, retry=Retry(kind="never"), effect="unknown", severity="error", hint="Try another way, or tell the user that the call failed.", said="Unknown error", spelled={"native": ["RPC_SERVER_FAILURE"], "rpc": ["-32000"], "tool-failure": ["rpc_server_failure"]}, rpc=(-32000, None)),
    Row(code="INVALID_PARAMS", registry="rpc-taxonomy", number=1000, domain="common", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Correct the parameter that the details name, then call again.", said="Invalid parameters", spelled={"native": ["INVALID_PARAMS"], "rpc": ["1000", "INVALID_PARAMS"], "tool-failure": ["invalid_params"]}),
    Row(code="TIMEOUT", registry="rpc-taxonomy", number=1001, domain="common", class_="deadline_exceeded", http=504, retry=Retry(kind="after_delay", after_ms=1000, max=2), effect="unknown", severity="error", hint="Check whether the operation took effect, then try once more.", said="Operation timed out", spelled={}),
    Row(code="LIMIT_EXCEEDED", registry="rpc-taxonomy", number=1002, domain="common", class_="resource_exhausted", http=429, retry=Retry(kind="after_delay", after_ms=1000, max=3), effect="none", severity="error", hint="Close a session that you no longer need, then call again.", said="Limit exceeded", spelled={}),
    Row(code="NOT_INSTALLED", registry="rpc-taxonomy", number=1003, domain="common", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the operator to install what the domain needs.", said="Dependency not installed", spelled={}),
    Row(code="SESSION_NOT_FOUND", registry="rpc-taxonomy", number=1004, domain="common", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Launch a new session, and use the id that it returns.", similar="session_id", said="Session not found", spelled={}),
    Row(code="INPUT_TOO_LARGE", registry="rpc-taxonomy", number=1005, domain="common", class_="invalid_argument", http=413, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Shorten the input, or split it over several calls.", said="Input too large", spelled={}),
    Row(code="UNSUPPORTED", registry="rpc-taxonomy", number=1006, domain="common", class_="unimplemented", http=501, retry=Retry(kind="never"), effect="none", severity="error", hint="Use another method; this server cannot do it.", said="Unsupported operation", spelled={}),
    Row(code="PY_EXEC_FAIL", registry="rpc-taxonomy", number=2000, domain="python", class_="failed_precondition", http=422, retry=Retry(kind="after_change"), effect="unknown", severity="error", hint="Correct the script; the details say what Python reported.", said="Python execution failed", spelled={"native": ["PY_EXEC_FAIL"], "rpc": ["2000", "E_PY_EXEC_FAIL"], "tool-failure": ["py_exec_fail"]}),
    Row(code="PY_SECURITY", registry="rpc-taxonomy", number=2001, domain="python", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Remove what the policy forbids from the script.", said="Code refused by the security policy", spelled={"native": ["PY_SECURITY"], "rpc": ["2001", "E_PY_SECURITY"], "tool-failure": ["py_security"]}),
    Row(code="PW_NAV", registry="rpc-taxonomy", number=2100, domain="playwright", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=1000, max=3), effect="none", severity="error", hint="Check the address for typing mistakes, then try again.", said="Navigation failed", spelled={"native": ["PW_NAV"], "rpc": ["2100", "E_PW_NAV"], "tool-failure": ["pw_nav"]}),
    Row(code="PW_LAUNCH", registry="rpc-taxonomy", number=2101, domain="playwright", class_="internal", http=500, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the operator to check the browser's installation.", said="Browser launch failed", spelled={"native": ["PW_LAUNCH"], "rpc": ["2101", "E_PW_LAUNCH"], "tool-failure": ["pw_launch"]}),
    Row(code="PT_NAV", registry="rpc-taxonomy", number=2200, domain="puppeteer", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=1000, max=3), effect="none", severity="error", hint="Check the address for typing mistakes, then try again.", said="Navigation failed", spelled={"native": ["PT_NAV"], "rpc": ["2200", "E_PT_NAV"], "tool-failure": ["pt_nav"]}),
    Row(code="PT_LAUNCH", registry="rpc-taxonomy", number=2201, domain="puppeteer", class_="internal", http=500, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the operator to check the browser's installation.", said="Browser launch failed", spelled={"native": ["PT_LAUNCH"], "rpc": ["2201", "E_PT_LAUNCH"], "tool-failure": ["pt_launch"]}),
    Row(code="MB_FILE_NOT_FOUND", registry="rpc-taxonomy", number=2300, domain="memory-bank", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="List the memory bank, then use a name from the list.", similar="file", said="invalid file", spelled={"native": ["MB_FILE_NOT_FOUND"], "rpc": ["2300", "E_MB_FILE_NOT_FOUND", "FILE_NOT_FOUND"], "tool-failure": ["mb_file_not_found"]}),
    Row(code="MB_READ", registry="rpc-taxonomy", number=2301, domain="memory-bank", class_="internal", http=500, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Tell the operator that this file of the memory bank cannot be read.", said="read failed", spelled={"native": ["MB_READ"], "rpc": ["2301", "E_MB_READ", "READ_FAILED"], "tool-failure": ["mb_read"]}),
    Row(code="KG_FULL", registry="rpc-taxonomy", number=2400, domain="kg-memory", class_="resource_exhausted", http=429, retry=Retry(kind="after_delay", after_ms=5000, max=2), effect="none", severity="error", hint="Remove triples that are no longer needed, then add this one.", said="triple store full", spelled={"native": ["KG_FULL"], "rpc": ["2400", "E_KG_FULL", "FULL"], "tool-failure": ["kg_full"]}),
    Row(code="KG_INVALID_TRIPLE", registry="rpc-taxonomy", number=2401, domain="kg-memory", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Send subject, predicate and object, each as text that is not empty.", said="invalid triple", spelled={"native": ["KG_INVALID_TRIPLE"], "rpc": ["2401", "E_KG_INVALID_TRIPLE", "INVALID_TRIPLE"], "tool-failure": ["kg_invalid_triple"]}),
    Row(code="FS_PATH_ESCAPE", registry="rpc-taxonomy", number=2500, domain="filesystem", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Give a path inside the root that the server announced.", said="Path escapes root", spelled={"native": ["FS_PATH_ESCAPE"], "rpc": ["2500", "PATH_ESCAPE"], "tool-failure": ["fs_path_escape"]}),
    Row(code="FS_DENIED", registry="rpc-taxonomy", number=2501, domain="filesystem", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Write only where the server's allowlist permits it.", said="Operation denied by policy", spelled={"native": ["FS_DENIED"], "rpc": ["2501", "DENIED", "E_FS_DENIED"], "tool-failure": ["fs_denied"]}),
    Row(code="FS_NOT_FOUND", registry="rpc-taxonomy", number=2502, domain="filesystem", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="List the parent directory, then use a name from the list.", similar="path", said="File or directory not found", spelled={"native": ["FS_NOT_FOUND"], "rpc": ["2502", "NOT_FOUND"], "tool-failure": ["fs_not_found"]}),
    Row(code="FS_WRITE_TOO_LARGE", registry="rpc-taxonomy", number=2503, domain="filesystem", class_="invalid_argument", http=413, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Write less, or split the content over several files.", said="Write exceeds size limit", spelled={"native": ["FS_WRITE_TOO_LARGE"], "rpc": ["2503", "E_FS_WRITE_TOO_LARGE", "WRITE_TOO_LARGE"], "tool-failure": ["fs_write_too_large"]}),
    Row(code="SQL_CONN", registry="rpc-taxonomy", number=2600, domain="sqlserver", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=2000, max=3), effect="none", severity="error", hint="Wait a moment and try again; tell the operator if it stays away.", said="Database connection failed", spelled={"native": ["SQL_CONN"], "rpc": ["2600", "E_SQL_CONN"], "tool-failure": ["sql_conn"]}),
    Row(code="SQL_QUERY", registry="rpc-taxonomy", number=2601, domain="sqlserver", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="unknown", severity="error", hint="Correct the statement: check its syntax, and every table and column name.", said="Query failed", spelled={"native": ["SQL_QUERY"], "rpc": ["2601", "E_SQL_QUERY"], "tool-failure": ["sql_query"]}),
    Row(code="NOTION_AUTH", registry="rpc-taxonomy", number=2700, domain="notion", class_="unauthenticated", http=401, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the operator to set a valid Notion token for this server.", said="Notion authentication failed", spelled={"native": ["NOTION_AUTH"], "rpc": ["2700", "E_NOTION_AUTH"], "tool-failure": ["notion_auth"]}),
    Row(code="NOTION_RATE", registry="rpc-taxonomy", number=2701, domain="notion", class_="resource_exhausted", http=429, retry=Retry(kind="after_delay", after_ms=2000, max=3), effect="none", severity="warning", hint="Wait before the next call, and make fewer calls at once.", said="Notion rate limit reached", spelled={"native": ["NOTION_RATE"], "rpc": ["2701", "E_NOTION_RATE"], "tool-failure": ["notion_rate"]}),
    Row(code="TAVILY_HTTP", registry="rpc-taxonomy", number=2800, domain="tavily", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=2000, max=3), effect="none", severity="error", hint="Try again after a moment, or search with another tool.", said="Tavily HTTP request failed", spelled={"native": ["TAVILY_HTTP"], "rpc": ["2800", "E_TAVILY_HTTP"], "tool-failure": ["tavily_http"]}),
    Row(code="TAVILY_RATE", registry="rpc-taxonomy", number=2801, domain="tavily", class_="resource_exhausted", http=429, retry=Retry(kind="after_delay", after_ms=5000, max=3), effect="none", severity="warning", hint="Wait before the next search, and search less often.", said="Tavily rate limit reached", spelled={"native": ["TAVILY_RATE"], "rpc": ["2801", "E_TAVILY_RATE"], "tool-failure": ["tavily_rate"]}),
    Row(code="NOT_RUNNING", registry="stagewright", domain="lifecycle", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Call launch first.", said="Call launch first.", spelled={"native": ["NOT_RUNNING"], "stagewright": ["NOT_RUNNING"], "tool-failure": ["not_running"]}, rpc=(4302, "resource")),
    Row(code="ALREADY_RUNNING", registry="stagewright", domain="lifecycle", class_="already_exists", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Stop the active app before launching another one.", said="Stop the active app before launching another one.", spelled={"native": ["ALREADY_RUNNING"], "stagewright": ["ALREADY_RUNNING"], "tool-failure": ["already_running"]}, rpc=(4301, "resource")),
    Row(code="LAUNCH_TIMEOUT", registry="stagewright", domain="lifecycle", class_="deadline_exceeded", http=408, retry=Retry(kind="after_delay", after_ms=1000, max=2), effect="unknown", severity="error", hint="Check main process startup time.", said="Check main process startup time.", spelled={"native": ["LAUNCH_TIMEOUT"], "stagewright": ["LAUNCH_TIMEOUT"], "tool-failure": ["launch_timeout"]}, rpc=(1001, "common")),
    Row(code="LAUNCH_FAILED", registry="stagewright", domain="lifecycle", class_="internal", http=500, retry=Retry(kind="after_change"), effect="none", severity="error", hint="The packaged app could not be started or exited before a driveable Electron window became available; inspect its path, startup configuration, and logs.", said="The packaged app could not be started or exited before a driveable Electron window became available; inspect its path, startup configuration, and logs.", spelled={"native": ["LAUNCH_FAILED"], "stagewright": ["LAUNCH_FAILED"], "tool-failure": ["launch_failed"]}, rpc=(4900, "service")),
    Row(code="FUSES_BLOCK_LAUNCH", registry="stagewright", domain="lifecycle", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Launch the packaged executable without a main entry so Stagewright can use CDP, attach to a CDP-enabled running app, or use a development build whose Node CLI inspect fuse is enabled.", said="Launch the packaged executable without a main entry so Stagewright can use CDP, attach to a CDP-enabled running app, or use a development build whose Node CLI inspect fuse is enabled.", spelled={"native": ["FUSES_BLOCK_LAUNCH"], "stagewright": ["FUSES_BLOCK_LAUNCH"], "tool-failure": ["fuses_block_launch"]}, rpc=(4302, "resource")),
    Row(code="SINGLE_INSTANCE_LOCK", registry="stagewright", domain="lifecycle", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Another instance of the app is running.", said="Another instance of the app is running.", spelled={"native": ["SINGLE_INSTANCE_LOCK"], "stagewright": ["SINGLE_INSTANCE_LOCK"], "tool-failure": ["single_instance_lock"]}, rpc=(4302, "resource")),
    Row(code="BAD_ARGUMENT", registry="stagewright", domain="arguments", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Check the input schema for this tool.", said="Check the input schema for this tool.", spelled={"native": ["BAD_ARGUMENT"], "stagewright": ["BAD_ARGUMENT"], "tool-failure": ["bad_argument"]}, rpc=(1000, "common")),
    Row(code="FILE_NOT_FOUND", registry="stagewright", domain="arguments", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Verify the path exists and is readable.", similar="path", said="Verify the path exists and is readable.", spelled={}, rpc=(2502, "filesystem")),
    Row(code="ABSOLUTE_PATH_REQUIRED", registry="stagewright", domain="arguments", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use an absolute path.", said="Use an absolute path.", spelled={"native": ["ABSOLUTE_PATH_REQUIRED"], "stagewright": ["ABSOLUTE_PATH_REQUIRED"], "tool-failure": ["absolute_path_required"]}, rpc=(1000, "common")),
    Row(code="REF_NOT_FOUND", registry="stagewright", domain="selectors", class_="not_found", http=404, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Call snapshot first.", similar="ref", said="Call snapshot first.", spelled={"native": ["REF_NOT_FOUND"], "stagewright": ["REF_NOT_FOUND"], "tool-failure": ["ref_not_found"]}, rpc=(4300, "resource")),
    Row(code="SURFACE_NOT_FOUND", registry="stagewright", domain="selectors", class_="not_found", http=404, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Call electron_surfaces_list and select one of the returned surface ids.", similar="surface_id", said="Call electron_surfaces_list and select one of the returned surface ids.", spelled={"native": ["SURFACE_NOT_FOUND"], "stagewright": ["SURFACE_NOT_FOUND"], "tool-failure": ["surface_not_found"]}, rpc=(4300, "resource")),
    Row(code="SURFACE_CLOSED", registry="stagewright", domain="selectors", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="The selected renderer closed or detached; call electron_surfaces_list and select a live surface.", said="The selected renderer closed or detached; call electron_surfaces_list and select a live surface.", spelled={"native": ["SURFACE_CLOSED"], "stagewright": ["SURFACE_CLOSED"], "tool-failure": ["surface_closed"]}, rpc=(4302, "resource")),
    Row(code="SURFACE_UNSUPPORTED", registry="stagewright", domain="selectors", class_="unimplemented", http=501, retry=Retry(kind="never"), effect="none", severity="error", hint="The selected surface cannot perform that renderer operation through this transport.", said="The selected surface cannot perform that renderer operation through this transport.", spelled={"native": ["SURFACE_UNSUPPORTED"], "stagewright": ["SURFACE_UNSUPPORTED"], "tool-failure": ["surface_unsupported"]}, rpc=(1006, "common")),
    Row(code="SELECTOR_NO_MATCH", registry="stagewright", domain="selectors", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Element is not in the DOM.", similar="selector", said="Element is not in the DOM.", spelled={"native": ["SELECTOR_NO_MATCH"], "stagewright": ["SELECTOR_NO_MATCH"], "tool-failure": ["selector_no_match"]}, rpc=(4300, "resource")),
    Row(code="ELEMENT_NOT_VISIBLE", registry="stagewright", domain="selectors", class_="failed_precondition", http=409, retry=Retry(kind="after_delay", after_ms=500, max=3), effect="none", severity="error", hint="Wait for the element to become visible.", said="Wait for the element to become visible.", spelled={"native": ["ELEMENT_NOT_VISIBLE"], "stagewright": ["ELEMENT_NOT_VISIBLE"], "tool-failure": ["element_not_visible"]}, rpc=(4302, "resource")),
    Row(code="ELEMENT_DISABLED", registry="stagewright", domain="selectors", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Element is disabled; address the disabled state via app-level interaction.", said="Element is disabled; address the disabled state via app-level interaction.", spelled={"native": ["ELEMENT_DISABLED"], "stagewright": ["ELEMENT_DISABLED"], "tool-failure": ["element_disabled"]}, rpc=(4302, "resource")),
    Row(code="TYPE_NO_EFFECT", registry="stagewright", domain="selectors", class_="failed_precondition", http=422, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Typing changed nothing — the target ignored the input (e.g. a code editor's hidden textarea). Use electron_type_into_editor on the editor's content area.", said="Typing changed nothing — the target ignored the input (e.g. a code editor's hidden textarea). Use electron_type_into_editor on the editor's content area.", spelled={"native": ["TYPE_NO_EFFECT"], "stagewright": ["TYPE_NO_EFFECT"], "tool-failure": ["type_no_effect"]}, rpc=(4302, "resource")),
    Row(code="WAIT_TIMEOUT", registry="stagewright", domain="waits", class_="deadline_exceeded", http=408, retry=Retry(kind="now"), effect="none", severity="error", hint="The awaited condition did not hold within timeoutMs; raise timeoutMs or recheck the condition.", said="The awaited condition did not hold within timeoutMs; raise timeoutMs or recheck the condition.", spelled={"native": ["WAIT_TIMEOUT"], "stagewright": ["WAIT_TIMEOUT"], "tool-failure": ["wait_timeout"]}, rpc=(1001, "common")),
    Row(code="EXPECTATION_FAILED", registry="stagewright", domain="assertions", class_="failed_precondition", http=417, retry=Retry(kind="after_delay", after_ms=500, max=3), effect="none", severity="error", hint="The expectation did not hold; details carry expected vs actual. Re-check state or raise timeoutMs.", said="The expectation did not hold; details carry expected vs actual. Re-check state or raise timeoutMs.", spelled={"native": ["EXPECTATION_FAILED"], "stagewright": ["EXPECTATION_FAILED"], "tool-failure": ["expectation_failed"]}, rpc=(4302, "resource")),
    Row(code="TRANSPORT_UNSUPPORTED", registry="stagewright", domain="transports", class_="unimplemented", http=501, retry=Retry(kind="never"), effect="none", severity="error", hint="Active transport lacks this capability.", said="Active transport lacks this capability.", spelled={"native": ["TRANSPORT_UNSUPPORTED"], "stagewright": ["TRANSPORT_UNSUPPORTED"], "tool-failure": ["transport_unsupported"]}, rpc=(1006, "common")),
    Row(code="CDP_DISCONNECTED", registry="stagewright", domain="transports", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=1000, max=3), effect="unknown", severity="error", hint="The CDP connection dropped; the dispatcher will attempt reconnection.", said="The CDP connection dropped; the dispatcher will attempt reconnection.", spelled={"native": ["CDP_DISCONNECTED"], "stagewright": ["CDP_DISCONNECTED"], "tool-failure": ["cdp_disconnected"]}, rpc=(4800, "upstream")),
    Row(code="CDP_TIMEOUT", registry="stagewright", domain="transports", class_="deadline_exceeded", http=408, retry=Retry(kind="after_delay", after_ms=1000, max=3), effect="unknown", severity="error", hint="The CDP method did not respond within its timeout; the target may be busy or hung.", said="The CDP method did not respond within its timeout; the target may be busy or hung.", spelled={"native": ["CDP_TIMEOUT"], "stagewright": ["CDP_TIMEOUT"], "tool-failure": ["cdp_timeout"]}, rpc=(1001, "common")),
    Row(code="INJECT_FAILED", registry="stagewright", domain="transports", class_="internal", http=500, retry=Retry(kind="after_delay", after_ms=1000, max=1), effect="none", severity="error", hint="Inspector handshake failed; retry with attach instead.", said="Inspector handshake failed; retry with attach instead.", spelled={"native": ["INJECT_FAILED"], "stagewright": ["INJECT_FAILED"], "tool-failure": ["inject_failed"]}, rpc=(4900, "service")),
    Row(code="PLUGIN_LOAD_FAILED", registry="stagewright", domain="plugins", class_="internal", http=500, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Plugin package could not be imported.", said="Plugin package could not be imported.", spelled={"native": ["PLUGIN_LOAD_FAILED"], "stagewright": ["PLUGIN_LOAD_FAILED"], "tool-failure": ["plugin_load_failed"]}, rpc=(4900, "service")),
    Row(code="PLUGIN_VERSION_MISMATCH", registry="stagewright", domain="plugins", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Plugin requires a different core version.", said="Plugin requires a different core version.", spelled={"native": ["PLUGIN_VERSION_MISMATCH"], "stagewright": ["PLUGIN_VERSION_MISMATCH"], "tool-failure": ["plugin_version_mismatch"]}, rpc=(4302, "resource")),
    Row(code="PLUGIN_MANIFEST_INVALID", registry="stagewright", domain="plugins", class_="internal", http=500, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Plugin default export does not match the PluginManifest schema.", said="Plugin default export does not match the PluginManifest schema.", spelled={"native": ["PLUGIN_MANIFEST_INVALID"], "stagewright": ["PLUGIN_MANIFEST_INVALID"], "tool-failure": ["plugin_manifest_invalid"]}, rpc=(4900, "service")),
    Row(code="PLUGIN_CONFIG_INVALID", registry="stagewright", domain="plugins", class_="invalid_argument", http=400, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Plugin config did not match the plugin configSchema.", said="Plugin config did not match the plugin configSchema.", spelled={"native": ["PLUGIN_CONFIG_INVALID"], "stagewright": ["PLUGIN_CONFIG_INVALID"], "tool-failure": ["plugin_config_invalid"]}, rpc=(1000, "common")),
    Row(code="EVAL_SYNTAX_ERROR", registry="stagewright", domain="evaluation", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Check the JavaScript syntax of the eval body.", said="Check the JavaScript syntax of the eval body.", spelled={}, rpc=(1000, "common")),
    Row(code="EVAL_RUNTIME_ERROR", registry="stagewright", domain="evaluation", class_="internal", http=500, retry=Retry(kind="after_change"), effect="unknown", severity="error", hint="The evaluated code threw.", said="The evaluated code threw.", spelled={"native": ["EVAL_RUNTIME_ERROR"], "stagewright": ["EVAL_RUNTIME_ERROR"], "tool-failure": ["eval_runtime_error"]}, rpc=(4900, "service")),
    Row(code="EVAL_TIMEOUT", registry="stagewright", domain="evaluation", class_="deadline_exceeded", http=408, retry=Retry(kind="after_delay", after_ms=1000, max=1), effect="unknown", severity="error", hint="Evaluation exceeded the budget.", said="Evaluation exceeded the budget.", spelled={"native": ["EVAL_TIMEOUT"], "stagewright": ["EVAL_TIMEOUT"], "tool-failure": ["eval_timeout"]}, rpc=(1001, "common")),
    Row(code="EVAL_BLOCKED_KEYWORD", registry="stagewright", domain="evaluation", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Remove the blocked keyword, or use an explicit trusted-eval opt-in for this session.", said="Remove the blocked keyword, or use an explicit trusted-eval opt-in for this session.", spelled={}, rpc=(1000, "common")),
    Row(code="EVAL_BLOCKED_CONSTRUCT", registry="stagewright", domain="evaluation", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Remove the blocked construct (e.g. process.exit, require, the Function constructor, dynamic import); rewrite the flow using a granular tool where possible.", said="Remove the blocked construct (e.g. process.exit, require, the Function constructor, dynamic import); rewrite the flow using a granular tool where possible.", spelled={}, rpc=(1000, "common")),
    Row(code="OPERATION_TIMEOUT", registry="stagewright", domain="dispatch", class_="deadline_exceeded", http=408, retry=Retry(kind="after_delay", after_ms=1000, max=2), effect="unknown", severity="error", hint="The operation exceeded the dispatch timeout budget (the app may be hung); retry, or raise the operation timeout (--operation-timeout-ms).", said="The operation exceeded the dispatch timeout budget (the app may be hung); retry, or raise the operation timeout (--operation-timeout-ms).", spelled={"native": ["OPERATION_TIMEOUT"], "tool-failure": ["operation_timeout"]}, rpc=(1001, "common")),
    Row(code="NOT_IMPLEMENTED", registry="stagewright", domain="catch-all", class_="unimplemented", http=501, retry=Retry(kind="never"), effect="none", severity="error", hint="This transport or plugin does not implement the tool yet.", said="This transport or plugin does not implement the tool yet.", spelled={"native": ["NOT_IMPLEMENTED"], "tool-failure": ["not_implemented"]}, rpc=(1006, "common")),
    Row(code="INTERNAL_ERROR", registry="stagewright", domain="catch-all", class_="internal", http=500, retry=Retry(kind="never"), effect="unknown", severity="error", hint="Bug in Electron Stagewright — please file an issue.", said="Bug in Electron Stagewright — please file an issue.", spelled={}, rpc=(4900, "service")),
    Row(code="a11y.UNSUPPORTED", registry="stagewright", domain="a11y", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use a Playwright launch session that supports renderer evaluation and surface targeting.", said="Use a Playwright launch session that supports renderer evaluation and surface targeting.", spelled={"native": ["a11y.UNSUPPORTED"], "stagewright": ["a11y.UNSUPPORTED"], "tool-failure": ["a11y.unsupported"]}, rpc=(4302, "resource")),
    Row(code="a11y.INVALID_SELECTOR", registry="stagewright", domain="a11y", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Correct the CSS selector and retry the audit.", said="Correct the CSS selector and retry the audit.", spelled={"native": ["a11y.INVALID_SELECTOR"], "stagewright": ["a11y.INVALID_SELECTOR"], "tool-failure": ["a11y.invalid_selector"]}, rpc=(1000, "common")),
    Row(code="a11y.SCOPE_NOT_FOUND", registry="stagewright", domain="a11y", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Re-snapshot the selected surface or choose a selector that exists there.", similar="selector", said="Re-snapshot the selected surface or choose a selector that exists there.", spelled={"native": ["a11y.SCOPE_NOT_FOUND"], "stagewright": ["a11y.SCOPE_NOT_FOUND"], "tool-failure": ["a11y.scope_not_found"]}, rpc=(4300, "resource")),
    Row(code="a11y.ENGINE_FAILED", registry="stagewright", domain="a11y", class_="internal", http=500, retry=Retry(kind="after_delay", after_ms=1000, max=2), effect="none", severity="error", hint="Wait for the renderer to settle, then retry or audit a narrower surface.", said="Wait for the renderer to settle, then retry or audit a narrower surface.", spelled={"native": ["a11y.ENGINE_FAILED"], "stagewright": ["a11y.ENGINE_FAILED"], "tool-failure": ["a11y.engine_failed"]}, rpc=(4900, "service")),
    Row(code="clock.UNSUPPORTED", registry="stagewright", domain="clock", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="This transport cannot control the clock; use the default Playwright launch transport.", said="This transport cannot control the clock; use the default Playwright launch transport.", spelled={"native": ["clock.UNSUPPORTED"], "stagewright": ["clock.UNSUPPORTED"], "tool-failure": ["clock.unsupported"]}, rpc=(4302, "resource")),
    Row(code="clock.NOT_INSTALLED", registry="stagewright", domain="clock", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="No fake clock is installed on this session; call clock_install first.", said="No fake clock is installed on this session; call clock_install first.", spelled={"native": ["clock.NOT_INSTALLED"], "stagewright": ["clock.NOT_INSTALLED"], "tool-failure": ["clock.not_installed"]}, rpc=(4302, "resource")),
    Row(code="ipc.EVAL_REQUIRED", registry="stagewright", domain="ipc", class_="permission_denied", http=403, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Start the server with --allow-eval=main (or bare --allow-eval); IPC instrumentation runs main-process JS.", said="Start the server with --allow-eval=main (or bare --allow-eval); IPC instrumentation runs main-process JS.", spelled={"native": ["ipc.EVAL_REQUIRED"], "stagewright": ["ipc.EVAL_REQUIRED"], "tool-failure": ["ipc.eval_required"]}, rpc=(4201, "authorization")),
    Row(code="ipc.MAIN_EVAL_UNSUPPORTED", registry="stagewright", domain="ipc", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="This transport cannot evaluate in the main process; IPC capture/invoke needs that.", said="This transport cannot evaluate in the main process; IPC capture/invoke needs that.", spelled={"native": ["ipc.MAIN_EVAL_UNSUPPORTED"], "stagewright": ["ipc.MAIN_EVAL_UNSUPPORTED"], "tool-failure": ["ipc.main_eval_unsupported"]}, rpc=(4302, "resource")),
    Row(code="ipc.ALREADY_CAPTURING", registry="stagewright", domain="ipc", class_="already_exists", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="An IPC capture is already active; call ipc_capture_stop first.", said="An IPC capture is already active; call ipc_capture_stop first.", spelled={"native": ["ipc.ALREADY_CAPTURING"], "stagewright": ["ipc.ALREADY_CAPTURING"], "tool-failure": ["ipc.already_capturing"]}, rpc=(4301, "resource")),
    Row(code="ipc.NOT_CAPTURING", registry="stagewright", domain="ipc", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="No active IPC capture; call ipc_capture_start first.", said="No active IPC capture; call ipc_capture_start first.", spelled={"native": ["ipc.NOT_CAPTURING"], "stagewright": ["ipc.NOT_CAPTURING"], "tool-failure": ["ipc.not_capturing"]}, rpc=(4302, "resource")),
    Row(code="ipc.CHANNEL_NOT_ALLOWED", registry="stagewright", domain="ipc", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="The channel is not in the relevant allowlist; for capture/stub add it to ipc_capture_start channels, for ipc_invoke add it to the invokeAllow config.", said="The channel is not in the relevant allowlist; for capture/stub add it to ipc_capture_start channels, for ipc_invoke add it to the invokeAllow config.", spelled={"native": ["ipc.CHANNEL_NOT_ALLOWED"], "stagewright": ["ipc.CHANNEL_NOT_ALLOWED"], "tool-failure": ["ipc.channel_not_allowed"]}, rpc=(4201, "authorization")),
    Row(code="ipc.INVOKE_FAILED", registry="stagewright", domain="ipc", class_="failed_precondition", http=422, retry=Retry(kind="after_change"), effect="unknown", severity="error", hint="The channel had no handler, the handler threw, or it timed out.", said="The channel had no handler, the handler threw, or it timed out.", spelled={"native": ["ipc.INVOKE_FAILED"], "stagewright": ["ipc.INVOKE_FAILED"], "tool-failure": ["ipc.invoke_failed"]}, rpc=(4302, "resource")),
    Row(code="native.UNSUPPORTED", registry="stagewright", domain="native", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="This transport cannot access the native UI; use the default Playwright launch transport.", said="This transport cannot access the native UI; use the default Playwright launch transport.", spelled={"native": ["native.UNSUPPORTED"], "stagewright": ["native.UNSUPPORTED"], "tool-failure": ["native.unsupported"]}, rpc=(4302, "resource")),
    Row(code="native.ALREADY_CAPTURING", registry="stagewright", domain="native", class_="already_exists", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Notification capture is already active on this session; call native_notifications_stop first.", said="Notification capture is already active on this session; call native_notifications_stop first.", spelled={"native": ["native.ALREADY_CAPTURING"], "stagewright": ["native.ALREADY_CAPTURING"], "tool-failure": ["native.already_capturing"]}, rpc=(4301, "resource")),
    Row(code="native.NOT_CAPTURING", registry="stagewright", domain="native", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="No active notification capture on this session; call native_notifications_start first.", said="No active notification capture on this session; call native_notifications_start first.", spelled={"native": ["native.NOT_CAPTURING"], "stagewright": ["native.NOT_CAPTURING"], "tool-failure": ["native.not_capturing"]}, rpc=(4302, "resource")),
    Row(code="native.NOT_INSTRUMENTED", registry="stagewright", domain="native", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="This session was not launched with native instrumentation; relaunch with electron_launch { instrumentNative: true }.", said="This session was not launched with native instrumentation; relaunch with electron_launch { instrumentNative: true }.", spelled={"native": ["native.NOT_INSTRUMENTED"], "stagewright": ["native.NOT_INSTRUMENTED"], "tool-failure": ["native.not_instrumented"]}, rpc=(4302, "resource")),
    Row(code="network.UNSUPPORTED", registry="stagewright", domain="network", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="This transport cannot intercept network traffic; use a Playwright launch session or a CDP attach session.", said="This transport cannot intercept network traffic; use a Playwright launch session or a CDP attach session.", spelled={"native": ["network.UNSUPPORTED"], "stagewright": ["network.UNSUPPORTED"], "tool-failure": ["network.unsupported"]}, rpc=(4302, "resource")),
    Row(code="network.ALREADY_CAPTURING", registry="stagewright", domain="network", class_="already_exists", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="A network capture is already active on this session; call network_capture_stop first.", said="A network capture is already active on this session; call network_capture_stop first.", spelled={"native": ["network.ALREADY_CAPTURING"], "stagewright": ["network.ALREADY_CAPTURING"], "tool-failure": ["network.already_capturing"]}, rpc=(4301, "resource")),
    Row(code="network.NOT_CAPTURING", registry="stagewright", domain="network", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="No active network capture on this session; call network_capture_start first.", said="No active network capture on this session; call network_capture_start first.", spelled={"native": ["network.NOT_CAPTURING"], "stagewright": ["network.NOT_CAPTURING"], "tool-failure": ["network.not_capturing"]}, rpc=(4302, "resource")),
    Row(code="production.APP_NOT_FOUND", registry="stagewright", domain="production", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="No file or directory at appPath; pass the absolute path to the packaged release artifact.", similar="path", said="No file or directory at appPath; pass the absolute path to the packaged release artifact.", spelled={"native": ["production.APP_NOT_FOUND"], "stagewright": ["production.APP_NOT_FOUND"], "tool-failure": ["production.app_not_found"]}, rpc=(4300, "resource")),
    Row(code="production.NOT_A_BUNDLE", registry="stagewright", domain="production", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="A macOS .app is a bundle directory; appPath pointed at a non-directory.", said="A macOS .app is a bundle directory; appPath pointed at a non-directory.", spelled={"native": ["production.NOT_A_BUNDLE"], "stagewright": ["production.NOT_A_BUNDLE"], "tool-failure": ["production.not_a_bundle"]}, rpc=(1000, "common")),
    Row(code="production.UNSUPPORTED_ARTIFACT", registry="stagewright", domain="production", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Pass a macOS .app directory, Windows .exe/.msi file, or Linux .AppImage file.", said="Pass a macOS .app directory, Windows .exe/.msi file, or Linux .AppImage file.", spelled={"native": ["production.UNSUPPORTED_ARTIFACT"], "stagewright": ["production.UNSUPPORTED_ARTIFACT"], "tool-failure": ["production.unsupported_artifact"]}, rpc=(1000, "common")),
    Row(code="storage.UNSUPPORTED", registry="stagewright", domain="storage", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="This transport cannot access storage; use the default Playwright launch transport or a CDP attach session.", said="This transport cannot access storage; use the default Playwright launch transport or a CDP attach session.", spelled={"native": ["storage.UNSUPPORTED"], "stagewright": ["storage.UNSUPPORTED"], "tool-failure": ["storage.unsupported"]}, rpc=(4302, "resource")),
    Row(code="storage.EVAL_REQUIRED", registry="stagewright", domain="storage", class_="permission_denied", http=403, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Per-key localStorage/sessionStorage and IndexedDB tools run renderer JS; start the server with --allow-eval=renderer (or bare --allow-eval).", said="Per-key localStorage/sessionStorage and IndexedDB tools run renderer JS; start the server with --allow-eval=renderer (or bare --allow-eval).", spelled={"native": ["storage.EVAL_REQUIRED"], "stagewright": ["storage.EVAL_REQUIRED"], "tool-failure": ["storage.eval_required"]}, rpc=(4201, "authorization")),
    Row(code="storage.ACCESS_FAILED", registry="stagewright", domain="storage", class_="failed_precondition", http=422, retry=Retry(kind="after_change"), effect="none", severity="error", hint="The renderer could not read or write the storage area (e.g. quota exceeded or an opaque origin).", said="The renderer could not read or write the storage area (e.g. quota exceeded or an opaque origin).", spelled={"native": ["storage.ACCESS_FAILED"], "stagewright": ["storage.ACCESS_FAILED"], "tool-failure": ["storage.access_failed"]}, rpc=(4302, "resource")),
    Row(code="storage.NOT_FOUND", registry="stagewright", domain="storage", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="The named IndexedDB database or object store does not exist; this plugin operates on existing databases/stores only.", similar="name", said="The named IndexedDB database or object store does not exist; this plugin operates on existing databases/stores only.", spelled={"native": ["storage.NOT_FOUND"], "stagewright": ["storage.NOT_FOUND"], "tool-failure": ["storage.not_found"]}, rpc=(4300, "resource")),
    Row(code="trace.ALREADY_RECORDING", registry="stagewright", domain="trace", class_="already_exists", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="A trace is already recording; call trace_stop first.", said="A trace is already recording; call trace_stop first.", spelled={"native": ["trace.ALREADY_RECORDING"], "stagewright": ["trace.ALREADY_RECORDING"], "tool-failure": ["trace.already_recording"]}, rpc=(4301, "resource")),
    Row(code="trace.NOT_RECORDING", registry="stagewright", domain="trace", class_="failed_precondition", http=409, retry=Retry(kind="after_state"), effect="none", severity="error", hint="No active trace; call trace_start first.", said="No active trace; call trace_start first.", spelled={"native": ["trace.NOT_RECORDING"], "stagewright": ["trace.NOT_RECORDING"], "tool-failure": ["trace.not_recording"]}, rpc=(4302, "resource")),
    Row(code="trace.ARTIFACT_NOT_FOUND", registry="stagewright", domain="trace", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="No trace artifact at the given path.", similar="path", said="No trace artifact at the given path.", spelled={"native": ["trace.ARTIFACT_NOT_FOUND"], "stagewright": ["trace.ARTIFACT_NOT_FOUND"], "tool-failure": ["trace.artifact_not_found"]}, rpc=(4300, "resource")),
    Row(code="trace.ARTIFACT_INVALID", registry="stagewright", domain="trace", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="The trace artifact is not valid JSONL.", said="The trace artifact is not valid JSONL.", spelled={"native": ["trace.ARTIFACT_INVALID"], "stagewright": ["trace.ARTIFACT_INVALID"], "tool-failure": ["trace.artifact_invalid"]}, rpc=(1000, "common")),
    Row(code="trace.ARTIFACT_WRITE_FAILED", registry="stagewright", domain="trace", class_="internal", http=500, retry=Retry(kind="after_delay", after_ms=1000, max=2), effect="unknown", severity="error", hint="The trace artifact could not be written; check the path and permissions, then retry the trace operation.", said="The trace artifact could not be written; check the path and permissions, then retry the trace operation.", spelled={"native": ["trace.ARTIFACT_WRITE_FAILED"], "stagewright": ["trace.ARTIFACT_WRITE_FAILED"], "tool-failure": ["trace.artifact_write_failed"]}, rpc=(4900, "service")),
    Row(code="trace.BUDGET_EXCEEDED", registry="stagewright", domain="trace", class_="resource_exhausted", http=429, retry=Retry(kind="after_state"), effect="none", severity="error", hint="The recording’s token budget is exhausted; call trace_stop or start a new trace with a higher budgetTokens.", said="The recording’s token budget is exhausted; call trace_stop or start a new trace with a higher budgetTokens.", spelled={"native": ["trace.BUDGET_EXCEEDED"], "stagewright": ["trace.BUDGET_EXCEEDED"], "tool-failure": ["trace.budget_exceeded"]}, rpc=(1002, "common")),
    Row(code="visual.UNSUPPORTED", registry="stagewright", domain="visual", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use a Playwright launch session with renderer evaluation and surface targeting.", said="Use a Playwright launch session with renderer evaluation and surface targeting.", spelled={"native": ["visual.UNSUPPORTED"], "stagewright": ["visual.UNSUPPORTED"], "tool-failure": ["visual.unsupported"]}, rpc=(4302, "resource")),
    Row(code="visual.SURFACE_UNSUPPORTED", registry="stagewright", domain="visual", class_="failed_precondition", http=409, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Select a BrowserWindow surface; frame, webview, and WebContentsView screenshots are not approximated.", said="Select a BrowserWindow surface; frame, webview, and WebContentsView screenshots are not approximated.", spelled={"native": ["visual.SURFACE_UNSUPPORTED"], "stagewright": ["visual.SURFACE_UNSUPPORTED"], "tool-failure": ["visual.surface_unsupported"]}, rpc=(4302, "resource")),
    Row(code="visual.INVALID_SELECTOR", registry="stagewright", domain="visual", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Correct the visual mask selector and retry.", said="Correct the visual mask selector and retry.", spelled={"native": ["visual.INVALID_SELECTOR"], "stagewright": ["visual.INVALID_SELECTOR"], "tool-failure": ["visual.invalid_selector"]}, rpc=(1000, "common")),
    Row(code="visual.UNSTABLE", registry="stagewright", domain="visual", class_="failed_precondition", http=409, retry=Retry(kind="after_delay", after_ms=1000, max=3), effect="none", severity="error", hint="Wait for the UI to settle or increase settleMs, then retry.", said="Wait for the UI to settle or increase settleMs, then retry.", spelled={"native": ["visual.UNSTABLE"], "stagewright": ["visual.UNSTABLE"], "tool-failure": ["visual.unstable"]}, rpc=(4302, "resource")),
    Row(code="visual.CAPTURE_FAILED", registry="stagewright", domain="visual", class_="internal", http=500, retry=Retry(kind="after_delay", after_ms=1000, max=2), effect="none", severity="error", hint="Confirm the selected BrowserWindow is live and retry the capture.", said="Confirm the selected BrowserWindow is live and retry the capture.", spelled={"native": ["visual.CAPTURE_FAILED"], "stagewright": ["visual.CAPTURE_FAILED"], "tool-failure": ["visual.capture_failed"]}, rpc=(4900, "service")),
    Row(code="visual.IMAGE_TOO_LARGE", registry="stagewright", domain="visual", class_="invalid_argument", http=413, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use a smaller viewport or fullPage: false so visual artifacts remain bounded.", said="Use a smaller viewport or fullPage: false so visual artifacts remain bounded.", spelled={"native": ["visual.IMAGE_TOO_LARGE"], "stagewright": ["visual.IMAGE_TOO_LARGE"], "tool-failure": ["visual.image_too_large"]}, rpc=(1000, "common")),
    Row(code="visual.PATH_INVALID", registry="stagewright", domain="visual", class_="invalid_argument", http=400, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Use a safe baseline name and configured absolute artifact or baseline roots.", said="Use a safe baseline name and configured absolute artifact or baseline roots.", spelled={"native": ["visual.PATH_INVALID"], "stagewright": ["visual.PATH_INVALID"], "tool-failure": ["visual.path_invalid"]}, rpc=(1000, "common")),
    Row(code="visual.BASELINE_NOT_FOUND", registry="stagewright", domain="visual", class_="not_found", http=404, retry=Retry(kind="after_state"), effect="none", severity="error", hint="Review the capture, then create it explicitly with visual_update_baseline.", said="Review the capture, then create it explicitly with visual_update_baseline.", spelled={"native": ["visual.BASELINE_NOT_FOUND"], "stagewright": ["visual.BASELINE_NOT_FOUND"], "tool-failure": ["visual.baseline_not_found"]}, rpc=(4300, "resource")),
    Row(code="visual.BASELINE_INVALID", registry="stagewright", domain="visual", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Restore a matching baseline PNG and metadata sidecar from version control.", said="Restore a matching baseline PNG and metadata sidecar from version control.", spelled={"native": ["visual.BASELINE_INVALID"], "stagewright": ["visual.BASELINE_INVALID"], "tool-failure": ["visual.baseline_invalid"]}, rpc=(4302, "resource")),
    Row(code="visual.ENV_MISMATCH", registry="stagewright", domain="visual", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Match the baseline platform, viewport, DPR, Electron version, locale, color scheme, and font fingerprint before comparison.", said="Match the baseline platform, viewport, DPR, Electron version, locale, color scheme, and font fingerprint before comparison.", spelled={"native": ["visual.ENV_MISMATCH"], "stagewright": ["visual.ENV_MISMATCH"], "tool-failure": ["visual.env_mismatch"]}, rpc=(4302, "resource")),
    Row(code="visual.MISMATCH", registry="stagewright", domain="visual", class_="failed_precondition", http=409, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Inspect the actual and diff artifacts; update a baseline only after intentional review.", said="Inspect the actual and diff artifacts; update a baseline only after intentional review.", spelled={"native": ["visual.MISMATCH"], "stagewright": ["visual.MISMATCH"], "tool-failure": ["visual.mismatch"]}, rpc=(4302, "resource")),
    Row(code="visual.WRITE_FAILED", registry="stagewright", domain="visual", class_="internal", http=500, retry=Retry(kind="after_delay", after_ms=1000, max=2), effect="unknown", severity="error", hint="Check that configured visual roots are writable and retry.", said="Check that configured visual roots are writable and retry.", spelled={"native": ["visual.WRITE_FAILED"], "stagewright": ["visual.WRITE_FAILED"], "tool-failure": ["visual.write_failed"]}, rpc=(4900, "service")),
    Row(code="AUTH_REQUIRED", registry="mailvault", domain="gmail", class_="unauthenticated", http=401, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the user to run that command, then repeat the call.", said="Gmail OAuth token missing or expired. Run 'python3 scripts/gmail_auth.py' to authenticate.", spelled={}, rpc=(4203, "authorization")),
    Row(code="RATE_LIMITED", registry="mailvault", domain="gmail", class_="resource_exhausted", http=429, retry=Retry(kind="after_delay", after_ms=60000), effect="none", severity="warning", hint="Wait for retry_after seconds, then repeat the call.", said="Gmail API rate limit hit", spelled={}, rpc=(1002, "common")),
    Row(code="SEND_FAILED", registry="mailvault", domain="gmail", class_="unavailable", http=502, retry=Retry(kind="after_human"), effect="unknown", severity="error", hint="Check the sent mail, and ask the user before you send again.", said="Gmail did not accept the message for sending.", spelled={"mailvault": ["send_failed"], "native": ["SEND_FAILED"], "tool-failure": ["send_failed"]}, rpc=(4800, "upstream")),
    Row(code="PERMISSION_DENIED", registry="mailvault", domain="obsidian", class_="permission_denied", http=403, retry=Retry(kind="after_change"), effect="none", severity="error", hint="Give a path relative to the vault's root, and inside it.", said="The path is outside the vault.", spelled={"native": ["PERMISSION_DENIED"]}, rpc=(2500, "filesystem")),
    Row(code="PARSE_ERROR", registry="mailvault", domain="obsidian", class_="failed_precondition", http=422, retry=Retry(kind="after_human"), effect="none", severity="error", hint="Ask the user to repair the frontmatter of the note.", said="The frontmatter of the note is corrupt.", spelled={"mailvault": ["parse_error"], "native": ["PARSE_ERROR"], "tool-failure": ["parse_error"]}, rpc=(4302, "resource")),
    Row(code="NOT_FOUND", registry="mailvault", domain="shared", class_="not_found", http=404, retry=Retry(kind="after_change"), effect="none", severity="error", hint="List or search first, then use an id or path from the result.", similar="path", said="There is no such email, note or directory.", spelled={}, rpc=(4300, "resource")),
    Row(code="MCP_UNAVAILABLE", registry="mailvault", domain="shared", class_="unavailable", http=503, retry=Retry(kind="after_delay", after_ms=5000, max=3), effect="unknown", severity="error", hint="Wait a moment, check whether the call took effect, then try again.", said="The server did not answer.", spelled={"native": ["MCP_UNAVAILABLE"], "tool-failure": ["mcp_unavailable"]}, rpc=(4800, "upstream")),
    Row(code="INTERNAL_ERROR", registry="mailvault", domain="shared", class_="internal", http=500, retry=Retry(kind="never"), effect="unknown", severity="error", hint="Check whether the call took effect, and tell the user about it.", said="Something unexpected went wrong in the server.", spelled={}, rpc=(4900, "service")),
)

#: The HTTP status and the retry kind of a code of which only the class is known.
CLASSES: Final[Mapping[Class, tuple[int, RetryKind]]] = {
    "cancelled": (499, "never"),
    "unknown": (500, "never"),
    "invalid_argument": (400, "after_change"),
    "deadline_exceeded": (504, "after_delay"),
    "not_found": (404, "after_change"),
    "already_exists": (409, "after_change"),
    "permission_denied": (403, "after_human"),
    "resource_exhausted": (429, "after_delay"),
    "failed_precondition": (409, "after_state"),
    "aborted": (409, "after_state"),
    "out_of_range": (400, "after_change"),
    "unimplemented": (501, "never"),
    "internal": (500, "never"),
    "unavailable": (503, "after_delay"),
    "data_loss": (500, "never"),
    "unauthenticated": (401, "after_human"),
}

#: The second line of a card, for each rule and effect.
_CARD_LINES: Final[Sequence[tuple[str, RetryKind, Effect, Class | None]]] = (
    ("Retry: now, with the same call. Nothing was changed.", "now", "none", None),
    ("Retry: now, with the same call. It may have taken effect: check before you repeat it.", "now", "unknown", None),
    ("Retry: now, with the same call. A part of it may have been done.", "now", "partial", None),
    ("Retry: now, with the same call. It was done; do not repeat it.", "now", "done", None),
    ("Retry: the same call after a while. Nothing was changed.", "after_delay", "none", None),
    ("Retry: the same call after {delay}. Nothing was changed.", "after_delay", "none", None),
    ("Retry: the same call after a while. It may have taken effect: check before you repeat it.", "after_delay", "unknown", None),
    ("Retry: the same call after {delay}. It may have taken effect: check before you repeat it.", "after_delay", "unknown", None),
    ("Retry: the same call after a while. A part of it may have been done.", "after_delay", "partial", None),
    ("Retry: the same call after {delay}. A part of it may have been done.", "after_delay", "partial", None),
    ("Retry: the same call after a while. It was done; do not repeat it.", "after_delay", "done", None),
    ("Retry: the same call after {delay}. It was done; do not repeat it.", "after_delay", "done", None),
    ("Retry: only with other arguments. Nothing was changed.", "after_change", "none", None),
    ("Retry: only with other arguments. It may have taken effect.", "after_change", "unknown", None),
    ("Retry: only with other arguments. A part of it may have been done.", "after_change", "partial", None),
    ("Retry: only with other arguments. It was done; do not repeat it.", "after_change", "done", None),
    ("Retry: only after the state has changed. Nothing was changed.", "after_state", "none", None),
    ("Retry: only after the state has changed. It may have taken effect.", "after_state", "unknown", None),
    ("Retry: only after the state has changed. A part of it may have been done.", "after_state", "partial", None),
    ("Retry: only after the state has changed. It was done; do not repeat it.", "after_state", "done", None),
    ("Retry: only after a person has acted. Nothing was changed.", "after_human", "none", None),
    ("Retry: only after a person has acted. It may have taken effect.", "after_human", "unknown", None),
    ("Retry: only after a person has acted. A part of it may have been done.", "after_human", "partial", None),
    ("Retry: only after a person has acted. It was done; do not repeat it.", "after_human", "done", None),
    ("Retry: never, it cannot succeed. Nothing was changed.", "never", "none", None),
    ("Retry: not as it is, nobody knows why it failed. Nothing was changed.", "never", "none", "unknown"),
    ("Retry: not as it is, the fault lies with the server. Nothing was changed.", "never", "none", "internal"),
    ("Retry: never, it cannot succeed. It may have taken effect.", "never", "unknown", None),
    ("Retry: not as it is, nobody knows why it failed. It may have taken effect.", "never", "unknown", "unknown"),
    ("Retry: not as it is, the fault lies with the server. It may have taken effect.", "never", "unknown", "internal"),
    ("Retry: never, it cannot succeed. A part of it may have been done.", "never", "partial", None),
    ("Retry: not as it is, nobody knows why it failed. A part of it may have been done.", "never", "partial", "unknown"),
    ("Retry: not as it is, the fault lies with the server. A part of it may have been done.", "never", "partial", "internal"),
    ("Retry: never, it cannot succeed. It was done; do not repeat it.", "never", "done", None),
    ("Retry: not as it is, nobody knows why it failed. It was done; do not repeat it.", "never", "done", "unknown"),
    ("Retry: not as it is, the fault lies with the server. It was done; do not repeat it.", "never", "done", "internal"),
)

#: Where each dialect keeps what, as keys from the document down.
_PLACES: Final[Mapping[Dialect, Mapping[str, Sequence[str]]]] = {
    "native": {"code": ["code"], "context.invariant_id": ["context", "invariant_id"], "context.phase_id": ["context", "phase_id"], "context.plan_hash": ["context", "plan_hash"], "context.request_id": ["context", "request_id"], "context.role": ["context", "role"], "context.server": ["context", "server"], "context.session_id": ["context", "session_id"], "context.tool": ["context", "tool"], "context.trace_id": ["context", "trace_id"], "context.workspace_root": ["context", "workspace_root"], "details": ["details"], "elapsed_ms": ["elapsed_ms"], "hint": ["hint"], "http": ["http"], "message": ["message"], "next_actions": ["next_actions"], "not_before": ["retry", "not_before"], "similar_refs": ["similar_refs"], "timestamp": ["timestamp"]},
    "atlas-gate": {"cause": ["cause"], "code": ["error_code"], "context.invariant_id": ["invariant_id"], "context.phase_id": ["phase_id"], "context.plan_hash": ["plan_hash"], "context.role": ["role"], "context.session_id": ["session_id"], "context.tool": ["tool_name"], "context.workspace_root": ["workspace_root"], "message": ["human_message"], "stack": ["stack_trace"], "timestamp": ["timestamp"]},
    "workrail": {"code": ["code"], "details": ["details"], "hint": ["suggestion"], "message": ["message"]},
    "rpc": {"code": ["error", "data", "symbol"], "details": ["error", "data", "details"], "message": ["error", "message"], "stack": ["error", "data", "stack"]},
    "stagewright": {"code": ["code"], "context.session_id": ["_meta", "session_id"], "details": ["details"], "elapsed_ms": ["_meta", "elapsed_ms"], "hint": ["hint"], "http": ["http"], "message": ["error"], "next_actions": ["next_actions"], "similar_refs": ["similar_refs"]},
    "mailvault": {"code": ["error"], "details": ["details"], "message": ["message"]},
    "tool-failure": {"code": ["code"], "context.request_id": ["correlationId"], "hint": ["agentGuidance"], "not_before": ["retryNotBefore"]},
}

#: The classes of the open proposal: which of ours stands for it, and which of ours it is.
_GROUPS: Final[Mapping[str, tuple[Class, Sequence[Class]]]] = {
    "capability": ("unimplemented", ["invalid_argument", "not_found", "already_exists", "failed_precondition", "out_of_range", "unimplemented"]),
    "governance": ("permission_denied", ["permission_denied", "unauthenticated"]),
    "reliability": ("unavailable", ["cancelled", "unknown", "deadline_exceeded", "resource_exhausted", "aborted", "internal", "unavailable", "data_loss"]),
}

_DETECTED: Final[Sequence[Dialect]] = ("rpc", "stagewright", "atlas-gate", "tool-failure", "workrail", "mailvault", "native",)
_ENVELOPE: Final = ("message", "hint", "class", "http", "retry", "effect", "origin", "domain", "number", "severity", "next_actions", "similar_refs", "violations", "details", "server_text", "context", "timestamp", "elapsed_ms", "estimated_tokens", "ledger",)
_CONTEXT: Final = ("server", "tool", "request_id", "session_id", "role", "workspace_root", "phase_id", "plan_hash", "invariant_id", "trace_id",)
_ROWS: Final = (*CODES.values(), *_OTHERS)
_SPELLED: Final[Mapping[tuple[str, str], Row]] = {
    (dialect, spelling): row for row in _ROWS for dialect, spellings in row.spelled.items() for spelling in spellings
}
