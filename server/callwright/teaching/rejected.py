"""Replies that a strict reader rejects, for prompts that show what is not accepted.

Owns: the wrong ways to write a call that are tried, and the reasons. Must not know: layout. None is shown that the
reader of the dialect would take.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import find_dialect
from callwright.teaching.field_texts import code
from callwright.teaching.reading import Example, Referee
from callwright.text.records import NamedTuple

_LAST_BRACE = re.compile(r"\}(?=[^}]*+\Z)")
_LAST_CLOSER = re.compile(r"(?:</[^<>]++>|<\|?[^<>]*+\|?>|\]|\)|```)\s*+\Z")
#: How many closing markers are cut off, one after the other, until what is left is not a call any more.
_MAX_CUTS = 5
#: Dialects that models fall back to, each with what it is called; the first ones are the most frequent.
_OTHERS = (
    ("directive", "a directive instead of the format"),
    ("xml-children", "child elements instead of the format"),
    ("hermes", "JSON in another element"),
    ("fenced-json", "JSON in a fence"),
)


class Rejected(NamedTuple):
    """A reply of which nothing is carried out, and why."""

    text: str
    reason: str

    @property
    def shown(self) -> str:
        """The reply on one line: a line's end is shown as a program would write it."""
        return self.text.replace("\n", "\\n")


def rejected(referee: Referee, example: Example) -> Iterator[Rejected]:
    """Yield wrong ways to write the example, each of another kind, that the dialect's strict reader rejects."""
    right = referee.dialect.render(example.tool.name, example.arguments, example.tool, RenderStyle(compact=True))
    wrong = [*_misnamed(referee, example), *_incomplete(referee, example)]
    if not {*"<>"} & {*example.tool.name}:
        # A name with brackets may be a tag wherever it is written in another form.
        others = (one for one in _foreign(referee, example) if referee.rejects(one.text))
        first = next(others, None)
        if first is not None:
            yield first
        wrong[:0] = _visible_text(example)
    yield from (one for one in wrong if referee.rejects(one.text))
    if not isinstance(right, Refusal):
        broken = next((one for one in _broken(right) if referee.rejects(one.text)), None)
        if broken is not None:
            yield broken


def _foreign(referee: Referee, example: Example) -> Iterator[Rejected]:
    for name, words in _OTHERS:
        other = find_dialect(name)
        if other is None or name == referee.dialect.name:
            continue
        text = other.render(example.tool.name, example.arguments, example.tool, RenderStyle(compact=True))
        if not isinstance(text, Refusal):
            yield Rejected(text, words)


def _visible_text(example: Example) -> Iterator[Rejected]:
    value = next((one for one in example.arguments.values() if isinstance(one, str) and one.isprintable()), "")
    about = f" with {value}" if value and len(value) <= 40 else ""
    yield Rejected(f"Let me use {example.tool.name}{about}.", "text instead of a call")


def _misnamed(referee: Referee, example: Example) -> Iterator[Rejected]:
    """Yield the call of a tool that is not there."""
    name = f"{example.tool.name}_now"
    text = referee.dialect.render(name, example.arguments, None, RenderStyle(compact=True))
    if not isinstance(text, Refusal):
        yield Rejected(text, "there is no tool with this name")


def _incomplete(referee: Referee, example: Example) -> Iterator[Rejected]:
    """Yield the call without an argument that it must have."""
    for name, parameter in example.tool.parameters.items():
        if parameter.required and name in example.arguments:
            left: Mapping[str, Any] = {key: one for key, one in example.arguments.items() if key != name}
            text = referee.dialect.render(example.tool.name, left, example.tool, RenderStyle(compact=True))
            if not isinstance(text, Refusal):
                yield Rejected(text, f"the required {code(name)} is missing")
            return


def _broken(right: str) -> Iterator[Rejected]:
    """Yield the call with something of its end left out."""
    brace = _LAST_BRACE.search(right)
    if brace is not None:
        yield Rejected(right[: brace.start()] + right[brace.end() :], "a closing brace is missing")
    for _ in range(_MAX_CUTS):
        closer = _LAST_CLOSER.search(right)
        if closer is None or not closer.start():
            return
        right = right[: closer.start()].rstrip()
        yield Rejected(right, "it is truncated")
