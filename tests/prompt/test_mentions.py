"""The quick scan of what a document mentions skips none in which the full one finds something.

Whether a text documents tools follows from its names and what is in front of them on their lines, before any line is
read. Each text is checked with that scan and without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from callwright.declarations import documented_lines
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.prompt import demanded_formats, mentions, teaching_lines
from callwright.prompt.teachings import teaching_of
from callwright.tools.registry import ToolRegistry
from invariants.corpus import seeded
from support.cases import load_cases
from support.engine import registry_of

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests/rules/drift"
PAGES = ROOT / "server/docs"
#: What may be in front of a tool's name where it is documented, or seem to.
LEADS = (
    *("", "- ", "* **", "1. ", "(2) `", "### ", "## Tool: `", "Tool 3 - ", "function: ", "name: ", "> - '", "🔧 "),
    *("| a | ", "|", "| `", "--- BEGIN FUNCTION #1: ", '<tool name="', "<tool name='", "def ", "async def ", "type "),
    *("export type ", "export async function ", "Use ", "See `", "\t- ", "• ", "– ", "command name: ", '{"name": "'),
)
REGISTRY = ToolRegistry.of(
    [
        {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}},
        {"name": "read_file_lines", "inputSchema": {"type": "object", "properties": {}}},
        {"name": "status", "inputSchema": {"type": "object", "properties": {}}},
        {"name": "odd name", "inputSchema": {"type": "object", "properties": {}}},
    ]
)

#: What is in each demand for a dialect; a fence's language is none.
FORMATS = re.compile(
    r"(?<!```)(?<!~~~)(?:xml|json|yaml)|TOOL_CALL|Action Input|<invoke|Write (?:all|each|calls)|Answer ", re.IGNORECASE
)


def scanned_at_closely(patch: pytest.MonkeyPatch) -> None:
    """Take all texts for such that may document tools, and demand dialects."""
    patch.setattr(mentions, "_may_document", lambda *_: True)
    patch.setattr(mentions, "_names_dialect", lambda text: FORMATS.search(text) is not None)
    patch.setattr(demanded_formats, "_candidate_lines", demanded_formats._LINE.finditer)
    patch.setattr(documented_lines, "_PLAIN_PROSE", re.compile("(?!)"))
    patch.setattr(teaching_lines, "_OLD_WORDS", ("",))


def opened(text: str, registry: ToolRegistry, settings: Settings | None = None) -> Snapshot:
    return open_snapshot(text, path="a.md", registry=registry, settings=settings or Settings())


@cache
def texts() -> tuple[tuple[str, ToolRegistry], ...]:
    """Return the cases of what prompts document, the project's own pages, and texts with leads of every kind."""
    found = [(case.source, registry_of(case)) for case in load_cases(CASES)]
    found += [(page.read_text(encoding="utf-8"), REGISTRY) for page in sorted(PAGES.glob("*.md"))]
    found += [(text, REGISTRY) for text in composed()]
    return tuple(found)


def composed() -> Iterator[str]:
    random = seeded("mentions")
    names = ("read_file", "read_file_lines", "status", "write_file", "odd name", "raed_file")
    tails = ("", ":", "**", "`", "` |", " tool", "(path: string)", " | reads |", '">', " = (_: {", " - reads", " of it")
    for _ in range(400):
        lines: list[str] = []
        for _ in range(random.randint(2, 8)):
            lines.append(
                random.choice(("", "", "", "", " " * 1_200, "| x " * 300))
                + random.choice(LEADS)
                + random.choice(names)
                + random.choice(tails)
            )
            lines += random.choice(
                ([], [""], ["Parameters:", "- path: (integer, required) where"], ["| Tool |", "|---|"], ["```"])
            )
        yield "\n".join(lines) + "\n"


def test_no_documented_tool_is_passed_over() -> None:
    documenting = 0
    for text, registry in texts():
        snapshot = opened(text, registry)
        teaching = teaching_of(snapshot, strangers=True)
        if any(registry.has(tool.name) for tool in teaching.tools):
            documenting += 1
            assert mentions.documents_tools(snapshot), text
    assert documenting > 150


@pytest.mark.whole(reason="the whole corpus, twice")
def test_diagnostics_are_those_of_a_close_look() -> None:
    found = [[str(each) for each in diagnostics(opened(*each))] for each in texts()]
    with pytest.MonkeyPatch.context() as patch:
        scanned_at_closely(patch)
        closely = [[str(each) for each in diagnostics(opened(*each))] for each in texts()]
    assert found == closely
    assert sum(map(len, found)) > 100


#: What lines begin with and continue with, where it matters, and what does not.
WORDS = (
    *(
        "The",
        "all",
        "Required",
        "parameters",
        "arguments",
        "input",
        "Inputs",
        "tool",
        "Tool name",
        "function",
        "command",
    ),
    *("name", "type", "def", "async def", "export type", "read_file", "path", "Look", "a", "x9", "K", "ſee", "ım"),
)
MARKERS = (
    "",
    ":",
    " (string)",
    " - ",
    " – reads",
    "?",
    "(a, b)",
    " = (_: {",
    " tool",
    " word",
    " `x`",
    "`",
    "**",
    ".b",
    " 1",
    ",",
)
BEGINS = ("", "- ", "1. ", "  * ", "> ", "\t", "(2) ", "# ", "**", "`", "| ")


def test_each_line_states_what_it_states_when_it_is_scanned_closely() -> None:
    text = "".join(
        f"{begin}{word}{marker}{rest}\n"
        for begin in BEGINS
        for word in WORDS
        for marker in MARKERS
        for rest in ("", " parameters: none", " function", ": string (required)")
    )
    found = list(documented_lines.read_lines(text))
    with pytest.MonkeyPatch.context() as patch:
        scanned_at_closely(patch)
        closely = list(documented_lines.read_lines(text))
    assert found == closely
    assert [text[line.start : line.end] for line in found] == text.splitlines()
    assert len({line.kind for line in found}) > 3
    assert sum(line.claim is not None for line in found) > 500
    assert sum(line.head is not None for line in found) > 500
    assert sum(line.label is not None for line in found) > 100


def test_formats_are_named_where_the_pattern_finds_one_and_demanded_on_lines_that_report() -> None:
    words = (
        *("xml", "JSON", "Yaml", "TOOL_CALL:", "Action:", "Action Input", '<invoke name="', "<tool_name>", "Write all"),
        *("write each", "Write it", "Answer ", "jſon", "acti\u0131on", '{"tool": "tool"}', "json"),
    )
    leads = ("", "```", "~~~", "`", "``", "> ", "Calls must be in ", "only ", "\r\n", "a\r")
    named = reported = 0
    for lead in leads:
        for word in words:
            for tail in ("", " tool", " must be used for each call.", "\r\nno more"):
                text = f"Some words.\n{lead}{word}{tail}"
                assert mentions._names_dialect(text) is (FORMATS.search(text) is not None), text
                every = [
                    stated
                    for line in demanded_formats._LINE.finditer(text)
                    for stated in demanded_formats._line(line[0], line.start())
                ]
                lines = demanded_formats._candidate_lines(text)
                stated = [each for line in lines for each in demanded_formats._line(line[0], line.start())]
                assert stated == every, text
                named += mentions._names_dialect(text)
                reported += len(stated)
    assert named > 100
    assert reported > 50


@pytest.mark.parametrize(
    "text",
    [
        "Prefer `read_file` over a whole listing, and see read_file: it is quick.\n",
        "- Call `read_file` first.\n\n```python\nresult = read_file(path)\n```\n",
        "<read_file><path>a</path></read_file>\n\nAs above, read_file reads.\n",
        "Look at it first, then go on. " * 50 + "Prefer `read_file`, and read_file again.\n",
    ],
    ids=["prose", "code", "call", "a long line"],
)
def test_who_only_speaks_of_tools_documents_none(text: str) -> None:
    snapshot = opened(text, REGISTRY)
    assert mentions.mentions_in(snapshot).outside
    assert not mentions.documents_tools(snapshot)
