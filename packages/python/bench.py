"""Calls a second of a server of the official SDK: bare, and with the contract around it, side by side.

python bench.py [ROUNDS] [CALLS]

All servers run in this process, each behind a client of its own, and a second is one of the processor, so that other programs do not
count. Rounds alternate; the median of the rounds' ratios is what a wrapper costs.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "src"))

from mcp import Client
from mcp.server import MCPServer

from redress_runtime.mcp import wrap_handler, wrap_server


def bare() -> MCPServer:
    """A server with one typed tool."""
    server = MCPServer("bare")

    @server.tool()
    async def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    return server


def decorated() -> MCPServer:
    """The same with the decorator on its tool."""
    server = MCPServer("decorated")

    @server.tool()
    @wrap_handler
    async def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    return server


#: The most that a wrapper may cost, in percent.
LIMIT = 5.0

SERVERS: dict[str, Any] = {"bare": bare, "wrap_handler": decorated, "wrap_server": lambda: wrap_server(bare())}


async def calls_a_second(client: Any, calls: int) -> float:
    """How many calls are answered in a second of the processor."""
    start = time.process_time()
    for at in range(calls):
        result = await client.call_tool("add", {"a": at, "b": 1})
        assert not result.is_error
    return calls / (time.process_time() - start)


async def main(rounds: int, calls: int) -> bool:
    """Prints a line for each server, and says whether no wrapper costs more than it may."""
    seen: dict[str, list[float]] = {name: [] for name in SERVERS}
    async with Client(SERVERS["bare"]()) as one, Client(SERVERS["wrap_handler"]()) as two, Client(SERVERS["wrap_server"]()) as three:
        clients = dict(zip(SERVERS, (one, two, three), strict=True))
        for client in clients.values():
            await calls_a_second(client, calls // 4 + 1)
        for at in range(rounds):
            names = list(clients)
            for name in names[at % 3 :] + names[: at % 3]:
                seen[name].append(await calls_a_second(clients[name], calls))
    is_within = True
    for name, speeds in seen.items():
        costs = [100 * (1 - speed / base) for speed, base in zip(speeds, seen["bare"], strict=True)]
        line = f"{name:13} {statistics.median(speeds):7.0f} calls/s ({min(speeds):.0f} to {max(speeds):.0f})"
        is_within = is_within and statistics.median(costs) <= LIMIT
        print(line if name == "bare" else f"{line}, costs {statistics.median(costs):.1f} % (by round {min(costs):.1f} to {max(costs):.1f})")
    return is_within


given = [int(it) for it in sys.argv[1:]]
sys.exit(0 if asyncio.run(main(*given, *(300, 30)[len(given) :])) else 1)
