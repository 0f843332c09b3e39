"""Names in patterns: what the quick pattern finds is what the exact one finds, for each character and pattern."""

import re
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.xml_names import NAME, NamePattern, exactly
from callwright.text.holes import HOLE
from support.sampling import tries

MODULES = ["xml_tags", "xml_lexer", "xml_strict", "xml_closers", "xml_recover", "xml_values"]
PATTERNS = [
    pytest.param(pattern, id=f"{module}.{name}")
    for module in MODULES
    for name, pattern in vars(import_module(f"callwright.syntax.{module}")).items()
    if isinstance(pattern, NamePattern)
]

#: The productions NameStartChar and NameChar of XML 1.0, fifth edition, as they are written there, and the hole.
START = (
    ":A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff" + HOLE
)
CHAR = START + "\\-.0-9\xb7\u0300-\u036f\u203f-\u2040"

#: Name characters and others that lie beside them, in and beyond ASCII, and what patterns look for around names.
PIECES = st.sampled_from(
    [
        *"<>/!?&;:= \n\"'-[]#0x",
        "<a",
        "</a",
        "<![CDATA[",
        "é",
        "×",
        "工",
        "\u2028",
        "\u037e",
        HOLE,
        "\U000f0000",
        "a",
        "✓",
    ]
)


def test_the_alphabet_is_that_of_the_standard() -> None:
    every = "".join(map(chr, range(0x110000)))
    start, char = exactly(NAME).pattern.removesuffix("*+").split("][")
    for mine, standard in ((start + "]", START), ("[" + char, CHAR)):
        assert re.findall(mine, every) == re.findall(f"[{standard}]", every)


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=tries(150), deadline=None)
@given(pieces=st.lists(PIECES, max_size=12))
def test_the_quick_pattern_agrees_with_the_exact_one(pattern: NamePattern, pieces: list[str]) -> None:
    text = "<" + "".join(pieces)
    exact = exactly(pattern._source)
    for at in range(len(text)):
        for stop in (len(text), len(text) - 1):
            for ask in ("match", "search"):
                mine, theirs = getattr(pattern, ask)(text, at, stop), getattr(exact, ask)(text, at, stop)
                assert (mine and (mine.span(), mine.groups())) == (theirs and (theirs.span(), theirs.groups())), ask
    assert pattern.sub(lambda _found: "_", text) == exact.sub("_", text)
