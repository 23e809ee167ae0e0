"""The JSON-RPC error taxonomy: `app_error`, `define_domain`, the helpers of three domains, `safe_error`, counters."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from .contract import shipped_contract
from .jsonsafe import json_safe, said
from .model import Fault
from .redact import redact
from .text import compact
from .unknown import stack_of
from .values import attribute, is_int
from .write import rpc_error, safe

_CONTRACT: Final = shipped_contract("rpc-taxonomy")
_SERVER_ERROR: Final = -32000


class AppError(Exception):
    """An error of the taxonomy, which can be raised: a number, a message, and what stands in `data`."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, dict(data)

    def to_error(self) -> dict[str, Any]:
        """The error object of the response."""
        return {"code": self.code, "message": self.message, **({"data": self.data} if self.data else {})}

    @property
    def error(self) -> dict[str, Any]:
        """The same, where readers of JSON-RPC errors look for it."""
        return self.to_error()


def app_error(code: int, message: str, extra: Mapping[str, Any] | None = None) -> AppError:
    """An error of a number. `extra` may say `domain`, `symbol`, `details`, `retryable` and `stack`.

    What the taxonomy knows of the number is filled in: its symbol, its domain and whether a repeat helps.
    """
    number = code if is_int(code) else _SERVER_ERROR
    given = dict(extra or {})
    known = _CONTRACT.read_as("rpc", {"jsonrpc": "2.0", "id": None, "error": {"code": number, "message": str(message)}})
    usual = rpc_error(known).get("data", {}) if known and number > 0 else {}
    data: dict[str, Any] = {}
    for key in ("domain", "symbol", "details", "retryable", "stack"):
        value = given.get(key, usual.get(key))
        if key == "retryable" and not isinstance(value, bool):
            value = known.retryable if known and number > 0 else None
        if value is not None and value != "":
            data[key] = value if key == "retryable" else _text(value)
    data.update((key, json_safe(it)) for key, it in given.items() if key not in data and key != "retryable" and it is not None)
    return AppError(number, _text(message), data)


def define_domain(domain: str, defs: Mapping[str, Mapping[str, Any]]) -> Callable[..., AppError]:
    """A function that makes the errors of a domain: `fs = define_domain(…)`, `raise fs("PATH_ESCAPE", {"details": path})`.

    A definition has `code`, `symbol`, `message` and, if it likes, `retryable`; the call may override `message`, `details`,
    `retryable` and `domain`. A kind that is not defined is refused.
    """
    known = {kind: dict(row) for kind, row in defs.items()}

    def make(kind: str, overrides: Mapping[str, Any] | None = None) -> AppError:
        row = known.get(kind) or next((it for it in known.values() if it.get("symbol") == kind), None)
        if row is None:
            raise ValueError(f"{kind!r} is no error of the domain {domain}: {', '.join(known)}")
        extra = {"domain": domain, "symbol": row["symbol"], "retryable": row.get("retryable"), **(overrides or {})}
        return app_error(row["code"], extra.pop("message", None) or row["message"], extra)

    return make


def _shipped_domain(name: str, prefix: str) -> Callable[..., AppError]:
    """The helper of a domain of the taxonomy. The kind is a symbol without what all symbols of the domain start with."""
    defs: dict[str, dict[str, Any]] = {}
    for row in _CONTRACT.codes.values():
        symbol = row.written.get("rpc", row.code)
        if row.domain == name and row.number is not None:
            kind = symbol.removeprefix("E_").removeprefix(prefix)
            defs[kind] = {"code": row.number, "symbol": symbol, "message": row.said.rstrip("."), "retryable": row.retry.retryable}
    defs.setdefault("INVALID_PARAMS", {"code": 1000, "symbol": "E_INVALID_PARAMS", "message": "Invalid parameters", "retryable": False})
    return define_domain(name, defs)


fs_error: Final = _shipped_domain("filesystem", "FS_")
mb_error: Final = _shipped_domain("memory-bank", "MB_")
kg_error: Final = _shipped_domain("kg-memory", "KG_")


def safe_error(raised: object) -> dict[str, Any]:
    """The error object of whatever was raised. A stack is in it only if `MCP_ERRORS_VERBOSE` asks for one: frames, or `full`."""
    own = attribute(raised, "fault")
    if isinstance(raised, AppError):
        error = raised.to_error()
    elif isinstance(own, Fault):
        error = rpc_error(safe(own))
    elif isinstance(raised, str):
        error = {"code": _SERVER_ERROR, "message": _text(raised)}
    elif isinstance(raised, Mapping):
        error = app_error(raised.get("code", _SERVER_ERROR), raised.get("message") or "Error", raised.get("data")).to_error()
    else:
        words = redact(said(raised)) if isinstance(raised, BaseException) else ""
        error = {"code": _SERVER_ERROR, "message": words or "Unknown error"}
    verbose = os.environ.get("MCP_ERRORS_VERBOSE", "")
    frames = int(verbose) if verbose.isdecimal() and len(verbose) < 6 else None
    stack = stack_of(raised, frames) if verbose == "full" or frames else None
    if stack:
        error = {**error, "data": {**error.get("data", {}), "stack": stack}}
    return error


class ErrorStats:
    """Counts errors for `sys/errorStats`: in total, by number, by domain and by symbol.

    `MCP_ERROR_METRICS_SAMPLE=N` counts every Nth error of each symbol.
    """

    def __init__(self) -> None:
        sample = os.environ.get("MCP_ERROR_METRICS_SAMPLE", "")
        self._sample = max(1, int(sample)) if sample.isdecimal() and len(sample) < 10 else 1
        self._seen = Counter[str]()
        self._total, self._code, self._domain, self._symbol = 0, Counter[str](), Counter[str](), Counter[str]()

    @staticmethod
    def is_wanted() -> bool:
        """Whether `MCP_ERROR_METRICS` asks for it."""
        return os.environ.get("MCP_ERROR_METRICS", "").lower() not in ("", "0", "false", "no", "off")

    def count(self, error: Mapping[str, Any]) -> None:
        """Counts an error object once."""
        data = error.get("data")
        name = str((data.get("symbol") if isinstance(data, Mapping) else None) or error.get("code"))
        self._seen[name] += 1
        if self._seen[name] % self._sample != 0:
            return
        self._total += 1
        self._code[str(error.get("code"))] += 1
        for key, counter in (("domain", self._domain), ("symbol", self._symbol)):
            value = data.get(key) if isinstance(data, Mapping) else None
            if isinstance(value, str):
                counter[value] += 1

    def snapshot(self) -> dict[str, Any]:
        """The answer of `sys/errorStats`."""
        sampled = {"sampled": self._sample} if self._sample > 1 else {}
        return {
            "total": self._total,
            "byCode": dict(self._code),
            "byDomain": dict(self._domain),
            "bySymbol": dict(self._symbol),
            **sampled,
        }


def _text(value: object) -> str:
    plain = json_safe(value)
    return plain if isinstance(plain, str) else compact(plain)
