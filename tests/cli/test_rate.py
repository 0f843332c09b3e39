"""The line that reports a run over many bytes: what is done, how fast, how long it will take."""

from io import StringIO

import pytest

from callwright.cli.support.rate import RateBar


class Clock:
    """A clock that shows the time it was set to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_the_rate_is_that_of_what_this_run_did(clock: Clock) -> None:
    out = StringIO()
    bar = RateBar(out, 100, clock=clock)
    clock.now += 10
    bar.show(60_000_000, 100_000_000, 40_000_000, "3/5 units")
    assert out.getvalue().endswith(f"{'━' * 14}{'╌' * 10} 3/5 units, 2 MB/s, 0:20 left")


def test_nothing_is_stated_of_a_rate_before_there_is_one(clock: Clock) -> None:
    out = StringIO()
    RateBar(out, 100, clock=clock).show(40_000_000, 100_000_000, 40_000_000, "2/5 units")
    assert out.getvalue().endswith("2/5 units")


def test_the_line_is_drawn_now_and_then_fits_and_goes_away(clock: Clock) -> None:
    out = StringIO()
    bar = RateBar(out, 20, clock=clock)
    clock.now += 3
    bar.show(1, 3, 0, "1/3 units")
    drawn = out.getvalue()
    assert drawn == f"\r\x1b[2K{'━' * 8}{'╌' * 11}"
    bar.show(2, 3, 0, "2/3 units")
    assert out.getvalue() == drawn
    bar.clear()
    bar.clear()
    assert out.getvalue() == drawn + "\r\x1b[2K"


def test_long_runs_are_reported_in_hours_and_gigabytes(clock: Clock) -> None:
    out = StringIO()
    bar = RateBar(out, 100, clock=clock)
    clock.now += 1
    bar.show(2_500_000_000, 10_000_000_000_000, 0, "1/4,000 units")
    assert out.getvalue().endswith("1/4,000 units, 2.5 GB/s, 1:06:39 left")
