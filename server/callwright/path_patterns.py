"""Patterns of paths, as configuration writes them: `prompts/**`, `*.md`, `docs/**/*.{md,txt}`.

Owns: what a pattern matches, finding the files that it does, and the endings of files that need no pattern. Must not
know: how any file is read.
"""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_WILD = re.compile(r"[*?\[{]")
#: Folders that nobody means when a pattern reaches into them by `**`.
PRUNED = frozenset({
    ".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__", ".tox", ".mypy_cache", ".callwright_cache",
    ".ipynb_checkpoints",
})  # fmt: skip

#: How the names of files end that are about to take the place of others. One that a killed run left behind is no text,
#: whatever a pattern says.
UNFINISHED = ".callwright-tmp"

#: Files with these endings are prompts or calls by their name alone: no configuration has to name them.
PROMPT_ENDINGS = (".prompt", ".prompty", ".poml", ".toolcall")


def is_pattern(text: str) -> bool:
    """Tell whether a path holds wildcards."""
    return _WILD.search(text) is not None


def matches(pattern: str, path: str) -> bool:
    """Tell whether a pattern matches a path; both are relative to the same folder, with `/` between the steps.

    A pattern without `/` matches a name at any depth. A pattern that matches a folder matches everything in it.
    """
    return _matcher(pattern).fits(path)


def find(pattern: str, folder: str) -> Iterator[str]:
    """Yield the absolute paths of the files that a pattern names from `folder` on, sorted; links are not followed.

    Unlike in `matches`, a pattern without `/` names files of the folder itself.
    """
    if not is_pattern(pattern):
        path = os.path.normpath(Path(folder) / pattern)
        if os.path.exists(path):  # noqa: PTH110 - `exists` raises for a name that is too long
            yield path
        return
    steps = pattern.replace("\\", "/").split("/")
    fixed = next(index for index, step in enumerate(steps) if is_pattern(step))
    start = os.path.normpath(Path(folder) / ("/".join(steps[:fixed]) or ("/" if pattern.startswith("/") else ".")))
    rest = "/".join(steps[fixed:])
    matcher = _matcher("./" + rest)
    deepest = None if "**" in rest else rest.count("/")
    for place, folders, files in os.walk(start):
        relative = os.path.relpath(place, start).replace(os.sep, "/")
        depth = 0 if relative == "." else relative.count("/") + 1
        folders[:] = (
            sorted(name for name in folders if name not in PRUNED) if deepest is None or depth < deepest else []
        )
        for name in sorted(files):
            inner = name if relative == "." else f"{relative}/{name}"
            if matcher.fits(inner) and not name.endswith(UNFINISHED):
                yield str(Path(place) / name)


class _Matcher:
    """A pattern made ready: its alternatives, each as tokens and, where it is simple, as a regular expression."""

    __slots__ = ("_alternatives",)

    def __init__(self, pattern: str) -> None:
        text = pattern.replace("\\", "/")
        anywhere = "/" not in text.rstrip("/")
        text = text.removeprefix("./").strip("/")
        self._alternatives: list[tuple[list[str], re.Pattern[str] | None]] = []
        for one in _alternatives(text):
            tokens = [*([_DIRS] if anywhere else []), *_tokens(one)]
            stars = sum(token in (_STAR, _DEEP, _DIRS) for token in tokens)
            # With many stars a backtracking search could run away; tokens are then followed side by side.
            simple = re.compile("".join(tokens) + "(?:/.*)?", re.DOTALL) if stars <= _SIMPLE else None
            self._alternatives.append((tokens, simple))

    def fits(self, path: str) -> bool:
        """Tell whether the pattern matches the path, or a folder above it."""
        return any(
            simple.fullmatch(path) is not None if simple is not None else _follows(tokens, path)
            for tokens, simple in self._alternatives
        )


_STAR, _DEEP, _DIRS = "[^/]*", ".*", "(?:.*/)?"
_SIMPLE = 3
#: How many patterns the braces of one may stand for.
_MOST_ALTERNATIVES = 64
#: How long all of them may be together: a file of somebody else's says what they are.
_MOST_CHARACTERS = 64 * 512


@lru_cache(maxsize=512)
def _matcher(pattern: str) -> _Matcher:
    return _Matcher(pattern)


def _alternatives(text: str) -> list[str]:
    """Return the patterns that the braces in a pattern stand for; braces that are not closed are characters."""
    done: list[str] = []
    pending = [text]
    most = min(_MOST_ALTERNATIVES, _MOST_CHARACTERS // max(len(text), 1))
    while pending and len(done) + len(pending) <= most:
        one = pending.pop()
        found = re.search(r"\{([^{}]*+)\}", one)
        if found is None:
            done.append(one)
            continue
        pending.extend(one[: found.start()] + choice + one[found.end() :] for choice in reversed(found[1].split(",")))
    return done + pending


def _tokens(text: str) -> list[str]:
    """Return a pattern as regular expressions for one character each, and the three kinds of star."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        end = text.find("]", at + 2) if character == "[" else -1
        if text.startswith("**/", at):
            piece, at = _DIRS, at + 2
        elif character == "*":
            many = text.startswith("**", at)
            while text.startswith("*", at + 1):
                at += 1
            piece = _DEEP if many else _STAR
        elif character == "?":
            piece = "[^/]"
        elif end > 0:
            piece, at = _class(text[at + 1 : end]), end
        else:
            piece = re.escape(character)
        # Neighbouring stars of a kind say no more than one.
        if not (tokens and tokens[-1] == piece and piece in (_STAR, _DEEP, _DIRS)):
            tokens.append(piece)
        at += 1
    return tokens


def _class(inner: str) -> str:
    """Return a set of characters as a regular expression; one that makes no sense stands for its own characters."""
    negated = inner[:1] in ("!", "^")
    body = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner[1:] if negated else inner)
    # Python warns of two hyphens in a row, which here begin or end a range; three are the range from one to itself.
    body = re.sub(r"-{3,}", "-", body).replace("--", "\\--")
    try:
        re.compile(f"[{body}]")
    except re.error:
        body = re.escape(inner)
    return f"(?!/)[{'^' if negated else ''}{body}]"


def _follows(tokens: list[str], path: str) -> bool:
    """Tell whether tokens match a path or a folder above it, by keeping every place that they can have reached."""
    reached = {0}
    for token in tokens:
        if token == _STAR:
            following: set[int] = set()
            for start in sorted(reached):
                at = start
                while at not in following:
                    following.add(at)
                    if at >= len(path) or path[at] == "/":
                        break
                    at += 1
            reached = following
        elif token == _DEEP:
            reached = set(range(min(reached), len(path) + 1))
        elif token == _DIRS:
            first = min(reached)
            reached |= {at + 1 for at in range(first, len(path)) if path[at] == "/"}
        else:
            single = re.compile(token, re.DOTALL)
            reached = {at + 1 for at in reached if at < len(path) and single.match(path, at)}
        if not reached:
            return False
    return any(at == len(path) or path[at] == "/" for at in reached)
