"""The codes of the registry `core`, which every server has, as exceptions. Written by `cargo xtask codegen`; not to be edited."""

from __future__ import annotations

from typing import Any, Literal

from .contract import shipped_contract
from .errors import FaultError

_CONTRACT = shipped_contract("core")

__all__ = [
    # @@class_names@@
]
# @@classes_of_codes@@
