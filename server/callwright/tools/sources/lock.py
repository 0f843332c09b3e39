"""Tools as `callwright tools lock` stores them: the lists of several servers, each with its origin.

Owns: locating the lists. Must not know: the form of a definition in them, servers, files.
"""

from __future__ import annotations

from collections.abc import Mapping

from callwright.tools.sources.base import Definition, FoundDefinitions, ToolSet, ToolSource


class LockSource(ToolSource):
    """`{"lockVersion", "servers": {name: {"origin", "tools": [definitions of MCP]}}}`; a server's name is its set's."""

    name = "lock"
    order = 5

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the tools of all servers; a lock file is recognized by `lockVersion`."""
        servers = document.get("servers")
        if "lockVersion" not in document or not isinstance(servers, Mapping):
            return None
        return [
            FoundDefinitions(("servers", name, "tools", index), tool, ToolSet(name=name))
            for name, server in servers.items()
            if isinstance(server, Mapping) and isinstance(server.get("tools"), list)
            for index, tool in enumerate(server["tools"])
        ]


SOURCE = LockSource()
