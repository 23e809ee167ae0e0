"""Which row a code or a dialect's spelling names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from .model import Row
from .shipped import ROWS
from .taught import Match

#: A dialect and a spelling in it.
Spelling = tuple[str, str]


#: The spellings of the codes of plugins, which come and go while the program runs.
PLUGINS: dict[Spelling, Row] = {}


class Lookup:
    """The rows that a reader knows: those of a contract first, then all that ship."""

    def __init__(self, rows: Iterable[Row] = (), spelled: Mapping[Spelling, Row] | None = None, matches: Sequence[Match] = ()) -> None:
        #: What answers of the server mean, where nothing else says so.
        self.matches = matches
        known = {} if spelled is None else dict(spelled)
        self._rows: dict[tuple[str, str], Row] = {}
        for row in rows:
            self._rows.setdefault((row.registry, row.code), row)
            for dialect, spellings in row.spelled.items():
                for spelling in spellings:
                    known.setdefault((dialect, spelling), row)
        self._spelled = known

    def spelled(self, dialect: str, spelling: str) -> Row | None:
        """The row that a dialect means by a spelling."""
        own = self._spelled.get((dialect, spelling))
        return own or (PLUGINS.get((dialect, spelling)) if self is shipped() else shipped().spelled(dialect, spelling))

    def row(self, registry: str, code: str) -> Row | None:
        """The row of a code in a registry."""
        own = self._rows.get((registry, code))
        return own or (None if self is shipped() else shipped().row(registry, code))


@lru_cache(maxsize=1)
def shipped() -> Lookup:
    """The registries that ship."""
    return Lookup(Row.of(it) for it in ROWS)


def shipped_rows(registry: str) -> list[Row]:
    """The rows that a shipped registry declares itself, in its order."""
    found = (shipped().row(registry, it["code"]) for it in ROWS if it["registry"] == registry)
    return [it for it in found if it]
