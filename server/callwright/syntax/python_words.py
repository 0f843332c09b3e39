"""Parts of Python calls other than strings and brackets: numbers, words, omitted values, expressions.

Owns: `PythonWords`. Must not know: calls, what follows a value.
"""

import math
import re
from typing import Final

from callwright.syntax.json_nodes import JsonMember, JsonNode
from callwright.syntax.literal_words import JSON_WORDS, MISWRITTEN, NON_FINITE, PYTHON_WORDS
from callwright.syntax.python_format import string_literal
from callwright.syntax.python_quotes import PythonQuotes
from callwright.syntax.python_strings import decode
from callwright.syntax.python_text import PythonFrame
from callwright.syntax.value_tree import State
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span

_DIGITS_MAX: Final = 4300  # Python refuses to convert longer integers
_BITS_MAX: Final = 14_280  # as many as an integer of that length may have
_NUMBER: Final = re.compile(
    r"(?:[+-][ \t]*+)?(?:0[xX](?:_?[0-9a-fA-F])++|0[oO](?:_?[0-7])++|0[bB](?:_?[01])++"
    r"|(?:(?P<whole>[0-9](?:_?[0-9])*+)(?P<point>\.(?:[0-9](?:_?[0-9])*+)?)?|(?P<lead>\.[0-9](?:_?[0-9])*+))"
    r"(?P<exponent>[eE][+-]?[0-9](?:_?[0-9])*+)?)"
)
_NUMBER_GOES_ON: Final = re.compile(rf"[\w.{HOLE}]")
_VALUE_WORD: Final = re.compile(rf"[\w{HOLE}]++")
WORDS: Final = PYTHON_WORDS | JSON_WORDS
#: JSON's words, with Python's.
FOREIGN: Final = {word: repr(value) for word, value in JSON_WORDS.items()}
#: Words that Python does not have, with Python's.
_MISWRITTEN: Final = {word: repr(value) for word, value in {**MISWRITTEN, "NONE": None}.items()}
_SIGNED_WORD: Final = re.compile(r"[+-](?:inf|Infinity|nan|NaN)(?!\w)")
ELISION: Final = re.compile(r"(?:\.{3,}+|…)")
_ANGLE: Final = re.compile(r"<(?!(?:null|true|false)>)[A-Za-z_][\w .,:|/'-]{0,120}+>(?=[ \t\r\n]*+(?:[,}\])]|\Z))")
#: A template's expression where a value could be.
EXPRESSION: Final = re.compile(r"\{\{-?[ \t]*+[A-Za-z_@][^{}\"':\r\n]{0,200}+\}\}|\$\{[A-Za-z_][^{}\"':\r\n]{0,200}+\}")
_SMART: Final = re.compile("[“”„‟]([^“”„‟\"\r\n]*+)[“”„‟\"]|[‘’‚‛]([^‘’‚‛'\r\n]*+)[‘’‚‛']")
#: The text after a string that no later typographic quote ends.
_NO_SMART_END: Final = re.compile("(?=[ \t]*+(?:[,)\\]}:\r\n]|\\Z))[^“”„‟‘’‚‛\r\n]{0,2000}+(?:[\r\n“„‟‘‚‛]|\\Z)")
_PLAIN_WORDS: Final = re.compile(rf"[^\W\d][\w{HOLE} \t./@:-]*+")
_RUN: Final = re.compile(r"[^'\"()\[\]{},:#=\r\n]++")
BREAK: Final = re.compile(r"[\r\n\0]")


class PythonWords(PythonQuotes):
    """Reads text other than strings and brackets: numbers, words, omitted values, expressions."""

    def _simple(self, match: re.Match[str]) -> JsonNode | None:
        """Return the node of a plain value that one pattern matched; None if it needs the full reading."""
        start, end = match.span("value")
        string = match["one"]
        if string is None:
            string = match["two"]
        if string is not None:
            if not string.isascii() and (HOLE in string or has_surrogate(string)):
                return None
            return JsonNode("string", Span(start, end), string)
        number = match["number"]
        if number is not None:
            return JsonNode("number", Span(start, end), int(number) if match["fraction"] is None else float(number))
        return JsonNode("literal", Span(start, end), PYTHON_WORDS[match["word"]])

    def _number(self, frame: PythonFrame, at: int) -> None:
        text = self.text
        found = _NUMBER.match(text, at, self._stop_at)
        if found is None or (found.end() < self._stop_at and _NUMBER_GOES_ON.match(text, found.end()) is not None):
            signed = _SIGNED_WORD.match(text, at, self._stop_at)
            if signed is not None:
                word = signed[0]
                self._non_finite(frame, at, signed.end(), NON_FINITE[word[1:]] * (-1 if word[0] == "-" else 1))
                return
            if text[at] in "+-" and self._skip(at + 1) >= self._stop_at:
                self._report("bad-number", at, at + 1, text=text[at], reason="incomplete")
                self._marked = True
                self._at = at + 1
                self._attach(frame, JsonNode("missing", Span(at, at + 1), None))
                return
            self._literal_text(frame, at)
            return
        written, end = found[0], found.end()
        digits = written.replace("_", "").replace(" ", "").replace("\t", "")
        self._at = end
        value: int | float
        if found["point"] is not None or found["exponent"] is not None or found["lead"] is not None:
            value = float(digits)
            if math.isinf(value):
                self._non_finite(frame, at, end, value)
                return
        else:
            whole = found["whole"]
            # Python reads other bases of any length, but cannot write the number in decimal digits.
            too_long = len(whole) > _DIGITS_MAX if whole is not None else int(digits, 0).bit_length() > _BITS_MAX
            if too_long:
                self._report("bad-number", at, end, text=f"{written[:60]}…", reason="too-long")
                self._marked = True
                self._attach(frame, JsonNode("missing", Span(at, end), None))
                return
            if whole is not None and whole[0] == "0" and whole.strip("0_"):
                fixed = digits.lstrip("+-").lstrip("0")
                fixed = f"-{fixed}" if digits[0] == "-" else fixed
                value = int(fixed)
                self._report(
                    "bad-number", at, end, [Edit(Span(at, end), fixed)], text=written, json=fixed, reason="form"
                )
            else:
                value = int(digits) if whole is not None else int(digits, 0)
        self._attach(frame, JsonNode("number", Span(at, end), value))

    def _non_finite(self, frame: PythonFrame, at: int, end: int, value: float) -> None:
        self._at = end
        written = self.text[at:end]
        edits = [] if any(char.isdigit() for char in written) else [Edit(Span(at, end), "None")]
        self._report("non-finite-number", at, end, edits, text=written)
        self._attach(frame, JsonNode("number", Span(at, end), value))

    def _dots(self, frame: PythonFrame, at: int) -> None:
        elision = ELISION.match(self.text, at, self._stop_at)
        if elision is None:
            self._odd(frame, at)
            return
        self._at = elision.end()
        self._marked = True
        if frame.kind == "[" or frame.kind == "(" or (frame.kind == "{" and frame.state == State.WANT):
            frame.node.elided = True
            frame.comma = -1
            frame.state = State.AFTER
            return
        self._attach(frame, JsonNode("elision", Span(at, elision.end()), None))

    def _word(self, frame: PythonFrame, at: int) -> None:
        text = self.text
        found = _VALUE_WORD.match(text, at, self._stop_at)
        if found is None:
            self._odd(frame, at)
            return
        word, end = found[0], found.end()
        after = self._skip(end)
        char = text[after : after + 1] if after < self._stop_at else ""
        ends = char in ("", ",", ")", "]", "}") or (char == ":" and frame.kind == "{" and frame.state == State.WANT)
        if HOLE in word and (ends or not text.startswith("(", end, self.limit)):
            self._hole(frame, at)
            return
        if not ends:
            self._literal_text(frame, at)
            return
        self._at = end
        if word in WORDS:
            if word in FOREIGN:
                self._report(
                    "engines-differ",
                    at,
                    end,
                    certain=True,
                    reading=f"`{word}` is read as `{FOREIGN[word]}`",
                    others="parsers that accept only Python reject the call",
                )
            self._attach(frame, JsonNode("literal", Span(at, end), WORDS[word]))
        elif word in NON_FINITE:
            self._non_finite(frame, at, end, NON_FINITE[word])
        elif word in _MISWRITTEN:
            self._fault()
            written = _MISWRITTEN[word]
            edits = [Edit(Span(at, end), written)]
            self._report("python-literal", at, end, edits, certain=True, text=word, json=written)
            self._attach(frame, JsonNode("literal", Span(at, end), WORDS[written]))
        else:
            self._literal_text(frame, at)

    def _hole(self, frame: PythonFrame, at: int) -> None:
        """Read a template's expression, with text directly at it, as an unknown value."""
        end = self._expression_end(at, colon=frame.kind == "{" and frame.state == State.WANT)
        written = self.text[at:end].rstrip()
        self._marked = True
        self._at = end
        value = written.strip() if frame.kind == "{" and frame.state == State.WANT else None
        self._attach(frame, JsonNode("hole", Span(at, at + len(written)), value))

    def _odd(self, frame: PythonFrame, at: int) -> None:
        """Read text that is not the beginning of a value."""
        text = self.text
        for pattern, kind in ((_ANGLE, "elision"), (EXPRESSION, "hole")):
            found = pattern.match(text, at, self._stop_at)
            if found is not None:
                self._marked = True
                self._at = found.end()
                self._attach(frame, JsonNode("hole" if kind == "hole" else "elision", Span(*found.span()), None))
                return
        self._fault()
        smart = _SMART.match(text, at, self._stop_at)
        if smart is None:
            self._literal_text(frame, at)
            return
        end = smart.end()
        group = 1 if smart[1] is not None else 2
        content = decode(text, *smart.span(group), raw=False, long=False)
        written = string_literal(content.value)
        edits = [] if written is None else [Edit(Span(at, end), written)]
        # A straight quote at the apparent end of such a string may be a character of it.
        certain = text[end - 1] not in "\"'" or _NO_SMART_END.match(text, end, self._stop_at) is not None
        self._report("smart-quotes", at, end, edits, certain=certain, quote=text[at])
        self._at = end
        self._attach(frame, self._string_node(Span(at, end), content.value))

    def _literal_text(self, frame: PythonFrame, at: int) -> None:
        """Read text that is not a literal: it represents the value."""
        self._fault()
        end = max(self._expression_end(at, colon=frame.kind == "{" and frame.state == State.WANT), at + 1)
        written = self.text[at:end].rstrip()
        if not written:
            written, end = self.text[at : at + 1], at + 1
        self._at = end
        self._no_literal(frame, at, written)
        self._attach(frame, self._string_node(Span(at, at + len(written)), written))

    def _no_literal(self, frame: PythonFrame, at: int, written: str) -> None:
        end = at + len(written)
        if frame.kind == "{" and self._colon_follows(end):
            quoted = string_literal(written) or ""
            edits = [Edit(Span(at, end), quoted)] if quoted else []
            self._report("unquoted-key", at, end, edits, certain=True, key=written)
        elif _PLAIN_WORDS.fullmatch(written) is not None and not _SIGNS.search(written):
            quoted = string_literal(written) or ""
            edits = [Edit(Span(at, end), quoted)] if quoted else []
            self._report("unquoted-string", at, end, edits, text=written)
        else:
            self._report("not-a-literal", at, end, text=written)

    def _colon_follows(self, at: int) -> bool:
        after = self._skip(at)
        return after < self._stop_at and self.text[after] == ":"

    def _continue(self, frame: PythonFrame, at: int) -> None:
        """Read the text after a value as the rest of an expression that began with it."""
        last = frame.last
        start = last.span.start if last is not None else at
        end = max(self._expression_end(at), at + 1)
        written = self.text[start:end].rstrip()
        self._at = end
        node = self._string_node(Span(start, start + len(written)), written)
        self._report("not-a-literal", start, start + len(written), text=written)
        frame.last = node
        if last is None or (frame.kind == "call" and frame.key == "**"):
            # An unpacked value is not the value of an argument; its members remain those of the call.
            return
        if frame.kind == "call" and not frame.key:
            if frame.positional:
                frame.positional[-1] = node
        elif frame.kind in ("call", "{") and frame.node.members:
            member = frame.node.members[-1]
            frame.node.members[-1] = JsonMember(member.key, member.key_span, node)
            frame.node.value[member.key] = node.value
        elif frame.node.items:
            frame.node.items[-1] = node
            frame.node.value[-1] = node.value

    def _expression_end(self, at: int, *, colon: bool = False) -> int:
        """Return where the expression at `at` ends: at a comma or closer outside of it."""
        text, limit = self.text, self._stop_at
        depth = 0
        while at < limit:
            run = _RUN.match(text, at, limit)
            if run is not None:
                at = run.end()
                continue
            char = text[at]
            if char in "([{":
                depth += 1
            elif char in ")]}":
                if not depth:
                    return at
                depth -= 1
            elif not depth and (char == "," or (char == ":" and colon)):
                return at
            elif char in "\"'":
                long = text.startswith(char * 3, at, self.limit)
                end = self._strict(at + (3 if long else 1), char * 3 if long else char)
                at = end if end >= 0 else at + 1
                continue
            elif char == "#":
                ending = BREAK.search(text, at, limit)
                at = ending.start() if ending is not None else limit
                continue
            at += 1
        return limit


_SIGNS: Final = re.compile(r"[ \t][-/:][ \t]|\b(?:and|or|not|in|is|if|else|for|lambda)\b|::")


def has_surrogate(text: str) -> bool:
    """Return whether a text contains a lone surrogate, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
