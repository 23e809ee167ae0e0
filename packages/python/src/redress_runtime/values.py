"""Small questions about JSON values, which readers and writers share."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Literal, TypeGuard


def at(value: Any, path: Sequence[str]) -> Any:
    """The value below some keys; `None` if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def attribute(value: object, name: str) -> Any:
    """An attribute of any object; `None` if it has none, or raises when it is asked."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def is_int(value: object) -> TypeGuard[int]:
    """Whether it is a whole number of JSON."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a whole number from 0 on."""
    return is_int(value) and value >= 0


def is_v1(document: dict[str, Any]) -> bool:
    """Whether a document says that it is a native envelope."""
    return is_int(document.get("v")) and document["v"] == 1


def delay(value: object) -> int | None | Literal[False]:
    """A time to wait in whole units, rounded up: `None` if there is none, `False` if it makes no sense."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**64:
        return False
    return math.ceil(value)


def parsed(text: str) -> Any:
    """A text as the JSON that it is, if it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
