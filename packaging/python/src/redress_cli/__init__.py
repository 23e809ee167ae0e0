"""The program `redress`, which this package installs."""

from __future__ import annotations

import os
import sys
import sysconfig

__all__ = ["find"]


def find() -> str:
    """Gives the path of the program: that of `REDRESS_BINARY`, else the one that was installed with this package."""
    named = os.environ.get("REDRESS_BINARY")
    if named:
        return named
    name = "redress" + (sysconfig.get_config_var("EXE") or "")
    schemes = [sysconfig.get_path("scripts")]
    schemes.append(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")))
    # `pip install --target DIR` puts programs into DIR/bin.
    here = os.path.dirname(os.path.abspath(__file__))
    schemes.append(os.path.join(os.path.dirname(here), "bin"))
    for folder in schemes:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"there is no {name} in {', '.join(dict.fromkeys(schemes))}; is {sys.prefix} where it was installed?")
