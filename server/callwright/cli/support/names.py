"""Names: what a person who mistyped one probably meant.

Owns: the nearest of several names, and the message that offers it. Must not know: what the names mean.
"""

from collections.abc import Iterable
from typing import Final

from callwright.calls.model import NATIVE
from callwright.cli.support.failure import CommandError

#: What native calls are called by their name in reports, and by the providers that have them.
_NATIVE: Final = (NATIVE, "tool_calls", "openai", "anthropic")


def unknown(kind: str, name: str, names: Iterable[str], remedy: str) -> CommandError:
    """Return the message that `name` is unknown, with the nearest name if one is near, and the remedy."""
    from difflib import get_close_matches

    known = {one.lower(): one for one in names}
    near = get_close_matches(name.lower().replace("_", "-"), known, n=1, cutoff=0.6) or get_close_matches(
        name.lower(), known, n=1, cutoff=0.6
    )
    hint = f" Did you mean `{known[near[0]]}`?" if near else ""
    return CommandError(f"unknown {kind} `{name}`.{hint} {remedy}")


def nearest_command(words: str) -> str | None:
    """Return the command of two words that `words` resemble, if they do."""
    from difflib import get_close_matches

    from callwright.cli.support.arguments import command_names

    longer = [name for name in command_names() if " " in name]
    return next(iter(get_close_matches(words, longer, n=1, cutoff=0.75)), None)


def unknown_dialect(name: str) -> CommandError:
    """Return the message that a dialect is unknown, and how to list the dialects."""
    from callwright.dialects.catalogue import dialect_names

    if name.lower() in _NATIVE:
        alike = next((f", such as `{each}`" for each in dialect_names() if each.startswith(f"{name.lower()}-")), "")
        return CommandError(
            f"`{name}` is not a dialect: native calls are fields of a transcript, such as `tool_calls`, and not text."
            f" Choose a dialect for calls in text{alike}; `callwright dialect` lists all dialects."
        )
    return unknown("dialect", name, dialect_names(), "`callwright dialect` lists all dialects.")
