"""The strings of a Python source, found in one pass that knows comments, quotes, prefixes and formatted strings.

Owns: where each string literal begins and ends, the expressions in it, and which literals are one string. Must not
know: what a literal means, calls, the rest of the grammar. It accepts any text: an unclosed string ends with its line,
one with triple quotes at the end of the text.

The lexical rules are those of the language reference (https://docs.python.org/3/reference/lexical_analysis.html), with
formatted strings as PEP 701 (https://peps.python.org/pep-0701/) and template strings as PEP 750 have them.
"""

import re
from functools import lru_cache
from typing import Final

from callwright.syntax.source_strings import SourceString
from callwright.text.span import Span

_CODE: Final = re.compile(r"#[^\r\n]*+|'''|\"\"\"|['\"]|[()\[\]{}]")
#: In an expression a colon may begin the format.
_IN_FIELD: Final = re.compile(r"#[^\r\n]*+|'''|\"\"\"|['\"]|[()\[\]{}:]")
_PREFIX: Final = re.compile(r"(?<![^\W_])(?<![\w])[A-Za-z]{1,2}\Z")
_PREFIXES: Final = frozenset(["r", "u", "b", "br", "rb", "f", "fr", "rf", "t", "tr", "rt"])
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
#: What may be between two literals that are one string: within brackets line ends and comments, too.
_GAP: Final = re.compile(r"(?:[ \t\f]|\\(?:\r\n|[\r\n]))*+")
_LONG_GAP: Final = re.compile(r"(?:\s|#[^\r\n]*+|\\(?:\r\n|[\r\n]))*+")
_FIELD: Final = "field"
_FORMAT: Final = "format"
#: Formatted strings that cannot be delimited are read again as plain ones: the limit of such text in total.
_PATIENCE: Final = 2


@lru_cache(maxsize=8)
def _plain_end(quote: str) -> re.Pattern[str]:
    """Return the pattern from a string's start to its closing quote, or to where it ends without one."""
    symbol = quote[0]
    if len(quote) == 3:
        return re.compile(rf"(?:[^{symbol}\\]++|\\[\s\S]|{symbol}(?!{symbol}{symbol}))*+")
    return re.compile(rf"(?:[^{symbol}\\\r\n]++|\\(?:\r\n|[\s\S]))*+")


@lru_cache(maxsize=16)
def _in_text(quote: str, *, is_raw: bool) -> re.Pattern[str]:
    """Return the pattern of what counts in the text of a formatted string."""
    name = "" if is_raw else r"N\{[^{}\r\n'\"]*+\}|"
    line = r"|[\r\n]" if len(quote) == 1 else ""
    return re.compile(rf"\\(?:{name}(?=[{{}}])|\r\n|[\s\S]|\Z)|\{{\{{|\{{|{quote}{line}")


@lru_cache(maxsize=8)
def _in_format(quote: str) -> re.Pattern[str]:
    line = r"|[\r\n]" if len(quote) == 1 else ""
    return re.compile(rf"[{{}}]|{quote}{line}")


class _Open:
    """A formatted string that is being read: the literal so far, and what must be undone if it cannot be delimited."""

    __slots__ = ("brackets", "field", "found", "literal")

    def __init__(self, literal: SourceString, found: int, brackets: int) -> None:
        self.literal = literal
        self.found = found
        self.brackets = brackets
        self.field = 0


class _Scan:
    """One pass over a source. `stack` holds open brackets, and for each open expression `_FIELD` or `_FORMAT`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[SourceString] = []
        self.stack: list[str] = []
        self.open: list[_Open] = []
        self.last_stop = -1
        self.last_group = -1
        self.groups = 0
        self.wasted = 0

    def run(self) -> list[SourceString]:
        at, size = 0, len(self.text)
        while at < size or self.open:
            if not self.open:
                at = self._code(at)
            elif self.stack and self.stack[-1] == _FORMAT:
                at = self._format(at)
            elif len(self.stack) > self.open[-1].brackets:
                at = self._expression(at)
            else:
                at = self._formatted(at)
        self.found.sort(key=lambda each: each.begin)
        return self.found

    def _code(self, at: int) -> int:
        """Scan program text up to the next string, and return where to continue."""
        text, stack = self.text, self.stack
        for match in _CODE.finditer(text, at):
            symbol = match[0]
            if symbol in "([{":
                stack.append(symbol)
            elif symbol in ")]}":
                if stack and stack[-1] == _PAIRS[symbol]:
                    stack.pop()
            elif symbol[0] != "#":
                return self._string(match.start(), symbol)
        return len(text)

    def _expression(self, at: int) -> int:
        """Scan an expression in a formatted string up to the next place that counts."""
        stack = self.stack
        match = _IN_FIELD.search(self.text, at)
        if match is None:
            return self._abandon(len(self.text))
        symbol, end = match[0], match.end()
        if symbol[0] in "'\"":
            return self._string(match.start(), symbol)
        if symbol in "([{":
            stack.append(symbol)
        elif symbol == ":":
            if stack[-1] == _FIELD:
                stack[-1] = _FORMAT
        elif symbol == "}" and stack[-1] == _FIELD:
            self._close_field(end)
        elif symbol in ")]}":
            if stack[-1] != _PAIRS[symbol]:
                return self._abandon(end)
            stack.pop()
        return end

    def _close_field(self, end: int) -> None:
        self.stack.pop()
        current = self.open[-1]
        if len(self.stack) == current.brackets:
            current.literal.fields.append(Span(current.field, end))

    def _format(self, at: int) -> int:
        """Scan the format of an expression: text, with expressions in it."""
        match = _in_format(self.open[-1].literal.quote).search(self.text, at)
        if match is None:
            return self._abandon(len(self.text))
        if match[0] == "{":
            self.stack.append(_FIELD)
        elif match[0] == "}":
            self._close_field(match.end())
        else:
            return self._abandon(match.end())
        return match.end()

    def _string(self, at: int, quote: str) -> int:
        text = self.text
        prefix = _PREFIX.search(text, max(at - 3, 0), at)
        letters = prefix[0] if prefix is not None and prefix[0].lower() in _PREFIXES else ""
        kind = letters.lower()
        start = at + len(quote)
        literal = SourceString(at - len(letters), start, start, start, quote, "r" in kind, held="b" not in kind)
        literal.within = self.stack[-1] if self.stack else ""
        self._number(literal)
        if "f" in kind or "t" in kind:
            literal.formatted = True
            if self.wasted <= _PATIENCE * len(text):
                self.open.append(_Open(literal, len(self.found), len(self.stack)))
                return start
            literal.held = False
        return self._plain(literal)

    def _number(self, literal: SourceString) -> None:
        gap = _LONG_GAP if self.stack else _GAP
        if self.last_stop < 0 or gap.fullmatch(self.text, self.last_stop, literal.begin) is None:
            self.groups += 1
            self.last_group = self.groups
        literal.group = self.last_group

    def _plain(self, literal: SourceString) -> int:
        """Read a literal up to its end, with any content."""
        match = _plain_end(literal.quote).match(self.text, literal.start)
        self._ended(literal, literal.start if match is None else match.end())
        return literal.stop

    def _ended(self, literal: SourceString, end: int) -> None:
        literal.end = end
        literal.stop = end + len(literal.quote) if self.text.startswith(literal.quote, end) else end
        self.found.append(literal)
        self.last_stop, self.last_group = literal.stop, literal.group

    def _formatted(self, at: int) -> int:
        """Scan the text of a formatted string."""
        current = self.open[-1]
        literal = current.literal
        match = _in_text(literal.quote, is_raw=literal.is_raw).search(self.text, at)
        if match is not None and match[0][0] == "\\":
            return match.end()
        if match is not None and match[0] == "{{":
            return match.end()
        if match is not None and match[0] == "{":
            current.field = match.start()
            self.stack.append(_FIELD)
            return match.end()
        end = len(self.text) if match is None else match.start()
        self.open.pop()
        self._ended(literal, end)
        return literal.stop

    def _abandon(self, at: int) -> int:
        """Read the outermost formatted string as one without known expressions, and continue after it."""
        outermost = self.open[0]
        self.wasted += at - outermost.literal.start
        del self.found[outermost.found :]
        del self.stack[outermost.brackets :]
        self.open.clear()
        outermost.literal.held = False
        outermost.literal.fields.clear()
        self.last_group = outermost.literal.group
        return self._plain(outermost.literal)


def python_strings(text: str) -> list[SourceString]:
    """Return the string literals of a Python source by their beginnings; accepts any text, in linear time."""
    return _Scan(text).run()
