"""Charts: bars and columns as SVG, each with the same figures as a table.

Owns: how figures become shapes. Must not know: what the figures are of, the page around them.

Nothing is shown by colour alone: every bar has its label and its figure as text, and parts of a bar differ in pattern.
Shapes are placed by attributes, never by styles, so that a page may forbid styles of elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from callwright.report.elements import element
from callwright.report.labels import Words

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

#: Sizes in the units of the drawing.
_LABEL: Final = 220
_BAR: Final = 370
_ROW: Final = 24
_HEIGHT: Final = 120
#: How many rows a chart has before the rest is summed up in one.
_MAX_COUNT: Final = 20
#: How many columns are drawn; neighbours are put together where there are more.
_COLUMNS: Final = 100
#: How much of a label is drawn.
_LETTERS: Final = 26


@dataclass(frozen=True, slots=True)
class Row:
    """One bar: its label and the sizes of its parts, in the order of the chart's `parts`."""

    label: str
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Others:
    """Rows that are not shown one by one: how many they are, and the sums of their parts."""

    count: int
    sizes: tuple[int, ...]

    def row(self, words: Words) -> Row:
        """Return them as one row."""
        return Row(words("{0} others", words.number(self.count)), self.sizes)


def bars(title: str, parts: Sequence[str], rows: Iterable[Row], words: Words, others: Others | None = None) -> Element:
    """Return a figure of horizontal bars, the longest first; `others` are after all of them."""
    ordered = sorted(rows, key=lambda row: (-sum(row.sizes), row.label))
    shown, rest = ordered[:_MAX_COUNT], ordered[_MAX_COUNT:]
    if rest or others is not None:
        each = [*(row.sizes for row in rest), *([others.sizes] if others is not None else [])]
        sums = tuple(sum(sizes[part] for sizes in each) for part in range(len(parts)))
        shown.append(Others(len(rest) + (others.count if others is not None else 0), sums).row(words))
    if others is not None:
        ordered.append(others.row(words))
    longest = max((sum(row.sizes) for row in shown), default=1) or 1
    height = _ROW * len(shown) + 4
    svg = element("svg", viewBox=f"0 0 {_LABEL + _BAR + 70} {height}", role="img", aria_label=title, class_="chart")
    for index, row in enumerate(shown):
        top = index * _ROW + 4
        label = _short(row.label)
        svg.append(element("text", label, x=str(_LABEL - 8), y=str(top + 14), class_="label", text_anchor="end"))
        at = float(_LABEL)
        for part, size in enumerate(row.sizes):
            if size:
                width = max(_BAR * size / longest, 1.5)
                bar = element("rect", x=f"{at:.1f}", y=str(top), width=f"{width:.1f}", height=str(_ROW - 6))
                bar.set("class", f"part{part}")
                bar.append(element("title", f"{row.label}: {words.number(size)} {parts[part]}"))
                svg.append(bar)
                at += width
        figure = words.number(sum(row.sizes))
        svg.append(element("text", figure, x=f"{at + 6:.1f}", y=str(top + 14), class_="figure"))
    return _figure(title, svg, parts, [(row.label, row.sizes) for row in ordered], words("Name"), words)


def _short(label: str) -> str:
    """Return a label as it is drawn: of a long one both ends, for names of files differ in the last letters."""
    return label if len(label) <= _LETTERS else f"{label[: _LETTERS // 3]}…{label[-(_LETTERS - _LETTERS // 3 - 1) :]}"


def columns(title: str, parts: Sequence[str], sizes: Sequence[tuple[int, ...]], first: int, words: Words) -> Element:
    """Return a figure of vertical columns in the order given, one for each turn.

    `first` is the number of the first one. Where there are more than can be drawn, neighbours are one column with the
    sum of their sizes.
    """
    together = -(-len(sizes) // _COLUMNS) or 1
    grouped = [
        tuple(map(sum, zip(*sizes[start : start + together], strict=True))) for start in range(0, len(sizes), together)
    ]
    tallest = max((sum(each) for each in grouped), default=1) or 1
    width = _LABEL + _BAR + 70
    step = (width - 40) / max(len(grouped), 1)
    svg = element("svg", viewBox=f"0 0 {width} {_HEIGHT + 24}", role="img", aria_label=title, class_="chart")
    svg.append(element("line", x1="30", y1=str(_HEIGHT), x2=str(width - 10), y2=str(_HEIGHT), class_="axis"))
    svg.append(element("text", words.number(tallest), x="26", y="12", class_="label", text_anchor="end"))
    reported: list[tuple[str, tuple[int, ...]]] = []
    for index, each in enumerate(grouped):
        low = first + index * together
        high = min(low + together, first + len(sizes)) - 1
        name = words("turn {0}", low) if low == high else words("turns {0}–{1}", low, high)
        if any(each):
            reported.append((name, each))
        base = float(_HEIGHT)
        for part, size in enumerate(each):
            if size:
                tall = max((_HEIGHT - 8) * size / tallest, 1.5)
                base -= tall
                bar = element(
                    "rect",
                    x=f"{30 + index * step:.1f}",
                    y=f"{base:.1f}",
                    width=f"{max(min(step * 0.8, 40), 0.8):.1f}",
                    height=f"{tall:.1f}",
                )
                bar.set("class", f"part{part}")
                bar.append(element("title", f"{name}: {words.number(size)} {parts[part]}"))
                svg.append(bar)
    last = first + len(sizes) - 1
    svg.append(element("text", words("turn {0}", first), x="30", y=str(_HEIGHT + 16), class_="label"))
    if last > first:
        end = element("text", words("turn {0}", last), x=str(width - 10), y=str(_HEIGHT + 16), class_="label")
        end.set("text-anchor", "end")
        svg.append(end)
    return _figure(title, svg, parts, reported, words("Turn"), words)


def _figure(
    title: str,
    svg: Element,
    parts: Sequence[str],
    rows: Sequence[tuple[str, tuple[int, ...]]],
    of: str,
    words: Words,
) -> Element:
    """Return a chart with its title, its legend, and its figures as a table."""
    figure = element("figure", element("figcaption", title))
    if len(parts) > 1:
        legend = element("p", class_="legend")
        for part, name in enumerate(parts):
            key = element("svg", viewBox="0 0 12 12", class_="key", aria_hidden="true")
            key.append(element("rect", width="12", height="12", class_=f"part{part}"))
            legend.append(element("span", key, f" {name}"))
        figure.append(legend)
    figure.append(svg)
    table = element("table")
    table.append(element("thead", element("tr", *(element("th", name, scope="col") for name in (of, *parts)))))
    body = element("tbody")
    for name, sizes in rows:
        cells = (element("td", words.number(size)) for size in sizes)
        body.append(element("tr", element("th", name, scope="row"), *cells))
    table.append(body)
    figure.append(element("details", element("summary", words("Figures as a table")), table))
    return figure
