"""Becomes the program `redress`: same process, same streams, same exit code."""

from __future__ import annotations

import os
import subprocess
import sys

from redress_cli import find


def main() -> None:
    try:
        program = find()
        if os.name != "nt":
            os.execv(program, [program, *sys.argv[1:]])
        sys.exit(subprocess.call([program, *sys.argv[1:]]))
    except OSError as error:
        print(f"NOT_INSTALLED: {error}\nFix: Install redress-cli again, or name a program in REDRESS_BINARY.", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
