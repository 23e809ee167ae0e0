"""Answers of Electron Stagewright: `make_error`, `make_success`, codes of plugins, and what an answer costs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from .contract import shipped_contract
from .errors import UnknownCodeError
from .jsonsafe import json_safe
from .lookup import PLUGINS
from .model import Context, Fault, Retry, Row
from .write import estimate, meta, write

_CONTRACT: Final = shipped_contract("stagewright")
#: The codes of plugins that are registered now, by their full names.
_PLUGINS: dict[str, Row] = {}
#: How often each of them is registered.
_COUNTS: Final = Counter[str]()
_KEY: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_NAMESPACE: Final = re.compile(r"[a-z][a-z0-9-]*")


def make_error(
    code: str,
    error: str | None = None,
    *,
    hint: str | None = None,
    details: object = None,
    next_actions: list[str] | None = None,
    similar_refs: list[dict[str, Any]] | None = None,
    elapsed_ms: int = 0,
    session_id: str | None = None,
) -> dict[str, Any]:
    """The answer of a tool that failed. `retryable` and `http` are those of the registry; the message is the hint unless one is given."""
    row = _PLUGINS.get(code) or _CONTRACT.codes.get(code)
    if row is None:
        raise UnknownCodeError(f"{code!r} is no code of stagewright, and no plugin has registered it")
    fault = Fault.of(row, "stagewright")
    fault.message = error if error is not None else row.hint
    fault.hint = hint if hint is not None else row.hint
    fault.details, fault.elapsed_ms = details, elapsed_ms
    fault.next_actions = list(next_actions or [])
    fault.similar_refs = list(similar_refs or [])
    fault.context = Context(session_id=session_id)
    return write(fault, "stagewright")


def make_success(data: Mapping[str, Any], *, elapsed_ms: int = 0, session_id: str | None = None) -> dict[str, Any]:
    """The answer of a tool that worked: its data, then `ok` and `_meta`. A key `ok` of the data keeps its place."""
    kept = {key: it for key, it in json_safe(data).items() if key != "_meta"}
    payload = {**kept, "ok": True}
    return {**payload, "_meta": meta(payload, elapsed_ms, session_id)}


def make_plugin_error(code: str, error: str | None = None, **more: Any) -> dict[str, Any]:
    """The answer of a plugin's tool that failed with one of its own codes: `make_plugin_error("signing.NOTARIZATION_FAILED")`."""
    return make_error(code, error, **more)


def register_plugin_error_codes(namespace: str, codes: Mapping[str, Mapping[str, Any]]) -> None:
    """Takes the codes of a plugin in, all or none. Each has `http`, `retryable` and `hint`.

    The same definition again is counted; another one is refused. From now on every reader and writer knows the codes.
    """
    if not _NAMESPACE.fullmatch(namespace):
        raise ValueError(f"the namespace {namespace!r} must be lower case")
    rows = {f"{namespace}.{key}": _row(namespace, key, said) for key, said in codes.items()}
    for name, row in rows.items():
        known = _PLUGINS.get(name) or _CONTRACT.codes.get(name)
        if known and known != row:
            raise ValueError(f'Duplicate error code registration for "{name}".')
    for name, row in rows.items():
        _PLUGINS[name] = row
        _COUNTS[name] += 1
        PLUGINS.update((it, row) for it in _spellings(row))


def _row(namespace: str, key: str, said: Mapping[str, Any]) -> Row:
    name = f"{namespace}.{key}"
    if not _KEY.fullmatch(key):
        raise ValueError(f"{name}: the key of a code must be SCREAMING_SNAKE_CASE")
    http, retryable, hint = said.get("http"), said.get("retryable"), said.get("hint")
    is_said = isinstance(retryable, bool) and isinstance(hint, str) and hint.strip() != ""
    if not isinstance(http, int) or not 400 <= http <= 599 or not is_said:
        raise ValueError(f"{name}: a code needs http (400-599), retryable (true or false) and hint (a text)")
    return Row(
        code=name, registry=f"plugin:{namespace}", domain=namespace, class_="unknown", http=http, severity="error", hint=str(hint), said=str(hint),
        retry=Retry("now" if retryable else "never"), effect="unknown", spelled={"stagewright": [name], "native": [name]}, written={},
    )  # fmt: skip


def _spellings(row: Row) -> list[tuple[str, str]]:
    return [(dialect, it) for dialect, words in row.spelled.items() for it in words]


def unregister_plugin_error_codes(namespace: str, codes: Iterable[str] | None = None) -> None:
    """Takes a registration back, of all codes of a plugin unless some are named. What is registered more than once stays until the last is gone."""
    mine = [it for it in _PLUGINS if it.partition(".")[0] == namespace]
    wanted = mine if codes is None else [f"{namespace}.{it}" for it in codes]
    for name in [it for it in wanted if it in _PLUGINS]:
        _COUNTS[name] -= 1
        if _COUNTS[name] == 0:
            for spelling in _spellings(_PLUGINS.pop(name)):
                del PLUGINS[spelling]


def lookup_error_code_definition(code: str) -> dict[str, Any] | None:
    """What is registered for a code: `http`, `retryable` and `hint`."""
    row = _PLUGINS.get(code) or _CONTRACT.codes.get(code)
    return None if row is None else {"http": row.http, "retryable": row.retry.retryable, "hint": row.hint}


def estimate_tokens(value: object) -> int:
    """A quarter of the characters of a value as JSON."""
    return estimate(value)
