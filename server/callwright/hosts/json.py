"""The `json` host: transcripts, and calls that are alone, in one JSON value.

Owns: recognising such files. Must not know: dialects, other hosts, the shapes of transcripts.
"""

from callwright.hosts.base import HostContext, Record, RecordHost
from callwright.hosts.support.transcript import transcript_record
from callwright.syntax.comments import SLASHES, STARS


class Json(RecordHost):
    """JSON: transcripts, at any depth and in strings, are read with their texts, and so are single calls."""

    name = "json"
    title = "JSON transcript"
    suffixes = (".json",)
    languages = ("json", "jsonc")
    comments = (SLASHES, STARS)
    texts = "turns"
    defers = True

    def read(self, text: str, context: HostContext) -> Record:
        """Take the value apart."""
        del context
        return transcript_record(text)


HOST = Json()
