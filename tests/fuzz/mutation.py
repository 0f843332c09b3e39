"""New inputs from old ones: text is changed by what readers look for, bytes by chance, first lines by other ones.

Owns: `mutated`, and the corpora in `tests/fuzz/corpora`. Must not know: what targets do with an input.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from fuzz.inputs import decoded, encoded
from invariants.corpus import changed_somewhere, corpus
from invariants.host_documents import changed, random_edit

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER: Final = Path(__file__).parent
#: Inputs do not grow beyond this.
LARGEST: Final = 8_192
#: Bytes at which frames and encodings go wrong.
_BYTES: Final = (
    *(b"\r\n", b"\n", b"\r\n\r\n", b"Content-Length: ", b"content-length:", b"0", b"9999", b"-1", b"\x00", b"\xff"),
    *(
        b"\xc3",
        b"\xed\xa0\xbd",
        b"\xf0\x9f\x98\x80",
        b"\xef\xbb\xbf",
        b'"id":1',
        b'"id":null',
        b'"method":"',
        b"{",
        b"}",
    ),
)


def target_names() -> list[str]:
    """Return the names of all targets."""
    return sorted(file.stem for file in (FOLDER / "targets").glob("[a-z]*.py"))


def target_of(name: str) -> Callable[[bytes], None]:
    """Return a target: it raises where an invariant is broken."""
    function: Callable[[bytes], None] = import_module(f"fuzz.targets.{name}").target
    return function


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    """Return the corpus of a target, in a fixed order."""
    return tuple(file.read_bytes() for file in sorted((FOLDER / "corpora" / name).glob("*.txt")))


def mutated(data: bytes, name: str, random: Random) -> bytes:
    """Return another input for a target."""
    head, _, rest = data.partition(b"\n")
    known = seeds(name)
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        kind = random.random()
        if kind < 0.08:
            head = random.choice(known).partition(b"\n")[0]
        elif kind < 0.12:
            rest = random.choice(known).partition(b"\n")[2]
        elif name == "wire" or kind < 0.2:
            rest = _bytes_changed(rest, known, random)
        elif kind < 0.6:
            rest = encoded(changed_somewhere(decoded(rest), corpus(), random))
        else:
            text = decoded(rest)
            rest = encoded(changed(text, random_edit(text, random)))
    return (head + b"\n" + rest)[:LARGEST]


def _bytes_changed(data: bytes, known: tuple[bytes, ...], random: Random) -> bytes:
    start = random.randint(0, len(data))
    end = min(len(data), start + random.choice((0, 0, 1, 2, 8, 60)))
    kind = random.randrange(5)
    if kind == 0:
        new = b""
    elif kind == 1:
        new = random.choice(_BYTES) * random.choice((1, 1, 2))
    elif kind == 2:
        new = bytes([random.randrange(256)])
    elif kind == 3:
        new = data[start : start + random.choice((4, 40, 200))] * 2
    else:
        other = random.choice(known).partition(b"\n")[2]
        at = random.randint(0, len(other))
        new = other[at : at + random.choice((5, 50, 500))]
    return data[:start] + new + data[end:]
