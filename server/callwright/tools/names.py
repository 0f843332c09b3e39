"""Nearest names: which known name a misspelt one means.

Owns: what counts as near. Must not know: tools, the meaning of names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

#: The maximum distance of a misspelling from a name, in edits (a swap of two neighbours is one).
LIMIT = 2
#: Longer names are compared by case and separators only: such a misspelling is unlikely, but a hostile file may have
#: it.
MAX_LENGTH = 200
#: How many names one is compared with at most, so that the time for many names on both sides stays linear.
MAX_COMPARED = 2_000
#: As many letters at the beginning make a common stem.
_STEM = 4


#: How the tools begin that a runtime makes for each agent to which another may hand a conversation over.
_HANDOFF = "transfer_to_"


def is_handoff(name: str | None, known: Iterable[str]) -> bool:
    """Return whether a name is that of a tool for a handoff, and none of the known names is."""
    return name is not None and name.startswith(_HANDOFF) and not any(each.startswith(_HANDOFF) for each in known)


def fold(name: str) -> str:
    """Return a name without case and word separators: `readFile` and `read-file` give the same."""
    return name.replace("_", "").replace("-", "").casefold()


class Names:
    """Names that misspelt ones are compared with, prepared once for many lookups.

    A mapping gives for each spelling the name that it means (an alias leads to its owner); two spellings of one owner
    do not compete. One lookup compares at most `MAX_COMPARED` spellings.
    """

    __slots__ = ("_folded", "_lengths", "_letters", "_meant")

    def __init__(self, candidates: Mapping[str, str] | Iterable[str]) -> None:
        self._meant = candidates if isinstance(candidates, Mapping) else dict.fromkeys(candidates)
        self._folded: dict[str, list[str]] | None = None
        self._lengths: dict[int, list[str]] = {}
        self._letters: dict[str, frozenset[str]] = {}

    def nearest(self, name: str) -> str | None:
        """Return the one name that is nearest to `name`, or None where none is near or several are equally near.

        Near is: equal but for case and separators, or at most `LIMIT` edits away (one for names of fewer than four
        characters), and always fewer than the shorter name has characters. Where more than `MAX_COMPARED` spellings are
        about as long, only one that differs in case and separators is near.
        """
        meant = self._meant
        if name in meant:
            return name
        folded = fold(name)
        if self._folded is None:
            self._folded = {}
            for spelling in meant:
                self._folded.setdefault(fold(spelling), []).append(spelling)
                self._lengths.setdefault(len(spelling), []).append(spelling)
        same = self._folded.get(folded) if folded else None
        if same:
            return _only(same, meant)
        if not 0 < len(name) <= MAX_LENGTH:
            return None
        alike = [self._lengths.get(len(name) + more, ()) for more in range(-LIMIT, LIMIT + 1)]
        return self._by_edits(name, alike) if sum(map(len, alike)) <= MAX_COMPARED else None

    def _by_edits(self, name: str, alike: Sequence[Sequence[str]]) -> str | None:
        count, letters = Counter(name), frozenset(name)
        best: list[str] = []
        best_distance = LIMIT + 1
        for spelling in chain.from_iterable(alike):
            limit = min(LIMIT if min(len(name), len(spelling)) >= 4 else 1, len(name) - 1, len(spelling) - 1)
            if abs(len(name) - len(spelling)) > limit:
                continue
            other = self._letters.get(spelling)
            if other is None:
                other = self._letters[spelling] = frozenset(spelling)
            if len(letters - other) > limit or len(other - letters) > limit:
                continue
            if not _may_be_near(count, spelling, limit):
                continue
            # Imported only for a pair that may be near: most looked-up names are plain prose tags.
            from rapidfuzz.distance import OSA

            distance = OSA.distance(name, spelling, score_cutoff=limit)
            if distance > limit or distance > best_distance:
                continue
            if distance < best_distance:
                best, best_distance = [], distance
            best.append(spelling)
        return _only(best, self._meant)


def nearest(name: str, candidates: Collection[str]) -> str | None:
    """Return the nearest name for a single lookup; of more than `MAX_COMPARED` candidates none is near."""
    if len(candidates) > MAX_COMPARED:
        return name if name in candidates else None
    return Names(candidates).nearest(name)


def nearest_choice(value: Any, options: Sequence[Any]) -> str | None:
    """Return the one text among values of any type that a text was meant as, None where there is none."""
    if not isinstance(value, str) or len(options) > MAX_COMPARED:
        return None
    return nearest(value.strip(), [option for option in options if isinstance(option, str)])


def alike_choice(value: Any, options: Sequence[Any]) -> str | None:
    """Return the one text among values of any type that a text abbreviates, extends or shares its stem with.

    None where there is none or several: a value that is only another one of them is not meant.
    """
    if not isinstance(value, str) or not 2 <= len(fold(value.strip())) <= MAX_LENGTH or len(options) > MAX_COMPARED:
        return None
    given = fold(value.strip())
    texts = [option for option in options if isinstance(option, str) and 2 <= len(fold(option)) <= MAX_LENGTH]
    alike = [option for option in texts if _shares_stem(given, fold(option))]
    alike = alike or [option for option in texts if _abbreviates(given, fold(option))]
    return alike[0] if len(alike) == 1 else None


def _shares_stem(given: str, option: str) -> bool:
    """Return whether one begins with the other, or both with most of the shorter one."""
    shorter = min(len(given), len(option))
    common = next((at for at in range(shorter) if given[at] != option[at]), shorter)
    return common == shorter or (common >= _STEM and common * 3 >= shorter * 2)


def _abbreviates(given: str, option: str) -> bool:
    """Return whether `given` has letters of a word at least twice as long, in their order and with its first one."""
    if given[0] != option[0] or len(given) * 2 > len(option):
        return False
    letters = iter(option)
    return all(letter in letters for letter in given)


def _may_be_near(letters: Counter[str], spelling: str, limit: int) -> bool:
    """Return, at low cost, whether two names can be within `limit` edits: each edit replaces at most one letter."""
    other = Counter(spelling)
    return (letters - other).total() <= limit and (other - letters).total() <= limit


def _only(spellings: list[str], meant: Mapping[str, str] | Mapping[str, None]) -> str | None:
    """Return the single name among the spellings: the owner's own spelling where an alias is equally near."""
    owners = {meant[spelling] or spelling for spelling in spellings}
    if len(owners) != 1:
        return None
    owner = next(iter(owners))
    return owner if owner in spellings else spellings[0]
