"""The `json` host: a transcript in one JSON value.

Owns: recognising such files. Must not know: dialects, other hosts.
"""

from collections.abc import Sequence

from callwright.hosts.base import Host, Record, transcript_record


class Json:
    """JSON: where the value has the shape of a transcript, the strings in which somebody speaks are passages."""

    name = "json"
    title = "JSON transcript"
    suffixes: Sequence[str] = (".json",)
    languages: Sequence[str] = ("json", "jsonc")
    flow = False
    markdown = True

    def front(self, text: str) -> int:
        """Return 0: data has no front matter."""
        del text
        return 0

    def cut(self, text: str, *, at_end: bool) -> int | None:
        """Return everything: one value is one record."""
        return len(text) if at_end else None

    def read(self, text: str) -> Record:
        """Take the value apart."""
        return transcript_record(text)


HOST: Host = Json()
