"""What fuzzers hand to targets: bytes, of which the first line says how the rest is to be read.

Owns: taking bytes apart. Must not know: any single target, where the bytes come from.

The first line holds words such as `dialect=hermes tools=none`; all after it is the text, in UTF-8 as far as it is. A
word that is missing or says something unknown is chosen by the line's checksum, so that any bytes are an input, and the
same bytes always the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final
from zlib import crc32

from invariants.corpus import seeded

#: Longer texts cost more than they show.
MAX_LENGTH: Final = 3_000


class Input:
    """An input, taken apart; `text` has `longest` characters at most."""

    def __init__(self, data: bytes, longest: int = MAX_LENGTH) -> None:
        head, _, rest = data.partition(b"\n")
        self.words = dict(word.split("=", 1) for word in head.decode("utf-8", "replace").split() if "=" in word)
        self.rest = rest
        self.text = decoded(rest)[:longest]
        self._sum = crc32(head)

    def pick(self, key: str, options: Sequence[str]) -> str:
        """Return what the first line says of `key`, one of the options."""
        stated = self.words.get(key)
        return (
            stated
            if stated is not None and stated in options
            else options[crc32(key.encode(), self._sum) % len(options)]
        )

    def random(self, key: str) -> Random:
        """Return a source of choices that is the same for the same input."""
        return seeded(f"{key} {crc32(self.rest, self._sum)}")


def decoded(data: bytes) -> str:
    """Return bytes as text: UTF-8, with halves of surrogate pairs as they are; what is neither is replaced."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def encoded(text: str) -> bytes:
    """Return text as bytes, so that `decoded` gives it back."""
    return text.encode("utf-8", "surrogatepass")
