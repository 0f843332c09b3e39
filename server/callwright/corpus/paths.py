"""Path expressions: where in a row something lies, such as `request.messages` or `turns[*].text`.

Owns: their syntax, and locating the values that one means. Must not know: what the values are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from callwright.corpus.failure import CorpusError

#: A step of a path: a key, an index, or every item.
Step = str | int | None
_STEP: Final = re.compile(r"\[(\*|\d+)\]|\[\"((?:[^\"\\]|\\.)*+)\"\]|([^.\[\]]+)")
_PLAIN: Final = re.compile(r"[^.\[\]\"\s]++")


def steps_of(expression: str) -> tuple[Step, ...]:
    """Return the steps of a path expression. Raises CorpusError where it is none."""
    steps: list[Step] = []
    at = 0
    while at < len(expression):
        if steps and expression[at] == ".":
            at += 1
        found = _STEP.match(expression, at)
        if found is None or (steps and found[3] is not None and expression[at - 1] != "."):
            raise CorpusError(
                f"invalid path `{expression}`; join keys with dots, and write `[*]` for all items of a list or `[0]`"
                " for one, as in `request.messages` or `turns[*].text`"
            )
        index, quoted, key = found.groups()
        steps.append((None if index == "*" else int(index)) if index is not None else key or quoted)
        at = found.end()
    if not steps:
        raise CorpusError("a path is empty; name a column, as in `messages`")
    return tuple(steps)


def values_at(value: Any, steps: Sequence[Step]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the values that steps lead to in plain data, in order, each with its own path; none where there is none."""
    waiting: list[tuple[tuple[str | int, ...], Any, int]] = [((), value, 0)]
    while waiting:
        path, current, done = waiting.pop()
        if done == len(steps):
            yield path, current
            continue
        step = steps[done]
        if isinstance(current, dict) and isinstance(step, str):
            if step in current:
                waiting.append(((*path, step), current[step], done + 1))
        elif isinstance(current, list):
            if step is None:
                items = [((*path, index), item, done + 1) for index, item in enumerate(current)]
                waiting += reversed(items)
            elif isinstance(step, int) and step < len(current):
                waiting.append(((*path, step), current[step], done + 1))


def dotted(path: Sequence[str | int]) -> str:
    """Return a path as it is written: `messages[2].content`."""
    written = ""
    for step in path:
        if isinstance(step, int):
            written += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            written += f".{step}" if written else step
        else:
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            written += f'["{quoted}"]'
    return written
