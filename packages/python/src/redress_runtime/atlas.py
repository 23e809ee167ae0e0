"""The canonical errors of ATLAS-GATE: `SystemError`, its four factories, and its envelope of eleven keys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final

from .contract import shipped_contract
from .errors import UnknownCodeError
from .jsonsafe import json_safe, said
from .model import Context, Fault
from .redact import redact
from .unknown import cause_of, stack_of
from .values import attribute
from .write import bounded, timestamp, write

_CONTRACT: Final = shipped_contract("atlas-gate")
_CODES: Final = {it.written.get("atlas-gate", it.code) for it in _CONTRACT.codes.values()} & set(_CONTRACT.codes)
#: The registered codes by name: `SYSTEM_ERROR_CODES.INVALID_PATH`.
SYSTEM_ERROR_CODES: Final = SimpleNamespace(**{it: it for it in sorted(_CODES)})
#: What a context may say, and the member of a fault that it is.
_CONTEXT: Final = {
    "role": "role",
    "session_id": "session_id",
    "workspace_root": "workspace_root",
    "tool_name": "tool",
    "invariant_id": "invariant_id",
    "phase_id": "phase_id",
    "plan_hash": "plan_hash",
}


class SystemError(Exception):
    """A failure with the canonical envelope. A code that is not registered is refused."""

    def __init__(
        self,
        error_code: str = "UNKNOWN_TOOL_FAILURE",
        human_message: str = "An error occurred",
        cause: object = None,
        **context: str | None,
    ) -> None:
        if error_code not in _CODES:
            raise UnknownCodeError(f"INVALID_ERROR_CODE: {error_code} is not a registered SYSTEM_ERROR_CODE")
        super().__init__(f"[{error_code}] {human_message}")
        fault = Fault.of(_CONTRACT.row(error_code), "atlas-gate")
        fault.message = human_message
        fault.context = Context(**{_CONTEXT[key]: it for key, it in context.items() if key in _CONTEXT})
        fault.cause = cause_of(cause)
        fault.timestamp = timestamp()
        if os.environ.get("DEBUG_STACK") == "true":
            fault.stack = stack_of(cause) or stack_of(self)
        self.fault = fault

    @property
    def error_code(self) -> str:
        """The registered code."""
        return self.fault.code

    def to_envelope(self) -> dict[str, Any]:
        """The envelope: eleven keys, all of them always; `stack_trace` only with `DEBUG_STACK=true`."""
        return write(bounded(self.fault), "atlas-gate")

    @classmethod
    def from_unknown(cls, err: object, context: Mapping[str, Any] | None = None) -> SystemError:
        """Any raised value. A `SystemError` is returned as it is; an exception with a registered `code` keeps it."""
        if isinstance(err, SystemError):
            return err
        given = dict(context or {})
        own = attribute(err, "code")
        code = own if isinstance(own, str) and own in _CODES else given.pop("error_code", None) or "INTERNAL_ERROR"
        given.pop("error_code", None)
        words = err.get("message") if isinstance(err, dict) else said(err) if isinstance(err, (str, BaseException)) else ""
        message = given.pop("human_message", None) or redact(str(json_safe(words) or "")) or "An unexpected error occurred"
        invariant = attribute(err, "invariant_id")
        return cls(code, str(message), err, **{**given, "invariant_id": invariant if isinstance(invariant, str) else None})

    @classmethod
    def invariant_violation(cls, invariant_id: str, context: Mapping[str, Any] | None = None) -> SystemError:
        """An invariant broke; what broke it is not the caller's business."""
        given = {key: it for key, it in (context or {}).items() if key not in ("cause", "invariant_id", "error_code")}
        message = given.pop("human_message", None) or f"Invariant {invariant_id} was violated"
        return cls("INVARIANT_VIOLATION", message, None, **given, invariant_id=invariant_id)

    @classmethod
    def tool_failure(cls, error_code: str, context: Mapping[str, Any] | None = None) -> SystemError:
        """A tool failed with a code that it knows."""
        given = {key: it for key, it in (context or {}).items() if key != "invariant_id"}
        return cls(error_code, given.pop("human_message", None) or "Tool execution failed", given.pop("cause", None), **given)

    @classmethod
    def startup_failure(cls, error_code: str, context: Mapping[str, Any] | None = None) -> SystemError:
        """The server did not start; there is no session yet."""
        given = context or {}
        made = cls(error_code, given.get("human_message") or "Startup failed", given.get("cause"), tool_name="startup")
        made.fault.origin = "server"
        return made

    # The names of the contract.
    fromUnknown = from_unknown
    invariantViolation = invariant_violation
    toolFailure = tool_failure
    startupFailure = startup_failure
    toEnvelope = to_envelope
