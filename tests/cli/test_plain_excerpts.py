"""Excerpts of plain lines are cut like those of lines whose characters have to be read one by one."""

from callwright.cli.support.report import excerpt
from callwright.cli.support.terminal import Style
from callwright.text.document import TextDocument
from callwright.text.span import Span
from invariants.corpus import seeded


def test_plain_lines_are_cut_like_others() -> None:
    random = seeded("excerpts")
    cut = 0
    for _ in range(3_000):
        length = random.randrange(random.choice((2, 6, 60, 400)))
        start = random.randint(0, length)
        end = random.randint(start, min(length, start + random.choice((0, 1, 5, 300))))
        style = Style(on=False, width=random.choice((12, 24, 44, 80, 120)))
        plain, other = (
            "\n".join(excerpt(TextDocument.from_text(marker * length), Span(start, end), style)) for marker in "aé"
        )
        assert plain == other.replace("é", "a"), (length, start, end, style.width)
        cut += "…" in plain
    assert cut > 500
