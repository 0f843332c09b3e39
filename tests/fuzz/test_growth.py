"""Work is linear in the text: shapes that once were not, and a few of those that `growth.py` looks for.

Steps are counted, no clock is asked. `tests/fuzz/growth.py` takes as many shapes as there is time for.
"""

from __future__ import annotations

import pytest

from fuzz.growth import ALLOWED, COVERING, growth_of
from fuzz.shapes import KNOWN, Shape, drawn, plain_shapes
from invariants.corpus import seeded
from support.sampling import crossed, sampled
from support.work import counted

#: Half of what `growth.py` takes.
SIZES = (1_500, 6_000)
#: How many shapes are taken where all run, drawn and plain ones.
MAX_COUNT = 60


@pytest.mark.parametrize(("cause", "way"), crossed(KNOWN, [*COVERING, "check", "strict"]))
def test_a_shape_that_took_more_than_its_share_takes_its_share(cause: str, way: str) -> None:
    for shape in sampled(KNOWN[cause], keep=1):
        growth = growth_of(way, shape, SIZES)
        assert not growth.is_steep, str(growth)


@pytest.mark.parametrize("way", COVERING)
def test_shapes_take_their_share(way: str) -> None:
    random = seeded("growth")
    shapes = [*random.sample([*plain_shapes()], MAX_COUNT), *(drawn(random) for _ in range(MAX_COUNT))]
    for shape in sampled(shapes, keep=5):
        growth = growth_of(way, shape, SIZES)
        assert not growth.is_steep, str(growth)


def quadratic(text: str) -> object:
    """Search a text to its end from each of its letters."""
    return [text.find("z", at) for at in range(0, len(text), 10)]


def test_a_search_in_c_is_counted() -> None:
    short, long = (counted(quadratic, "a" * size) for size in (1_000, 4_000))
    assert long.calls < 4.2 * short.calls
    assert long.characters > 12 * short.characters


def test_a_shape_is_written_at_any_size() -> None:
    shape = Shape("nested", "<", ("ab", "c"), ">")
    assert shape.text(11) == "<abababccc>"
    assert Shape("repeated", "", ("a№ ",), "").text(6) == "a1000 a1001 "
    assert ALLOWED < 2
