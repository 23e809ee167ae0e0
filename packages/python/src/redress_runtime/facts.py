"""What holds for every registry: closed sets, bounds, the decision table, the lines of a card, where each dialect keeps what.

Written by `cargo xtask codegen`; not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

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
#: By what evidence it is known.
Basis = Literal["stated", "taught", "protocol", "inferred"]
#: A shape of envelope.
Dialect = Literal["native", "atlas-gate", "workrail", "rpc", "stagewright", "mailvault", "tool-failure"]
#: Why a call is given up.
StopReason = Literal["cancelled", "already_done", "refused", "attempts_used", "wait_too_long", "budget_spent", "cannot_succeed"]

#: Where the native envelope stands, in `_meta` of a result and in `data` of an error.
FAULT_KEY: Final = "dev.redress/fault"
#: Where the open proposal puts its envelope.
TOOL_FAILURE_KEY: Final = "io.modelcontextprotocol/toolFailure"
#: What can be a code, as a pattern.
FULL_CODE: Final = "^((?!(core|electron|mcp|rpc|test|x)\\.)[a-z][a-z0-9-]{0,31}\\.)?(?=.{3,63}$)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$"

MAX_CARD_CHARS: Final = 384
MAX_MESSAGE_CHARS: Final = 200
MAX_HINT_CHARS: Final = 240
MIN_HINT_CHARS: Final = 80
MAX_DETAILS_BYTES: Final = 2048
MAX_SUGGESTION_BYTES: Final = 512
MAX_SIMILAR: Final = 5
MAX_SIMILAR_SHOWN: Final = 3
MAX_NEXT: Final = 3
MAX_VIOLATIONS: Final = 20
MAX_PART_BYTES: Final = 1024
MAX_CONTEXT_CHARS: Final = 256
MAX_STACK_CHARS: Final = 8192
MAX_SERVER_TEXT_CHARS: Final = 500
MIN_SERVER_TEXT_CHARS: Final = 24
MAX_QUOTING_CARD_CHARS: Final = 320
SERVER_LINE_CHARS: Final = 84
MIN_GIST_CHARS: Final = 64
LONGEST_WORD: Final = 24
MAX_SHOWN_CHARS: Final = 120
ATTEMPTS: Final = 3
FIRST_PAUSE_MS: Final = 200
LONGEST_WAIT_MS: Final = 30000
CAPACITY: Final = 10000
PER_SUCCESS: Final = 100
PER_SECOND: Final = 0
#: What tells of a failure in a long text, most of all first.
MARKS: Final[Sequence[Sequence[str]]] = [["error:", "error[", "error ts", "exception:", "panicked at", "fatal:", "npm err"], ["failed", "expected", "assert", "cannot", "not found", "denied", "must be"]]
#: Of whose marks the last one tells.
LAST_TELLS: Final = "traceback (most recent call last)"

#: The dialects in the order in which an unknown document is tried.
DETECTED: Final[Sequence[Dialect]] = ("rpc", "stagewright", "atlas-gate", "tool-failure", "workrail", "mailvault", "native",)
#: The members of the native envelope, in order.
ENVELOPE: Final = ("message", "hint", "class", "http", "retry", "effect", "origin", "basis", "domain", "number", "severity", "next_actions", "similar_refs", "violations", "details", "server_text", "context", "timestamp", "elapsed_ms", "estimated_tokens", "ledger",)
#: The members of a context.
CONTEXT: Final = ("server", "tool", "request_id", "session_id", "role", "workspace_root", "phase_id", "plan_hash", "invariant_id", "trace_id",)

#: The decision table. The first row that fits decides.
DECISIONS: Final[Sequence[Mapping[str, Any]]] = (
    {"id": "cancelled", "when": {"class": ["cancelled"]}, "do": "stop", "why": "cancelled", "because": "The caller gave the call up."},
    {"id": "not_here", "when": {"class": ["unimplemented"], "repeat": ["safe"], "fallback": True}, "do": "fall_back", "because": "This server does not do it; another one may."},
    {"id": "no_such_tool", "when": {"code": ["UNKNOWN_TOOL"], "class": ["not_found"], "repeat": ["safe"], "fallback": True}, "do": "fall_back", "because": "This server has no such tool; another one may."},
    {"id": "forbidden", "when": {"retry": ["after_human"], "class": ["permission_denied"]}, "do": "ask_human", "because": "What is forbidden here is not tried elsewhere."},
    {"id": "without_a_person", "when": {"retry": ["after_human"], "repeat": ["safe"], "fallback": True}, "do": "fall_back", "because": "Another way needs nobody to act."},
    {"id": "a_person", "when": {"retry": ["after_human"]}, "do": "ask_human", "because": "Only a person can change this."},
    {"id": "other_arguments", "when": {"retry": ["after_change"]}, "do": "change_arguments", "because": "The same arguments fail anywhere."},
    {"id": "other_state", "when": {"retry": ["after_state"]}, "do": "call_first", "because": "The call fits once the state has changed."},
    {"id": "already_done", "when": {"repeat": ["double"]}, "do": "stop", "why": "already_done", "because": "It was carried out; what failed came after."},
    {"id": "look_first", "when": {"retry": ["now", "after_delay"], "repeat": ["doubtful"], "next": True}, "do": "call_first", "because": "It may have taken effect: look first."},
    {"id": "in_doubt", "when": {"retry": ["now", "after_delay"], "repeat": ["doubtful"]}, "do": "ask_human", "what": "Find out whether the call took effect, before anybody makes it again.", "because": "It may have taken effect, and no call tells."},
    {"id": "again_now", "when": {"retry": ["now"], "room": ["left"]}, "do": "retry_now", "because": "The same call works now."},
    {"id": "again_later", "when": {"retry": ["after_delay"], "room": ["left"]}, "do": "retry_after", "because": "The same call works later."},
    {"id": "refused", "when": {"class": ["permission_denied"]}, "do": "stop", "why": "refused", "because": "It is forbidden, and nobody can allow it."},
    {"id": "elsewhere", "when": {"retry": ["now", "after_delay"], "fallback": True}, "do": "fall_back", "because": "Here, no repeat is left."},
    {"id": "attempts_used", "when": {"retry": ["now", "after_delay"], "room": ["attempts_used"]}, "do": "stop", "why": "attempts_used", "because": "It was made as often as it may be."},
    {"id": "wait_too_long", "when": {"retry": ["now", "after_delay"], "room": ["wait_too_long"]}, "do": "stop", "why": "wait_too_long", "because": "The wait is longer than allowed."},
    {"id": "budget_spent", "when": {"retry": ["now", "after_delay"]}, "do": "stop", "why": "budget_spent", "because": "The budget for repeats is used up."},
    {"id": "another_way", "when": {"repeat": ["safe"], "fallback": True}, "do": "fall_back", "because": "Here it can never work; another way may."},
    {"id": "cannot_succeed", "when": {}, "do": "stop", "why": "cannot_succeed", "because": "Nothing that is known helps."},
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
CARD_LINES: Final[Sequence[tuple[str, RetryKind, Effect, Class | None]]] = (
    ("Retry: now, with the same call. Nothing was changed.", "now", "none", None),
    ("Retry: now, with the same call. It may have taken effect: check first.", "now", "unknown", None),
    ("Retry: now, with the same call. A part of it may have been done.", "now", "partial", None),
    ("Retry: now, with the same call. It was done; do not repeat it.", "now", "done", None),
    ("Retry: the same call after a while. Nothing was changed.", "after_delay", "none", None),
    ("Retry: the same call after {delay}. Nothing was changed.", "after_delay", "none", None),
    ("Retry: the same call after a while. It may have taken effect: check first.", "after_delay", "unknown", None),
    ("Retry: the same call after {delay}. It may have taken effect: check first.", "after_delay", "unknown", None),
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
    ("Retry: not as it is, the reason is unknown. Nothing was changed.", "never", "none", "unknown"),
    ("Retry: not as it is, the server is at fault. Nothing was changed.", "never", "none", "internal"),
    ("Retry: never, it cannot succeed. It may have taken effect.", "never", "unknown", None),
    ("Retry: not as it is, the reason is unknown. It may have taken effect.", "never", "unknown", "unknown"),
    ("Retry: not as it is, the server is at fault. It may have taken effect.", "never", "unknown", "internal"),
    ("Retry: never, it cannot succeed. A part of it may have been done.", "never", "partial", None),
    ("Retry: not as it is, the reason is unknown. A part of it may have been done.", "never", "partial", "unknown"),
    ("Retry: not as it is, the server is at fault. A part of it may have been done.", "never", "partial", "internal"),
    ("Retry: never, it cannot succeed. It was done; do not repeat it.", "never", "done", None),
    ("Retry: not as it is, the reason is unknown. It was done; do not repeat it.", "never", "done", "unknown"),
    ("Retry: not as it is, the server is at fault. It was done; do not repeat it.", "never", "done", "internal"),
)

#: Where each dialect keeps what, as keys from the document down.
PLACES: Final[Mapping[Dialect, Mapping[str, Sequence[str]]]] = {
    "native": {"code": ["code"], "context.invariant_id": ["context", "invariant_id"], "context.phase_id": ["context", "phase_id"], "context.plan_hash": ["context", "plan_hash"], "context.request_id": ["context", "request_id"], "context.role": ["context", "role"], "context.server": ["context", "server"], "context.session_id": ["context", "session_id"], "context.tool": ["context", "tool"], "context.trace_id": ["context", "trace_id"], "context.workspace_root": ["context", "workspace_root"], "details": ["details"], "elapsed_ms": ["elapsed_ms"], "hint": ["hint"], "http": ["http"], "message": ["message"], "next_actions": ["next_actions"], "not_before": ["retry", "not_before"], "similar_refs": ["similar_refs"], "timestamp": ["timestamp"]},
    "atlas-gate": {"cause": ["cause"], "code": ["error_code"], "context.invariant_id": ["invariant_id"], "context.phase_id": ["phase_id"], "context.plan_hash": ["plan_hash"], "context.role": ["role"], "context.session_id": ["session_id"], "context.tool": ["tool_name"], "context.workspace_root": ["workspace_root"], "message": ["human_message"], "stack": ["stack_trace"], "timestamp": ["timestamp"]},
    "workrail": {"code": ["code"], "details": ["details"], "hint": ["suggestion"], "message": ["message"]},
    "rpc": {"code": ["error", "data", "symbol"], "details": ["error", "data", "details"], "message": ["error", "message"], "stack": ["error", "data", "stack"]},
    "stagewright": {"code": ["code"], "context.session_id": ["_meta", "session_id"], "details": ["details"], "elapsed_ms": ["_meta", "elapsed_ms"], "hint": ["hint"], "http": ["http"], "message": ["error"], "next_actions": ["next_actions"], "similar_refs": ["similar_refs"]},
    "mailvault": {"code": ["error"], "details": ["details"], "message": ["message"]},
    "tool-failure": {"code": ["code"], "context.request_id": ["correlationId"], "hint": ["agentGuidance"], "not_before": ["retryNotBefore"]},
}

#: The classes of the open proposal: which of ours stands for it, and which of ours it is.
GROUPS: Final[Mapping[str, tuple[Class, Sequence[Class]]]] = {
    "capability": ("unimplemented", ["invalid_argument", "not_found", "already_exists", "failed_precondition", "out_of_range", "unimplemented"]),
    "governance": ("permission_denied", ["permission_denied", "unauthenticated"]),
    "reliability": ("unavailable", ["cancelled", "unknown", "deadline_exceeded", "resource_exhausted", "aborted", "internal", "unavailable", "data_loss"]),
}
