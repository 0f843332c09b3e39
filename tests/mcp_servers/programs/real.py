"""A server made with the official SDK: `real.py stdio` or `real.py http PORT`."""

import sys
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, Field

server = MCPServer("notes", version="1.2.3")


class Note(BaseModel):
    title: str
    body: str = ""


@server.tool()
def add_note(title: Annotated[str, Field(description="What it is about.")], body: str = "") -> Note:
    """Write a note down."""
    return Note(title=title, body=body)


@server.tool()
def list_notes(order: Literal["age", "title"] = "age", limit: int = 10) -> list[str]:
    """List the notes that were written down."""
    return [order] * limit


if __name__ == "__main__":
    if sys.argv[1] == "http":
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")
