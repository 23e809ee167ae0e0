"""The error codes of @@name@@ @@version@@: typed codes and data on the runtime package.

Written by `redress registry export --format python`; not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, overload

from @@runtime@@ import *
from @@runtime@@ import Contract, Dialect, Fault, FaultError, Row, Tool
from @@runtime@@ import mcp as _mcp
# @@imports@@

#: The name and the version of the registry that this file was written from.
REGISTRY: Final = (@@name_text@@, @@version_text@@)

#: The codes of the registry.
Code = @@code_type@@

#: The contract: its rows, the codes that it takes from registries of the runtime, and the spellings that mean another row here.
CONTRACT: Final = Contract(
    *REGISTRY,
    taken=@@taken@@,
    meanings=@@meanings@@,
    rows={
        # @@rows@@
    },
    tools={
        # @@tools@@
    },
    matches=(
        # @@matches@@
    ),
)

#: What is known about each code of the registry.
CODES: Final[Mapping[str, Row]] = CONTRACT.codes
#: The tools that the registry knows.
TOOLS: Final[Mapping[str, Tool]] = CONTRACT.tools
parse, read, read_as, from_unknown, describe = CONTRACT.parse, CONTRACT.read, CONTRACT.read_as, CONTRACT.from_unknown, CONTRACT.describe
_Server = TypeVar("_Server")


def wrap_server(server: _Server, *, dialect: Dialect = "native", structured: bool = False) -> _Server:
    """Makes every tool of a server answer failures with the envelope, in the codes of this registry. Returns the server."""
    return _mcp.wrap_server(server, contract=CONTRACT, dialect=dialect, structured=structured)
# @@classes_of_codes@@


if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypedDict

    # @@makers@@
else:
    make_fault = CONTRACT.make_fault
