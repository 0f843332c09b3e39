"""Reproductions: a text and changes that make a server differ, made as short as they go, and played again.

Owns: `Reproduction`, playing and shortening it. Must not know: how the storm came to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from lsp.driven import Driven
from lsp.typist import Change, Typist, applied
from soak.answers import difference

#: How many shorter reproductions are tried.
ATTEMPTS: Final = 3_000


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A document as it was opened and what was done to it: each step is a list of changes that come at once."""

    path: str
    encoding: str
    text: str
    steps: list[list[Change]]

    def written(self) -> str:
        """Return the reproduction as JSON."""
        return json.dumps(asdict(self), ensure_ascii=True)

    @staticmethod
    def read(text: str) -> Reproduction:
        """Return the reproduction that `written` wrote."""
        value = json.loads(text)
        steps = [[(start, end, new) for start, end, new in step] for step in value["steps"]]
        return Reproduction(value["path"], value["encoding"], value["text"], steps)


#: Two servers for each encoding of positions: one that follows edits, one that opens texts again.
Servers = dict[str, tuple[Driven, Driven]]


def servers_of(root: Path) -> Servers:
    """Return the servers of a workspace."""
    return {name: (Driven(root, name), Driven(root, name)) for name in ("utf-16", "utf-8")}


def play(one: Reproduction, root: Path, servers: Servers) -> str | None:
    """Open the document, make the changes, and return in words how the last answer differs; None where it does not."""
    edited, fresh = servers[one.encoding]
    uri = (root / one.path).as_uri()
    typist = Typist(one.text, one.encoding)
    edited.open(uri, one.text, language="plaintext")
    stated: str | None = None
    for step in one.steps:
        try:
            edited.change(uri, typist.version + 1, typist.type(_fitting(typist.text, step)))
            fresh.open(uri, typist.text, language="plaintext")
            stated = difference(edited, fresh, uri, typist.text, deep=True)
            fresh.close(uri)
        except Exception as error:  # noqa: BLE001 - whatever is raised is a difference
            stated = fault(error)
            fresh.close(uri)
            break
    edited.close(uri)
    return stated


def fault(error: Exception) -> str:
    """Return in words what was raised where nothing should be."""
    return f"a fault: {type(error).__name__}: {error}"


def _fitting(text: str, step: list[Change]) -> list[Change]:
    """Return changes whose spans lie in the text."""
    found: list[Change] = []
    for start, end, new in step:
        begin = min(start, len(text))
        found.append((begin, max(begin, min(end, len(text))), new))
        text = applied(text, found[-1:])
    return found


def _without(one: Reproduction, at: int) -> Reproduction:
    """Return a reproduction without one of its steps."""
    return replace(one, steps=one.steps[:at] + one.steps[at + 1 :])


def _later(one: Reproduction, last: int) -> Reproduction:
    """Return a reproduction of the last steps alone, which begins with the text that those before them lead to."""
    text = one.text
    for step in one.steps[:-last]:
        text = applied(text, _fitting(text, step))
    return replace(one, text=text, steps=one.steps[-last:])


def _cut(one: Reproduction, start: int, end: int) -> Reproduction:
    """Return a reproduction whose text is opened without what is in a span."""

    def moved(offset: int) -> int:
        return offset if offset <= start else max(start, offset - (end - start))

    steps = [[(moved(a), moved(b), new) for a, b, new in step] for step in one.steps]
    return replace(one, text=one.text[:start] + one.text[end:], steps=steps)


def _trimmed(one: Reproduction, at: int, number: int, new: str) -> Reproduction:
    """Return a reproduction in which one change puts something else in."""
    start, end, _ = one.steps[at][number]
    step = [*one.steps[at][:number], (start, end, new), *one.steps[at][number + 1 :]]
    return replace(one, steps=[*one.steps[:at], step, *one.steps[at + 1 :]])


def shortened(one: Reproduction, fails: Callable[[Reproduction], bool], attempts: int = ATTEMPTS) -> Reproduction:
    """Return a reproduction that still fails, and is as short as so many attempts make it."""
    left = attempts

    def takes(other: Reproduction) -> bool:
        nonlocal one, left
        if left <= 0 or other == one:
            return False
        left -= 1
        if not fails(other):
            return False
        one = other
        return True

    # Most differences need only the last few steps, after the text as it was before them.
    any(takes(_later(one, 2**power)) for power in range(9) if 2**power < len(one.steps))
    before: Reproduction | None = None
    while before != one and left > 0:
        before = one
        for at in reversed(range(len(one.steps))):
            if len(one.steps) > 1 and not takes(_without(one, at)):
                for number in reversed(range(len(one.steps[at]))):
                    changes = one.steps[at][:number] + one.steps[at][number + 1 :]
                    takes(replace(one, steps=[*one.steps[:at], changes, *one.steps[at + 1 :]]))
        _cut_text(lambda: one.text, lambda start, end: takes(_cut(one, start, end)))
        for at, number in [(at, number) for at, step in enumerate(one.steps) for number in range(len(step))]:

            def without(start: int, end: int, at: int = at, number: int = number) -> bool:
                new = one.steps[at][number][2]
                return takes(_trimmed(one, at, number, new[:start] + new[end:]))

            _cut_text(lambda at=at, number=number: one.steps[at][number][2], without)  # type: ignore[misc]  # a default binds it
    return one


def _cut_text(text: Callable[[], str], takes: Callable[[int, int], bool]) -> None:
    """Cut pieces out of a text, large ones first, wherever they are not missed."""
    size = len(text())
    while size:
        start = 0
        while start < len(text()):
            if not takes(start, min(start + size, len(text()))):
                start += size
        size //= 2
