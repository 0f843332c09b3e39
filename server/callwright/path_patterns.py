"""Patterns of paths, as configuration writes them: `prompts/**`, `*.md`, `docs/**/*.{md,txt}`.

Owns: what a pattern matches, listing the files that it matches, and the names of files that need no pattern: those that
prompts have. Must not know: how any file is read.
"""

import os
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_WILD = re.compile(r"[*?\[{]")
#: Folders that are not meant when a pattern reaches into them by `**`.
PRUNED = frozenset({
    ".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__", ".tox", ".mypy_cache", ".callwright_cache",
    ".ipynb_checkpoints",
})  # fmt: skip

#: The suffix of temporary files that are about to replace others. One that a killed run has left is not a text,
#: whatever a pattern matches.
UNFINISHED = ".callwright-tmp"

#: Files with these endings are prompts or calls by their name alone: no configuration has to name them.
PROMPT_ENDINGS = (".prompt", ".prompty", ".poml", ".toolcall")

#: The names of prompts in tools for agents and in projects that keep them, as patterns. Case is ignored. Each is one
#: step with at most one star, at one end, or two steps, and matches at any depth; what matches a folder matches
#: everything in it. An editor selects such documents by `**/` and the pattern, alone and with `/**` after it.
PROMPT_NAMES = (
    *(f"*{ending}" for ending in PROMPT_ENDINGS),
    # VS Code and GitHub
    "*.prompt.md", "*.prompt.yml", "*.prompt.yaml", "*.instructions.md", "*.agent.md", "*.chatmode.md",
    "copilot-instructions.md", ".github/prompts", ".github/instructions", ".github/agents", ".github/chatmodes",
    # what many tools read
    "AGENTS.md", "AGENTS.override.md", "AGENT.md", "SKILL.md", ".agents", ".agent",
    # single tools
    "CLAUDE.md", "CLAUDE.local.md", ".claude/agents", ".claude/commands", ".claude/skills", ".claude/rules",
    ".claude/output-styles", "GEMINI.md", ".gemini/commands", "QWEN.md", "CRUSH.md", "WARP.md", ".codex/prompts",
    "*.mdc", ".cursorrules", ".cursor/commands", ".cursor/agents", ".windsurfrules", ".windsurf/rules",
    ".windsurf/workflows", ".clinerules", ".roorules", ".roorules-*", ".roomodes", ".roo", ".kilocode",
    ".kilocodemodes", ".goosehints", ".openhands_instructions", ".openhands/microagents", ".junie/guidelines.md",
    ".amazonq/rules", ".continue/rules", ".continue/prompts", ".augment-guidelines", ".augment/rules", ".trae/rules",
    ".kiro/steering", ".opencode/agent", ".opencode/agents", ".opencode/command", ".opencode/commands",
    ".factory/droids",
    # what authors call them
    "prompts", "system-prompts", "system_prompts", "prompt-templates", "prompt_templates", "system-prompt*",
    "system_prompt*", "*-prompt.md", "*_prompt.md", "*-prompt.txt", "*_prompt.txt", "prompt.md", "prompt.txt",
)  # fmt: skip


def is_pattern(text: str) -> bool:
    """Return whether a path contains wildcards."""
    return _WILD.search(text) is not None


def matches(pattern: str, path: str) -> bool:
    """Return whether a pattern matches a path; both are relative to the same folder, with `/` between the steps.

    A pattern without `/` matches a name at any depth. A pattern that matches a folder matches everything in it.
    """
    return _matcher(pattern).fits(path)


def is_prompt_name(path: str) -> bool:
    """Return whether a file has a prompt's name, or is in a folder that has one.

    The path is relative to the folder that is checked or open: the names of its parent folders do not count.
    """
    steps = path.replace("\\", "/").lower().removeprefix("./").split("/")
    names = _prompt_names()
    if any(step in names.exact or step.startswith(names.beginnings) or step.endswith(names.endings) for step in steps):
        return True
    return any(f"{first}/{second}" in names.exact for first, second in pairwise(steps))


class _PromptNames(NamedTuple):
    """The patterns of `PROMPT_NAMES`, prepared: whole names or pairs of steps, and how names begin and end."""

    exact: frozenset[str]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]


@cache
def _prompt_names() -> _PromptNames:
    lowered = [name.lower() for name in PROMPT_NAMES]
    return _PromptNames(
        frozenset(name for name in lowered if "*" not in name),
        tuple(name[:-1] for name in lowered if name.endswith("*")),
        tuple(name[1:] for name in lowered if name.startswith("*")),
    )


def find(pattern: str, folder: str) -> Iterator[str]:
    """Yield the absolute paths of the files that match a pattern in `folder`, sorted; links are not followed.

    Unlike in `matches`, a pattern without `/` matches files of the folder itself.
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
    """A prepared pattern: its alternatives, each as tokens and, where it is simple, as a regular expression."""

    __slots__ = ("_alternatives",)

    def __init__(self, pattern: str) -> None:
        text = pattern.replace("\\", "/")
        anywhere = "/" not in text.rstrip("/")
        text = text.removeprefix("./").strip("/")
        self._alternatives: list[tuple[list[str], re.Pattern[str] | None]] = []
        for one in _alternatives(text):
            tokens = [*([_DIRS] if anywhere else []), *_tokens(one)]
            stars = sum(token in (_STAR, _DEEP, _DIRS) for token in tokens)
            # With many stars a backtracking search could take exponential time; tokens are then followed side by side.
            simple = re.compile("".join(tokens) + "(?:/.*)?", re.DOTALL) if stars <= _SIMPLE else None
            self._alternatives.append((tokens, simple))

    def fits(self, path: str) -> bool:
        """Return whether the pattern matches the path or a folder above it."""
        return any(
            simple.fullmatch(path) is not None if simple is not None else _follows(tokens, path)
            for tokens, simple in self._alternatives
        )


_STAR, _DEEP, _DIRS = "[^/]*", ".*", "(?:.*/)?"
_SIMPLE = 3
#: How many patterns the braces of one may expand to.
_MAX_ALTERNATIVES = 64
#: The total length of all of them: they come from files of others.
_MAX_CHARACTERS = 64 * 512


@lru_cache(maxsize=512)
def _matcher(pattern: str) -> _Matcher:
    return _Matcher(pattern)


def _alternatives(text: str) -> list[str]:
    """Return the patterns that the braces in a pattern expand to; unclosed braces are characters."""
    done: list[str] = []
    pending = [text]
    most = min(_MAX_ALTERNATIVES, _MAX_CHARACTERS // max(len(text), 1))
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
        # Consecutive stars of a kind are the same as one.
        if not (tokens and tokens[-1] == piece and piece in (_STAR, _DEEP, _DIRS)):
            tokens.append(piece)
        at += 1
    return tokens


def _class(inner: str) -> str:
    """Return a set of characters as a regular expression; an invalid one means its own characters."""
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
    """Return whether tokens match a path or a folder above it, by tracking every place that they can have reached."""
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
