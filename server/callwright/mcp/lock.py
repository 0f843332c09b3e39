"""The lock file: the tools of servers as they were when someone asked, with where they came from.

Owns: the shape of `tools.lock.json`, its text, what two of them differ in. Must not know: how servers are asked, files
on a disk, the clock.

The text is for reviewers: servers and tools are sorted, a tool is one stanza, and characters that cannot be seen are
written as escapes. A server that answers the same as before leaves its stanzas as they are, the time included.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from callwright.text.shown import is_hidden

#: The value of a lock file's first key; another number is of a later program.
VERSION: Final = 1
NAME: Final = "tools.lock.json"

_SEEN = re.compile(r"[^\x00-\x7e]")
#: No definition of a tool nests so deep; what does could not be written again.
_MAX_DEPTH: Final = 300
_UNKEPT: Final = "contains a number that is not finite, or values nested too deep, which cannot be stored"


class LockError(Exception):
    """A text is not a lock file, or tools cannot be written into one: one message, without the file's name."""


@dataclass(frozen=True, slots=True)
class Locked:
    """One server's part: `origin` says where its tools come from, `tools` are as it sent them."""

    name: str
    origin: Mapping[str, Any]
    tools: Sequence[Any]

    @property
    def edited(self) -> bool:
        """Whether the tools are not those that the origin's hash was made of."""
        return self.origin.get("hash") != digest(self.tools)


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two lists of tools: names, and for each changed tool the members that did."""

    added: Sequence[str] = ()
    removed: Sequence[str] = ()
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def lock_server(
    name: str, written: Mapping[str, Any], tools: Sequence[Any], stated: Mapping[str, Any], before: Locked | None
) -> Locked:
    """Return a server's part; where nothing but the time is new, what was there before.

    `written` is its origin, `stated` what it and the protocol state about themselves, with the time.
    """
    ordered = sorted(tools, key=lambda tool: (_name(tool), _canonical(tool)))
    origin = {**written, **stated, "hash": digest(ordered)}
    if before is not None:
        same = _canonical({**before.origin, "time": ""}) == _canonical({**origin, "time": ""})
        if same and not before.edited:
            return before
    return Locked(name, origin, ordered)


def digest(tools: Sequence[Any]) -> str:
    """Return the hash of a list of tools, whatever their order and that of their members."""
    lines = sorted(map(_canonical, tools))
    return "sha256:" + hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def compare(before: Locked | None, after: Locked) -> Changes:
    """Return what differs in the tools of a server; a name that is there several times counts as one tool."""
    old, new = _by_name(before.tools if before is not None else ()), _by_name(after.tools)
    return Changes(
        added=[name for name in new if name not in old],
        removed=[name for name in old if name not in new],
        changed={
            name: _members(old[name], new[name])
            for name in new
            if name in old and list(map(_canonical, old[name])) != list(map(_canonical, new[name]))
        },
    )


def render(servers: Mapping[str, Locked]) -> str:
    """Return the text of a lock file. Raises LockError where a tool holds what JSON cannot."""
    parts = [render_server(servers[name]) for name in sorted(servers)]
    body = ",\n".join(parts)
    inner = "{\n" + body + "\n  }" if parts else "{}"
    return f'{{\n  "lockVersion": {VERSION},\n  "servers": {inner}\n}}\n'


def render_server(server: Locked) -> str:
    """Return a server's part of the text."""
    document = {"origin": server.origin, "tools": list(server.tools)}
    text = f"{_dumped(server.name, None)}: {_dumped(document, 2)}"
    return "\n".join("    " + line for line in text.split("\n"))


def stanzas(server: Locked, names: Collection[str]) -> str:
    """Return the definitions of some of a server's tools as the text of a lock file has them."""
    return "".join(_dumped(tool, 2) + "\n" for tool in server.tools if _name(tool) in names)


def parse(text: str) -> dict[str, Locked]:
    """Return what a lock file holds. Raises LockError where it is none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise LockError("is not valid JSON; restore it, or delete it to create a new one") from None
    if not isinstance(document, dict) or "lockVersion" not in document:
        raise LockError("is not a lock file; choose another file with `--output`")
    if document["lockVersion"] != VERSION:
        raise LockError("was written by a later version of Callwright; update Callwright")
    servers = document.get("servers")
    found: dict[str, Locked] = {}
    for name, value in servers.items() if isinstance(servers, dict) else ():
        origin, tools = (value.get("origin"), value.get("tools")) if isinstance(value, dict) else (None, None)
        if not isinstance(origin, dict) or not isinstance(tools, list):
            raise LockError(f"has no `origin` and `tools` for `{name}`; restore it, or delete it to create a new one")
        found[name] = Locked(name, origin, tools)
        if _is_deep(tools):
            raise LockError(_UNKEPT)
        _dumped(value, 2)
    return found


def _name(tool: Any) -> str:
    name = tool.get("name") if isinstance(tool, Mapping) else None
    return name if isinstance(name, str) else ""


def _by_name(tools: Sequence[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for tool in tools:
        found.setdefault(_name(tool), []).append(tool)
    return found


def _members(old: Sequence[Any], new: Sequence[Any]) -> Sequence[str]:
    """Return the members in which the definitions of one name differ."""
    if len(old) != len(new):
        return [f"{len(new)} definitions instead of {len(old)}"]
    keys: dict[str, None] = {}
    for one, other in zip(old, new, strict=True):
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            for key in [*one, *other]:
                if key not in one or key not in other or _canonical(one[key]) != _canonical(other[key]):
                    keys[key] = None
    return list(keys)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            inner
            for one in level
            if isinstance(one, list | dict)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _dumped(value: Any, indent: int | None) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except (ValueError, RecursionError):
        raise LockError(_UNKEPT) from None
    return _SEEN.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    """Return a character as it is where it can be seen, else as the escape of JSON."""
    character = found[0]
    if character.isprintable() and not is_hidden(character):
        return character
    return json.dumps(character)[1:-1] if not character.isascii() else f"\\u{ord(character):04x}"
