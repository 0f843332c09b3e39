"""The `tool-file` host: a file that holds definitions of tools and no calls.

Owns: recognising such files. Must not know: how such a file is read, dialects, other hosts.
"""

from callwright.hosts.base import RecordHost


class ToolFile(RecordHost):
    """Definitions of tools: one record without passages, since it holds no calls."""

    name = "tool-file"
    title = "Tool definitions"
    holds = "tools"


HOST = ToolFile()
