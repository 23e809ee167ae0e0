"""A server of the official SDK whose tools fail by exceptions that are no errors of tools: its answers hide them."""

from mcp.server import MCPServer

server = MCPServer("masked")


@server.tool()
def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


server.run()
