"""What a failure is: the fault, the row of its code, and their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .facts import Basis, Class, Dialect, Effect, Origin, RetryKind, Severity

#: Whether a failure says itself what it is, or that is a guess, or the server never had the call.
Ground = Literal["not_sent", "stated", "guessed"]


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

    server: str | None = None
    tool: str | None = None
    request_id: str | None = None
    session_id: str | None = None
    role: str | None = None
    workspace_root: str | None = None
    phase_id: str | None = None
    plan_hash: str | None = None
    invariant_id: str | None = None
    trace_id: str | None = None

    def fill_absent(self, other: Context) -> None:
        """Takes from another context what this one does not say."""
        for name, value in vars(other).items():
            if getattr(self, name) is None:
                setattr(self, name, value)


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
    """What a registry says about a code."""

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
    #: The spellings that a reader of each dialect takes for this code.
    spelled: Mapping[str, Sequence[str]]
    #: What each dialect writes for this code, where that is not its name.
    written: Mapping[str, str]
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

    @staticmethod
    def of(data: Mapping[str, Any]) -> Row:
        """The row that generated data describes."""
        members = {key: value for key, value in data.items() if key not in ("class", "rpc", "params", "next")}
        members["retry"] = Retry(**data["retry"])
        rpc, deprecated = data.get("rpc"), data.get("deprecated")
        return Row(
            **{**members, "deprecated": Deprecated(**deprecated) if deprecated else None},
            class_=data["class"],
            rpc=(rpc["number"], rpc.get("domain")) if rpc else None,
            params=tuple(_param(it) for it in data.get("params", ())),
            next=tuple(NextCall(it["tool"], it.get("args")) for it in data.get("next", ())),
        )


def _param(data: Mapping[str, Any]) -> Param:
    members = {key: value for key, value in data.items() if key != "enum"}
    return Param(**members, values=tuple(data.get("enum", ())))


@dataclass(frozen=True)
class Tool:
    """What a registry says about a tool."""

    may: tuple[str, ...]
    read_only: bool
    idempotent: bool


@dataclass
class Fault:
    """One failure. `code` is a code of a registry, or one that a server or a plugin brings along."""

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
    #: What the registry says about the code.
    row: Row = field(repr=False, compare=False)
    origin: Origin = "tool"
    #: By what evidence it is known; absent where the one who failed says so itself.
    basis: Basis | None = None
    number: int | None = None
    next_actions: list[NextAction] = field(default_factory=list)
    #: What was probably meant: objects with `ref`.
    similar_refs: list[dict[str, Any]] = field(default_factory=list)
    #: Which arguments are wrong: objects with `pointer`, a JSON pointer into the arguments of the call.
    violations: list[dict[str, Any]] = field(default_factory=list)
    #: What is known about this time, any JSON.
    details: Any = None
    #: What a foreign server or library wrote: not to be trusted.
    server_text: str | None = None
    context: Context = field(default_factory=Context)
    timestamp: str | None = None
    elapsed_ms: int | None = None
    estimated_tokens: int | None = None
    #: Its place in the ledger: an object with `seq` and `hash`.
    ledger: dict[str, Any] | None = None
    #: What was raised, as JSON. Only the dialect `atlas-gate` shows it.
    cause: Any = None
    stack: str | None = None
    #: The id of the JSON-RPC request, which the dialect `rpc` writes.
    rpc_id: str | int | None = None
    ground: Ground = "stated"
    #: Of `hint` and `retry`, those that a document did not say: they are the row's.
    unsaid: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    @staticmethod
    def of(row: Row, dialect: Dialect = "native") -> Fault:
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
            row=row,
            number=row.number,
        )

    @property
    def registry(self) -> str:
        """The registry whose row it is; empty if no registry here has its code."""
        return self.row.registry

    @property
    def retryable(self) -> bool:
        """Whether a program may send the same call again by itself, if it had no effect."""
        return self.retry.retryable

    def says(self, member: str) -> bool:
        """Whether `hint` or `retry` was given, and is not merely the row's."""
        return member not in self.unsaid or getattr(self, member) != getattr(self.row, member)
