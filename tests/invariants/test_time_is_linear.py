"""Time is linear in the text: what is done for a text of repeated pieces grows as the text does, in every dialect.

No clock is asked: function calls are counted, Python's own and those into C. What a single search costs is not seen by
that; what is searched twice is.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from itertools import product
from operator import itemgetter
from typing import Any

import pytest

import callwright
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.reader import read_segment
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.runtime import Limits, StrictParser
from callwright.tools.registry import ToolRegistry
from invariants.corpus import call_markers_of, registry
from support.dialects import general_names
from support.sampling import sampled

#: Pieces that open something, and never close it, whatever the dialect.
UNCLOSED = ['"', "'", "{", "[", "(", '{"a":', "<", "</", "<!--", "<![CDATA[", "```\n", "`", "\\", "a(", "|"]
LENGTH = 1_000


def calls_made(text: str, read: Callable[[str], object] | None = None) -> int:
    """Return how many functions are called to read a text."""
    count = 0
    read = read or (lambda given: callwright.parse(given, tools=registry()))

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        read(text)
    finally:
        sys.setprofile(before)
    return count


def pieces(dialect: str) -> Iterator[str]:
    """Yield what a dialect writes, whole, and cut at its markers."""
    for marker in call_markers_of(dialect):
        yield marker
        if "read_file" in marker:
            cuts = [match.end() for match in re.finditer(r"[<>{}\[\]()\"'|:=,]+|\w+", marker)]
            yield from (marker[:cut] for cut in cuts[:: max(1, len(cuts) // 4)])


@pytest.mark.parametrize("dialect", dialect_names())
def test_twice_the_text_takes_twice_the_work(dialect: str) -> None:
    callwright.parse("\n".join(pieces(dialect)), tools=registry())
    head = max(call_markers_of(dialect), key=len).partition("zqb")[0]
    texts = [("", piece) for piece in pieces(dialect)] + [(head, piece) for piece in UNCLOSED]
    for start, piece in sampled(dict.fromkeys(texts), keep=6):
        short, long = (start + piece * (length // len(piece)) for length in (LENGTH, 3 * LENGTH))
        # What is made ready on first use, and what small texts do whole, is allowed for.
        assert calls_made(long) < 4.2 * calls_made(short) + 20_000, (start, piece)


@pytest.mark.parametrize(
    ("before", "after"), [("<read_file>", "</read_file>"), ('```json\n{"tool": "read_file", "arguments": ', "}\n```")]
)
def test_every_argument_takes_as_long_as_the_first(before: str, after: str) -> None:
    def call(count: int) -> str:
        members = ", ".join(f'"unknown_{number}": {number}' for number in range(count))
        return f"{before}{{{members}}}{after}"

    callwright.parse(call(3), tools=registry())
    assert calls_made(call(600)) < 4.2 * calls_made(call(200)) + 20_000


#: Pieces of what may be a call of an unknown tool, in front of what shows that it is none, or of nothing.
STRANGE = [
    *(
        "<x>",
        "<x>t",
        "<x>\n<p>",
        "<x><p>v</p>",
        "<x><p>v</p> t ",
        "<x><!--",
        "<x><!-- -->",
        "<x><![CDATA[",
        "<x a='1'",
        "(<x>",
    ),
    *(
        '<x>{"a": ',
        '<x>{"a" ',
        '<x>"a',
        "<x>```json\n{",
        "<a>t<b></a>",
        "<result>\n",
        "<result>",
        "<execute_command>\n",
    ),
    *("read_file(\n", "read_file(\n\n", 'read_file("""\n', "read_file('a\n", "read_file(path='a')\n", "f(\n"),
    *('{"a":\n', '[{"a":\n', '{"a": 1}\n', '{"tool": "x"\n', "[TOOL_RESULTS]\n"),
]


def nested(piece: str, length: int) -> str:
    """Return names that differ, each inside the one before and with text at its end, so that none is a call."""
    count = length // (2 * len(piece) + 8)
    return "".join(f"<a{n}>{piece}" for n in range(count)) + "".join(f" t</a{n}>" for n in reversed(range(count)))


@pytest.mark.parametrize("piece", [*STRANGE, *(f"nested {inner}" for inner in ("<p>v</p>", "<q>", ""))])
def test_a_strict_reading_of_twice_the_text_takes_twice_the_work(piece: str) -> None:
    parser = StrictParser(tools=registry(), dialect="hermes", limits=Limits(None, None, None, None))
    inner = piece.removeprefix("nested ")
    short, long = (
        nested(inner, length) if inner != piece else piece * (length // len(piece)) + " t"
        for length in (LENGTH, 3 * LENGTH)
    )
    parser.parse(long)
    made = [calls_made(text, parser.parse) for text in (short, long)]
    assert made[1] < 1.4 * made[0] * len(long) / len(short) + 20_000


#: Pieces of what prompts frame, label and leave to be filled in; `#` is another number each time.
FRAMED = [
    "<notes>\n",
    "</notes>\n",
    "<notes_#>\n",
    "</notes_#>\n",
    "<notes>\n</nots>\n",
    "<notes> `x` <!-- y -->\n",
    "```\n<notes>\n```\n",
    "<unknown_#><path>a</path></unknown_#>\n",
    "## unknown_#\n\n<unknown_#><path>a</path></unknown_#>\n",
    "Wrong:\n\n<read_file><paht>a</paht></read_file>\n\n",
    "## Mistakes\n",
    "❌ <read_file><paht>a</paht></read_file>\n",
    "<read_file><path>[file]</path><paht>YOUR_FILE</paht></read_file>\n",
    "{{ name }}\n",
    "{% if a %}\n",
    "{% if a %}<read_file><path>a</path>{% endif %}\n",
    "{{#each a}} {{/if}}\n",
]


@pytest.mark.parametrize("piece", FRAMED)
def test_a_check_of_twice_the_prompt_takes_twice_the_work(piece: str) -> None:
    def text(count: int) -> str:
        return "".join(piece.replace("#", str(number)) for number in range(1_000, 1_000 + count))

    def check(given: str) -> object:
        return diagnostics(open_snapshot(given, path="a.md", registry=registry(), settings=Settings()))

    check(text(20))
    short, long = (calls_made(text(count), check) for count in (150, 450))
    assert long < 4.2 * short + 20_000


@pytest.mark.parametrize("known", ["parameters", "tools"])
def test_a_misspelt_name_takes_as_long_among_many_names_as_among_few(known: str) -> None:
    def work(misspelt: int, names: int) -> int:
        alike = [f"name_of_it_{number:05}" for number in range(names)]
        own = alike if known == "parameters" else ["path"]
        definitions = [
            {
                "name": name,
                "description": "It.",
                "inputSchema": {"type": "object", "properties": {name: {} for name in own}},
            }
            for name in (["read_it"] if known == "parameters" else alike)
        ]
        tools = ToolRegistry.of(definitions)
        corrections = [f"naem_of_it_{number:05}" for number in range(misspelt)]
        if known == "parameters":
            members = ", ".join(f'"{syntax_error}": 1' for syntax_error in corrections)
            text = f'{{"tool": "read_it", "arguments": {{{members}}}}}'
        else:
            text = "\n".join(
                f"<tool_call>\n{json.dumps({'name': s, 'arguments': {}})}\n</tool_call>" for s in corrections
            )
        return calls_made(text, lambda given: callwright.check(given, tools=tools))

    work(2, 10)
    few, many = (work(40, names) - work(10, names) for names in (2_500, 10_000))
    assert many < 1.2 * few


PROSE = "Some words of prose that say what is to be done here.\n" * 12


@pytest.mark.parametrize(
    ("dialect", "path"), sampled(product(general_names(), ["a.prompt", "a.md", "a.j2"]), keep=4, by=itemgetter(1))
)
def test_what_is_scanned_of_a_document_grows_as_it_does(
    dialect: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document is read in blocks, and each block of calls that nothing closes is sought through to the end."""
    scanned_at = 0

    def counting(text: str, *arguments: Any, **named: Any) -> Any:
        nonlocal scanned_at
        scanned_at += len(text)
        return read_segment(text, *arguments, **named)

    monkeypatch.setattr("callwright.document.flow_reading.read_segment", counting)
    format_ = find_dialect(dialect)
    assert format_ is not None
    call = format_.render("read_file", {"path": "src/a.py"}, registry().get("read_file")[0], RenderStyle())
    assert not isinstance(call, Refusal)
    cuts = {call[: call.index("src/a.py") + len("src/a.py")], call[: call.index("read_file") + len("read_file")]}
    for head in sorted(cuts):
        counts: list[int] = []
        for size in (40_000, 320_000):
            piece = f"{head}\n\n{PROSE}\n"
            text = piece * (size // len(piece))
            scanned_at = 0
            open_snapshot(text, path=path, registry=registry(), settings=Settings())
            counts.append(scanned_at)
        # What one block of text after the other checks grows as the square of it, which would be sixty times as much.
        assert counts[1] < 20 * counts[0], (head, counts)
