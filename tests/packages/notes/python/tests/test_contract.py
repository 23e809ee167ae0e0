"""Whether a server really answers with each code that notes 0.1.0 declares.

Written by `redress registry export --format pytest`; not to be edited. The calls are yours: `contract.calls.json` beside this
file, or the file that CONTRACT_CALLS names.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from notes_errors import CODES, parse

#: The codes that the registry declares itself.
DECLARED: tuple[str, ...] = (
    "NOTE_NOT_FOUND",
)

PATH = Path(os.environ.get("CONTRACT_CALLS") or Path(__file__).with_name("contract.calls.json"))
CONTRACT: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
CALLS: dict[str, Any] = CONTRACT["calls"]


def server() -> Any:
    """What the client connects to."""
    if "url" in CONTRACT["server"]:
        return CONTRACT["server"]["url"]
    command, *args = CONTRACT["server"]["command"]
    return StdioServerParameters(command=command, args=args)


async def answer(provocation: dict[str, Any]) -> object:
    """What the server answers to the last of the calls; an error that the client raises is an answer, too."""
    said: object = None
    async with Client(server()) as client:
        for call in [*provocation.get("first", []), provocation]:
            try:
                said = await client.call_tool(call["tool"], call.get("arguments", {}))
            except Exception as error:
                said = error
    return said


@pytest.mark.parametrize("code", dict.fromkeys([*DECLARED, *CALLS]))
def test_the_server_answers_with(code: str) -> None:
    row = next((it for it in CODES.values() if it.code == code), None)
    assert row, f"{code} is no code of the registry: correct its name in {PATH}"
    provocation = CALLS.get(code)
    assert provocation, f'no call provokes {code}: add one to {PATH}, or {{"skip": "why"}}'
    if "skip" in provocation:
        pytest.skip(provocation["skip"])
    said = asyncio.run(answer(provocation))
    fault = parse(said)
    assert fault, f"{provocation['tool']} did not fail: {said!r}"
    told = f"{provocation['tool']} answered: {said!r}"
    assert (fault.code, fault.class_, fault.http) == (code, row.class_, row.http), told
