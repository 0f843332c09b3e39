"""Servers: what is started or connected to, and how it is announced beforehand.

Owns: `Server`, `ServerError`, `Text` (a text with its secrets, and as it may be shown), which names sound like secrets.
Must not know: the files that name servers, the protocol.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

#: What is where a secret is not shown.
HIDDEN: Final = "…"

#: Words in a name that make its value a secret. They are whole words, so that `GIT_ASKPASS`, which names a program, is
#: shown.
_SECRET = re.compile(
    r"(?:^|[-_.\s])(?:api[-_]?key|apikey|key|token|secret|password|passwd|pwd|pat|credentials?|authorization|auth|"
    r"cookie|bearer|session)(?:$|[-_.\s])",
    re.IGNORECASE,
)
#: A value that could be a secret: one word, neither a path nor an option. Anything else might decide what is run.
_PLAIN = re.compile(r"[A-Za-z0-9_+=][A-Za-z0-9_+=.:~@$%!^*/ -]*+\Z")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class ServerError(Exception):
    """A server cannot be asked, or did not answer as it should: one message for a person, with the remedy in it."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it is used, and as it may be shown: without values that only the user knows."""

    value: str
    shown: str

    @classmethod
    def plain(cls, value: str) -> Text:
        """Return a text without secrets."""
        return cls(value, value)


@dataclass(frozen=True, slots=True)
class Server:
    """One server, ready to be asked: a program with its words, or the address of one that runs already.

    `written` is its origin as the lock file records it, without values of secrets. `program` is the file that is
    started, found where the server's own `PATH` leads.
    """

    name: str
    cwd: Path
    file: str | None = None
    program: str = ""
    command: tuple[Text, ...] = ()
    env: Mapping[str, Text] = field(default_factory=dict)
    url: Text | None = None
    headers: Mapping[str, Text] = field(default_factory=dict)
    written: Mapping[str, Any] = field(default_factory=dict)

    def described(self) -> Sequence[str]:
        """Return the lines that a person must see before the server is asked: everything that decides what runs."""
        if self.url is not None:
            lines = [f"connects to  {self.url.shown}"]
            lines += [f"header       {name}: {value.shown}" for name, value in self.headers.items()]
            return lines
        lines = [f"runs         {shlex.join(word.shown for word in self.command)}"]
        if self.program != self.command[0].value:
            lines.append(f"program      {self.program}")
        lines.append(f"in           {self.cwd}")
        lines += [f"environment  {name}={_quoted(value)}" for name, value in self.env.items()]
        return lines


def _quoted(text: Text) -> str:
    return shlex.quote(text.value) if text.shown == text.value else text.shown


def is_secret_name(name: str) -> bool:
    """Return whether a name marks its value as secret."""
    return _SECRET.search(_HUMPS.sub("_", name)) is not None


def shown_value(name: str, text: Text) -> str:
    """Return a value as it may be shown under its name: of a secret only the length.

    A value that could be a program, a path or an option is always shown: it may decide what is run.
    """
    if text.shown != text.value or not is_secret_name(name) or not _PLAIN.match(text.value):
        return text.shown
    return f"{HIDDEN} ({len(text.value)} characters)"


def without_secrets(words: Sequence[str]) -> list[str]:
    """Return the words of a command with the values of options that sound like secrets left out."""
    done: list[str] = []
    hide = False
    for word in words:
        name, equals, value = word.partition("=")
        if hide and not word.startswith("-") and "${" not in word:
            done.append(HIDDEN)
        elif equals and is_secret_name(name.lstrip("-")) and value and "${" not in value:
            done.append(f"{name}={HIDDEN}")
        else:
            done.append(word)
        hide = word.startswith("-") and not equals and is_secret_name(word.lstrip("-"))
    return done


def public_address(url: str) -> str:
    """Return an address without user, password, fragment and the values of its query."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return HIDDEN
    query = "&".join(f"{one.partition('=')[0]}={HIDDEN}" if "=" in one else one for one in parts.query.split("&"))
    return urlunsplit(SplitResult(parts.scheme, host, parts.path, query, ""))
