"""Nearest names: which known name a misspelt one was meant to be.

Owns: what counts as near. Must not know: tools, what the names name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

#: The farthest a misspelling may lie from the name it is taken for, in edits (a swap of two neighbours is one).
LIMIT = 2
#: Longer names are compared by spelling variants only: nobody misspells so much text, but a hostile file might.
LONGEST = 200


def fold(name: str) -> str:
    """Return what is left of a name when case and word separators are taken away: `readFile` and `read-file` agree."""
    return name.replace("_", "").replace("-", "").casefold()


def nearest(name: str, candidates: Mapping[str, str] | Iterable[str]) -> str | None:
    """Return the one candidate that `name` is nearest to, or None where none is near or several are as near.

    A mapping gives for each spelling the name that is meant (an alias leads to its owner); two spellings of one owner
    do not compete. Near is: equal but for case and separators, or at most `LIMIT` edits away (one for names of fewer
    than four characters), and never so far that nothing of the shorter name is left.
    """
    meant = candidates if isinstance(candidates, Mapping) else dict.fromkeys(candidates)
    if name in meant:
        return name
    folded = fold(name)
    same = [spelling for spelling in meant if folded and fold(spelling) == folded]
    if same:
        return _only(same, meant)
    if not 0 < len(name) <= LONGEST:
        return None
    letters = Counter(name)
    best: list[str] = []
    best_distance = LIMIT + 1
    for spelling in meant:
        limit = min(LIMIT if min(len(name), len(spelling)) >= 4 else 1, len(name) - 1, len(spelling) - 1)
        if abs(len(name) - len(spelling)) > limit or not _may_be_near(letters, spelling, limit):
            continue
        # Imported only once a pair looks near: most names that are asked about are plain prose tags.
        from rapidfuzz.distance import OSA

        distance = OSA.distance(name, spelling, score_cutoff=limit)
        if distance > limit or distance > best_distance:
            continue
        if distance < best_distance:
            best, best_distance = [], distance
        best.append(spelling)
    return _only(best, meant)


def _may_be_near(letters: Counter[str], spelling: str, limit: int) -> bool:
    """Tell cheaply whether two names can lie within `limit` edits: each edit trades at most one letter for another."""
    other = Counter(spelling)
    return (letters - other).total() <= limit and (other - letters).total() <= limit


def _only(spellings: list[str], meant: Mapping[str, str] | Mapping[str, None]) -> str | None:
    """Return the single name among the spellings: the owner's own spelling where an alias is as near as it."""
    owners = {meant[spelling] or spelling for spelling in spellings}
    if len(owners) != 1:
        return None
    owner = next(iter(owners))
    return owner if owner in spellings else spellings[0]
