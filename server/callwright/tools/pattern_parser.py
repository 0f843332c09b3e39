"""Parsing a pattern of ECMA 262 into its parts, and translating it to Python's syntax.

Owns: `PatternParser`, `PatternNode`, differences between engines. Must not know: what a pattern costs, schemas.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from callwright.text.records import NamedTuple
from callwright.tools.pattern_characters import DIGITS, LAST, LINE_ENDS, SPACE, WORD, category, complement, merged

if TYPE_CHECKING:
    from callwright.tools.pattern_characters import Ranges

#: How deep groups may nest.
_DEPTH: Final = 60
_CLASSES: Final = {"d": DIGITS, "w": WORD, "s": SPACE}
_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}


class Foreign(NamedTuple):
    """Syntax that ECMA 262 does not have, or reads differently: the place, the syntax, and the replacement."""

    start: int
    end: int
    text: str
    meaning: str
    instead: str | None


class PatternFaultError(Exception):
    """The text is not a valid pattern; the message says why."""


@dataclass(slots=True)
class PatternNode:
    """A part of a pattern: `set`, `all` (a sequence), `any` (alternatives), `loop`, `end` (`$`), `free` (matches
    nothing).
    """

    kind: str
    start: int
    end: int
    parts: list[PatternNode] = field(default_factory=list)
    chars: Ranges = ()
    least: int = 0
    most: int | None = None


_SPECIAL: Final = frozenset("^$\\.*+?()[]{}|/")


class PatternParser:
    """Reads a pattern from left to right, and writes the Python version at the same time."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.python: list[str] = []
        self.translatable = True
        self.fancy = False
        self.foreign: list[Foreign] = []
        self._depth = 0

    def whole(self) -> PatternNode:
        """Return the whole pattern. Raises PatternFaultError where it is invalid."""
        node = self._alternatives()
        if self.at < len(self.source):
            raise PatternFaultError("unmatched `)`")
        return node

    def _peek(self, text: str) -> bool:
        return self.source.startswith(text, self.at)

    def _alternatives(self) -> PatternNode:
        start = self.at
        variants = [self._row()]
        while self._peek("|"):
            self.at += 1
            self.python.append("|")
            variants.append(self._row())
        return variants[0] if len(variants) == 1 else PatternNode("any", start, self.at, variants)

    def _row(self) -> PatternNode:
        start = self.at
        parts: list[PatternNode] = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else PatternNode("all", start, self.at, parts)

    def _term(self) -> PatternNode:
        start, marker = self.at, len(self.python)
        node = self._atom()
        repeats = self._quantifier()
        if repeats is None:
            return node
        least, most = repeats
        written = self.source[self._quantified : self.at]
        if node.kind in ("free", "end") and self.source[start] in "^$":
            raise PatternFaultError(f"`{written}` has nothing to repeat")
        if self.at < len(self.source) and self.source[self.at] in "+*" and self._quantifier_at(self.at):
            if self.source[self.at] == "+":
                self._other(self.at, self.at + 1, "`" + written + "+` is possessive in other languages", None)
            raise PatternFaultError(f"`{self.source[self.at]}` has nothing to repeat")
        self.python[marker:] = ["".join(self.python[marker:]), written]
        if node.kind == "free":
            return node
        return PatternNode("loop", start, self.at, [node], least=least, most=most)

    def _quantifier_at(self, at: int) -> bool:
        return self.source[at] in "*+?"

    def _quantifier(self) -> tuple[int, int | None] | None:
        self._quantified = self.at
        if self.at >= len(self.source):
            return None
        character = self.source[self.at]
        if character in "*+?":
            self.at += 1
            found: tuple[int, int | None] = {"*": (0, None), "+": (1, None), "?": (0, 1)}[character]
        elif character == "{":
            closing = self.source.find("}", self.at, self.at + 24)
            low, comma, high = self.source[self.at + 1 : max(closing, self.at)].partition(",")
            if (
                closing < 0
                or not (low.isascii() and low.isdigit())
                or not (high == "" or (high.isascii() and high.isdigit()))
            ):
                return None
            least = int(low)
            most = int(high) if high else None if comma else least
            if most is not None and most < least:
                raise PatternFaultError(f"`{self.source[self.at : closing + 1]}` is out of order")
            self.at = closing + 1
            found = (least, most)
        else:
            return None
        if self._peek("?"):
            self.at += 1
        return found

    def _atom(self) -> PatternNode:
        start = self.at
        character = self.source[start]
        if character == "(":
            return self._group()
        if character == "[":
            return self._class()
        if character == "\\":
            return self._escape()
        self.at += 1
        if character == "^":
            self.python.append("^")
            return PatternNode("free", start, self.at)
        if character == "$":
            self.python.append(r"\Z")
            return PatternNode("end", start, self.at)
        if character == ".":
            self.python.append(r"[^\n\r\u2028\u2029]")
            return PatternNode("set", start, self.at, chars=complement(LINE_ENDS))
        if character in "*+?":
            raise PatternFaultError(f"`{character}` has nothing to repeat")
        self.python.append("\\" + character if character in "{}]" else _literal(ord(character)))
        return PatternNode("set", start, self.at, chars=((ord(character), ord(character)),))

    def _other(self, start: int, end: int, meaning: str, instead: str | None) -> None:
        self.foreign.append(Foreign(start, end, self.source[start:end], meaning, instead))

    def _group(self) -> PatternNode:
        start = self.at
        self._depth += 1
        if self._depth > _DEPTH:
            raise PatternFaultError("groups are nested too deep")
        around = ""
        rest = self.source[start : start + 4]
        if rest.startswith("(?"):
            if rest[2:3] == ":":
                opener, python = 3, "(?:"
            elif rest[2:3] in ("=", "!"):
                opener, python, around = 3, rest[:3], "ahead"
            elif rest[2:4] in ("<=", "<!"):
                opener, python, around = 4, rest, "behind"
            else:
                opener, python = self._named(start)
        else:
            opener, python = 1, "("
        self.at = start + opener
        self.python.append(python)
        inner = self._alternatives()
        if not self._peek(")"):
            raise PatternFaultError("`(` is never closed")
        self.at += 1
        self.python.append(")")
        self._depth -= 1
        if around:
            self.fancy = True
            # Python allows only lookbehinds of a fixed length.
            self.translatable = self.translatable and (around == "ahead" or _fixed(inner))
            return PatternNode("around", start, self.at, [inner])
        return PatternNode("all", start, self.at, [inner])

    def _named(self, start: int) -> tuple[int, str]:
        """Return the length of the opener of a named group, and Python's opener; a fault for any other `(?`."""
        python_style = self.source.startswith("(?P<", start)
        begin = start + (4 if python_style else 3)
        if python_style or self.source.startswith("(?<", start):
            closing = self.source.find(">", begin, begin + 200)
            name = self.source[begin : max(closing, begin)]
            if not name.isidentifier():
                raise PatternFaultError("the group's name is not valid")
            if python_style:
                self._other(start, start + 4, "`(?P<` is Python's syntax for a named group", "(?<")
            return closing + 1 - start, f"(?P<{name}>"
        shown = self.source[start : start + 3]
        known = {
            "(?P": "syntax of Python",
            "(?>": "an atomic group of other languages",
            "(?#": "a comment of other languages",
            "(?(": "a condition of other languages",
        }
        meaning = known.get(shown)
        letters = self.source[start + 2 : start + 12]
        if meaning is None and letters[:1] in "imsxuLa-" and letters:
            closing = next((index for index, one in enumerate(letters) if one in ":)"), -1)
            if closing > 0 and all(one in "imsxuLa-" for one in letters[:closing]):
                shown = self.source[start : start + 3 + closing]
                meaning = "a flag inside the pattern, which JSON Schema's patterns do not have"
                end = start + 3 + closing
                self._other(start, end, f"`{shown}` is {meaning}", None)
                raise PatternFaultError(f"`{shown}` is {meaning}")
        meaning = meaning or "a group that ECMA 262 does not have"
        self._other(start, start + 3, f"`{shown}` is {meaning}", None)
        raise PatternFaultError(f"`{shown}` is {meaning}")

    def _class(self) -> PatternNode:
        start = self.at
        self.at += 1
        negated = self._peek("^")
        self.at += negated
        ranges: list[tuple[int, int]] = []
        written: list[str] = []
        while True:
            if self.at >= len(self.source):
                raise PatternFaultError("`[` is never closed")
            if self._peek("]"):
                self.at += 1
                break
            if self._peek("[:") and ":]" in self.source[self.at : self.at + 14]:
                end = self.source.index(":]", self.at) + 2
                self._other(self.at, end, f"`{self.source[self.at : end]}` is a POSIX class of other languages", None)
            low = self._class_atom(written)
            if self._peek("-") and not self._peek("-]"):
                marker = len(written)
                self.at += 1
                high = self._class_atom(written)
                if len(low) == 1 == len(high) and low[0][0] == low[0][1] and high[0][0] == high[0][1]:
                    if high[0][0] < low[0][0]:
                        raise PatternFaultError("the range in `[…]` is out of order")
                    ranges.append((low[0][0], high[0][0]))
                    written.insert(marker, "-")
                    continue
                written.insert(marker, r"\-")
                ranges.append((0x2D, 0x2D))
                ranges.extend(high)
            ranges.extend(low)
        chars = merged(ranges)
        if not written:
            self.python.append(r"[\s\S]" if negated else "(?!)")
        else:
            self.python.append(("[^" if negated else "[") + "".join(written) + "]")
        return PatternNode("set", start, self.at, chars=complement(chars) if negated else chars)

    def _class_atom(self, written: list[str]) -> Ranges:
        if self.at >= len(self.source):
            raise PatternFaultError("`[` is never closed")
        character = self.source[self.at]
        if character != "\\":
            self.at += 1
            code = ord(character)
            written.append(_literal(code))
            return ((code, code),)
        if self.source.startswith("\\b", self.at):
            self.at += 2
            written.append(r"\x08")
            return ((8, 8),)
        marker = len(self.python)
        node = self._escape(in_class=True)
        text = "".join(self.python[marker:])
        del self.python[marker:]
        if text.startswith("[^"):
            # Python has no complement inside a class; ranges mean the same.
            text = _as_class(node.chars)
        elif text.startswith("["):
            text = text[1:-1]
        written.append(text)
        return node.chars

    def _escape(self, *, in_class: bool = False) -> PatternNode:
        start = self.at
        if start + 1 >= len(self.source):
            raise PatternFaultError("the `\\` at the end escapes nothing")
        letter = self.source[start + 1]
        self.at = start + 2
        if letter in "dwsDWS":
            ranges: Ranges = _CLASSES[letter.lower()]
            ranges = ranges if letter.islower() else complement(ranges)
            self.python.append(_as_class(ranges, bracket=True))
            return PatternNode("set", start, self.at, chars=ranges)
        if letter in "bB" and not in_class:
            self.python.append(f"(?a:\\{letter})")
            return PatternNode("free", start, self.at)
        if letter in "pP" and self._peek("{"):
            return self._property(start, negated=letter == "P")
        if letter in "123456789" and not in_class:
            while self.at < len(self.source) and self.source[self.at] in "0123456789" and self.at < start + 4:
                self.at += 1
            self.fancy = True
            self.python.append(f"(?:{self.source[start : self.at]})")
            self.translatable = False
            return PatternNode("back", start, self.at)
        if letter == "k" and self._peek("<"):
            closing = self.source.find(">", self.at, self.at + 200)
            name = self.source[self.at + 1 : max(closing, self.at)]
            if not name.isidentifier():
                raise PatternFaultError("`\\k` refers to no group")
            self.at = closing + 1
            self.fancy = True
            self.translatable = False
            return PatternNode("back", start, self.at)
        if letter in "AZzGKQEhHRX" and not in_class:
            instead = {"A": "^", "Z": "$", "z": "$"}.get(letter)
            self._other(
                start, self.at, f"`\\{letter}` is an escape of other languages; ECMA 262 does not have it", instead
            )
            code = ord(letter)
        else:
            code = self._code(letter)
        self.python.append(_literal(code))
        return PatternNode("set", start, self.at, chars=((code, code),))

    def _code(self, letter: str) -> int:
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if (
            letter == "c"
            and self.source[self.at : self.at + 1].isascii()
            and self.source[self.at : self.at + 1].isalpha()
        ):
            self.at += 1
            return ord(self.source[self.at - 1]) % 32
        if letter == "x":
            return self._hex(2, ord("x"))
        if letter == "u":
            if self._peek("{"):
                closing = self.source.find("}", self.at, self.at + 12)
                digits = self.source[self.at + 1 : max(closing, self.at)]
                code = _number(digits)
                if code is None or code > LAST:
                    raise PatternFaultError("`\\u{…}` is not a code point")
                self.at = closing + 1
                return code
            code = self._hex(4, ord("u"))
            if 0xD800 <= code < 0xDC00 and self._peek("\\u"):
                low = _number(self.source[self.at + 2 : self.at + 6])
                if low is not None and 0xDC00 <= low < 0xE000:
                    self.at += 6
                    return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            return code
        return ord(letter)

    def _hex(self, length: int, otherwise: int) -> int:
        digits = self.source[self.at : self.at + length]
        code = _number(digits) if len(digits) == length else None
        if code is None:
            return otherwise
        self.at += length
        return code

    def _property(self, start: int, *, negated: bool) -> PatternNode:
        closing = self.source.find("}", self.at, self.at + 60)
        if closing < 0:
            raise PatternFaultError("`\\p{` is never closed")
        name = self.source[self.at + 1 : closing]
        self.at = closing + 1
        exact = category(name)
        if exact is None:
            self.translatable = False
            chars: Ranges = ((0, LAST),)
        else:
            chars = complement(exact) if negated else exact
            self.python.append(_as_class(chars, bracket=True))
        return PatternNode("set", start, self.at, chars=chars)


def _number(digits: str) -> int | None:
    return int(digits, 16) if digits and all(one in "0123456789abcdefABCDEF" for one in digits) else None


def _literal(code: int) -> str:
    """Return one character in Python's syntax."""
    if code < 0x80 and (chr(code).isalnum() or chr(code) in " _,:;<>=!@%\"'`"):
        return chr(code)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _as_class(ranges: Ranges, *, bracket: bool = False) -> str:
    """Return a set of characters in Python's syntax, with or without brackets."""
    inner = "".join(_literal(low) if low == high else f"{_literal(low)}-{_literal(high)}" for low, high in ranges)
    if not inner:
        return "(?!)"
    return f"[{inner}]" if bracket else inner


def _fixed(node: PatternNode) -> bool:
    """Return whether all texts that a part matches have one length."""
    return text_length(node) is not None


def text_length(node: PatternNode) -> int | None:
    """Return the length of all texts that a part matches, None where it varies."""
    if node.kind == "set":
        return 1
    if node.kind in ("free", "end", "around"):
        return 0
    if node.kind == "back":
        return None
    lengths = [text_length(part) for part in node.parts]
    if node.kind == "loop":
        return lengths[0] * node.least if lengths[0] is not None and node.least == node.most else None
    if None in lengths:
        return None
    sizes = [length for length in lengths if length is not None]
    if node.kind == "any":
        return sizes[0] if len(set(sizes)) == 1 else None
    return sum(sizes)
