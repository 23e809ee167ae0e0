"""What a document says of a fault whose row it has no word for: the code, status and retry rule of the row that it names instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from .facts import Dialect
from .lookup import shipped
from .model import Fault, Retry, Row

#: The general codes of the dialects without a retry rule.
_GENERAL: Final[Mapping[Dialect, str]] = {"atlas-gate": "INTERNAL_ERROR", "mailvault": "internal_error"}


def spelling(fault: Fault, dialect: Dialect) -> str:
    """What a dialect calls the code of a fault."""
    own = fault.row.written.get(dialect)
    # A code that no registry here has is written as it is where the dialect takes any code.
    return own if own is not None else fault.code.lower() if dialect == "tool-failure" else fault.code


def told_http(fault: Fault, dialect: Dialect) -> int:
    """The HTTP status that a document tells: that of the row that it names."""
    named = _stand_in(fault, dialect)
    return named.http if named else fault.http


def told_retry(fault: Fault, dialect: Dialect) -> Retry:
    """The retry rule that a document tells. No document says that a repeat helps against what its row calls final."""
    named = _stand_in(fault, dialect) if fault.retryable else None
    return Retry("never") if named and not named.retry.retryable else fault.retry


def without_repeat(fault: Fault, dialect: Dialect) -> Fault:
    """A fault under the dialect's general code, where its word would allow a repeat that the server forbids.

    A reader of a dialect without a retry rule goes by the code. What the gate itself refuses keeps the word that means it, and
    so does a row that is never retryable: its registry chose that word.
    """
    is_stricter = fault.row.retry.retryable and not fault.retryable
    if dialect not in _GENERAL or not is_stricter or fault.origin == "gate":
        return fault
    named = shipped().spelled(dialect, spelling(fault, dialect))
    general = shipped().spelled(dialect, _GENERAL[dialect])
    if not named or not named.retry.retryable or not general:
        return fault
    return replace(fault, row=general, code=general.code, class_=general.class_)


def _stand_in(fault: Fault, dialect: Dialect) -> Row | None:
    """The row that a document names for a fault, if it is not the fault's own."""
    row, word = fault.row, spelling(fault, dialect)
    if _is_own_word(row, dialect, word):
        return None
    named = shipped().spelled(dialect, word)
    return named if named and (named.registry, named.code) != (row.registry, row.code) else None


def _is_own_word(row: Row, dialect: Dialect, word: str) -> bool:
    """Whether a dialect makes a word of the row's own code."""
    if dialect == "rpc":
        return row.number is not None and word == f"E_{row.code}"
    return word == row.code and (row.registry == dialect or "." in row.code)
