"""Where the fenced block around a call ends: no call goes on behind it.

Owns: that search, made once for each block. Must not know: what calls look like.
"""

from callwright.calls.protocol import ReadContext
from callwright.syntax.prose import fence_closer, fence_line, next_line


def fence_limit(text: str, at: int, context: ReadContext) -> int:
    """Return where the block that holds `at` is closed, or the text's length; the answer is kept for all places up to
    there."""
    fence = context.fence
    if fence is None:
        return len(text)
    key = f"end of {fence.char * fence.length}"
    known = context.memo.get(key, -1)
    if known < at:
        closing = next_line(text, at, len(text), fence_closer(fence.char, fence.length), fence.char * fence.length)
        known = closing.start() if closing is not None else len(text)
        context.look(closing.end() + 1 if closing is not None else len(text))
        context.memo[key] = known
    return known


def no_fence_follows(text: str, at: int, char: str, context: ReadContext) -> bool:
    """Tell whether no fence of `char` begins or ends behind `at`; what is not there is never sought twice."""
    key = f"no {char * 3}"
    known = context.memo.get(key)
    if known is None or at < known:
        if next_line(text, at, len(text), fence_line(char), char * 3) is not None:
            return False
        context.memo[key] = at
    context.look(len(text))
    return True
