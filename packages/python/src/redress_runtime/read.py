"""Reads an envelope of any dialect."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any, Final, get_args

from .facts import CONTEXT, DETECTED, ENVELOPE, GROUPS, PLACES, Basis, Class, Dialect, Effect, Origin, RetryKind, Severity
from .lookup import Lookup
from .make import message_of, next_calls, values_of
from .model import Fault, NextAction, NextCall, Retry, Row
from .text import compact
from .told import told_http, told_retry
from .values import at, delay, is_count, is_int, is_v1, parsed

#: The key that carries what a dialect has no place for.
RESIDUE: Final = "_x"
#: The kinds of a retry rule of WorkRail.
WORKRAIL_KINDS: Final = ("not_retryable", "retryable_immediate", "retryable_after_ms")
#: How long WorkRail waits where a delay is asked for and none is known.
WORKRAIL_AFTER_MS: Final = 1000

_CLOSED: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "class": ("class_", get_args(Class)),
    "effect": ("effect", get_args(Effect)),
    "origin": ("origin", get_args(Origin)),
    "basis": ("basis", get_args(Basis)),
    "severity": ("severity", get_args(Severity)),
}


def read(document: object, lookup: Lookup) -> Fault | None:
    """Reads an envelope in whichever dialect it is."""
    if not isinstance(document, dict):
        return None
    if is_v1(document):
        return read_as("native", document, lookup)
    for dialect in DETECTED:
        if _claims(dialect, document) and _row_of(dialect, document, lookup):
            return read_as(dialect, document, lookup)
    return None


def read_as(dialect: Dialect, document: object, lookup: Lookup) -> Fault | None:
    """Reads an envelope of a dialect."""
    if not isinstance(document, dict):
        return None
    residue = at(document, ("error", "data", RESIDUE) if dialect == "rpc" else (RESIDUE,))
    if isinstance(residue, dict) and isinstance(residue.get("code"), str):
        row = _row_of_residue(residue["code"], residue.get("contract"), lookup)
    else:
        row = _row_of(dialect, document, lookup)
    if not row:
        return None
    fault = Fault.of(row, dialect)
    if not (fill_native(fault, document) if dialect == "native" else _fill(fault, row, document)):
        return None
    if isinstance(residue, dict):
        _overlay(fault, residue)
    return finished(fault)


def finished(fault: Fault) -> Fault:
    """A fault whose maker says that it made it from the words of another server is a guess."""
    if at(fault.details, ("upstream", "guessed")) is True:
        fault.ground = "guessed"
    return fault


def _claims(dialect: Dialect, document: dict[str, Any]) -> bool:
    """Whether a document has the form of a dialect."""

    def is_text(key: str) -> bool:
        return isinstance(document.get(key), str)

    if dialect == "rpc":
        error = document.get("error")
        return isinstance(error, dict) and ("jsonrpc" in document or is_int(error.get("code")))
    if dialect == "stagewright":
        return document.get("ok") is False
    if dialect == "atlas-gate":
        return is_text("error_code")
    if dialect == "tool-failure":
        return is_text("code") and is_text("correlationId") and is_text("class") and document["class"] in GROUPS
    if dialect == "workrail":
        return is_text("code") and at(document, ("retry", "kind")) in WORKRAIL_KINDS
    if dialect == "mailvault":
        return is_text("error")
    return "v" in document or is_text("code")


def _row_of(dialect: Dialect, document: dict[str, Any], lookup: Lookup) -> Row | None:
    """The row that a document names."""
    spelling = at(document, PLACES[dialect]["code"])
    number = at(document, ("error", "code"))
    if dialect == "rpc" and not is_int(number):
        return None
    if isinstance(spelling, str):
        # A number is no symbol, though both spell a row.
        is_number = dialect == "rpc" and re.fullmatch(r"-?[0-9]+", spelling)
        return None if is_number else lookup.spelled(dialect, spelling)
    return lookup.spelled(dialect, str(number)) if dialect == "rpc" else None


def _row_of_residue(code: str, contract: object, lookup: Lookup) -> Row | None:
    return lookup.row(contract, code) if isinstance(contract, str) else lookup.spelled("native", code)


def _fill(fault: Fault, row: Row, document: dict[str, Any]) -> bool:
    """Puts what a document of another dialect says onto the fault."""
    places = PLACES[fault.dialect]
    if "message" in places and not isinstance(at(document, places["message"]), str):
        return False
    for member, place in places.items():
        value = at(document, place)
        if value is None or (fault.dialect == "workrail" and member == "hint" and value == ""):
            continue
        if member == "http" and value == told_http(fault, fault.dialect):
            # What a writer tells of the row anyway leaves the row's own.
            continue
        if member.startswith("context."):
            _set_context(fault, member.removeprefix("context."), value)
        elif member == "next_actions":
            fault.next_actions = _actions(value)
        else:
            _set(fault, member, value)
    _fill_retry(fault, row, document)
    fault.unsaid = _unsaid(fault.dialect, document)
    return True


def _unsaid(dialect: Dialect, document: dict[str, Any]) -> frozenset[str]:
    """Of hint and retry rule, what the dialect has a place for and the document does not say."""
    unsaid = set()
    if dialect in ("workrail", "tool-failure") and not at(document, PLACES[dialect]["hint"]):
        unsaid.add("hint")
    if dialect == "rpc" and at(document, ("error", "data", "retryable")) is None:
        unsaid.add("retry")
    if dialect == "tool-failure" and "retryable" not in document:
        unsaid.add("retry")
    if dialect == "mailvault" and at(document, ("details", "retry_after")) is None:
        unsaid.add("retry")
    return frozenset(unsaid)


def _fill_retry(fault: Fault, row: Row, document: dict[str, Any]) -> None:
    """What a dialect says about a repeat, and whatever else has a form of its own there."""
    if fault.dialect == "workrail":
        rule = _workrail_rule(document.get("retry"))
        # What we do not understand must not cause a repeat.
        if not rule:
            fault.retry = Retry("never") if "retry" in document else fault.retry
        elif rule != workrail_form(told_retry(fault, "workrail")):
            fault.retry = rule
    elif fault.dialect == "rpc":
        _fill_rpc(fault, row, document)
    elif fault.dialect == "stagewright":
        _set_told(fault, document)
    elif fault.dialect == "mailvault" and document.get("error") == "rate_limited":
        wait = delay(at(document, ("details", "retry_after")))
        if wait is False:
            _say_retryable(fault, False)
        elif wait is not None and wait != seconds_of(row.retry):
            fault.retry = Retry("after_delay", wait * 1000)
    elif fault.dialect == "tool-failure":
        class_, classes = GROUPS.get(str(document.get("class")), (row.class_, (row.class_,)))
        if row.class_ not in classes:
            fault.class_ = class_
        _set_retryable(fault, document, "retryable")
        if delay(document.get("retryNotBefore")) is False:
            _say_retryable(fault, False)


def _fill_rpc(fault: Fault, row: Row, document: dict[str, Any]) -> None:
    number, domain = at(document, ("error", "code")), at(document, ("error", "data", "domain"))
    usual = row.rpc or (row.number, row.domain)
    if is_int(number) and number != usual[0]:
        fault.number = number
    if isinstance(domain, str) and domain != usual[1]:
        fault.domain = domain
    _set_told(fault, at(document, ("error", "data")))
    asked = document.get("id")
    fault.rpc_id = asked if isinstance(asked, str) or is_int(asked) else None


def fill_native(fault: Fault, document: dict[str, Any]) -> bool:
    """Puts what a native envelope says onto the fault. What has the wrong type is left as the row has it."""
    if "v" in document and not is_v1(document):
        return False
    for member, value in document.items():
        if member in ENVELOPE:
            _set(fault, member, value)
    # A rule says more than a yes; nothing says more than a no.
    if "retryable" in document and ("retry" not in document or document["retryable"] is not True):
        _set_retryable(fault, document, "retryable")
    if "v" not in document and fault.row.message:
        # A document without a version is a minimal one: its row says what it left out, with its details as parameters.
        values = values_of(fault.row, fault.details)
        if "message" not in document:
            fault.message = message_of(fault.row, values)
        if "next_actions" not in document:
            fault.next_actions = next_calls(fault.row, values)
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
    if member == "context" and name in CONTEXT:
        setattr(fault.context, name, None)
    elif member in ("timestamp", "elapsed_ms", "details", "basis"):
        setattr(fault, member, None)


def _set(fault: Fault, member: str, value: Any) -> None:
    """Takes a member of the envelope, if its value has the right type."""
    if member in ("message", "hint", "domain", "server_text", "timestamp", "stack"):
        if isinstance(value, str):
            setattr(fault, member, value)
    elif member in _CLOSED:
        name, known = _CLOSED[member]
        if isinstance(value, str) and value in known:
            setattr(fault, name, value)
    elif member == "http":
        if is_count(value) and 100 <= value <= 599:
            fault.http = value
    elif member == "number":
        if value is None or is_int(value):
            fault.number = value
    elif member == "retry":
        fault.retry = _rule(value) or Retry("never")
    elif member == "not_before":
        when = delay(value)
        if when is not None and when is not False:
            fault.retry = replace(fault.retry, not_before=when)
    elif member in ("elapsed_ms", "estimated_tokens"):
        if is_count(value):
            setattr(fault, member, value)
    elif member in ("details", "cause"):
        setattr(fault, member, value)
    elif member == "context":
        if isinstance(value, dict):
            for name in CONTEXT:
                _set_context(fault, name, value.get(name))
    else:
        _set_list(fault, member, value)


def _set_list(fault: Fault, member: str, value: Any) -> None:
    if member == "next_actions":
        actions = [_action(it) for it in value] if isinstance(value, list) else [None]
        if None not in actions:
            fault.next_actions = [it for it in actions if it is not None]
    elif member == "similar_refs":
        if isinstance(value, list) and all(isinstance(it, dict) and "ref" in it for it in value):
            fault.similar_refs = value
    elif member == "violations":
        if isinstance(value, list) and all(isinstance(at(it, ("pointer",)), str) for it in value):
            fault.violations = value
    elif member == "ledger":
        if isinstance(value, dict) and is_count(value.get("seq")) and isinstance(value.get("hash"), str):
            fault.ledger = {"seq": value["seq"], "hash": value["hash"]}


def _set_context(fault: Fault, name: str, value: object) -> None:
    if name in CONTEXT and isinstance(value, str):
        setattr(fault.context, name, value)


def _set_retryable(fault: Fault, said: Any, key: str) -> None:
    if isinstance(said, dict) and key in said:
        _say_retryable(fault, said[key] is True)


def _set_told(fault: Fault, said: Any) -> None:
    """Takes whether a repeat helps, unless that is what a writer tells of the row anyway."""
    if (at(said, ("retryable",)) is True) != told_retry(fault, fault.dialect).retryable:
        _set_retryable(fault, said, "retryable")


def _say_retryable(fault: Fault, yes: bool) -> None:
    """Takes a retry rule that is only yes or no; a rule that says the same already stays."""
    if yes != fault.retry.retryable:
        fault.retry = Retry("now" if yes else "never", not_before=fault.retry.not_before)


def _rule(value: object) -> Retry | None:
    """A rule of the native envelope, if all of it can be understood."""
    if not isinstance(value, dict) or value.get("kind") not in get_args(RetryKind):
        return None
    after_ms, not_before, most = delay(value.get("after_ms")), delay(value.get("not_before")), value.get("max")
    if after_ms is False or not_before is False or not (most is None or (is_count(most) and most < 2**32)):
        return None
    return Retry(value["kind"], after_ms, not_before, most)


def _workrail_rule(said: object) -> Retry | None:
    """WorkRail's rule. Stores inside its server also say `retryable`, with a delay or without."""
    if not isinstance(said, dict):
        return None
    kind, after = said.get("kind"), delay(said.get("afterMs"))
    if kind == "not_retryable":
        return Retry("never")
    if kind == "retryable_immediate" or (kind == "retryable" and after is None):
        return Retry("now")
    if kind in ("retryable_after_ms", "retryable") and after is not False:
        return Retry("after_delay", WORKRAIL_AFTER_MS if after is None else after)
    return None


def workrail_form(retry: Retry) -> Retry:
    """What WorkRail can say of a rule: six kinds become three."""
    if retry.kind == "after_delay":
        return Retry("after_delay", WORKRAIL_AFTER_MS if retry.after_ms is None else retry.after_ms)
    return Retry("now" if retry.kind == "now" else "never")


def seconds_of(retry: Retry) -> int | None:
    """A delay in whole seconds, never too short."""
    return math.ceil(retry.after_ms / 1000) if retry.retryable and retry.after_ms is not None else None


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
        args = parsed(call[2]) if call else None
        if call and call[2] == "":
            found.append(NextCall(call[1]))
        elif call and isinstance(args, dict) and compact(args) == call[2]:
            found.append(NextCall(call[1], args))
        else:
            found.append(text)
    return found
