"""The library's interface: read, check and convert a text with calls in it.

Owns: `parse`, `check`, `convert`, `instructions` and what they return. Must not know: files, editors, command lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from callwright.calls.call import Call
from callwright.conversion import Conversion, convert_document
from callwright.dialects.catalogue import find_dialect
from callwright.document.blocks import ReadPassage, binding_of, read_passages
from callwright.document.reader import FoundCall, ReadResult, read_context, read_segment
from callwright.document.settings import Settings, settings_for
from callwright.hosts.base import Passage
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.lint.passages import check_passage
from callwright.lint.placing import placed, projected
from callwright.text.projection import Identity
from callwright.text.span import newline_of
from callwright.tools.given import Tools, tools_given
from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from callwright.rules.base import Diagnostic

__all__ = ["Call", "Parsed", "Result", "Tools", "check", "convert", "instructions", "parse", "results", "settings_for"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The calls of a text in order, and their diagnostics."""

    calls: list[Call]
    diagnostics: list[Diagnostic]


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        remedy = "decode it first" if isinstance(text, bytes | bytearray | memoryview) else "it must be a string"
        raise TypeError(f"the text is a `{type(text).__name__}`: {remedy}")


def parse(text: str, *, tools: Tools = None, dialect: str | None = None) -> Parsed:
    """Return the calls in `text` and the diagnostics about them; never raises because of the text.

    `text` is one passage: code spans and comments are masked as in Markdown, calls in fences are read. With `dialect`,
    a call in any other is a diagnostic. `tools` are definitions, functions, a registry or a tool manager. Raises
    ValueError if the dialect is unknown or a definition cannot be used, TypeError if `text` is not a string or
    something in `tools` is not a tool.
    """
    _check_text(text)
    return _parsed(text, tools_given(tools), settings_for(dialect))


def _parsed(text: str, registry: ToolRegistry, settings: Settings) -> Parsed:
    context = read_context(registry, settings)
    newline = newline_of(text)
    calls: list[Call] = []
    found: list[Diagnostic] = []
    for result in results(text, read_segment(text, context), registry, settings):
        calls += [call for _, call in result.calls]
        found += [placed(diagnostic, 0, newline) for diagnostic in result.diagnostics]
    calls.sort(key=lambda call: call.span)
    found.sort(key=lambda diagnostic: diagnostic.span)
    return Parsed(calls, found)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one passage: each call as it was read and as it is returned, and the diagnostics.

    `read` is the passage with what was read in it; the spans of `Call` and of the diagnostics are those of the text
    around it.
    """

    read: ReadPassage
    calls: list[tuple[FoundCall, Call]]
    diagnostics: list[Diagnostic]


def results(text: str, segment: ReadResult, registry: ToolRegistry, settings: Settings) -> Iterator[Result]:
    """Yield the results of a text that was read, and then of each quoted string with calls in it."""
    for entry in read_passages(Passage(text, Identity(0, len(text))), segment):
        projection = entry.passage.projection
        calls: list[tuple[FoundCall, Call]] = []
        for item in entry.calls:
            binding = binding_of(entry, item, registry, settings)
            span = projection.raw_span(item.call.span)
            call = Call(item.call.tool, binding.arguments, item.call.dialect, span, item.call.call_id)
            calls.append((item, call))
        found = check_passage(entry, registry, settings)
        yield Result(entry, calls, [projected(each, projection) for each in found])


def check(text: str, *, tools: Tools = None, dialect: str | None = None, path: str | None = None) -> list[Diagnostic]:
    """Return the diagnostics in `text`; with `path`, it is read as the kind of document of the file's extension.

    Raises as `parse` does.
    """
    _check_text(text)
    registry, settings = tools_given(tools), settings_for(dialect)
    if path is None:
        return _parsed(text, registry, settings).diagnostics
    return diagnostics(open_snapshot(text, path=path, registry=registry, settings=settings))


def instructions(
    dialect: str, *, tools: Tools, style: Literal["terse", "full", "strict", "quoted"] = "full", several: bool = True
) -> str:
    """Return the section of a system prompt that teaches a model the tools, and how to write their calls in `dialect`.

    `style` is that of `callwright prompt`. Without `several`, a reply is to contain one call. The dialect's strict
    parser accepts every example in the section. `tools` are as for `parse`; an empty list gives a section without
    tools. Raises ValueError if the dialect or style is unknown, and as `parse` does for `tools`.
    """
    from callwright.teaching.section import STYLES, SectionOptions, section

    settings_for(str(dialect))
    if style not in STYLES:
        from callwright.tools.names import nearest

        near = nearest(str(style), STYLES)
        hint = f"did you mean `{near}`? There" if near is not None else "there"
        raise ValueError(f"there is no style `{style}`; {hint} are {', '.join(f'`{each}`' for each in STYLES)}")
    format_ = find_dialect(dialect)
    assert format_ is not None, "it is among the names"
    return section(format_, tools_given(tools).tools, SectionOptions(style=style, several=several))


def convert(text: str, to: str, *, tools: Tools = None, path: str | None = None, at: int | None = None) -> Conversion:
    """Return `text` with every call written in the dialect `to`; a call that would lose a value is kept, with the
    reason.

    With `at`, an offset in code points, only the call that is there is converted. Raises as `parse` does.
    """
    _check_text(text)
    settings_for(str(to))
    registry = tools_given(tools)
    return convert_document(
        open_snapshot(text, path=path or "text.md", registry=registry, settings=Settings(), by_shape=path is None),
        to,
        at=at,
    )
