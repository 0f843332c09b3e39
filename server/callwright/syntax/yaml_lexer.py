"""The lexer of YAML: indicators, line ends, keys, quotes, text without quotes, and where each ends.

Owns: the patterns, how far a text was scanned, and the problems that were found. Must not know: collections, what the
scalars mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from callwright.syntax.problem import Problem
from callwright.syntax.yaml_tree import YamlAlias, YamlNode
from callwright.text.span import Edit, Span, insert
from callwright.text.yaml_scalars import PLAIN, bad_escapes

if TYPE_CHECKING:
    from callwright.text.budget import Budget

MAX_PROBLEMS: Final = 100
#: How deep one value may nest; files have no limit here.
MAX_DEPTH: Final = 64

#: Blank lines and comments, and the indentation of the line after them.
LINE: Final = re.compile(r"(?:[ \t]*+(?:#[^\r\n]*+)?(?>\r\n|\n|\r))*+( *+)(\t*+)")
EOL: Final = re.compile(r"[ \t]*+(?:(?<![^ \t\r\n])#[^\r\n]*+)?(?=([\r\n]|\Z))")
REST: Final = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r|\Z)")
#: The part of a line that is not a comment, without the space before the comment.
WRITTEN: Final = re.compile(r"(?:[^\r\n\t #]++|(?<=[^ \t\r\n])#|[ \t]++(?![#\r\n]|\Z))*+")
SPACE: Final = re.compile(r"[ \t]*+")
INDICATOR: Final = re.compile(r"[\-?:](?=[ \t\r\n]|\Z)")
PROPERTY: Final = re.compile(r"(?:!<[^\s>]*+>|![^\s{}]*+|&[^\s,\[\]{}]*+)(?=[ \t\r\n]|\Z)")
FLOW_PROPERTY: Final = re.compile(r"(?:!<[^\s>]*+>|[&!][^\s,\[\]{}]*+)(?=[ \t\r\n,\]}]|\Z)")
ALIAS: Final = re.compile(r"\*([^\s,\[\]{}]*+)")
HEADER: Final = re.compile(r"([|>])(?:([+-])([1-9]?+)|([1-9])([+-]?+))?+(?:[ \t]++#[^\r\n]*+)?+[ \t]*+(?=[\r\n]|\Z)")
COLON: Final = re.compile(r"[ \t]*+:(?=[ \t\r\n]|\Z)")
FLOW_COLON: Final = re.compile(r"[ \t]*+:(?=[ \t\r\n,\[\]{}]|\Z)")
JSON_COLON: Final = re.compile(r"[ \t]*+:")
FLOW_SPACE: Final = re.compile(r"(?:[ \t]++|(?<![^ \t\r\n])#[^\r\n]*+)*+")
#: A line that is outside of unclosed brackets.
OUTER: Final = re.compile(r"(?:[\w.$/\-]++[ \t]*+:|-)(?=[ \t\r\n]|\Z)")
KEY_LIKE: Final = re.compile(r"(?:[\w.$/\-]++|\"[^\"\r\n]*+\"|'[^'\r\n]*+')[ \t]*+:(?=[ \t\r\n]|\Z)")
GLUED_KEY: Final = re.compile(r"([A-Za-z_][\w.\-]*+):(?=[^\s:/])")
NO_PLAIN: Final = frozenset(",[]{}#&*!|>'\"%@`")
#: The tags of the core schema.
_TAGS: Final = frozenset({"!", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq"})
_DOUBLE: Final = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"')
_SINGLE: Final = re.compile(r"'(?:[^']++|'')*+'")
_DOUBLE_LINE: Final = re.compile(r'"(?:[^"\\\r\n]++|\\[^\r\n])*+"')
_SINGLE_LINE: Final = re.compile(r"'(?:[^'\r\n]++|'')*+'")
_AFTER_QUOTE: Final = re.compile(r"[ \t]*+(?:[\r\n]|\Z|(?<=[ \t])#)")
_AFTER_QUOTE_IN_FLOW: Final = re.compile(r"[ \t]*+(?:[\r\n,:\[\]{}]|\Z|(?<=[ \t])#)")


def lines_below(text: str, at: int, column: int, stop: int, *, comments: bool = True) -> int:
    """Return the beginning of the first line outside the value of a key in `column` on the line of `at`.

    Lines that are blank or deeper belong to it, the items and closers in its column, and all comments.
    """
    rest = REST.match(text, at, stop)
    found = _below(column, comments=comments).match(text, rest.end() if rest is not None else stop, stop)
    return found.end() if found is not None else stop


@lru_cache(64)
def _below(column: int, *, comments: bool) -> re.Pattern[str]:
    deeper = rf" {{{column}}}(?:[ \t]++[^ \t\r\n]|[\-\]}}])[^\r\n]*+"
    blank = r"[ \t]*+" + (r"(?:#[^\r\n]*+)?+" if comments else "")
    return re.compile(rf"(?:(?:{deeper}|{blank})(?>\r\n|\n|\r|\Z))*+")


class Stop(Exception):  # noqa: N818 - not an error: the value ends here
    """The end of a value: the text after it is outside the value, or invalid."""


class Lexer:
    """A text, how far it was scanned, and its problems.

    If one value is read out of a text (`of_value`), an error that makes the text after it ambiguous ends the reading;
    in a file, such an error is skipped.
    """

    def __init__(self, text: str, at: int, limit: int, budget: Budget, *, of_value: bool) -> None:
        self.text = text
        self.at = at
        self.limit = limit
        self.budget = budget
        self.of_value = of_value
        #: Where the reading ended, how far the text was scanned, and whether the text ends inside the value.
        self.end = at
        self.reach = 0
        self.cut = False
        self.problems: list[Problem] = []
        #: Whether an error that makes the text after it ambiguous ended the reading.
        self.failed = False
        #: The pending anchor and tag of the next value, each empty if there is none.
        self.waiting = ("", "")
        self._steps = 0
        # Unclosed quotes: they are not searched beyond their line again.
        self._endless: set[str] = set()

    # -- places --------------------------------------------------------------------------------------------------------

    def look(self, to: int) -> None:
        """Note how far the text was scanned; `to` may be beyond its end."""
        if to > self.reach:
            self.reach = to

    def ends(self, at: int) -> int | None:
        """Return where the next line begins if nothing but a comment is here, else None."""
        match = EOL.match(self.text, at, self.limit)
        if match is None:
            self.look(at + 1)
            return None
        self.look(match.end() + 1)
        after = match.end() + len(match[1])
        return after + 1 if match[1] == "\r" and self.text.startswith("\n", after, self.limit) else after

    def skip(self, at: int) -> int:
        """Return where the next line begins."""
        match = REST.match(self.text, at, self.limit)
        return match.end() if match is not None else self.limit

    def space(self, at: int) -> int:
        """Return where the spaces and tabs at `at` end."""
        match = SPACE.match(self.text, at, self.limit)
        return match.end() if match is not None else at

    def rest(self, at: int) -> int:
        """Return where the line of `at` ends, without a comment and the space before it."""
        match = WRITTEN.match(self.text, at, self.limit)
        end = max(match.end() if match is not None else at, at + 1)
        self.look(end + 1)
        return end

    def plain_end(self, at: int) -> int:
        """Return where the text without quotes at `at` ends on its line."""
        match = PLAIN.match(self.text, at, self.limit)
        end = match.end() if match is not None else at
        self.look(end + 2)
        return end

    def is_elision(self, at: int) -> bool:
        """Return whether an elision begins here."""
        return self.text.startswith(("...", "…"), at, self.limit)

    # -- quotes --------------------------------------------------------------------------------------------------------

    def quote_end(self, at: int, *, flow: bool, lines: bool = True) -> int | None:
        """Return where the text in quotes that begins at `at` ends; None if it is not closed, or text follows."""
        char = self.text[at]
        follows = _AFTER_QUOTE_IN_FLOW if flow else _AFTER_QUOTE
        if lines and char not in self._endless:
            match = (_DOUBLE if char == '"' else _SINGLE).match(self.text, at, self.limit)
            if match is None:
                self._endless.add(char)
            elif follows.match(self.text, match.end(), self.limit) is not None:
                self.look(match.end() + 1)
                return match.end()
        # Its closer may be a quote that opens another string on a line below.
        match = (_DOUBLE_LINE if char == '"' else _SINGLE_LINE).match(self.text, at, self.limit)
        if match is not None and follows.match(self.text, match.end(), self.limit) is not None:
            self.look(match.end() + 1)
            return match.end()
        return None

    def quoted_key_end(self, at: int) -> int | None:
        """Return where the text in quotes that begins at `at` ends on its line, None if it does not."""
        match = (_DOUBLE_LINE if self.text[at] == '"' else _SINGLE_LINE).match(self.text, at, self.limit)
        return match.end() if match is not None else None

    def check_escapes(self, start: int, end: int) -> None:
        """Report invalid escapes in a text between double quotes."""
        if self.text[start] != '"' or self.text.find("\\", start, end) < 0:
            return
        for span in bad_escapes(self.text, start + 1, end - 1):
            reason, title = f"`{span.of(self.text)}` is not a valid YAML escape", "Double the backslash"
            self.report(span, reason, title, (insert(span.start, "\\"),), title=title, certain=True)

    def unclosed(self, at: int, end: int) -> None:
        """Report an unclosed quote; its text ends at `end`."""
        truncated = end >= len(self.text)
        self.cut = self.cut or truncated
        quote = self.text[at]
        data = {"missing": "closing", "truncated": truncated, "string": Span(at, end), "marker": quote}
        self.problem("unmatched-quote", Span(at, at + 1), data, (insert(end, quote),))

    # -- anchors and tags ----------------------------------------------------------------------------------------------

    def note(self, written: str, at: int) -> None:
        """Store an anchor or a tag for the value after it."""
        if written[0] == "&":
            self.waiting = (written[1:], self.waiting[1])
            return
        self.waiting = (self.waiting[0], written)
        if self.of_value and written not in _TAGS:
            span = Span(at, at + len(written))
            self.report(span, f"The tag `{written}` is specific to some applications", "Remove it")

    def forget(self) -> None:
        """Drop the pending anchor and tag."""
        self.waiting = ("", "")

    def adorn(self, node: YamlNode) -> None:
        """Give a value the anchor and the tag that precede it."""
        if not isinstance(node, YamlAlias):
            node.anchor, node.tag = self.waiting
        self.forget()

    # -- problems ------------------------------------------------------------------------------------------------------

    def problem(
        self, kind: str, span: Span, data: dict[str, Any], repair: tuple[Edit, ...] = (), *, certain: bool = False
    ) -> None:
        """Record a problem."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(kind, span, data, repair, certain))

    def report(
        self,
        span: Span,
        reason: str,
        remedy: str,
        repair: Sequence[Edit] = (),
        *,
        title: str = "Fix it",
        truncated: bool = False,
        certain: bool = False,
    ) -> None:
        """Record invalid YAML, in two sentences."""
        data = {"reason": reason, "remedy": remedy, "title": title, "truncated": truncated}
        self.problem("invalid-yaml", span, data, tuple(repair), certain=certain)

    def report_quotes(self, span: Span, reason: str, *, certain: bool = True) -> None:
        """Report a value that needs quotes."""
        edit = Edit(span, json.dumps(span.of(self.text), ensure_ascii=False))
        self.report(span, reason, "Write it in quotes", (edit,), title="Write it in quotes", certain=certain)

    def stop(self) -> None:
        """End the reading of one value: the text after the last problem is ambiguous."""
        if not self.of_value:
            return
        self.failed = True
        if self.problems:
            last = self.problems[-1]
            self.problems[-1] = replace(last, data={**last.data, "truncated": True})
        raise Stop

    def check_depth(self, at: int, depth: int) -> None:
        """End a value in which a collection is nested too deep."""
        if self.of_value and depth >= MAX_DEPTH:
            self.problem("too-deep", Span(at, at + 1), {"limit": MAX_DEPTH})
            self.stop()

    def step(self) -> None:
        """Ask the budget, once for many lines."""
        self._steps += 1
        if not self._steps % 1024:
            self.budget.check()

    def finish_line(self, at: int) -> int:
        """Return where the next line begins; text here that is not a comment is reported."""
        ended = self.ends(at)
        if ended is None:
            first = self.space(at)
            self.report(
                Span(first, self.rest(first)),
                "Unexpected text after the value",
                "Write all of it in quotes, or remove the text",
            )
            self.stop()
            return self.skip(at)
        return ended
