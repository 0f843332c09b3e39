"""Texts that name what calls are made of and are none: a lone marker, a pattern that finds calls.

Owns: recognising them. Must not know: any dialect beyond its markers, kinds of files.
"""

import re

#: A tag that opens or closes and nothing else, a marker in brackets, a fence: what a text says to stop at, or to look
#: for.
_MARKER = re.compile(r"\s*+(?:</?[^\s<>]{0,80}[^\s<>/]>|\[/?[A-Z_]{2,40}\]|(?:```|~~~)\w*+)\s*+")
#: A regular expression: what is after its first tag begins as no body of a call does.
_PATTERN = re.compile(
    r"[^<\r\n]{0,80}<[^<>\r\n]{1,80}>\s*+(?:\\[sSdDwW{(\[]|\(\?|\(\.|\(\[|\(\\|[.][*+]|\[[^\]\r\n]{1,20}\][*+])"
)
#: What is longer than this is not recognised by its look.
_MAX_LENGTH = 400


def only_mentions(text: str) -> bool:
    """Return whether a text from a configuration or a program names markers of calls and holds none."""
    if len(text) > _MAX_LENGTH:
        return False
    return _MARKER.fullmatch(text) is not None or _PATTERN.match(text) is not None
