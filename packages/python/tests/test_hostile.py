"""Random values of every kind: what is raised, set or answered with them is always told as JSON."""

from __future__ import annotations

import datetime
import decimal
import json
import os
import pathlib
import random
import uuid
from typing import Any, get_args

from redress_runtime import CORE, FaultError, from_unknown, parse, tool_result
from redress_runtime.facts import Dialect
from redress_runtime.mailvault import error_of
from redress_runtime.mcp import wrap_handler
from redress_runtime.rpc import safe_error

SEED = int(os.environ.get("HOSTILE_SEED", "0")) or random.randrange(1, 2**32)


class Angry:
    """An object of which nothing can be had."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __str__(self) -> str:
        raise ValueError

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        raise TypeError

    __hash__ = None  # type: ignore[assignment]


def leaf(chance: random.Random) -> Any:
    """A value without members."""
    return chance.choice([
        None, True, -1, 2**70, 1.5, float("nan"), float("-inf"), "", "ä\n", "\ud800", "x" * 70_000, b"\xff", bytearray(b"a"), object(), Angry(),
        Angry, len, datetime.datetime(2026, 1, 1), decimal.Decimal("NaN"), uuid.UUID(int=1), pathlib.Path("/x"), ValueError("\udfff"), 1j, ...,
        "password=hunter2", {1, 2}, frozenset({"a"}), range(3), memoryview(b"xy"),
    ])  # fmt: skip


def value(chance: random.Random, depth: int) -> Any:
    """A value with members, which may contain itself."""
    if depth == 0 or chance.random() < 0.4:
        return leaf(chance)
    items = [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    if chance.random() < 0.2:
        items.append(items)
    if chance.random() < 0.5:
        return chance.choice([items, tuple(items)])
    return {chance.choice(["code", "message", "error", "jsonrpc", "isError", "content", "v", "retry", 5, None, ("a",), b"k", "\ud800"]): it for it in items}


def raised(chance: random.Random) -> Exception:
    """An exception with arbitrary arguments and attributes, and perhaps a cause."""
    kind = chance.choice([Exception, OSError, KeyError, ValueError, TimeoutError, ConnectionError, UnicodeError])
    error: Exception = kind(*(value(chance, 2) for _ in range(chance.randrange(3))))
    for name in ("code", "status_code", "response", "error", "fault", "exceptions", "filename", "retry_after", "mcp_error", "headers"):
        if chance.random() < 0.3:
            try:
                setattr(error, name, value(chance, 2))
            except Exception:
                continue
    error.__cause__ = error if chance.random() < 0.1 else None
    return error


def is_json(document: object) -> None:
    """Refuses what cannot be sent."""
    json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


def test_whatever_is_raised_or_set_is_told() -> None:
    print(f"HOSTILE_SEED={SEED}")
    chance = random.Random(SEED)
    for _ in range(150):
        dialect: Dialect = chance.choice(get_args(Dialect))
        error = raised(chance)
        is_json(tool_result(from_unknown(error), dialect=dialect))
        is_json(error_of(error).model_dump())
        is_json(safe_error(error))
        is_json(tool_result(from_unknown(value(chance, 3)), dialect=dialect))
        fault = CORE.make_fault("FILE_NOT_FOUND", {"path": value(chance, 2), "other": value(chance, 1)})
        fault.details = value(chance, 3)
        is_json(tool_result(fault, dialect=dialect))
        parse(value(chance, 3))


def test_a_wrapped_handler_always_answers() -> None:
    print(f"HOSTILE_SEED={SEED}")
    chance = random.Random(SEED + 1)
    for _ in range(100):
        member = chance.choice([it for it in vars(CORE.make_fault("CONFLICT")) if it not in ("code", "row")])

        @wrap_handler
        def tool(member: str = member) -> Any:
            if chance.random() < 0.5:
                raise raised(chance)
            raise FaultError(CORE.make_fault("CONFLICT")).with_(**{member: value(chance, 3)})

        answer = tool()
        told = answer.model_dump(mode="json", by_alias=True)
        is_json(told)
        assert told["isError"] is True and told["_meta"]["dev.redress/fault"]["code"]
