"""What each style of declarations reads: the files `<style>/*.md` here.

A `declarations` fence has for each declaration its style and lines, and below it each tool with the place of its name,
and each parameter with its path, type, whether it is required, its choices, the place of its name, and the first words
of its description. `none` is given where a text looks like a declaration and is none: all of `look-alikes.md` are such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from callwright.declarations.reading import Declaration, Declarations, declarations_in
from callwright.declarations.styles.catalogue import STYLES
from callwright.text.document import TextDocument
from callwright.text.span import Span
from support.cases import Case, Fence, Producer, load_cases, read_cases
from support.sampling import sampled

FOLDER = Path(__file__).parent
FOLDERS = sorted(path for path in FOLDER.iterdir() if any(path.glob("*.md")))
#: How many words of a description are shown.
WORDS = 5


class Shown:
    """The declarations of a text in words, each place of a name checked against the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.document = TextDocument.from_text(text)
        self.found: Declarations = declarations_in(text)

    def __str__(self) -> str:
        return "\n".join(line for each in self.found for line in self._declaration(each)) or "none"

    def _place(self, span: Span, name: str) -> str:
        written = span.of(self.text) or name
        assert written.strip("\"'`") == name, f"{written!r} is where {name!r} should be"
        line = self.document.line_at(span.start)
        return f"{line + 1}:{span.start - self.document.line_start(line) + 1}"

    def _declaration(self, each: Declaration) -> Iterator[str]:
        first, last = (self.document.line_at(offset) + 1 for offset in (each.span.start, each.span.end - 1))
        words = [each.style, f"{first}-{last}"]
        words += [] if each.read.whole else ["open"]
        words += ["broken"] if each.read.broken else []
        yield " ".join(words)
        places = each.read.document.places
        for definition in each.read.definitions:
            tool = definition.tool
            at = places.key(definition.name_path) if definition.name_is_key else places.value(definition.name_path)
            yield f"  {tool.name} {self._place(each.place(at), tool.name)}{_described(tool.description)}"
            path = definition.schema_path
            if path is not None:
                yield from self._parameters(each, tool.input_schema, path, "")

    def _parameters(
        self, each: Declaration, schema: Mapping[str, Any], path: tuple[str | int, ...], owner: str
    ) -> Iterator[str]:
        required = schema.get("required", ())
        for name, own in schema.get("properties", {}).items():
            if not isinstance(own, Mapping):
                continue
            place = each.read.document.places.key((*path, "properties", name))
            stated = [_type(own), "required" if name in required else "optional"]
            if "enum" in own:
                stated.append("one of " + ", ".join(map(str, own["enum"])))
            if "default" in own:
                stated.append(f"default {own['default']!r}")
            where = self._place(each.place(place), name)
            yield f"    {owner}{name}: {', '.join(stated)} {where}{_described(own.get('description', ''))}"
            yield from self._parameters(each, own, (*path, "properties", name), f"{owner}{name}.")
            items = own.get("items")
            if isinstance(items, Mapping):
                yield from self._parameters(each, items, (*path, "properties", name, "items"), f"{owner}{name}[].")


def _type(schema: Mapping[str, Any]) -> str:
    stated = schema.get("type", "any")
    return "|".join(stated) if isinstance(stated, list) else str(stated)


def _described(text: object) -> str:
    words = str(text).split()
    return f' "{" ".join(words[:WORDS])}{" …" if len(words) > WORDS else ""}"' if words else ""


def declarations(case: Case, fence: Fence) -> str:
    return str(Shown(case.source))


PRODUCERS: dict[str, Producer] = {"declarations": declarations}


def case_id(case: Case) -> str:
    return f"{case.file.parent.name}/{case.file.stem}: {case.title}"


@pytest.mark.parametrize("case", sampled(load_cases(*FOLDERS), keep=8, by=attrgetter("file")), ids=case_id)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
    own = case.file.parent.name
    styles = {each.style for each in declarations_in(case.source)}
    if case.file.stem == "look-alikes":
        assert not styles, f"{case_id(case)} declares nothing"
    elif "reads" not in case.info:
        assert styles == {own}, f"{case_id(case)} is read as {sorted(styles)}; say so with `reads=` if that is right"


@pytest.mark.parametrize("style", [entry["name"] for entry in STYLES.entries])
def test_every_style_has_enough_cases(style: str) -> None:
    files = sorted((FOLDER / style).glob("*.md"))
    counts = {file.stem: len(read_cases(file, file.read_text(encoding="utf-8"))) for file in files}
    assert counts.get("look-alikes", 0) >= 15
    assert sum(counts.values()) >= 40
