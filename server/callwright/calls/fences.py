"""Where the fenced block around a call ends: no call goes on behind it.

Owns: the searches for its end and for fences in it, each made once for a block. Must not know: what calls look like.
"""

from callwright.calls.protocol import ReadContext
from callwright.syntax.prose import fence_closer, fence_line, line_end, next_line


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


def next_fence(text: str, at: int, context: ReadContext) -> int:
    """Return where the next fence of the block's own character stands, be it an end or another beginning, or the text's
    length; outside of fences there is no limit. It is sought once for all places up to there."""
    if context.fence is None:
        return len(text)
    memo = context.memo
    if not memo.get("fence from", len(text) + 1) <= at <= memo.get("fence end", -1):
        ending = next_line(text, at, len(text), fence_line(context.fence.char), context.fence.char * 3)
        memo["fence from"], memo["fence end"] = at, len(text) if ending is None else ending.start()
    context.look(line_end(text, memo["fence end"]) + 1)
    return memo["fence end"]


def no_fence_follows(text: str, at: int, char: str, context: ReadContext) -> bool:
    """Return whether no fence of `char` begins or ends behind `at`; what is not there is never sought twice."""
    key = f"no {char * 3}"
    known = context.memo.get(key)
    if known is None or at < known:
        if next_line(text, at, len(text), fence_line(char), char * 3) is not None:
            return False
        context.memo[key] = at
    context.look(len(text))
    return True
