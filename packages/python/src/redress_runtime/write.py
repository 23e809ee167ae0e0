"""Writes a fault: its envelope in each dialect, and the answer of the tool that failed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, Final

from .card import card
from .facts import (
    ENVELOPE,
    FAULT_KEY,
    GROUPS,
    MAX_CONTEXT_CHARS,
    MAX_DETAILS_BYTES,
    MAX_HINT_CHARS,
    MAX_MESSAGE_CHARS,
    MAX_NEXT,
    MAX_PART_BYTES,
    MAX_SERVER_TEXT_CHARS,
    MAX_SIMILAR,
    MAX_STACK_CHARS,
    MAX_SUGGESTION_BYTES,
    MAX_VIOLATIONS,
    TOOL_FAILURE_KEY,
    Dialect,
)
from .jsonsafe import json_safe
from .model import Context, Fault, NextAction, NextCall, Retry
from .read import seconds_of, workrail_form
from .text import compact, cut, cut_bytes, gist, size, strip
from .told import spelling, told_http, told_retry, without_repeat
from .values import at, is_int, parsed
from .violation import argument_name, sentence_of

#: Stagewright sends longer answers as text only.
_MAX_STRUCTURED_CHARS: Final = 50_000
#: The most characters of a server's words that the details of `rpc` show.
_MAX_TERSE_CHARS: Final = 240
#: The dialects whose text is a card, and not the envelope.
_CARDS: Final = ("native", "rpc", "tool-failure")
#: The dialects that send the envelope as structured content, too.
_STRUCTURED: Final = ("native", "atlas-gate", "stagewright")


def write(fault: Fault, dialect: Dialect = "native", now: str | None = None) -> dict[str, Any]:
    """The envelope of a fault. What the dialect has no place for is lost."""
    return _written(safe(fault), dialect, now)


def _written(fault: Fault, dialect: Dialect, now: str | None) -> dict[str, Any]:
    return _WRITERS[dialect](without_repeat(fault, dialect), now)


def safe(fault: Fault) -> Fault:
    """The fault with nothing but JSON in it, whatever its author set."""
    made = replace(
        fault,
        message=_text(fault.message),
        hint=_text(fault.hint),
        similar_refs=[it for it in map(json_safe, fault.similar_refs) if isinstance(it, dict)],
        violations=[it for it in map(json_safe, fault.violations) if isinstance(it, dict)],
        next_actions=[_safe_action(it) for it in fault.next_actions],
        details=json_safe(fault.details),
        cause=json_safe(fault.cause),
        context=Context(**{name: it if it is None else _text(it) for name, it in vars(fault.context).items()}),
    )
    if made.server_text is not None:
        made.server_text = _text(made.server_text)
    return made


def _text(value: object) -> str:
    plain = json_safe(value)
    return plain if isinstance(plain, str) else compact(plain)


def _safe_action(action: NextAction) -> NextAction:
    if issubclass(type(action), NextCall) and isinstance(action, NextCall):
        args = json_safe(action.args)
        return NextCall(_text(action.tool), args if isinstance(args, dict) else None)
    return _text(action)


def tool_result(fault: Fault, has_output_schema: bool = False, dialect: Dialect = "native") -> dict[str, Any]:
    """The answer of a tool that failed: a text for the model, and the envelope for the program.

    A tool that declares an `outputSchema` must say so: clients refuse a structured failure that does not fit it.
    """
    return _result(bounded(fault), dialect, has_output_schema, None)


def response(
    fault: Fault, id: str | int, dialect: Dialect = "native", has_output_schema: bool = False, now: str | None = None
) -> dict[str, Any]:
    """The JSON-RPC response to a call that failed: an error in the dialect `rpc`, else a result. Nothing is cut."""
    fault = safe(fault)
    told = {"error": rpc_error(fault)} if dialect == "rpc" else {"result": _result(fault, dialect, has_output_schema, now)}
    return {"jsonrpc": "2.0", "id": id, **told}


def _result(fault: Fault, dialect: Dialect, has_output_schema: bool, now: str | None) -> dict[str, Any]:
    if dialect == "workrail":
        fault = replace(fault, hint=cut_bytes(fault.hint, MAX_SUGGESTION_BYTES))
    native = _native(fault, now)
    written = native if dialect == "native" else _written(fault, dialect, now)
    text = card(fault) if dialect in _CARDS else compact(written)
    is_structured = dialect in _STRUCTURED and not has_output_schema
    if dialect == "stagewright" and _units(text) > _MAX_STRUCTURED_CHARS:
        is_structured = False
    return {
        "resultType": "complete",
        "content": [{"type": "text", "text": text}],
        **({"structuredContent": written} if is_structured else {}),
        "isError": True,
        "_meta": {**({TOOL_FAILURE_KEY: written} if dialect == "tool-failure" else {}), FAULT_KEY: native},
    }


def bounded(fault: Fault) -> Fault:
    """The fault with every part cut to its bound, and a note on what its card costs."""
    fault = safe(fault)

    def is_small(part: object) -> bool:
        if isinstance(part, NextCall):
            return size(part.tool + ("" if part.args is None else compact(part.args))) <= MAX_PART_BYTES
        return size(part if isinstance(part, str) else compact(part)) <= MAX_PART_BYTES

    context = {key: it if it is None else cut(it, MAX_CONTEXT_CHARS) for key, it in vars(fault.context).items()}
    short = replace(
        fault,
        message=cut(fault.message, MAX_MESSAGE_CHARS),
        hint=cut(fault.hint, MAX_HINT_CHARS),
        similar_refs=[it for it in fault.similar_refs if is_small(it)][:MAX_SIMILAR],
        next_actions=[it for it in fault.next_actions if is_small(it)][:MAX_NEXT],
        violations=[it for it in fault.violations if is_small(it)][:MAX_VIOLATIONS],
        context=Context(**context),
    )
    if short.server_text is not None:
        short.server_text = gist(strip(short.server_text), MAX_SERVER_TEXT_CHARS)
    if short.timestamp is not None:
        short.timestamp = cut(short.timestamp, MAX_CONTEXT_CHARS)
    if short.stack is not None:
        short.stack = cut(short.stack, MAX_STACK_CHARS)
    if size(compact(short.cause)) > MAX_DETAILS_BYTES:
        short.cause = None
    if size(compact(short.details)) > MAX_DETAILS_BYTES:
        short.details = _bounded_details(short.details)
    short.estimated_tokens = math.ceil(len(card(short)) * 10 / 32)
    return short


def _bounded_details(details: object) -> dict[str, Any]:
    """As many members as fit, in order, and a note that some are missing."""
    kept: dict[str, Any] = {}
    total = 1
    for key, value in details.items() if isinstance(details, dict) else ():
        total += size(compact(key)) + size(compact(value)) + 2
        if total + len(',"truncated":true}') > MAX_DETAILS_BYTES:
            break
        kept[key] = value
    return {**kept, "truncated": True}


def _native(fault: Fault, _: str | None) -> dict[str, Any]:
    document: dict[str, Any] = {"v": 1, "code": fault.code}
    for key in ENVELOPE:
        value = _plain(getattr(fault, "class_" if key == "class" else key))
        is_of_the_row = key in ("domain", "number", "severity") and value == getattr(fault.row, key)
        is_nothing = value is None or (key in ("next_actions", "similar_refs", "violations", "context") and not value)
        if key == "retry":
            document["retryable"] = fault.retryable
        if not is_of_the_row and not is_nothing:
            document[key] = value
    return document


def _plain(value: Any) -> Any:
    """A value as JSON; what is absent has no key."""
    if isinstance(value, (Retry, NextCall, Context)):
        return {key: it for key, it in vars(value).items() if it is not None}
    return [_plain(it) for it in value] if isinstance(value, list) else value


def _atlas_gate(fault: Fault, now: str | None) -> dict[str, Any]:
    """Eleven keys, all of them always; `stack_trace` only when it is shown."""
    context = fault.context
    return {
        "error_code": spelling(fault, "atlas-gate"),
        "human_message": fault.message,
        "role": context.role,
        "session_id": context.session_id,
        "workspace_root": context.workspace_root,
        "tool_name": "unknown" if context.tool is None else context.tool,
        "invariant_id": context.invariant_id,
        "phase_id": context.phase_id,
        "plan_hash": context.plan_hash,
        "cause": fault.cause,
        "timestamp": fault.timestamp or now or timestamp(),
        **({} if fault.stack is None else {"stack_trace": fault.stack}),
    }


def timestamp() -> str:
    """Now, ISO 8601 with milliseconds and `Z`."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _workrail(fault: Fault, _: str | None) -> dict[str, Any]:
    """Code, message and always a retry rule of three kinds; a suggestion and any JSON as details if there are some."""
    document: dict[str, Any] = {
        "code": spelling(fault, "workrail"),
        "message": fault.message,
        "retry": workrail_retry(told_retry(fault, "workrail")),
    }
    if fault.says("hint") and fault.hint:
        document["suggestion"] = fault.hint
    details = _with_issues(fault)
    if details is not None:
        document["details"] = details
    return document


def _with_issues(fault: Fault) -> Any:
    """The details with the wrong arguments, where they have a place there: each with its path and what is wrong with it."""
    details = {} if fault.details is None else fault.details
    if not fault.violations or not isinstance(details, dict) or "validationIssues" in details:
        return fault.details
    issues = [{"path": argument_name(it), "message": sentence_of(it)} for it in fault.violations]
    return {**details, "validationIssues": issues}


def workrail_retry(retry: Retry) -> dict[str, Any]:
    """A retry rule as WorkRail writes it."""
    form = workrail_form(retry)
    if form.kind == "after_delay":
        return {"kind": "retryable_after_ms", "afterMs": form.after_ms}
    return {"kind": "retryable_immediate" if form.kind == "now" else "not_retryable"}


def _rpc(fault: Fault, _: str | None) -> dict[str, Any]:
    """The whole response: a number in `code`, the symbol and its domain in `data`."""
    return {"jsonrpc": "2.0", "id": fault.rpc_id, "error": rpc_error(fault)}


def rpc_error(fault: Fault) -> dict[str, Any]:
    """The JSON-RPC error of a fault."""
    row = fault.row
    symbol: str | None = spelling(fault, "rpc")
    usual_number, usual_domain = row.rpc or (row.number, row.domain)
    if symbol is not None and is_int(parsed(symbol)):
        # The numbers of the protocol itself have no symbol.
        symbol = None
    number = usual_number if usual_number is not None else -32000
    own = fault.number
    is_spelling = own is not None and str(own) in row.spelled.get("rpc", ())
    if own is not None and own != row.number and ((own > 0 and symbol is not None) or is_spelling):
        number = own
    data: dict[str, Any] = {}
    if fault.domain != row.domain:
        data["domain"] = fault.domain
    elif number > 0 and usual_domain is not None:
        data["domain"] = usual_domain
    if number > 0 and symbol is not None:
        data["symbol"] = symbol
    details = fault.details if isinstance(fault.details, str) else _terse(fault)
    if details is not None:
        data["details"] = details
    if fault.says("retry"):
        data["retryable"] = told_retry(fault, "rpc").retryable
    if fault.stack is not None:
        data["stack"] = fault.stack
    return {"code": number, "message": fault.message, **({"data": data} if data else {})}


def _terse(fault: Fault) -> str | None:
    """The details as one short text: the server's own words where there are some, else what is known in JSON."""
    details = fault.details
    upstream = at(details, ("upstream", "data", "details"))
    said = strip(upstream if isinstance(upstream, str) else fault.server_text or "")
    if said:
        return gist(said, _MAX_TERSE_CHARS)
    if isinstance(details, dict):
        details = {key: it for key, it in details.items() if key != "upstream"} or None
    return None if details is None else compact(details)


def _stagewright(fault: Fault, _: str | None) -> dict[str, Any]:
    """`ok: false`, the text, the code, the hint, and what the answer costs in `_meta`."""
    first: dict[str, Any] = {
        "ok": False,
        "error": fault.message,
        "code": spelling(fault, "stagewright"),
        "hint": fault.hint,
        "retryable": told_retry(fault, "stagewright").retryable,
        "http": told_http(fault, "stagewright"),
    }
    rest: dict[str, Any] = {}
    if fault.next_actions:
        rest["next_actions"] = [_sentence(it) for it in fault.next_actions]
    if fault.similar_refs:
        rest["similar_refs"] = fault.similar_refs
    if fault.details is not None:
        rest["details"] = _boxed(fault.details)
    return {**first, "_meta": meta({**first, **rest}, fault.elapsed_ms or 0, fault.context.session_id), **rest}


def meta(payload: Mapping[str, Any], elapsed_ms: int, session_id: str | None) -> dict[str, Any]:
    """What Stagewright says about an answer: its cost by a quarter of its characters, its time, its session."""
    session = {} if session_id is None else {"session_id": session_id}
    return {"estimated_tokens": estimate(payload), "elapsed_ms": elapsed_ms, **session}


def estimate(value: object) -> int:
    """What a value costs by Stagewright's rule. A string is measured without quotes; nothing costs nothing."""
    if value is None:
        return 0
    return -(-_units(value if isinstance(value, str) else compact(json_safe(value))) // 4)


def _units(text: str) -> int:
    """Length in UTF-16, as JavaScript counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def _sentence(action: NextAction) -> str:
    """`tool({…})` for a call, the sentence itself for advice."""
    if isinstance(action, str):
        return action
    return f"{action.tool}({'' if action.args is None else compact(action.args)})"


def _boxed(details: Any) -> Any:
    return details if isinstance(details, dict) else {"value": details}


def _mailvault(fault: Fault, _: str | None) -> dict[str, Any]:
    """A lower-case code under `error`, a message, and details or null."""
    word = spelling(fault, "mailvault")
    details = None if fault.details is None else _boxed(fault.details)
    seconds = seconds_of(fault.retry)
    if word == "rate_limited" and seconds is not None and fault.says("retry"):
        details = {"retry_after": seconds} if details is None else {**details, "retry_after": details.get("retry_after", seconds)}
    return {"error": word, "message": fault.message, "details": details}


def _tool_failure(fault: Fault, _: str | None) -> dict[str, Any]:
    """The open proposal: one of three classes, a code in lower case, an id to follow it by."""
    group = next((name for name, (_, classes) in GROUPS.items() if fault.class_ in classes), "reliability")
    document: dict[str, Any] = {"class": group, "code": spelling(fault, "tool-failure")}
    if fault.says("retry"):
        document["retryable"] = fault.retryable
    if fault.retry.not_before is not None:
        document["retryNotBefore"] = fault.retry.not_before
    context, ledger = fault.context, fault.ledger or {}
    document["correlationId"] = context.request_id or context.trace_id or ledger.get("hash") or ""
    if fault.says("hint"):
        document["agentGuidance"] = fault.hint
    return document


_WRITERS: Final[Mapping[Dialect, Callable[[Fault, str | None], dict[str, Any]]]] = {
    "native": _native,
    "atlas-gate": _atlas_gate,
    "workrail": _workrail,
    "rpc": _rpc,
    "stagewright": _stagewright,
    "mailvault": _mailvault,
    "tool-failure": _tool_failure,
}
