"""Tools as `callwright tools lock` keeps them: the lists of several servers, each with its origin.

Owns: finding the lists. Must not know: what a definition in them looks like, servers, files.
"""

from __future__ import annotations

from collections.abc import Mapping

from callwright.tools.sources.base import Definition, Draft, Found, ToolSet


class LockSource:
    """`{"lockVersion", "servers": {name: {"origin", "tools": [definitions of MCP]}}}`; a server's name is its set's."""

    name = "lock"
    order = 5

    def unwrap(self, document: Definition) -> list[Found] | None:
        """Return the tools of all servers; a lock file says that it is one."""
        servers = document.get("servers")
        if "lockVersion" not in document or not isinstance(servers, Mapping):
            return None
        return [
            Found(("servers", name, "tools", index), tool, ToolSet(name=name))
            for name, server in servers.items()
            if isinstance(server, Mapping) and isinstance(server.get("tools"), list)
            for index, tool in enumerate(server["tools"])
        ]

    def matches(self, definition: Definition) -> bool:
        """Tell that a definition is never one of this source: those in a lock file are MCP's."""
        del definition
        return False

    def read(self, definition: Definition) -> Draft:
        """Return a draft without anything; nothing matches."""
        del definition
        return Draft(None)


SOURCE = LockSource()
