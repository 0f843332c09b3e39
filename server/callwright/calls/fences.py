"""Where the fenced block around a call ends: no call continues after it.

Owns: the searches for its end and for fences in it, each made once for a block. Must not know: what calls look like.
"""

from callwright.calls.protocol import ReadContext
from callwright.syntax.prose import fence_closer, fence_line, line_end, next_line


def fence_limit(text: str, at: int, context: ReadContext) -> int:
    """Return where the block around `at` is closed, or the text's length; the result is cached for all places up to
    there."""
    fence = context.fence
    if fence is None:
        return len(text)
    closer = fence_closer(fence.char, fence.length)
    known = context.scan.searches.known(("fence", closer.pattern), at)
    if known is not None:
        return known
    closing = next_line(text, at, len(text), closer, fence.char * fence.length)
    context.look(closing.end() + 1 if closing is not None else len(text))
    found = closing.start() if closing is not None else len(text)
    return context.scan.searches.keep(("fence", closer.pattern), at, found)


def next_fence(text: str, at: int, context: ReadContext) -> int:
    """Return where the next fence of the block's own character is, closing or opening, or the text's length; outside of
    fences there is no limit. It is searched once for all places up to there."""
    if context.fence is None:
        return len(text)
    found = _next_fence(text, at, context.fence.char, context)
    context.look(line_end(text, found) + 1)
    return found


def no_fence_follows(text: str, at: int, char: str, context: ReadContext) -> bool:
    """Return whether no fence of `char` begins or ends after `at`; a missing one is searched only once."""
    if _next_fence(text, at, char, context) < len(text):
        return False
    context.look(len(text))
    return True


def _next_fence(text: str, at: int, char: str, context: ReadContext) -> int:
    """Return where the next line of a fence of `char` begins, the text's length if there is none."""
    line = fence_line(char)
    found = context.scan.searches.known(line.pattern, at)
    if found is None:
        ending = next_line(text, at, len(text), line, char * 3)
        found = context.scan.searches.keep(line.pattern, at, len(text) if ending is None else ending.start())
    return found
