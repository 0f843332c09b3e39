"""The `plain` host: text without markup, read from top to bottom.

Owns: recognising such files. Must not know: dialects, other hosts.
"""

from callwright.hosts.base import FlowHost


class Plain(FlowHost):
    """Plain text: calls in fences are read; backticks have no meaning."""

    name = "plain"
    title = "Plain text"
    suffixes = (".txt", ".text", ".toolcall", ".log")
    languages = ("plaintext",)
    markdown = False


HOST = Plain()
