"""Failures that can be raised."""

from __future__ import annotations

from typing import Any

from .card import card
from .model import Context, Fault, Retry


class FaultError(Exception):
    """A failure that is raised: the exception around a `Fault`. The exported classes of the codes are of this kind.

    What you know beyond the parameters of the code, you set on `fault` or with `with_`:
    `raise NoteNotFound(id=7).with_(similar_refs=[{"ref": 8}])`.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.code}: {fault.message}")
        self.fault = fault

    @property
    def code(self) -> str:
        """The code of the failure."""
        return self.fault.code

    @property
    def card(self) -> str:
        """What a model reads of the failure."""
        return card(self.fault)

    def with_(self, **members: Any) -> FaultError:
        """Sets members of the fault, and returns the error, so that it can be raised in one line."""
        for name, value in members.items():
            if name not in Fault.__dataclass_fields__ or name in ("code", "row"):
                raise TypeError(f"a fault has no member {name!r} that can be set")
            if name == "context" and isinstance(value, dict):
                value = Context(**value)
            elif name == "retry" and isinstance(value, dict):
                value = Retry(**value)
            setattr(self.fault, name, value)
        self.args = (f"{self.fault.code}: {self.fault.message}",)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return FaultError, (self.fault,)


class UnknownCodeError(ValueError):
    """A code that no registry has. `fault` is not made of it."""
