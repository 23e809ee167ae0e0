"""Wrong arguments in words: which one it is and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .text import cut, strip

#: The most characters of a name, of what was expected, or of a reason.
_PART_CHARS: Final = 60
#: The types of JSON, with their articles.
_TYPES: Final[Mapping[str, str]] = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
#: How an expectation begins that can follow "must be".
_AFTER_MUST_BE: Final = ("a ", "an ", "one of ", "at most ", "at least ", "less than ", "more than ")


def argument_name(violation: Mapping[str, Any]) -> str:
    """The argument's name; the steps of a longer place are joined by dots."""
    steps = _member(violation, "pointer").removeprefix("/").split("/")
    return _short(".".join(it.replace("~1", "/").replace("~0", "~") for it in steps))


def sentence_of(violation: Mapping[str, Any]) -> str:
    """What is wrong, as a sentence of its own: `Required`, `Must be a string`."""
    told = (_predicate(violation) or _member(violation, "reason")).removeprefix("is ")
    return told[:1].upper() + told[1:] if told[:1].isascii() else told


def wrong_argument(violation: Mapping[str, Any]) -> str:
    """What is wrong, as a sentence with the argument's name: `id must be a string.`"""
    return f"{argument_name(violation)} {_predicate(violation) or 'is wrong'}."


def _predicate(violation: Mapping[str, Any]) -> str | None:
    """What is wrong, to be said after the name; `None` where the reason is a word that no sentence is known for."""
    reason, expected = _member(violation, "reason"), _short(_member(violation, "expected"))

    def expecting(plain: str) -> str:
        if expected.startswith(_AFTER_MUST_BE):
            return f"must be {expected}"
        return f"{plain}: expected {expected}" if expected else plain

    if reason == "missing":
        return "is required"
    if reason == "unknown":
        return "is not an argument of the tool"
    if reason == "not_found":
        return "names nothing that exists"
    if reason == "wrong_type":
        return f"must be {_with_article(expected)}" if expected else "has the wrong type"
    if reason == "malformed":
        return expecting("is malformed")
    if reason == "not_allowed":
        return expecting("has a value that is not accepted")
    return f"({_short(reason)})" if " " in reason else None


def _with_article(expected: str) -> str:
    """`string or null` as `a string or null`; what is no type of JSON stays as it is."""
    types = expected.split(" or ")
    return " or ".join(_TYPES[it] for it in types) if all(it in _TYPES for it in types) else expected


def _member(violation: Mapping[str, Any], key: str) -> str:
    value = violation.get(key)
    return value if isinstance(value, str) else ""


def _short(text: str) -> str:
    return cut(strip(text), _PART_CHARS)
