"""The error codes of notes 0.1.0: typed codes and data on the runtime package.

Written by `redress registry export --format python`; not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, overload

from redress_runtime import *
from redress_runtime import Contract, Dialect, Fault, FaultError, Row, Tool
from redress_runtime import mcp as _mcp
from redress_runtime.core import *
from redress_runtime.shipped import CoreCode

#: The name and the version of the registry that this file was written from.
REGISTRY: Final = ("notes", "0.1.0")

#: The codes of the registry.
Code = Literal["NOTE_NOT_FOUND"] | CoreCode

#: The contract: its rows, the codes that it takes from registries of the runtime, and the spellings that mean another row here.
CONTRACT: Final = Contract(
    *REGISTRY,
    taken={"core": None},
    meanings={"workrail": {"INTERNAL_ERROR": ["core", "INTERNAL_ERROR"], "NOT_FOUND": ["core", "NOT_FOUND"], "TIMEOUT": ["core", "TIMEOUT"]}, "rpc": {"-32601": ["core", "METHOD_NOT_FOUND"], "-32700": ["core", "PARSE_FAILED"], "1001": ["core", "TIMEOUT"], "1002": ["core", "LIMIT_EXCEEDED"], "1003": ["core", "NOT_INSTALLED"], "1004": ["core", "SESSION_NOT_FOUND"], "1005": ["core", "INPUT_TOO_LARGE"], "1006": ["core", "UNSUPPORTED"], "E_FS_NOT_FOUND": ["core", "FILE_NOT_FOUND"], "E_FS_PATH_ESCAPE": ["core", "OUTSIDE_WORKSPACE"], "E_INPUT_TOO_LARGE": ["core", "INPUT_TOO_LARGE"], "E_INVALID_PARAMS": ["core", "INVALID_INPUT_VALUE"], "E_LIMIT_EXCEEDED": ["core", "LIMIT_EXCEEDED"], "E_NOT_INSTALLED": ["core", "NOT_INSTALLED"], "E_SESSION_NOT_FOUND": ["core", "SESSION_NOT_FOUND"], "E_TIMEOUT": ["core", "TIMEOUT"], "E_UNSUPPORTED": ["core", "UNSUPPORTED"]}, "stagewright": {"EVAL_BLOCKED_CONSTRUCT": ["core", "EVAL_BLOCKED_CONSTRUCT"], "EVAL_BLOCKED_KEYWORD": ["core", "EVAL_BLOCKED_KEYWORD"], "EVAL_SYNTAX_ERROR": ["core", "EVAL_SYNTAX_ERROR"], "FILE_NOT_FOUND": ["core", "FILE_NOT_FOUND"], "INTERNAL_ERROR": ["core", "INTERNAL_ERROR"], "NOT_IMPLEMENTED": ["core", "UNSUPPORTED"], "OPERATION_TIMEOUT": ["core", "TIMEOUT"]}, "mailvault": {"auth_required": ["core", "AUTH_REQUIRED"], "internal_error": ["core", "INTERNAL_ERROR"], "mcp_unavailable": ["core", "UPSTREAM_UNAVAILABLE"], "not_found": ["core", "NOT_FOUND"], "permission_denied": ["core", "INSUFFICIENT_PERMISSIONS"], "rate_limited": ["core", "RATE_LIMITED"]}, "tool-failure": {"not_found": ["core", "NOT_FOUND"], "permission_denied": ["core", "INSUFFICIENT_PERMISSIONS"], "unsupported": ["core", "UNSUPPORTED"]}},
    rows={
        "NOTE_NOT_FOUND": {"code": "NOTE_NOT_FOUND", "registry": "notes", "number": 5000, "domain": "notes", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "List the notes, then use an id from the list.", "similar": "id", "said": "Note not found.", "spelled": {"native": ["NOTE_NOT_FOUND"], "rpc": ["5000", "E_NOTE_NOT_FOUND"], "tool-failure": ["note_not_found"]}, "written": {"atlas-gate": "UNKNOWN_TOOL_FAILURE", "workrail": "NOT_FOUND", "rpc": "E_NOTE_NOT_FOUND", "stagewright": "INTERNAL_ERROR", "mailvault": "not_found", "tool-failure": "note_not_found"}, "title": "Note not found", "message": "There is no note {id}.", "next": [{"tool": "list_notes"}], "params": [{"name": "id", "type": "string", "doc": "The id that was asked for.", "required": True, "untrusted": True, "max_chars": 80}]},
    },
    tools={
        "read_note": {"may": ["NOTE_NOT_FOUND"], "read_only": True, "idempotent": False},
        "list_notes": {"may": [], "read_only": True, "idempotent": False},
    },
    matches=(
    ),
)

#: What is known about each code of the registry.
CODES: Final[Mapping[str, Row]] = CONTRACT.codes
#: The tools that the registry knows.
TOOLS: Final[Mapping[str, Tool]] = CONTRACT.tools
parse, read, read_as, from_unknown, describe = CONTRACT.parse, CONTRACT.read, CONTRACT.read_as, CONTRACT.from_unknown, CONTRACT.describe
_Server = TypeVar("_Server")


def wrap_server(server: _Server, *, dialect: Dialect = "native", structured: bool = False) -> _Server:
    """Makes every tool of a server answer failures with the envelope, in the codes of this registry. Returns the server."""
    return _mcp.wrap_server(server, contract=CONTRACT, dialect=dialect, structured=structured)


class NoteNotFound(FaultError):
    "Note not found. List the notes, then use an id from the list."

    def __init__(self, *, id: str) -> None:
        super().__init__(CONTRACT.make_fault("NOTE_NOT_FOUND", {"id": id}))


if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypedDict

    _NOTE_NOT_FOUND = TypedDict("_NOTE_NOT_FOUND", {"id": str})

    @overload
    def make_fault(code: Literal["NOTE_NOT_FOUND"], params: _NOTE_NOT_FOUND) -> Fault: ...

    @overload
    def make_fault(code: CoreCode, params: Mapping[str, Any] | None = None) -> Fault: ...

    def make_fault(code: Any, params: Any = None) -> Fault:
        return CONTRACT.make_fault(code, params)
else:
    make_fault = CONTRACT.make_fault
