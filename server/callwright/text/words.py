"""Words: how messages count, list and quote.

Owns: plurals, enumerations, and text quoted in backticks. Must not know: what the messages are about.
"""

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """Return `number` and `noun`, with the noun in the plural if needed: `2 braces`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Return the parts as a list in a sentence: `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def quoted(text: str, limit: int = 40) -> str:
    """Return `text` in backticks on one line, cut to `limit` characters, so it cannot break the message."""
    line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[: limit + 1])
    if len(line) > limit:
        line = line[: limit - 1] + "…"
    return f"`` {line} ``" if "`" in line else f"`{line}`"
