"""The rows of every registry that ships. Written by `cargo xtask codegen`; not to be edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

# @@shipped_codes@@

#: What the registries say about their codes.
ROWS: Final[Sequence[Mapping[str, Any]]] = (
    # @@shipped@@
)
