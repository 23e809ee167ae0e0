"""Any value of Python as JSON: it never raises, and it leaves a note where something could not be kept."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import math
import os
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

#: Deeper values are left out.
_MAX_NESTING: Final = 32
#: Further members and elements of one value are left out.
_MAX_MEMBERS: Final = 1000
#: Longer texts are cut.
_MAX_CHARS: Final = 65536
#: Whole numbers beyond this are written as text, as most readers of JSON would change them.
_MAX_INT: Final = 2**64


def json_safe(value: object) -> Any:
    """The value as JSON, with a note in place of what has no JSON: `[circular]`, `[too deep]`, the name of a type."""
    return _Conversion().value(value, 0)


def json_problems(value: object) -> list[str]:
    """Why a value is no JSON as it is, each reason with its JSON pointer; empty if it is."""
    conversion = _Conversion()
    conversion.value(value, 0)
    return conversion.problems


class _Conversion:
    """One conversion: the values around the current one, and what was wrong so far."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._around: set[int] = set()
        self._path: list[str] = []

    def value(self, value: object, depth: int) -> Any:
        """A value, whatever it is."""
        try:
            return self._value(value, depth)
        except RecursionError:
            return self._note("[too deep]", "it is nested too deeply")
        except Exception as error:
            return self._note(f"[{_name(value)}]", f"reading it raised {_name(error)}")

    def _value(self, value: object, depth: int) -> Any:
        if value is None or value is True or value is False:
            return value
        kind = type(value)
        if kind is str:
            return self._text(str(value))
        if kind is int or kind is float:
            return self._number(value)
        if depth > _MAX_NESTING:
            return self._note("[too deep]", "it is nested too deeply")
        if id(value) in self._around:
            return self._note("[circular]", "it contains itself")
        self._around.add(id(value))
        try:
            return self._other(value, depth)
        finally:
            self._around.discard(id(value))

    def _other(self, value: object, depth: int) -> Any:
        if isinstance(value, Mapping):
            return self._object(value.items(), depth)
        if isinstance(value, (list, tuple)):
            return self._array(value, depth)
        self._note("", f"a {_name(value)} is no JSON")
        if isinstance(value, enum.Enum):
            return self.value(value.value, depth + 1)
        if isinstance(value, str):
            return self._text(str.__str__(value))
        if isinstance(value, (int, float)):
            return self._number(int(value) if isinstance(value, int) else float(value))
        if isinstance(value, (bytes, bytearray, memoryview)):
            return _bytes(bytes(value))
        if isinstance(value, (set, frozenset)):
            return self._array(sorted(value, key=str), depth)
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, (decimal.Decimal, uuid.UUID, os.PathLike)):
            return self._text(os.fspath(value) if isinstance(value, os.PathLike) else str(value))
        if isinstance(value, BaseException):
            return {"name": _name(value), "message": said(value)}
        dump = getattr(value, "model_dump", None)
        if callable(dump) and not isinstance(value, type):
            return self.value(dump(mode="python"), depth + 1)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._object(((it.name, getattr(value, it.name)) for it in dataclasses.fields(value)), depth)
        return f"[{_name(value)}]"

    def _object(self, members: Iterable[tuple[Any, Any]], depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for count, (key, value) in enumerate(members):
            if count >= _MAX_MEMBERS:
                self._note("", f"it has more than {_MAX_MEMBERS} members")
                break
            name = self._text(key) if type(key) is str else self._key(key)
            self._path.append(name)
            made[name] = self.value(value, depth + 1)
            self._path.pop()
        return made

    def _key(self, key: object) -> str:
        self._note("", f"a {_name(key)} is no key")
        plain = self.value(key, _MAX_NESTING)
        return plain if isinstance(plain, str) else str(plain)

    def _array(self, items: Iterable[Any], depth: int) -> list[Any]:
        made: list[Any] = []
        for count, value in enumerate(items):
            if count >= _MAX_MEMBERS:
                self._note("", f"it has more than {_MAX_MEMBERS} elements")
                break
            self._path.append(str(count))
            made.append(self.value(value, depth + 1))
            self._path.pop()
        return made

    def _text(self, text: str) -> str:
        if not text.isascii() and any("\ud800" <= it <= "\udfff" for it in text):
            self._note("", "it has half a character")
            text = text.encode(errors="replace").decode()
        if len(text) > _MAX_CHARS:
            self._note("", f"it has more than {_MAX_CHARS} characters")
        return text if len(text) <= _MAX_CHARS else text[: _MAX_CHARS - 1] + "…"

    def _number(self, number: Any) -> Any:
        if isinstance(number, int):
            if -_MAX_INT < number < _MAX_INT:
                return number
            self._note("", "the number is too large")
            return str(number) if number.bit_length() < 10_000 else f"[int of {number.bit_length()} bits]"
        if math.isfinite(number):
            return number
        return self._note(repr(float(number)), "it is no finite number")

    def _note(self, note: str, problem: str) -> str:
        self.problems.append(f"/{'/'.join(self._path)}: {problem}" if self._path else problem)
        return note


def _bytes(value: bytes) -> str:
    """Bytes as the text that they are, else as base64."""
    try:
        return value[:_MAX_CHARS].decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(value[: _MAX_CHARS * 3 // 4]).decode("ascii")


def _name(value: object) -> str:
    return type(value).__name__


def said(error: object) -> str:
    """What an exception says; one that cannot say it is quiet, not fatal."""
    try:
        text = str(error)
    except Exception:
        return ""
    return text.encode(errors="replace").decode()[:_MAX_CHARS]
