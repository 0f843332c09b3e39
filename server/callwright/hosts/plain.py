"""The `plain` host: text without markup, read from top to bottom.

Owns: recognising such files. Must not know: dialects, other hosts.
"""

from collections.abc import Sequence

from callwright.hosts.base import Host, Record


class Plain:
    """Plain text: fences are known, so that fenced calls are read; back-ticks have no meaning."""

    name = "plain"
    title = "Plain text"
    suffixes: Sequence[str] = (".txt", ".text", ".toolcall", ".log")
    languages: Sequence[str] = ("plaintext",)
    flow = True
    markdown = False

    def front(self, text: str) -> int:
        """Return 0: plain text has no front matter."""
        del text
        return 0

    def cut(self, text: str, *, at_end: bool) -> int | None:
        """Return everything: a flow host has no records."""
        return len(text) if at_end else None

    def read(self, text: str) -> Record:
        """Return an empty record: a flow host has no records."""
        del text
        return Record()


HOST: Host = Plain()
