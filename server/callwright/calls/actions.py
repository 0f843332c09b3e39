"""Actions: a block of program text below the words in which a model says what it is about to do.

Owns: locating the block below its labels, and where a block ends. Must not know: what calls a block holds, dialect
modules.

A fence of program text is an action only below such a label, or where a setting says that the text is written so: other
fences show a program to a reader.
"""

import re
from functools import lru_cache
from typing import Final

from callwright.calls.fences import fence_limit
from callwright.calls.marker_problems import unclosed_fence, unclosed_tag
from callwright.calls.protocol import ReadContext
from callwright.calls.scanning import LINES, LISTED, end_of_line, lead_end, line_of, next_literal, next_match, trimmed
from callwright.syntax.problem import Problem
from callwright.syntax.prose import fence_at, fence_closer, line_start
from callwright.text.records import dataclass
from callwright.text.span import Span, insert

#: The maximum number of characters between a label and its block.
MAX_THOUGHT_LENGTH: Final = 6_000
_SPACE: Final = " \t\r\n>"


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one dialect, as patterns, and the delimiters of its blocks.

    `opens` begins what a model says, `code` is right above a block where the dialect has such a label, and `steps`
    matches the beginning of other steps: a block below one does not belong to the label above it. `languages` are the
    info words of fences; `tag` names the element that may contain a block instead. `end` may follow the end of a block,
    and makes the block an action.
    """

    opens: str
    steps: str
    languages: frozenset[str]
    code: str = ""
    tag: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of program text: `content` between its markers, `frame` with those and everything else that only contains
    it.

    `language` is where its info word is, `closed` whether its end is there, `ended` whether the dialect's own marker
    follows. Reading continues at `end`.
    """

    frame: Span
    content: Span
    language: Span
    ended: bool
    end: int
    problems: tuple[Problem, ...] = ()

    @property
    def closed(self) -> bool:
        """Whether the end of the block is there."""
        return not self.problems


@lru_cache(maxsize=16)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


@lru_cache(maxsize=16)
def _next_step(labels: Labels) -> re.Pattern[str]:
    """Return the pattern of lines at which the text below a label continues with something else."""
    tag = rf"(?P<tag><{labels.tag}>)|" if labels.tag else ""
    code = rf"(?P<code>{labels.code})|" if labels.code else ""
    return re.compile(
        rf"(?<=[\r\n])[ \t>]*+(?:(?P<fence>`{{3,}}+|~{{3,}}+)|{tag}#{{1,6}}[ \t]|</?[A-Za-z]|{code}(?:{labels.steps}))"
    )


@lru_cache(maxsize=16)
def _closer(char: str, length: int, end: str) -> re.Pattern[str]:
    """Return the pattern of the line that ends a fence, with the marker that may follow it."""
    if not end:
        return fence_closer(char, length)
    return re.compile(
        rf"(?:^|(?<=[\r\n]))[ \t>]*+{re.escape(char)}{{{length},}}+[ \t]*+(?:{re.escape(end)}[ \t]*+)?+(?=[\r\n]|\Z)"
    )


def leads_line(text: str, start: int, context: ReadContext) -> bool:
    """Return whether only indentation, quote and list markers are before `start` on its line."""
    end = lead_end(LISTED, text, start, context)
    if start >= end:
        return start == end
    # The marker itself may be written like a lead.
    lead = LISTED.match(text, line_of(text, start, context), start)
    return lead is not None and lead.end() == start


def block_below(text: str, start: int, labels: Labels, context: ReadContext) -> Block | None:
    """Return the block below the label at `start` and its text; None if there is none."""
    if not leads_line(text, start, context):
        return None
    label = _pattern(labels.opens).match(text, start)
    if label is None:
        context.look(end_of_line(text, start, context) + 1)
        return None
    limit = min(fence_limit(text, start, context), label.end() + MAX_THOUGHT_LENGTH, len(text))
    found = _next_step(labels).search(text, label.end(), limit)
    # The tag of a block may be truncated.
    context.look(limit + 1 if found is None else end_of_line(text, found.end(), context) + 1)
    kind = found.lastgroup if found is not None else None
    if found is None or kind is None or (kind == "fence" and labels.code):
        return None
    at = found.start(kind)
    wordless = not text[label.end() : at].strip(_SPACE)
    return block_at(text, at, labels, context, start if wordless else at)


def block_at(text: str, at: int, labels: Labels, context: ReadContext, start: int) -> Block | None:
    """Return the block that opens at `at`, or below the label there, with a frame that begins at `start`."""
    context.look(end_of_line(text, at, context) + 1)
    if labels.code:
        label = _pattern(labels.code).match(text, at)
        if label is not None:
            gap = LINES.match(text, label.end())
            at = label.end() if gap is None else gap.end()
            context.look(end_of_line(text, at, context) + 1)
            if at == label.end():
                return None
    if labels.tag and text.startswith(f"<{labels.tag}>", at):
        return _element(text, at, labels, context, start)
    fence = fence_at(text, line_start(text, at))
    if fence is None or fence.marker != at or fence.language not in labels.languages:
        return None
    limit = fence_limit(text, at, context)
    closer = _closer(fence.char, fence.length, labels.end)
    closing = next_match(text, fence.content, closer, context, limit + 1, marker=fence.char * 3)
    word = text.find(fence.info, at + fence.length)
    language = Span(word, word + len(fence.language))
    if closing is None:
        content = trimmed(text, fence.content, limit, _SPACE)
        problem = unclosed_fence(fence, content.end)
        end = max(limit, fence.content)
        return Block(Span(start, max(content.end, fence.content)), content, language, False, end, (problem,))
    content = trimmed(text, fence.content, closing.start(), _SPACE)
    ended = bool(labels.end) and labels.end in closing[0]
    # A line that also ends the surrounding block is left to that.
    end = closing.end() if context.fence is None or closing.start() < limit else closing.start()
    return Block(Span(start, max(end, content.end)), content, language, ended, max(end, fence.content))


def _element(text: str, at: int, labels: Labels, context: ReadContext, start: int) -> Block | None:
    """Return the block between tags that opens at `at`, if it begins on a line of its own below the tag."""
    opener, closer = f"<{labels.tag}>", f"</{labels.tag}>"
    begin = at + len(opener)
    limit = fence_limit(text, at, context)
    closing = next_literal(text, begin, closer, context, limit)
    language = Span(at + 1, begin - 1)
    if closing < 0:
        content = trimmed(text, begin, limit, _SPACE)
        repair, cut = (insert(content.end, f"\n{closer}"),), limit >= len(text)
        problem = unclosed_tag(Span(at, begin), labels.tag, content.end, repair, cut=cut, certain=False)
        return Block(Span(start, content.end), content, language, False, max(limit, begin), (problem,))
    end = closing + len(closer)
    ended = bool(labels.end) and text.startswith(labels.end, end)
    end += len(labels.end) if ended else 0
    context.look(end + len(labels.end) + 1)
    return Block(Span(start, end), trimmed(text, begin, closing, _SPACE), language, ended, end)
