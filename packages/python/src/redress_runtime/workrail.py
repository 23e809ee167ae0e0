"""Errors of WorkRail: constructors with a retry rule, a bounded suggestion, and details that are validated."""

from __future__ import annotations

from typing import Any, Final

from .contract import shipped_contract
from .errors import FaultError
from .facts import MAX_SUGGESTION_BYTES
from .jsonsafe import json_problems, json_safe
from .model import Fault, Retry
from .text import cut_bytes
from .write import write

_CONTRACT: Final = shipped_contract("workrail")


class ToolError(FaultError):
    """A failure of WorkRail that can be raised or returned."""

    def to_envelope(self) -> dict[str, Any]:
        """The envelope: code, message, retry, and a suggestion and details if there are some."""
        return write(self.fault, "workrail")


def error_not_retryable(code: str, message: str, *, suggestion: str | None = None, details: object = None) -> ToolError:
    """A failure that a repeat does not mend."""
    return _made(code, message, Retry("never"), suggestion, details)


def error_retryable_immediate(code: str, message: str, *, suggestion: str | None = None, details: object = None) -> ToolError:
    """A failure after which the same call may be made at once."""
    return _made(code, message, Retry("now"), suggestion, details)


def error_retry_after_ms(
    code: str, message: str, after_ms: int, *, suggestion: str | None = None, details: object = None
) -> ToolError:
    """A failure after which the same call may be made after a while."""
    return _made(code, message, Retry("after_delay", max(0, after_ms)), suggestion, details)


def validation_error(message: str, issues: list[dict[str, str]]) -> ToolError:
    """Input that does not fit its schema; each issue has `path` and `message`."""
    made = error_not_retryable("VALIDATION_ERROR", message, details={"validationIssues": issues})
    made.fault.violations = [{"pointer": "/" + str(it.get("path", "")).replace(".", "/"), "reason": "value"} for it in issues]
    return made


def _made(code: str, message: str, retry: Retry, suggestion: str | None, details: object) -> ToolError:
    problems = [] if details is None else json_problems(details)
    if problems:
        fault = Fault.of(_CONTRACT.row("INTERNAL_ERROR"), "workrail")
        fault.message, fault.retry = "Error details validation failed", Retry("never")
        details, suggestion = {"originalError": message, "validationErrors": problems}, None
    else:
        fault = Fault.of(_CONTRACT.row(code), "workrail")
        fault.message, fault.retry = message, retry
    fault.details = json_safe(details)
    if suggestion is None:
        fault.unsaid = frozenset(("hint",))
    else:
        fault.hint = cut_bytes(suggestion, MAX_SUGGESTION_BYTES)
    return ToolError(fault)
