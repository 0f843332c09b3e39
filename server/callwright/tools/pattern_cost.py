"""The cost of a pattern: the power of the text's length with which a search may grow.

Owns: `Automaton`, the limits of the analysis. Must not know: how patterns are written, schemas.

A backtracking engine tries every way in which a pattern can match a text. The automaton of the pattern's positions
shows how many there are: two ways from a state of a loop back to that state with the same text double at each round, so
the search is exponential; a loop that can pass to another one anywhere within a text multiplies the cost by the text's
length. See N. Weideman et al., "Analyzing Matching Time Behavior of Backtracking Regular Expression Matchers by Using
Ambiguity of NFA", CIAA 2016.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from callwright.text.records import NamedTuple
from callwright.tools.pattern_characters import LAST, meets
from callwright.tools.pattern_parser import PatternNode, text_length

if TYPE_CHECKING:
    from callwright.tools.pattern_characters import Ranges

#: The largest counted repetition that is expanded; a larger one counts as a loop.
_WRITTEN_OUT: Final = 4
#: How many positions and edges an automaton may have, and how many pairs of edges are examined.
_POSITIONS: Final = 300
_EDGES: Final = 10_000
_PAIRS: Final = 60_000
#: How many loops over one character are checked for passing to each other.
_LOOPS: Final = 60


class _Cost(NamedTuple):
    """The cost of a search: exponential, or a power of the length, for one start and for all starts of a match."""

    exponential: bool
    inner: int | None
    searching: int | None
    where: tuple[int, int] = (0, 0)


class _Fragment(NamedTuple):
    """The positions at which a part may begin and end, and whether it may be empty.

    Positions are mapped to the number of ways that lead to them (1, or 2 for several). `empty` is the number of ways to
    match nothing.
    """

    first: dict[int, int]
    last: dict[int, int]
    empty: int


class _TooLargeError(Exception):
    """The automaton has more positions than the limit."""


class Automaton:
    """The automaton of a pattern's positions (Glushkov's), with the number of ways from one to the next."""

    def __init__(self, root: PatternNode) -> None:
        self._chars: list[Ranges] = []
        self._where: list[tuple[int, int]] = []
        self._next: list[dict[int, int]] = []
        self._loops: list[tuple[int, int]] = []
        self._anchored = _begins_at_start(root)
        self._large = False
        self._final: set[int] = set()
        self._edges = 0
        if not _has_loop(root):
            return
        try:
            self._final = {state for state in self._build(root).last if self._chars[state]}
        except _TooLargeError:
            self._large = True

    def cost(self) -> _Cost:
        """Return what a search for the pattern may cost."""
        if self._large:
            return _Cost(False, None, None)
        groups = self._groups()
        budget = _PAIRS
        for group in groups:
            # A loop at the end of the whole pattern matches greedily and is never backtracked into.
            if not self._final.isdisjoint(group):
                continue
            if any(ways > 1 and one in group for state in group for one, ways in self._next[state].items()):
                return _Cost(True, None, None, self._span(group))
            doubled, budget = self._doubled(group, budget)
            if doubled:
                return _Cost(True, None, None, self._span(group))
            if budget <= 0:
                return _Cost(False, None, None)
        chain, where = self._chain([group for group in groups if self._final.isdisjoint(group)])
        inner = max(chain, 1) if groups else 0
        return _Cost(False, inner, chain + 1 if chain and not self._anchored else inner, where)

    def _span(self, group: Iterable[int]) -> tuple[int, int]:
        states = list(group)
        low, high = min(self._where[one][0] for one in states), max(self._where[one][1] for one in states)
        around = [span for span in self._loops if span[0] <= low and high <= span[1]]
        return min(around, key=lambda span: span[1] - span[0], default=(low, high))

    def _position(self, node: PatternNode) -> int:
        if len(self._chars) >= _POSITIONS:
            raise _TooLargeError
        self._chars.append(node.chars)
        self._where.append((node.start, node.end))
        self._next.append({})
        return len(self._chars) - 1

    def _build(self, node: PatternNode) -> _Fragment:
        if node.kind == "set":
            one = self._position(node)
            return _Fragment({one: 1}, {one: 1}, 0)
        if node.kind == "end":
            # Nothing may follow: the parts before it cannot end the match anywhere else.
            one = self._position(PatternNode("set", node.start, node.end, chars=()))
            return _Fragment({one: 1}, {one: 1}, 0)
        if node.kind == "back":
            one = self._position(PatternNode("set", node.start, node.end, chars=((0, LAST),)))
            self._next[one][one] = 1
            return _Fragment({one: 1}, {one: 1}, 1)
        if node.kind == "around":
            # A lookaround is searched from every place at which the match may be; it consumes nothing.
            self._build(node.parts[0])
            return _Fragment({}, {}, 1)
        if node.kind == "any":
            return _either([self._build(part) for part in node.parts])
        if node.kind == "loop":
            return self._loop(node)
        whole = _Fragment({}, {}, 1)
        for part in node.parts:
            whole = self._joined(whole, self._build(part))
        return whole

    def _joined(self, one: _Fragment, other: _Fragment) -> _Fragment:
        self._connect(one.last, other.first)
        first = _sum(one.first, other.first if one.empty else {}, one.empty)
        last = _sum(other.last, one.last if other.empty else {}, other.empty)
        return _Fragment(first, last, min(2, one.empty * other.empty))

    def _connect(self, sources: dict[int, int], ends: dict[int, int]) -> None:
        self._edges += len(sources) * len(ends)
        if self._edges > _EDGES:
            raise _TooLargeError
        for source, ways in sources.items():
            following = self._next[source]
            for end, more in ends.items():
                following[end] = min(2, following.get(end, 0) + ways * more)

    def _loop(self, node: PatternNode) -> _Fragment:
        part, least, most = node.parts[0], node.least, node.most
        if most == 0:
            return _Fragment({}, {}, 1)
        written_out = most if most is not None else least
        if written_out <= _WRITTEN_OUT and most is not None:
            whole = _Fragment({}, {}, 1)
            for _ in range(least):
                whole = self._joined(whole, self._build(part))
            tail = _Fragment({}, {}, 1)
            for _ in range(most - least):
                # Built from the inside: each optional copy is followed by the next one.
                inner = self._joined(self._build(part), tail)
                tail = _Fragment(inner.first, inner.last, 1)
            return self._joined(whole, tail)
        inner = self._build(part)
        self._loops.append((node.start, node.end))
        ways = 2 if inner.empty and most is not None else 1
        if most is None or least != most or text_length(part) is None:
            self._connect(inner.last, {state: min(2, count * ways) for state, count in inner.first.items()})
        elif least == most:
            # A fixed number of parts of one length can match in one way only; it is not an open loop.
            return _Fragment(inner.first, inner.last, inner.empty)
        return _Fragment(inner.first, inner.last, 1 if least == 0 or inner.empty else 0)

    def _groups(self) -> list[list[int]]:
        """Return the loops: the largest sets of positions that lead to each other (Tarjan's, without recursion)."""
        index: dict[int, int] = {}
        low: dict[int, int] = {}
        stack: list[int] = []
        on_stack: set[int] = set()
        found: list[list[int]] = []
        for root in range(len(self._next)):
            if root in index:
                continue
            work: list[tuple[int, Iterator[int]]] = [(root, iter(self._next[root]))]
            index[root] = low[root] = len(index)
            stack.append(root)
            on_stack.add(root)
            while work:
                state, following = work[-1]
                for one in following:
                    if one not in index:
                        index[one] = low[one] = len(index)
                        stack.append(one)
                        on_stack.add(one)
                        work.append((one, iter(self._next[one])))
                        break
                    if one in on_stack:
                        low[state] = min(low[state], index[one])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[state])
                    if low[state] == index[state]:
                        group = []
                        while True:
                            one = stack.pop()
                            on_stack.discard(one)
                            group.append(one)
                            if one == state:
                                break
                        if len(group) > 1 or state in self._next[state]:
                            found.append(group)
        return found

    def _doubled(self, group: list[int], budget: int) -> tuple[bool, int]:
        """Return whether two different ways lead from a state of the loop back to it with the same text."""
        if len(group) == 1:
            return False, budget
        inside = set(group)
        edges = {state: [one for one in self._next[state] if one in inside] for state in group}
        # Pairs that are reached from a pair of equal states, and from which such a pair is reached again.
        forward: dict[tuple[int, int], list[tuple[int, int]]] = {}
        pending = [(state, state) for state in group]
        seen = set(pending)
        while pending:
            pair = pending.pop()
            following: list[tuple[int, int]] = []
            for one in edges[pair[0]]:
                for other in edges[pair[1]]:
                    budget -= 1
                    if budget <= 0:
                        return False, 0
                    if one == other or meets(self._chars[one], self._chars[other]):
                        following.append((one, other))
                        if (one, other) not in seen:
                            seen.add((one, other))
                            pending.append((one, other))
            forward[pair] = following
        backward: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for pair, following in forward.items():
            for end in following:
                backward.setdefault(end, []).append(pair)
        back = [pair for pair in seen if pair[0] == pair[1]]
        reached = set(back)
        while back:
            for source in backward.get(back.pop(), ()):
                if source not in reached:
                    reached.add(source)
                    back.append(source)
        # The two ways must begin and end at the same state, which may be any state of the loop.
        return any(pair[0] != pair[1] for pair in reached), budget

    def _chain(self, groups: list[list[int]]) -> tuple[int, tuple[int, int]]:
        """Return how many loops can pass to each other within a text of one repeated character, and where."""
        loops = sorted((state, number) for number, group in enumerate(groups) for state in group)
        loops = [(state, number) for state, number in loops if state in self._next[state]]
        best, where = (1 if groups else 0), (0, 0)
        if len(loops) > _LOOPS:
            return len(loops), where
        longest: dict[int, tuple[int, int]] = {}
        for index, (loop, number) in reversed(list(enumerate(loops))):
            length, end = 1, loop
            for other, its_number in loops[index + 1 :]:
                following, its_end = longest[other]
                if its_number != number and following + 1 > length and self._passes_on(loop, other):
                    length, end = following + 1, its_end
            longest[loop] = (length, end)
            if length > best:
                best, where = length, (self._where[loop][0], self._where[end][1])
        return best, where

    def _passes_on(self, one: int, other: int) -> bool:
        """Return whether a run of one character leads from one loop to another."""
        common = self._chars[one]
        seen = {one}
        pending = [one]
        while pending:
            state = pending.pop()
            for following in self._next[state]:
                if following == other and meets(common, self._chars[other]):
                    return True
                if following not in seen and meets(common, self._chars[following]):
                    seen.add(following)
                    pending.append(following)
        return False


def _sum(one: dict[int, int], other: dict[int, int], times: int) -> dict[int, int]:
    if not other:
        return one
    found = dict(one)
    for state, ways in other.items():
        found[state] = min(2, found.get(state, 0) + ways * times)
    return found


def _either(fragments: list[_Fragment]) -> _Fragment:
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for fragment in fragments:
        first = _sum(fragment.first, first, 1)
        last = _sum(fragment.last, last, 1)
    return _Fragment(first, last, min(2, sum(fragment.empty for fragment in fragments)))


def _has_loop(node: PatternNode) -> bool:
    """Return whether anything in a pattern may be repeated or left out."""
    return node.kind in ("loop", "back") or any(_has_loop(part) for part in node.parts)


def _begins_at_start(node: PatternNode) -> bool:
    """Return whether a match can only begin where the text does."""
    if node.kind == "all":
        for part in node.parts:
            if part.kind == "free":
                return True
            return _begins_at_start(part)
        return False
    return node.kind == "any" and all(_begins_at_start(part) or part.kind == "free" for part in node.parts)
