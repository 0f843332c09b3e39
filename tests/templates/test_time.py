"""Time is linear in a template, whatever its code repeats: function calls are counted, and no clock is asked."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.templates.catalogue import find_template
from callwright.templates.support.versions import layout_of
from invariants.texts import opened
from support.sampling import sampled
from templates.template_texts import CODE, LANGUAGES

LENGTH = 1_200
#: What a text begins with, so that all after it may belong to something that is open.
HEADS = {"jinja": ["", "{{ '", "{% raw %}", "{% if a %}"], "handlebars": ["", "{{#if a}}", "{{=<% %>=}}"]}


def calls_made(language: str, text: str, *, whole: bool) -> int:
    """Return how many functions are called to take a text apart, or with `whole` to read it."""
    template = find_template(language)
    assert template is not None
    count = 0

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        if whole:
            opened(text, settings=Settings(template=language))
        else:
            layout = layout_of(text, template)
            for number in range(layout.needed(len(text))):
                layout.version(number)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("language", LANGUAGES)
def test_twice_the_text_takes_twice_the_work(language: str) -> None:
    code = CODE[language]
    pieces = [
        *code,
        *(one + other for one, other in zip(code, code[7:], strict=False)),
        *(f"{one}x\n\n" for one in code),
    ]
    for head in HEADS.get(language, [""]):
        for piece in sampled(dict.fromkeys(pieces), keep=4):
            short, long = (head + piece * (length // len(piece)) for length in (LENGTH, 3 * LENGTH))
            assert calls_made(language, long, whole=False) < 4 * calls_made(language, short, whole=False) + 3_000, piece


@pytest.mark.parametrize("language", LANGUAGES)
def test_so_does_reading_it(language: str) -> None:
    opened("\n".join(CODE[language]), settings=Settings(template=language))
    for piece in [
        *sampled(CODE[language][::3], keep=2),
        f"{CODE[language][0]}<read_file><path>{CODE[language][-1]}</path></read_file>\n\n",
    ]:
        short, long = (piece * (length // len(piece)) for length in (LENGTH, 3 * LENGTH))
        assert calls_made(language, long, whole=True) < 4.2 * calls_made(language, short, whole=True) + 20_000, piece
