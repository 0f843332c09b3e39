"""The strings of a JavaScript or TypeScript source, found in one pass that handles comments, templates and JSX.

Owns: where each string and template literal begins and ends, and the expressions in it. Must not know: what a literal
means, calls, the rest of the grammar. It accepts any text: an unclosed string ends with its line, a template at the end
of the text.

Whether a slash divides or begins a regular expression, and whether `<` compares or opens an element, is determined by
the text before it, as the goal symbols of ECMA-262 (https://tc39.es/ecma262/#sec-ecmascript-language-lexical-grammar)
work in practice; elements are those of the JSX specification (https://facebook.github.io/jsx/).
"""

import re
from typing import Final

from callwright.syntax.source_strings import SourceString
from callwright.text.span import Span

_CODE: Final = re.compile(
    r"//[^\r\n\u2028\u2029]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|['\"`/(){}\[\]]|<(?<!<<)(?=[A-Za-z_$>])"
)
_STRING: Final = {
    "'": re.compile(r"(?:[^'\\\r\n]++|\\(?:\r\n|[\s\S]))*+"),
    '"': re.compile(r'(?:[^"\\\r\n]++|\\(?:\r\n|[\s\S]))*+'),
}
_TEMPLATE: Final = re.compile(r"\\[\s\S]|\$\{|`")
_REGEX: Final = re.compile(r"/(?![*/])(?:[^\\/\[\r\n]++|\\[^\r\n]|\[(?:[^\]\\\r\n]++|\\[^\r\n])*+\])++/[A-Za-z]*+")
#: After these words an expression begins.
_BEFORE_EXPRESSION: Final = frozenset(
    ["return", "typeof", "case", "in", "of", "delete", "void", "instanceof", "new", "throw", "do", "else", "yield"]
) | {"await", "default", "extends"}
#: After the parenthesis of these a statement begins.
_CONTROL: Final = frozenset(["if", "while", "for", "with"])
_WORD: Final = re.compile(r"[\w$\u0080-\U0010ffff]{1,12}\Z")
_RAW_TAG: Final = re.compile(r"String[ \t]*\.[ \t]*raw[ \t]*\Z")
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
#: An element's name with the bracket, and the relevant parts of the rest of its tag.
_ELEMENT: Final = re.compile(r"<([A-Za-z_$][\w.$:\-]*+)?")
_CLOSER: Final = re.compile(r"</\s*+([A-Za-z_$][\w.$:\-]*+)?\s*+>")
#: The text after the name of a type parameter, which does not follow an element's.
_GENERIC: Final = re.compile(r"\s*+(?:,|extends\b(?!\s*+=)|=[^>\"'{]*+>|\[|\||&)")
_IN_TAG: Final = re.compile(r"\"[^\"]*+\"?|'[^']*+'?|\{|/\s*+>|>|<|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?")
_IN_CHILDREN: Final = re.compile(r"\{|<")
_SPACE: Final = " \t\r\n\f\v\u00a0\ufeff\u2028\u2029"

#: Entries of the stack that are not brackets.
_TEMPLATE_TEXT: Final = "template"
_TAG: Final = "tag"
_CHILDREN: Final = "children"
_HOLE: Final = "${"
_JSX: Final = "jsx{"
_CONTROL_PAREN: Final = "control("


class _Scan:
    """One pass over a source. `stack` holds what is open: brackets, templates, expressions in them, elements."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[SourceString] = []
        self.stack: list[str] = []
        self.templates: list[SourceString] = []
        self.holes: list[int] = []
        self.last_comment = (0, 0)
        #: Where a control statement's parenthesis was last closed.
        self.control_end = -1
        self.closers: dict[str, int] | None = None

    def run(self) -> list[SourceString]:
        at, size = 0, len(self.text)
        if self.text.startswith("#!"):
            at = next((i for i, char in enumerate(self.text) if char in "\r\n"), size)
        while at < size:
            top = self.stack[-1] if self.stack else ""
            if top == _TEMPLATE_TEXT:
                at = self._template(at)
            elif top == _TAG:
                at = self._tag(at)
            elif top == _CHILDREN:
                at = self._children(at)
            else:
                at = self._code(at)
        for template in self.templates:
            # It is not closed, and neither is the expression in it, if one is open.
            template.end = template.stop = size
            template.held = _HOLE not in self.stack
            self.found.append(template)
        self.found.sort(key=lambda each: each.begin)
        return self.found

    def _code(self, at: int) -> int:
        text, stack = self.text, self.stack
        match = _CODE.search(text, at)
        if match is None:
            return len(text)
        symbol, start, end = match[0], match.start(), match.end()
        first = symbol[0]
        if first in "'\"":
            return self._string(start, first)
        if first == "`":
            literal = self._new(start, "`")
            literal.is_raw = _RAW_TAG.search(text, max(start - 20, 0), start) is not None
            self.templates.append(literal)
            stack.append(_TEMPLATE_TEXT)
            return end
        if first == "/":
            if len(symbol) > 1:
                previous = self.last_comment
                # Consecutive comments are skipped at once.
                joined = not text[previous[1] : start].strip(_SPACE) if previous[1] else False
                self.last_comment = (previous[0] if joined else start, end)
                return end
            regex = _REGEX.match(text, start) if self._expects_value(start) else None
            return regex.end() if regex is not None else end
        if first == "<":
            return self._element(start) if self._expects_value(start) else end
        if symbol == "(":
            stack.append(_CONTROL_PAREN if self._word_before(start) in _CONTROL else "(")
        elif symbol in "[{":
            stack.append(symbol)
        else:
            self._close(symbol, end)
        return end

    def _close(self, marker: str, end: int) -> None:
        stack = self.stack
        while marker == "}" and stack and stack[-1] in ("(", "[", _CONTROL_PAREN):
            # Unclosed brackets end with the braces around them.
            stack.pop()
        if not stack:
            return
        top = stack[-1]
        if marker == "}" and top == _HOLE:
            stack.pop()
            self.templates[-1].fields.append(Span(self.holes.pop(), end))
        elif (marker == "}" and top == _JSX) or top == _PAIRS[marker]:
            stack.pop()
        elif marker == ")" and top == _CONTROL_PAREN:
            stack.pop()
            self.control_end = end

    def _before(self, at: int) -> int:
        """Return the offset after the last character before `at` that is neither space nor comment."""
        text = self.text
        while True:
            while at > 0 and text[at - 1] in _SPACE:
                at -= 1
            if at == 0 or at != self.last_comment[1]:
                return at
            at = self.last_comment[0]

    def _word_before(self, at: int) -> str:
        end = self._before(at)
        match = _WORD.search(self.text, max(end - 12, 0), end)
        return match[0] if match is not None else ""

    def _expects_value(self, at: int) -> bool:
        """Return whether an expression, not an operator, is expected at `at`."""
        text, end = self.text, self._before(at)
        if end == 0:
            return True
        last = text[end - 1]
        if last == ")":
            return end == self.control_end
        if last in "]'\"`":
            return False
        if last in "+-" and text[end - 2 : end - 1] == last:
            return False
        if last == "!" and end > 1 and (text[end - 2].isalnum() or text[end - 2] in "_$)]"):
            return False
        word = _WORD.search(text, max(end - 12, 0), end)
        if word is None:
            return last != "."
        if word[0] not in _BEFORE_EXPRESSION:
            return False
        return text[end - len(word[0]) - 1 : end - len(word[0])] != "."

    def _string(self, at: int, quote: str) -> int:
        match = _STRING[quote].match(self.text, at + 1)
        end = at + 1 if match is None else match.end()
        stop = end + 1 if self.text.startswith(quote, end) else end
        literal = self._new(at, quote)
        literal.end, literal.stop = end, stop
        self.found.append(literal)
        return stop

    def _new(self, at: int, quote: str) -> SourceString:
        within = self.stack[-1] if self.stack else ""
        # Each literal is a string of its own: an operator joins them.
        number = len(self.found) + len(self.templates)
        return SourceString(at, at + 1, at + 1, at + 1, quote, group=number, within=within)

    def _template(self, at: int) -> int:
        match = _TEMPLATE.search(self.text, at)
        if match is None:
            return len(self.text)
        if match[0] == "${":
            self.holes.append(match.start())
            self.stack.append(_HOLE)
        elif match[0] == "`":
            self.stack.pop()
            literal = self.templates.pop()
            literal.end, literal.stop = match.start(), match.end()
            self.found.append(literal)
        return match.end()

    # -- elements ------------------------------------------------------------------------------------------------------

    def _element(self, at: int) -> int:
        """Open the element that begins at `at`, if one does, and return where to continue."""
        match = _ELEMENT.match(self.text, at)
        if match is None:
            return at + 1
        name = match[1] or ""
        if not self._is_element(name, match.end()):
            return match.end()
        self.stack.append(_TAG)
        return match.end()

    def _is_element(self, name: str, at: int) -> bool:
        """Return whether a name after `<` is an element's: one that is closed somewhere after, or in its own tag."""
        if not name:
            return self.text.startswith(">", at)
        if _GENERIC.match(self.text, at) is not None:
            return False
        if self.closers is None:
            self.closers = {found[1] or "": found.start() for found in _CLOSER.finditer(self.text)}
        if self.closers.get(name, -1) > at:
            return True
        return self._closes_itself(at)

    def _closes_itself(self, at: int) -> bool:
        """Return whether the next bracket of a tag, attributes without expressions passed over, is `/>`."""
        following = _IN_TAG.search(self.text, at, at + 400)
        while following is not None and following[0][0] in "\"'":
            following = _IN_TAG.search(self.text, following.end(), at + 400)
        return following is not None and (
            following[0][0] == "{" or (len(following[0]) > 1 and following[0].endswith(">"))
        )

    def _tag(self, at: int) -> int:
        match = _IN_TAG.search(self.text, at)
        if match is None:
            return len(self.text)
        symbol = match[0]
        if symbol == "{":
            self.stack.append(_JSX)
        elif symbol == "<":
            # A type argument, or another element as an attribute's value.
            return self._element(match.start()) if self._before_is(match.start(), "=") else match.end()
        elif symbol == ">":
            self.stack[-1] = _CHILDREN
        elif symbol[0] == "/" and symbol[-1] == ">":
            self.stack.pop()
        return match.end()

    def _before_is(self, at: int, char: str) -> bool:
        end = self._before(at)
        return end > 0 and self.text[end - 1] == char

    def _children(self, at: int) -> int:
        match = _IN_CHILDREN.search(self.text, at)
        if match is None:
            return len(self.text)
        if match[0] == "{":
            self.stack.append(_JSX)
            return match.end()
        closer = _CLOSER.match(self.text, match.start())
        if closer is not None:
            self.stack.pop()
            return closer.end()
        opened = _ELEMENT.match(self.text, match.start())
        if opened is None:
            return match.end()
        if opened[1] or self.text.startswith(">", opened.end()):
            self.stack.append(_TAG)
        return opened.end()


def javascript_strings(text: str) -> list[SourceString]:
    """Return the strings and templates of a source in the order of their beginnings; any text, in linear time."""
    return _Scan(text).run()
