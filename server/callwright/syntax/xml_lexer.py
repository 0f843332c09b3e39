"""The tags of a text in order, without their meaning, for the recovery of broken markup.

Owns: the lazily grown list of tags, which opener each closer would belong to if only tags of its name counted, and
where the tags of a name are. Must not know: trees, parameters, which reading is right.
"""

from bisect import bisect_left
from collections.abc import Hashable

from callwright.syntax.xml_names import NAME, NamePattern
from callwright.syntax.xml_strict import Finder, special_at
from callwright.syntax.xml_tags import CLOSE_TAG, OPEN_TAG, tag_at
from callwright.text.budget import Budget, yield_point

OPEN, CLOSE, EMPTY, SECTION = range(4)
_BUDGET_STEP = 4096

_TOKEN = NamePattern(f"<(?:{NAME}|/{NAME}|!\\[CDATA\\[|!--|\\?)")
_LITERAL_TOKEN = NamePattern(f"</?{NAME}")
#: A closing tag whose `>` is missing: something else begins where it should be.
CUT_CLOSER = NamePattern(f"</({NAME})(?=[ \t\r\n]*+<)")


class Lexer:
    """The tags from `start` on, read as far as requested.

    Invariant: tags inside CDATA sections, comments and instructions are left out (`sections`), and each character is
    read once. `starts`, `ends`, `names`, `kinds` run in parallel; a section is one entry without a name.
    """

    def __init__(self, text: str, start: int, end: int, finder: Finder, *, sections: bool) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.pos = start
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.names: list[str] = []
        self.kinds: list[int] = []
        #: Offsets of the openers and closers of a name.
        self.openers: dict[str, list[int]] = {}
        self.closers: dict[str, list[int]] = {}
        #: Closer of an opener and the reverse, by offset, as if no other name existed.
        self.closer_of: dict[int, int] = {}
        self.opener_of: dict[int, int] = {}
        #: Whether the end of a section was not found up to the end of the text.
        self.unended = False
        #: Where callers found the next of some landmarks: where the search began, and the place.
        self.landmarks: dict[Hashable, tuple[int, int]] = {}
        self._open: dict[str, list[int]] = {}
        self._finder = finder
        self._sections = sections
        self._pattern = _TOKEN if sections else _LITERAL_TOKEN

    def grow(self) -> bool:
        """Read one tag more; return False where there is none left."""
        text = self.text
        while self.pos < self.end:
            found = self._pattern.search(text, self.pos, self.end)
            if found is None:
                self.pos = self.end
                return False
            at = found.start()
            yield_point()
            symbol = text[at + 1]
            if symbol in ("!", "?"):
                section = special_at(text, at, self._finder)
                if section is None:
                    self.unended = True
                    self.pos = found.end()
                    continue
                self._add(at, section.end, "", SECTION)
                self.pos = section.end
                return True
            if symbol == "/":
                closed = CLOSE_TAG.match(text, at, self.end) or CUT_CLOSER.match(text, at, self.end)
                if closed is None:
                    self.pos = found.end()
                    continue
                name = closed[1]
                self._add(at, closed.end(), name, CLOSE)
                self.pos = closed.end()
                self.closers.setdefault(name, []).append(at)
                waiting = self._open.get(name)
                if waiting:
                    opener = waiting.pop()
                    self.closer_of[opener] = at
                    self.opener_of[at] = opener
                return True
            opened = OPEN_TAG.match(text, at, self.end)
            if opened is not None:
                name, stop, empty = opened[1], opened.end(), opened[3] == "/"
            else:
                tag = tag_at(text, at, self.end)
                if tag is None or tag.truncated:
                    self.pos = found.end()
                    continue
                name, stop, empty = tag.name, tag.end, tag.self_closing
            self._add(at, stop, name, EMPTY if empty else OPEN)
            self.pos = stop
            if not empty:
                self.openers.setdefault(name, []).append(at)
                self._open.setdefault(name, []).append(at)
            return True
        return False

    def grow_to(self, offset: int, budget: Budget) -> None:
        """Read on until every tag that begins before `offset` is known."""
        steps = 0
        while self.pos < offset and self.grow():
            steps += 1
            if not steps % _BUDGET_STEP:
                budget.check()

    def grow_until_closed(self, opener: int, budget: Budget) -> int | None:
        """Return the offset of the closer that belongs to `opener`, reading on until it is known, or None."""
        steps = 0
        while opener not in self.closer_of and self.grow():
            steps += 1
            if not steps % _BUDGET_STEP:
                budget.check()
        return self.closer_of.get(opener)

    def holds(self, offset: int) -> bool:
        """Return whether a known tag begins at `offset`, so that reading can continue from there."""
        index = bisect_left(self.starts, offset)
        return index < len(self.starts) and self.starts[index] == offset and self.kinds[index] != SECTION

    def index(self, offset: int) -> int:
        """Return the index of the first known tag at or after `offset`."""
        return bisect_left(self.starts, offset)

    def _add(self, start: int, end: int, name: str, kind: int) -> None:
        self.starts.append(start)
        self.ends.append(end)
        self.names.append(name)
        self.kinds.append(kind)
