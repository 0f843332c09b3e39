"""What git ignores: `.gitignore` in a folder and in those around it, and the repository's own list of exclusions.

Owns: the patterns of such files, and which file of which folder decides. Must not know: what is checked. The rules are
those of https://git-scm.com/docs/gitignore, which the tests compare with git itself. A pattern takes time linear in a
path for each of its stars. Nothing outside the repository is read.

`pathspec` is not used. It makes one regular expression of a line, which backtracks: for five stars and a name of 250
characters that takes more than twenty seconds, and a checked folder is not trusted. For sets with a class, a `/` or a
`\\` in them, for `\\/` and for a tab at the end it differs from git.
"""

from __future__ import annotations

import os
import re
import stat
from functools import cached_property
from pathlib import Path
from typing import Final

from callwright.text.records import NamedTuple

_FILE: Final = ".gitignore"
#: A file beyond this size in bytes is no list of patterns.
_LARGEST: Final = 1 << 20
_CLASSES: Final = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "cntrl": "\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \t\n\r\v\f",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class Ignored:
    """What git ignores below a folder; entries are asked about from the top, and nothing in an ignored folder is."""

    def __init__(self, folder: Path) -> None:
        self._top = Path(os.path.abspath(folder))  # noqa: PTH100 - links are not followed
        self._rules: dict[Path, tuple[_Rule, ...]] = {}
        self._root = next((one for one in (self._top, *self._top.parents) if (one / ".git").exists()), self._top)
        above = [one for one in self._top.parents if one.is_relative_to(self._root)][::-1]
        parts = self._top.relative_to(self._root).parts
        inside = [self._root.joinpath(*parts[: index + 1]) for index in range(len(parts))]
        if above and any(self.ignores(one, folder=True) for one in inside):
            # An ignored folder that is named is checked with what is in it.
            self._root = self._top

    def ignores(self, path: Path, *, folder: bool) -> bool:
        """Return whether git ignores a file or folder that lies in a folder that it does not ignore."""
        parts = tuple(name if name.isascii() else _bytewise(os.fsencode(name)) for name in path.parts)
        for around in path.parents:
            inner = parts[len(around.parts) :]
            for rule in reversed(self._of(around)):
                if rule.fits(inner, folder=folder):
                    return not rule.negated
            if around == self._root:
                break
        return False

    def _of(self, folder: Path) -> tuple[_Rule, ...]:
        """Return the rules of a folder, the strongest last."""
        known = self._rules.get(folder)
        if known is None:
            known = _read(folder / _FILE)
            if folder == self._root:
                known = _read(folder / ".git" / "info" / "exclude") + known
            self._rules[folder] = known
        return known


def _bytewise(data: bytes) -> str:
    """Return text in which every character means a byte, as `?` does for git."""
    return data.decode("latin-1")


def _read(file: Path) -> tuple[_Rule, ...]:
    try:
        state = file.lstat()
        # Links are not followed, and pipes are not waited for.
        if not stat.S_ISREG(state.st_mode) or state.st_size > _LARGEST:
            return ()
        text = _bytewise(file.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError:
        return ()
    return tuple(rule for line in text.split("\n") if (rule := _Rule.of(line.removesuffix("\r"))) is not None)


class _Segment(NamedTuple):
    """What one step of a path must be; None means any number of steps."""

    text: str
    pattern: re.Pattern[str] | None

    def fits(self, name: str) -> bool:
        return name == self.text if self.pattern is None else self.pattern.fullmatch(name) is not None


class _Rule:
    """One line of a file: what it names, and whether that is ignored or, `negated`, not."""

    def __init__(self, text: str, *, negated: bool) -> None:
        self.negated = negated
        self._folders = text.endswith("/")
        self._text = text.removesuffix("/")

    @classmethod
    def of(cls, line: str) -> _Rule | None:
        """Return the rule in a line, None where it has none."""
        text = re.sub(r"(?<!\\) ++$", "", line) if not line.endswith("\\ ") else line
        if not text or text.startswith("#"):
            return None
        negated = text.startswith("!")
        text = text[negated:]
        return cls(text, negated=negated) if text.strip("/") else None

    @cached_property
    def _segments(self) -> list[_Segment | None] | None:
        """What the steps of a path must be; None where nothing fits."""
        steps = _steps(self._text)
        if steps is None:
            return None
        if "/" not in self._text:
            name = _segment(steps[0])
            return None if name is None else [None, name]
        found: list[_Segment | None] = []
        for step in steps[1:] if self._text.startswith("/") else steps:
            if step == "**":
                if not found or found[-1] is not None:
                    found.append(None)
                continue
            one = _segment(step)
            if one is None:
                return None
            found.append(one)
        return found

    def fits(self, parts: tuple[str, ...], *, folder: bool) -> bool:
        """Return whether a path, given in steps from the folder of the file, is what the rule names."""
        if self._folders and not folder:
            return False
        segments = self._segments
        if segments is None:
            return False
        if len(segments) == 2 and segments[0] is None and segments[1] is not None:
            return segments[1].fits(parts[-1])
        reached = {0}
        for index, segment in enumerate(segments):
            if segment is None:
                # At the end it means one step or more.
                first = min(reached) + (index == len(segments) - 1)
                reached = set(range(first, len(parts) + 1))
            else:
                reached = {at + 1 for at in reached if at < len(parts) and segment.fits(parts[at])}
            if not reached:
                return False
        return len(parts) in reached


def _steps(text: str) -> list[str] | None:
    """Return a pattern in steps, None where it fits nothing for a set that is not closed; a `/` in a set parts none."""
    steps = [""]
    at = 0
    while at < len(text):
        end = at + 1
        if text[at] == "[":
            found = _set(text, end)
            if found is None:
                return None
            end = found[1]
        elif text[at] == "\\":
            # An escaped `/` is one like any other.
            at += text[end : end + 1] == "/"
            end = at + 1 if text[at] == "/" else end + 1
        if text[at] == "/":
            steps.append("")
        else:
            steps[-1] += text[at:end]
        at = end
    return steps


def _segment(text: str) -> _Segment | None:
    """Return what one step of a pattern means; None where it fits nothing."""
    if not re.search(r"[*?\[\\]", text):
        return _Segment(text, None)
    # The parts between stars, each as a regular expression for a fixed number of characters.
    parts = [""]
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "*":
            if parts[-1] or len(parts) == 1:
                parts.append("")
        elif character == "?":
            parts[-1] += "."
        elif character == "[":
            found = _set(text, at)
            if found is None:
                return None
            piece, at = found
            parts[-1] += piece
        elif character == "\\":
            if at == len(text):
                return None
            parts[-1] += re.escape(text[at])
            at += 1
        else:
            parts[-1] += re.escape(character)
    first, *middle = parts
    if not middle:
        return _Segment("", re.compile(first, re.DOTALL))
    *between, last = middle
    # The nearest place is as good as any, so that nothing need be tried twice.
    body = "".join(f"(?>.*?{one})" for one in between if one)
    return _Segment("", re.compile(f"{first}{body}.*{last}", re.DOTALL))


def _set(text: str, at: int) -> tuple[str, int] | None:
    """Return a set of characters that opens before `at`, and where it ends; None where it is not closed."""
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    ranges: list[tuple[str, str]] = []
    named = ""
    first = True
    while at < len(text):
        character = text[at]
        if character == "]" and not first:
            body = "".join(_range(low, high) for low, high in ranges) + named
            if not body:
                return ("." if negated else "(?!)"), at + 1
            return f"[{'^' if negated else ''}{body}]", at + 1
        first = False
        if character == "[" and text[at + 1 : at + 2] == ":":
            end = text.find(":]", at + 2)
            if end < 0 or text[at + 2 : end] not in _CLASSES:
                return None
            named += _CLASSES[text[at + 2 : end]]
            at = end + 2
            continue
        low, at = _member(text, at)
        high = low
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("]", ""):
            high, at = _member(text, at + 1)
        ranges.append((low, high))
    return None


def _member(text: str, at: int) -> tuple[str, int]:
    """Return one character of a set, and where the next begins."""
    if text[at] == "\\" and at + 1 < len(text):
        return text[at + 1], at + 2
    return text[at], at + 1


def _range(low: str, high: str) -> str:
    """Return the characters between two; of a range that is written backwards, its beginning alone counts."""
    return f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)
