"""Taught rows: what answers of a server mean, as `[[match]]` of its registry says. The first row that fits wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .values import parsed

#: One row: `tool`, `text`, `json`, `rpc_code`, `status`, `code`, `effect`, `silent`. Rows with a regular expression stay with the gate: it
#: matches in linear time, and this language does not.
Match = Mapping[str, Any]

#: How much of a text is looked at.
_LOOKED_AT: Final = 32768


def matching(
    rows: Sequence[Match],
    text: str,
    is_flagged: bool,
    tool: str = "",
    rpc_code: object = None,
    documents: Sequence[object] = (),
) -> Match | None:
    """The first row that fits an answer; of one that flags nothing, the first that counts there."""
    if not rows:
        return None
    text = text[:_LOOKED_AT]
    trimmed = text.strip()
    inner = parsed(trimmed) if trimmed.startswith(("{", "[")) else None
    given = (inner, *documents)

    def fits(row: Match) -> bool:
        return (
            (is_flagged or row.get("silent") is True)
            and ("tool" not in row or covers(row["tool"], tool))
            and ("text" not in row or covers(row["text"], text))
            and ("rpc_code" not in row or row["rpc_code"] == rpc_code)
            and "status" not in row
            and all(any(_same(_behind(it, pointer), value) for it in given) for pointer, value in row.get("json", {}).items())
        )

    return next((it for it in rows if fits(it)), None)


def covers(glob: str, text: str) -> bool:
    """Whether a glob covers a whole text: `*` is anything, `?` one character. Linear in the text for each `*`."""
    text = text.rstrip()
    at, to, star = 0, 0, None
    while to < len(text):
        it = glob[at] if at < len(glob) else ""
        if it == "*":
            star = (at, to)
            at += 1
        elif it and it in ("?", text[to]):
            at, to = at + 1, to + 1
        elif star:
            star = (star[0], star[1] + 1)
            at, to = star[0] + 1, star[1]
        else:
            return False
    return all(it == "*" for it in glob[at:])


def _behind(value: object, pointer: str) -> object:
    """The value behind a JSON pointer."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(name)] if name.isdecimal() and int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def _same(one: object, other: object) -> bool:
    """Whether two values of JSON are the same: in Python, `True` is 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)
