"""The error codes of @@name@@ @@version@@: types, facts, failures to make, a reader of every dialect, and the decision after one.

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
    # @@codes@@
]
#: What a client does with a code that it does not know.
Class = Literal[@@classes@@]
#: When the same call may be made again.
RetryKind = Literal[@@retry_kinds@@]
#: Whether the failed call may have changed something.
Effect = Literal[@@effects@@]
#: How bad it is for the operator.
Severity = Literal[@@severities@@]
#: Who failed.
Origin = Literal[@@origins@@]
#: A shape of envelope.
Dialect = Literal[@@dialects@@]
#: Whether a failure says itself what it is, or that is a guess, or the server never had the call.
Ground = Literal["not_sent", "stated", "guessed"]
#: Why a call is given up.
StopReason = Literal[@@stop_reasons@@]

#: The name and the version of the registry that this file was written from.
REGISTRY: Final = (@@name_text@@, @@version_text@@)


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

    # @@context_members@@


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
_FAULT_KEY: Final = @@fault_key@@
#: Where the open proposal puts its envelope.
_TOOL_FAILURE_KEY: Final = @@tool_failure_key@@
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


_FULL_CODE: Final = re.compile(@@full_code@@)


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

    # @@makers@@
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
    most = @@max_shown_chars@@ if param.max_chars is None else param.max_chars
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
            return _bytes(part.tool + ("" if part.args is None else _compact(part.args))) <= @@max_part_bytes@@
        return _bytes(part if isinstance(part, str) else _compact(part)) <= @@max_part_bytes@@

    context = {key: it if it is None else _cut(it, @@max_context_chars@@) for key, it in vars(fault.context).items()}
    short = replace(
        fault,
        message=_cut(fault.message, @@max_message_chars@@),
        hint=_cut(fault.hint, @@max_hint_chars@@),
        similar_refs=[it for it in fault.similar_refs if is_small(it)][:@@max_similar@@],
        next_actions=[it for it in fault.next_actions if is_small(it)][:@@max_next@@],
        violations=[it for it in fault.violations if is_small(it)][:@@max_violations@@],
        context=Context(**context),
    )
    if short.server_text is not None:
        short.server_text = _gist(_strip(short.server_text), @@max_server_text_chars@@)
    if short.timestamp is not None:
        short.timestamp = _cut(short.timestamp, @@max_context_chars@@)
    if _bytes(_compact(short.details)) > @@max_details_bytes@@:
        short.details = _bounded_details(short.details)
    short.estimated_tokens = math.ceil(len(card(short)) * 10 / 32)
    return short


def _bounded_details(details: object) -> dict[str, Any]:
    """As many members as fit, in order, and a note that some are missing."""
    kept: dict[str, Any] = {}
    size = 1
    for key, value in details.items() if isinstance(details, dict) else ():
        size += _bytes(_compact(key)) + _bytes(_compact(value)) + 2
        if size + len(',"truncated":true}') > @@max_details_bytes@@:
            break
        kept[key] = value
    return {**kept, "truncated": True}


def card(fault: Fault) -> str:
    """The card of a fault: what a model reads. What matters least is cut first."""
    text = f"{fault.code}: {_cut(_strip(fault.message), @@max_message_chars@@)}\n{_retry_line(fault)}"
    room = @@max_card_chars@@ - len(text) - len("\nFix: ")
    hint = _cut(_strip(fault.hint), min(max(room, @@min_hint_chars@@), @@max_hint_chars@@))
    further = []
    if hint:
        text += f"\nFix: {hint}"
        further += [_expected(fault), _did_you_mean(fault)]
    for it in fault.next_actions[:@@max_next@@]:
        call = _strip(it) if isinstance(it, str) else it.tool if it.args is None else f"{it.tool} {_compact(it.args)}"
        further.append(f"\nNext: {call}")
    for more in further:
        if len(text) + len(more) <= @@max_card_chars@@:
            text += more
    if fault.server_text is not None:
        text += _server_line(fault.server_text, @@max_card_chars@@ - len(text))
    return _cut(text, @@max_card_chars@@)


def _retry_line(fault: Fault) -> str:
    """The line on what a repeat is good for, and what the call has done."""
    kind, after_ms = fault.retry.kind, fault.retry.after_ms
    has_delay = kind == "after_delay" and after_ms is not None
    fits = [it for it in _CARD_LINES if it[1:3] == (kind, fault.effect) and ("{delay}" in it[0]) == has_delay]
    line = next((it[0] for wanted in (fault.class_, None) for it in fits if it[3] == wanted), "")
    names = [it for it in (_strip(it.lstrip("/")) for it in wrong_arguments(fault)) if it]
    listed = _cut(", ".join(names[:@@max_similar_shown@@]), 60)
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
    known = [it for it in fault.violations if isinstance(it.get("expected"), str)][:@@max_similar_shown@@]
    named = [(_strip(str(it.get("pointer", "")).lstrip("/")), _cut(_strip(it["expected"]), 60)) for it in known]
    listed = "; ".join(f"{name}: {what}" if name else what for name, what in named)
    return f" Expected {listed}." if known else ""


def _did_you_mean(fault: Fault) -> str:
    """What may have been meant, as a sentence after another one."""
    names = [_cut(_strip(_text(it.get("ref", ""))), 60) for it in fault.similar_refs[:@@max_similar_shown@@]]
    if len(names) < 2:
        return "".join(f" Did you mean {it}?" for it in names)
    return f" Did you mean {', '.join(names[:-1])} or {names[-1]}?"


def _server_line(text: str, left: int) -> str:
    """What a foreign server wrote, in quotes, as far as there is room."""
    label = "\nServer said: "
    room = most = left - len(label) - 2
    if room < @@min_server_text_chars@@:
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
_MARKS: Final[list[list[str]]] = @@marks@@
#: Of whose marks the last one tells.
_LAST_TELLS: Final = @@last_tells@@
_ASCII_LOWER: Final = {it: it + 32 for it in range(ord("A"), ord("Z") + 1)}


def _gist(text: str, most: int) -> str:
    """At most so many characters, chosen for what they tell: the start and, after `…`, the place further on that tells of a
    failure, else the end."""
    count = len(text)
    if count <= most or most < @@min_gist_chars@@:
        return _cut(text, most)

    def whole_words(start: int, end: int) -> int:
        space = text.rfind(" ", max(start, end - @@longest_word@@), end)
        return end if end >= count or text[end] == " " or space < 0 else space

    room = most - 3
    told = _telling(text, most // 3)
    tail = room * 2 // 5 if told is None else min(count - told, room * 3 // 5)
    head = room - tail
    start = count - tail if told is None else told
    if start <= head:
        return text[: whole_words(0, most - 1)].strip(" ") + "…"
    end = whole_words(start, start + tail - 1) if start + tail < count else count
    space = text.find(" ", start, min(end, start + @@longest_word@@))
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
            return word if at - word <= @@longest_word@@ else at
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
    attempts: int = @@attempts@@
    #: The longest first pause; it doubles with each further one.
    first_pause_ms: int = @@first_pause_ms@@
    #: The longest pause of our own, and the longest that a server may ask for.
    longest_wait_ms: int = @@longest_wait_ms@@


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
        capacity: int = @@capacity@@,
        per_success: int = @@per_success@@,
        per_second: int = @@per_second@@,
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
    # @@rows@@
}

#: The tools that the registry knows.
TOOLS: Final[Mapping[str, Tool]] = {
    # @@tools@@
}

#: The decision table. The first row that fits decides.
DECISIONS: Final[Sequence[Rule]] = (
    # @@decisions@@
)

_LAST: Final = Rule("cannot_succeed", {}, "stop", "", "cannot_succeed")

#: The codes of other registries, which a server may use all the same.
_OTHERS: Final[Sequence[Row]] = (
    # @@others@@
)

#: The HTTP status and the retry kind of a code of which only the class is known.
CLASSES: Final[Mapping[Class, tuple[int, RetryKind]]] = {
    # @@by_class@@
}

#: The second line of a card, for each rule and effect.
_CARD_LINES: Final[Sequence[tuple[str, RetryKind, Effect, Class | None]]] = (
    # @@card_lines@@
)

#: Where each dialect keeps what, as keys from the document down.
_PLACES: Final[Mapping[Dialect, Mapping[str, Sequence[str]]]] = {
    # @@places@@
}

#: The classes of the open proposal: which of ours stands for it, and which of ours it is.
_GROUPS: Final[Mapping[str, tuple[Class, Sequence[Class]]]] = {
    # @@groups@@
}

_DETECTED: Final[Sequence[Dialect]] = (@@detected@@,)
_ENVELOPE: Final = (@@envelope@@,)
_CONTEXT: Final = (@@context@@,)
_ROWS: Final = (*CODES.values(), *_OTHERS)
_SPELLED: Final[Mapping[tuple[str, str], Row]] = {
    (dialect, spelling): row for row in _ROWS for dialect, spellings in row.spelled.items() for spelling in spellings
}
