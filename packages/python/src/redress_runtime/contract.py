"""A contract: the codes of one registry, failures to make of them, and readers that know them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from . import answer as _answer
from . import read as _read
from .errors import FaultError, UnknownCodeError
from .facts import Dialect
from .lookup import Lookup, Spelling, shipped, shipped_rows
from .make import fault_of
from .model import Context, Fault, Row, Tool
from .taught import Match
from .unknown import Ctx, fault_of_unknown


class Contract:
    """The codes of one registry.

    `rows` are those that do not ship, `taken` names the registries that ship and that this one takes in (all of their codes, or
    a list), and `meanings` the spellings that name another shipped row here than elsewhere. `matches` are the taught rows: what
    answers of the server mean, where neither they nor a code say so.
    """

    def __init__(
        self,
        name: str,
        version: str = "0.0.0",
        rows: Mapping[str, Mapping[str, Any]] | None = None,
        taken: Mapping[str, Sequence[str] | None] | None = None,
        meanings: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
        tools: Mapping[str, Mapping[str, Any]] | None = None,
        matches: Sequence[Match] = (),
    ) -> None:
        self.name, self.version = name, version
        own = [Row.of(it) for it in (rows or {}).values()]
        found = {it.code: it for it in own}
        for registry, codes in (taken or {}).items():
            found.update((it.code, it) for it in shipped_rows(registry) if codes is None or it.code in codes)
        #: What is known about each code.
        self.codes: Mapping[str, Row] = found
        #: The tools that the registry knows.
        self.tools: Mapping[str, Tool] = {
            name: Tool(tuple(it["may"]), it["read_only"], it["idempotent"]) for name, it in (tools or {}).items()
        }
        spelled: dict[Spelling, Row] = {}
        for dialect, words in (meanings or {}).items():
            for spelling, (registry, code) in words.items():
                row = shipped().row(registry, code)
                if row:
                    spelled[dialect, spelling] = row
        self.lookup = Lookup(own, spelled, matches)

    def __repr__(self) -> str:
        return f"Contract({self.name!r}, {self.version!r})"

    def row(self, code: str) -> Row:
        """The row of a code; a code of the registry that ships under `core` is one of every contract."""
        row = self.codes.get(code) or self.lookup.spelled("native", code)
        if row is None or row.code != code:
            near = difflib.get_close_matches(code, list(self.codes), 1) if isinstance(code, str) else []
            meant = f"; did you mean {near[0]}?" if near else ""
            raise UnknownCodeError(f"{code!r} is no code of {self.name}{meant}")
        return row

    def make_fault(self, code: str, params: Mapping[str, Any] | None = None) -> Fault:
        """A fault of a code. The parameters fill its message, its next calls and `details`."""
        return fault_of(self.row(code), params)

    def error(self, code: str, params: Mapping[str, Any] | None = None) -> FaultError:
        """The same as an exception that can be raised."""
        return FaultError(self.make_fault(code, params))

    def parse(self, answer: object, tool: str = "") -> Fault | None:
        """Reads the failure out of whatever a call was answered with, in any dialect. `None` if nothing failed.

        That is a JSON-RPC response, a tool's result, a JSON-RPC error, an envelope, a text; also as the SDK's models and
        exceptions. A failure that does not say what it is has the ground `guessed`. Of these, what the SDK or the runtime
        raises when a server does not answer is `TIMEOUT`, `UPSTREAM_UNAVAILABLE` or `CANCELLED`; an error of the protocol
        is what its number says; and the rest is `UNKNOWN_TOOL_FAILURE`. Before all these come the taught rows of the contract;
        those that are for one tool count if it is named. It never raises.
        """
        return _answer.parse(answer, self.lookup, tool)

    def read(self, document: object) -> Fault | None:
        """Reads an envelope in whichever dialect it is."""
        return _read.read(document, self.lookup)

    def read_as(self, dialect: Dialect, document: object) -> Fault | None:
        """Reads an envelope of a dialect."""
        return _read.read_as(dialect, document, self.lookup)

    def from_unknown(
        self, raised: object, code: str | None = None, message: str | None = None, context: Context | None = None
    ) -> Fault:
        """A fault of whatever was raised. A fault stays itself and only gets absent context filled. It never raises."""
        row = self.codes.get(code) or self.lookup.spelled("native", code) if code is not None else None
        return fault_of_unknown(raised, Ctx(self.codes, self.lookup, row, message, context or Context()))

    def describe(self, tool: str) -> str:
        """The errors of a tool as the end of its description: `Errors: NOTE_NOT_FOUND (change id).`; empty without any."""
        known = self.tools.get(tool)
        rows = [self.row(it) for it in (known.may if known else ())]
        named = [f"{it.code} ({_action(it)})" for it in rows[:_MAX_DESCRIBED]]
        more = f", {len(rows) - _MAX_DESCRIBED} more" if len(rows) > _MAX_DESCRIBED else ""
        return f"Errors: {', '.join(named)}{more}." if named else ""


#: More codes than this are counted, not named.
_MAX_DESCRIBED: Final = 8


def _action(row: Row) -> str:
    """What a caller does about a code, in two or three words."""
    kind = row.retry.kind
    if kind == "after_change":
        return f"change {row.similar or 'arguments'}"
    if kind == "after_state":
        return f"call {row.next[0].tool} first" if row.next else "change the state first"
    return {"now": "retry", "after_delay": "retry later", "after_human": "ask a person"}.get(kind, "do not retry")


@lru_cache(maxsize=None)
def shipped_contract(name: str) -> Contract:
    """The contract of a registry that ships."""
    taken: dict[str, None] = {"core": None} if name == "atlas-gate" else {}
    contract = Contract(name, "", taken={**taken, name: None})
    if name != "core":
        own = [it for it in contract.codes.values() if it.registry == name]
        spelled = {("native", it.code): it for it in own}
        contract.lookup = Lookup(own, spelled)
    return contract
