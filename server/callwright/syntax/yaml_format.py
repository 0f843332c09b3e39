"""YAML's dialect of typed values, as fixes and conversions write it.

Owns: writing values, keys and members on one line, and whole values as block collections. Must not know: parsers,
calls, rules.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.text.patterns import compile_later
from callwright.text.yaml_scalars import UNWRITABLE, is_text

if TYPE_CHECKING:
    from callwright.syntax.json_nodes import JsonNode

#: The maximum depth of a written value; parsers reject deeper ones.
MAX_DEPTH: Final = 56
_PLAIN_KEY: Final = compile_later(r"[A-Za-z_][A-Za-z0-9_\-]{0,200}")
_SPLIT_PAIR: Final = compile_later("[\ud800-\udbff][\udc00-\udfff]")
#: What keeps a text from being written as a literal block: characters that would need an escape, lines that end in
#: space, what could end a fence around it, and more than one line end after it.
_NO_BLOCK: Final = compile_later(UNWRITABLE.pattern + r"|[ \t](?=\n|$)|```|~~~")


def quoted(value: str) -> str | None:
    """Return a text in double quotes; None if two lone surrogates follow each other in it."""
    if _SPLIT_PAIR.search(value) is not None:
        return None
    return UNWRITABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def one_line(value: Any) -> str | None:
    """Return a value on one line, which is JSON as far as YAML reads it; None if it cannot be written."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        parts: list[str] = []
        for key, entry in value.items():
            name, text = quoted(str(key)), one_line(entry)
            if name is None or text is None:
                return None
            parts.append(f"{name}: {text}")
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        entries = [one_line(entry) for entry in value]
        known = [entry for entry in entries if entry is not None]
        return f"[{', '.join(known)}]" if len(known) == len(entries) else None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return json.dumps(value)


def plain_key(key: str) -> str | None:
    """Return a key, without quotes if all parsers read it as the same text."""
    if _PLAIN_KEY.fullmatch(key) and is_text(key):
        return key
    return quoted(key)


def block_lines(value: Any, *, last: bool) -> list[str] | None:
    """Return a value as the lines that are below its key, the first of them after it; None where it cannot be.

    `last` says that nothing follows the value, so a line end after it is not certain.
    """
    if isinstance(value, Mapping) and value:
        lines = [""]
        for index, (key, entry) in enumerate(value.items()):
            name = plain_key(str(key))
            below = block_lines(entry, last=last and index == len(value) - 1)
            if name is None or below is None:
                return None
            lines.append(f"{name}:{below[0]}")
            lines += [f"  {line}" if line else line for line in below[1:]]
        return lines
    if isinstance(value, list) and any(isinstance(entry, Mapping | list) or _wants_block(entry) for entry in value):
        lines = [""]
        for index, entry in enumerate(value):
            below = block_lines(entry, last=last and index == len(value) - 1)
            if below is None:
                return None
            if below[0]:
                lines.append(f"-{below[0]}")
                lines += [f"  {line}" if line else line for line in below[1:]]
            else:
                lines.append(f"- {below[1]}")
                lines += [f"  {line}" if line else line for line in below[2:]]
        return lines
    if isinstance(value, str) and _wants_block(value) and not (last and value.endswith("\n")):
        chomp = "" if value.endswith("\n") else "-"
        return [f" |{chomp}", *value.removesuffix("\n").split("\n")]
    text = one_line(value)
    return None if text is None else [f" {text}"]


def _wants_block(value: Any) -> bool:
    """Return whether a value is a text of several lines that a literal block can contain as it is."""
    return (
        isinstance(value, str)
        and "\n" in value.removesuffix("\n")
        and not value.startswith((" ", "\t", "\n"))
        and not value.endswith("\n\n")
        and _NO_BLOCK.search(value) is None
    )


def depth_of(value: Any) -> int:
    """Return how deep objects and arrays are nested."""
    deepest = 0
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        entry, depth = waiting.pop()
        if isinstance(entry, Mapping | list):
            deepest = max(deepest, depth + 1)
            waiting += [(inner, depth + 1) for inner in (entry.values() if isinstance(entry, Mapping) else entry)]
    return deepest


def spaced(written: str, at: int, text: str) -> str:
    """Return a value as it is written at `at`: with a space before it where it follows a colon."""
    return f" {written}" if text[max(at - 1, 0) : at] == ":" else written


class YamlFormat:
    """YAML beside what is in one text: `root` is its tree, in offsets of `text`."""

    name = "YAML"

    def __init__(self, root: JsonNode, text: str) -> None:
        self.root = root
        self.text = text

    def detach(self, own: str, whole: str) -> None:
        """Refer to `own` in place of `whole`, which begins with it and may be far longer."""
        if self.text is whole:
            self.text = own

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return a value on one line."""
        del path
        return one_line(value)

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return a key."""
        del path
        return plain_key(key)

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return `key: value` on one line."""
        name, text = self.key(key, path), self.value(value, path)
        return None if name is None or text is None else f"{name}: {text}"

    def separator(self, node: JsonNode) -> str | None:
        """Return what is between the members of a block mapping; None for one in braces."""
        start = node.span.start
        if self.text[start : start + 1] == "{":
            return None
        line = max(self.text.rfind("\n", 0, start), self.text.rfind("\r", 0, start)) + 1
        return "\n" + " " * (start - line)
