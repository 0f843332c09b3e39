"""Counts the steps of a backtracking search, by walking a pattern as Python's own parser reads it.

Owns: `Steps`, an engine that finds what `re` finds and counts every character that it checks; `attacks`, the texts on
which a pattern may be slow. Must not know: whose patterns these are.

The engine of `re` counts nothing, and a clock proves nothing. What `re` saves (a literal that every match begins with
is searched for in one go) is not saved here: the count is an upper bound.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from re import _constants, _parser  # type: ignore[attr-defined]  # the parser of `re` itself, which has no types
from typing import Any, Final

Rest = Callable[[int], bool]
Part = Callable[[str, int, Rest], bool]
_MAX: Final = _constants.MAXREPEAT
_CATEGORIES: Final = {
    _constants.CATEGORY_DIGIT: r"\d",
    _constants.CATEGORY_NOT_DIGIT: r"\D",
    _constants.CATEGORY_SPACE: r"\s",
    _constants.CATEGORY_NOT_SPACE: r"\S",
    _constants.CATEGORY_WORD: r"\w",
    _constants.CATEGORY_NOT_WORD: r"\W",
}


class TooManyStepsError(Exception):
    """The search takes more steps than were allowed."""


@cache
def _category(source: str) -> re.Pattern[str]:
    return re.compile(source)


class Steps:
    """A pattern that counts: `match` returns whether it matches at an offset, `steps` counts the characters that were
    read.

    Raises TooManyStepsError once `limit` steps were taken.
    """

    def __init__(self, source: str, flags: int = 0) -> None:
        self.tree = _parser.parse(source, flags)
        self.flags = self.tree.state.flags
        self.steps = 0
        self.limit = 0
        self._groups: dict[int, tuple[int, int]] = {}
        self._match = self._sequence(list(self.tree))

    def match(self, text: str, at: int) -> int | None:
        """Return where the match at an offset ends, None where there is none."""
        self._groups = {}
        ends: list[int] = []

        def last(end: int) -> bool:
            ends.append(end)
            return True

        return ends[0] if self._match(text, at, last) else None

    def count(self, text: str, limit: int, *, everywhere: bool) -> int:
        """Return the steps of a match at the start, or of the search for every match from the left to the right."""
        self.steps, self.limit = 0, limit
        at = 0
        while True:
            end = self.match(text, at)
            if not everywhere or at >= len(text):
                return self.steps
            at = end if end is not None and end > at else at + 1

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.limit:
            raise TooManyStepsError

    def _sequence(self, items: Sequence[Any]) -> Part:
        parts = [self._part(item) for item in items]
        if len(parts) == 1:
            return parts[0]

        def run(text: str, at: int, rest: Rest, index: int = 0) -> bool:
            if index == len(parts):
                return rest(at)
            return parts[index](text, at, lambda end: run(text, end, rest, index + 1))

        return run

    def takes(self, item: Any) -> Callable[[str], bool] | None:
        """Return a predicate for the characters that a part of one character takes; None for any other part."""
        operation, argument = item
        fold = bool(self.flags & re.IGNORECASE)
        if operation is _constants.LITERAL:
            wanted = {chr(argument), *((chr(argument).lower(), chr(argument).upper()) if fold else ())}
            return lambda char: char in wanted
        if operation is _constants.NOT_LITERAL:
            return lambda char: char != chr(argument)
        if operation is _constants.ANY:
            return (lambda _: True) if self.flags & re.DOTALL else (lambda char: char != "\n")
        if operation is _constants.IN:
            return self._in(argument, fold=fold)
        return None

    def _in(self, items: Sequence[Any], *, fold: bool) -> Callable[[str], bool]:
        negated = items[0][0] is _constants.NEGATE
        tests: list[Callable[[str], bool]] = []
        for operation, argument in items[negated:]:
            if operation is _constants.LITERAL:
                tests.append(chr(argument).__eq__)
            elif operation is _constants.RANGE:
                tests.append(lambda char, low=argument[0], high=argument[1]: low <= ord(char) <= high)  # type: ignore[misc]
            else:
                ascii_only = "(?a)" if self.flags & re.ASCII else ""
                known = _category(ascii_only + _CATEGORIES[argument])
                tests.append(lambda char, known=known: known.match(char) is not None)  # type: ignore[misc]

        def one(char: str) -> bool:
            forms = {char, char.lower(), char.upper()} if fold else (char,)
            return any(test(form) for form in forms if len(form) == 1 for test in tests) != negated

        return cache(one)

    def _part(self, item: Any) -> Part:
        operation, argument = item
        takes = self.takes(item)
        if takes is not None:

            def single(text: str, at: int, rest: Rest) -> bool:
                self._step()
                return at < len(text) and takes(text[at]) and rest(at + 1)

            return single
        if operation is _constants.BRANCH:
            branches = [self._sequence(list(branch)) for branch in argument[1]]
            return lambda text, at, rest: any(branch(text, at, rest) for branch in branches)
        if operation is _constants.SUBPATTERN:
            group, _, _, inner = argument
            body = self._sequence(list(inner))
            if group is None:
                return body

            def grouped(text: str, at: int, rest: Rest) -> bool:
                before = self._groups.get(group)

                def ended(end: int) -> bool:
                    self._groups[group] = (at, end)
                    return rest(end)

                if body(text, at, ended):
                    return True
                if before is not None:
                    self._groups[group] = before
                return False

            return grouped
        if operation is _constants.ATOMIC_GROUP:
            return self._atomic(self._sequence(list(argument)))
        if operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            return self._repeat(operation, *argument)
        if operation in (_constants.ASSERT, _constants.ASSERT_NOT):
            return self._look(argument[0], list(argument[1]), wanted=operation is _constants.ASSERT)
        if operation is _constants.AT:
            return self._at(argument)
        if operation is _constants.GROUPREF:

            def again(text: str, at: int, rest: Rest) -> bool:
                start, end = self._groups.get(argument, (0, -1))
                self.steps += max(0, end - start)
                self._step()
                return end >= start and text.startswith(text[start:end], at) and rest(at + end - start)

            return again
        if operation is _constants.GROUPREF_EXISTS:
            group, yes, no = argument
            then, otherwise = self._sequence(list(yes)), self._sequence(list(no or ()))

            def either(text: str, at: int, rest: Rest) -> bool:
                return then(text, at, rest) if group in self._groups else otherwise(text, at, rest)

            return either
        if operation is _constants.FAILURE:
            return lambda _text, _at, _rest: False
        raise NotImplementedError(str(operation))

    @staticmethod
    def _atomic(body: Part) -> Part:
        def run(text: str, at: int, rest: Rest) -> bool:
            ends: list[int] = []

            def first(end: int) -> bool:
                ends.append(end)
                return True

            return body(text, at, first) and rest(ends[0])

        return run

    def _repeat(self, operation: Any, least: int, most: Any, inner: Any) -> Part:
        items = list(inner)
        highest = 1 << 60 if most is _MAX else int(most)
        takes = self.takes(items[0]) if len(items) == 1 else None
        if takes is not None:
            return self._run(operation, least, highest, takes)
        body = self._sequence(items)

        def run(text: str, at: int, rest: Rest, count: int = 0) -> bool:
            def more() -> bool:
                return count < highest and body(
                    text, at, lambda end: (end > at or count < least) and run(text, end, rest, count + 1)
                )

            if operation is _constants.MIN_REPEAT:
                return (count >= least and rest(at)) or more()
            return more() or (count >= least and rest(at))

        return self._atomic(run) if operation is _constants.POSSESSIVE_REPEAT else run

    def _run(self, operation: Any, least: int, most: int, takes: Callable[[str], bool]) -> Part:
        def run(text: str, at: int, rest: Rest) -> bool:
            if operation is _constants.MIN_REPEAT:
                end = at
                while True:
                    if end - at >= least and rest(end):
                        return True
                    self._step()
                    if end - at >= most or end >= len(text) or not takes(text[end]):
                        return False
                    end += 1
            end = at
            while end - at < most and end < len(text):
                self._step()
                if not takes(text[end]):
                    break
                end += 1
            if operation is _constants.POSSESSIVE_REPEAT:
                return end - at >= least and rest(end)
            for back in range(end, at + least - 1, -1):
                self._step()
                if rest(back):
                    return True
            return False

        return run

    def _look(self, direction: int, items: list[Any], *, wanted: bool) -> Part:
        body = self._sequence(items)
        width = sum(_width(item) for item in items) if direction < 0 else 0

        def run(text: str, at: int, rest: Rest) -> bool:
            start = at - width
            found = start >= 0 and body(text, start, lambda end: direction > 0 or end == at)
            return found == wanted and rest(at)

        return run

    def _at(self, where: Any) -> Part:
        multiline = bool(self.flags & re.MULTILINE)
        word = _category(r"\w")

        def holds(text: str, at: int) -> bool:
            if where is _constants.AT_BEGINNING:
                return at == 0 or (multiline and text[at - 1] == "\n")
            if where is _constants.AT_BEGINNING_STRING:
                return at == 0
            if where is _constants.AT_END:
                return at == len(text) or text[at:] == "\n" or (multiline and text[at] == "\n")
            if where is _constants.AT_END_STRING:
                return at == len(text)
            before = at > 0 and word.match(text[at - 1]) is not None
            after = at < len(text) and word.match(text[at]) is not None
            return (before != after) == (where is _constants.AT_BOUNDARY)

        def run(text: str, at: int, rest: Rest) -> bool:
            self._step()
            return holds(text, at) and rest(at)

        return run


def _width(item: Any) -> int:
    operation, argument = item
    if operation is _constants.SUBPATTERN:
        return sum(_width(each) for each in argument[3])
    if operation is _constants.BRANCH:
        return sum(_width(each) for each in argument[1][0])
    if operation is _constants.MAX_REPEAT:
        return int(argument[0]) * sum(_width(each) for each in argument[2])
    return 0 if operation in (_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT) else 1


#: What is tried where a class takes many characters, the rarer ones first.
_CHARACTERS: Final = [*"\"'\\`<>{}[]()=:,;|/!?&%$#@*+-_.~^ \t\n\r", "a", "e", "Z", "0", "9", "é", "\u2028", "😀"]


class Writer:
    """Writes texts that parts of a pattern take, at random."""

    def __init__(self, steps: Steps, seed: int) -> None:
        self._steps = steps
        self._random = random.Random(seed)  # noqa: S311 -- nothing secret

    def text(self, items: Sequence[Any]) -> str:
        """Return a text that the parts take, as far as it is known without lookaround."""
        return "".join(self._one(item) for item in items)

    def _one(self, item: Any) -> str:
        operation, argument = item
        takes = self._steps.takes(item)
        if takes is not None:
            if operation is _constants.LITERAL:
                return chr(argument)
            fitting = [char for char in _CHARACTERS if takes(char)]
            if operation is _constants.IN:
                fitting += [chr(value) for kind, value in argument if kind is _constants.LITERAL and takes(chr(value))]
                fitting += [
                    chr(value[0]) for kind, value in argument if kind is _constants.RANGE and takes(chr(value[0]))
                ]
            return self._random.choice(fitting) if fitting else ""
        if operation is _constants.BRANCH:
            return self.text(list(self._random.choice(argument[1])))
        if operation is _constants.SUBPATTERN:
            return self.text(list(argument[3]))
        if operation is _constants.ATOMIC_GROUP:
            return self.text(list(argument))
        if operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            least, most, inner = argument
            count = min(int(least) + self._random.randint(0, 1), int(most)) if least < 5 else int(least)
            return "".join(self.text(list(inner)) for _ in range(count))
        return ""


def loops(items: Sequence[Any]) -> Iterator[tuple[list[Any], Any, list[Any]]]:
    """Yield every loop of a pattern with the parts in front of it and those after it, the outer ones first."""
    for index, item in enumerate(items):
        operation, argument = item
        before, after = list(items[:index]), list(items[index + 1 :])
        inner: list[list[Any]] = []
        if operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            if argument[1] is _MAX or argument[1] > 9:
                yield before, item, after
            inner = [list(argument[2])]
        elif operation is _constants.SUBPATTERN:
            inner = [list(argument[3])]
        elif operation is _constants.ATOMIC_GROUP:
            inner = [list(argument)]
        elif operation is _constants.BRANCH:
            inner = [list(branch) for branch in argument[1]]
        elif operation in (_constants.ASSERT, _constants.ASSERT_NOT):
            inner = [list(argument[1])]
        for each in inner:
            for front, loop, rest in loops(each):
                yield before + front, loop, rest + after


def attacks(steps: Steps, tries: int = 2) -> Iterator[tuple[str, str, str]]:
    """Yield texts in three parts: what leads to a loop, what goes round in it, what makes all of it fail."""
    seen = set()
    for number, (before, loop, after) in enumerate(loops(list(steps.tree))):
        for attempt in range(tries):
            writer = Writer(steps, number * 100 + attempt)
            front = writer.text(before)
            pump = writer.text(list(loop[1][2])) or "a"
            rest = writer.text(after)
            for end in ("\0", rest[:-1] + "\0" if rest else "\n\0"):
                attack = (front, pump, end)
                if attack not in seen:
                    seen.add(attack)
                    yield attack


#: How often the pump goes round in a first trial, and in one that also passes what is counted, as `{1,200}`.
_FEW: Final = (40, 80)
_MANY: Final = (500, 1000)


def grows(steps: Steps, *, everywhere: bool) -> tuple[str, str, str] | None:
    """Return an attack on which twice the text takes far more than twice the steps; None where none was found."""
    for attack in attacks(steps):
        if _is_steep(steps, attack, _FEW, everywhere=everywhere) and _is_steep(
            steps, attack, _MANY, everywhere=everywhere
        ):
            return attack
    return None


def _is_steep(steps: Steps, attack: tuple[str, str, str], times: tuple[int, int], *, everywhere: bool) -> bool:
    front, pump, end = attack
    counted = []
    for number in times:
        text = front + pump * number + end
        try:
            # A linear search takes some steps for each character; a quadratic one passes this soon.
            counted.append(steps.count(text, 450 * len(text) + 50_000, everywhere=everywhere))
        except TooManyStepsError:
            return True
    return counted[1] > 2.6 * counted[0] + 500
