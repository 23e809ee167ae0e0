"""The members of a JSON object that broke off, as far as they can be told."""

from __future__ import annotations

import re
from typing import Any, Final

from .values import parsed

_KEY: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*:\s*', re.DOTALL)
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},]', re.DOTALL)


def mended(text: str, levels: int) -> tuple[dict[str, Any], bool]:
    """The members of a broken object that can be told, and whether it never ends."""
    document: dict[str, Any] = {}
    opened = re.match(r"\s*\{", text)
    place, is_cut = opened.end() if opened else None, True
    while place is not None:
        key = _KEY.match(text, place, place + 1024)
        if not key:
            break
        end = _end_of(text, key.end())
        name = parsed(key[1])
        if isinstance(name, str) and name not in document:
            document[name] = _value(text[key.end() : end], levels)
        is_cut = end is None or text[end] != "}"
        place = end + 1 if end is not None and text[end] == "," else None
    return document, is_cut


def _value(text: str, levels: int) -> Any:
    value = parsed(text)
    if value is not None:
        return value
    if text.startswith("{"):
        return mended(text, levels - 1)[0] if levels > 0 else {}
    return [] if text.startswith("[") else "" if text.startswith('"') else None


def _end_of(text: str, start: int) -> int | None:
    """Where the value that starts there ends, if it does."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        it = token[0]
        if it in "{[":
            depth += 1
        elif depth == 0 and not it.startswith('"'):
            return token.start()
        elif it in "}]":
            depth -= 1
    return None
