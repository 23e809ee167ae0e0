"""FastMCP before a command or an address, as its users start it: fastmcp_proxy.py (stdio | http PORT) (URL | -- COMMAND…)"""

import asyncio
import logging
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy


async def main():
    words = sys.argv[1:]
    transport = words.pop(0)
    port = int(words.pop(0)) if transport == "http" else None
    target = StdioTransport(words[1], words[2:]) if words[0] == "--" else words[0]
    logging.disable(logging.CRITICAL)
    if port is None:
        await create_proxy(target, name="bench").run_async(transport="stdio", show_banner=False)
        return
    # One session upstream for all calls: without, each call opens its own.
    async with Client(target, mode="legacy") as client:
        await create_proxy(client, name="bench").run_async(
            transport="http",
            host="127.0.0.1",
            port=port,
            show_banner=False,
            uvicorn_config={"log_level": "critical", "access_log": False},
        )


asyncio.run(main())
