"""The page of a corpus: its figures as charts, its worst shards, and samples of what is wrong, as one HTML file.

Owns: the layout of that page. Must not know: how a corpus is read, engines, commands.

It is made of elements alone, as every page is, and has no script at all: what is folded is opened by the browser. It is
deterministic, and as large as what it is given, which is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callwright.corpus_view import CorpusView, Named, RuleView, SampleView, ToolView
from callwright.report.charts import Others, Row, bars
from callwright.report.elements import element
from callwright.report.frame import framed
from callwright.report.labels import Words
from callwright.report.messages import severity_sign, worded

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

#: The severities with the title of each, the gravest first.
_SEVERITIES = ("error", "warning", "info", "hint")


def corpus_page(view: CorpusView, *, title: str) -> str:
    """Return the page of a corpus."""
    words = Words()
    body = element("body", element("a", words("Skip to the content"), href="#content", class_="skip"))
    body.append(element("header", element("h1", title), *_summary(view, words), id="head"))
    content = element("main", id="content", tabindex="-1")
    for child in (*_charts(view, words), *_shards(view, words), *_rules(view, words)):
        content.append(child)
    body.append(content)
    return framed(body, title=title, language=words.language)


def _share(part: int, whole: int) -> str:
    """Return a part of a whole in percent, so that what is not nothing does not look like it."""
    if not part or part >= whole:
        return "100%" if part else "0%"
    share = 100 * part / whole
    return "< 0.01%" if share < 0.01 else f"{min(share, 99.99):.2f}%"


def _summary(view: CorpusView, words: Words) -> Iterator[Element]:
    rows = words.counted(view.rows, "{0} row", "{0} rows")
    shards = words.counted(view.all_shards, "{0} shard", "{0} shards")
    yield element("p", f"{rows} in {shards}.")
    yield element(
        "p",
        element("strong", _share(view.faulty, view.rows)),
        f" of the rows have an error ({words.number(view.faulty)}), {_share(view.found_in, view.rows)} have a "
        f"diagnostic ({words.number(view.found_in)}).",
    )
    found = words.counted(view.diagnostics, "{0} diagnostic", "{0} diagnostics")
    fixable = f", {words.number(view.fixable)} of them with a safe fix" if view.diagnostics else ""
    yield element("p", f"{found}{fixable}.")


def _charts(view: CorpusView, words: Words) -> Iterator[Element]:
    part = (words("diagnostics"),)
    figures = [
        _figure("Diagnostics per severity", part, _of_severities(view), words),
        _figure("Diagnostics per rule", part, view.by_rule, words),
        _figure("Diagnostics per tool", part, view.by_tool, words),
        _figure("Diagnostics per dialect", part, view.by_dialect, words),
        _figure("Rows with an error per shard", ("rows with an error",), view.by_shard, words),
    ]
    drawn = [each for each in figures if each is not None]
    if drawn:
        yield element("details", element("summary", words("Figures")), *drawn, id="figures", open="open")


def _of_severities(view: CorpusView) -> Named:
    return Named(tuple((name, view.severities[name]) for name in _SEVERITIES if view.severities.get(name)))


def _figure(title: str, parts: Sequence[str], counts: Named, words: Words) -> Element | None:
    if not counts.named:
        return None
    others = Others(counts.others, (counts.rest,)) if counts.others else None
    return bars(words(title), parts, (Row(name, (count,)) for name, count in counts.named), words, others)


def _shards(view: CorpusView, words: Words) -> Iterator[Element]:
    if not view.shards:
        return
    heads = ("Shard", "Rows", "With an error", "Error rate", "Diagnostics", "Most frequent rule")
    table = element("table", element("thead", element("tr", *(element("th", head, scope="col") for head in heads))))
    body = element("tbody")
    for each in view.shards:
        cells = (
            words.number(each.rows),
            words.number(each.faulty),
            _share(each.faulty, each.rows),
            words.number(each.diagnostics),
            each.commonest or "–",
        )
        body.append(element("tr", element("th", each.source, scope="row"), *(element("td", cell) for cell in cells)))
    table.append(body)
    yield element("h2", "Worst shards", id="shards")
    if view.all_shards > len(view.shards):
        shown, whole = words.number(len(view.shards)), words.number(view.all_shards)
        stated = f"{shown} of {whole} shards: those with diagnostics, highest error rates first."
        yield element("p", stated, class_="faint")
    yield table


def _rules(view: CorpusView, words: Words) -> Iterator[Element]:
    if not view.rules:
        yield element("p", "There are no diagnostics.", class_="good")
        return
    yield element("h2", "Samples", id="samples")
    yield element(
        "p",
        "Samples are drawn at random, each diagnostic with the same probability. To see a row, run its command in the"
        " folder in which the corpus was checked; rows, turns and calls are counted from 0.",
        class_="faint",
    )
    for number, rule in enumerate(view.rules, 1):
        yield _rule(rule, f"rule-{number}", view, words)
    if view.other_rules:
        more = words.counted(view.other_rules, "{0} more rule has diagnostics.", "{0} more rules have diagnostics.")
        yield element("p", more, class_="faint")


def _rule(rule: RuleView, name: str, view: CorpusView, words: Words) -> Element:
    title = element("h3", element("code", rule.code), f" {rule.name}" if rule.name else "", id=name)
    share = _share(rule.count, view.diagnostics)
    found = f"{words.counted(rule.count, '{0} diagnostic', '{0} diagnostics')}, {share}"
    section = element("details", element("summary", title, " ", element("span", found, class_="faint")))
    if rule.about:
        section.append(element("p", *worded(rule.about)))
    alone = len(rule.tools) == 1 and not rule.others
    section.append(_samples(rule.samples, words, f"Samples of {rule.code}"))
    if alone:
        section.insert(2 if rule.about else 1, element("p", *_of_tool(rule.tools[0].tool)))
        return section
    for tool in rule.tools:
        section.append(_tool(rule, tool, words))
    if rule.others:
        more = words.counted(rule.others, "{0} more tool", "{0} more tools")
        rest = words.counted(rule.rest, "{0} diagnostic", "{0} diagnostics")
        section.append(element("p", f"{more}: {rest}.", class_="faint"))
    return section


def _of_tool(tool: str | None) -> tuple[Element | str, ...]:
    return (
        ("All of them in calls of ", element("code", tool), ".") if tool else ("None of them in a call with a name.",)
    )


def _tool(rule: RuleView, tool: ToolView, words: Words) -> Element:
    title = element("h4", element("code", tool.tool) if tool.tool is not None else "no tool")
    found = f"{words.counted(tool.count, '{0} diagnostic', '{0} diagnostics')}, {_share(tool.count, rule.count)}"
    label = f"Samples of {rule.code}, {tool.tool or 'no tool'}"
    return element(
        "details",
        element("summary", title, " ", element("span", found, class_="faint")),
        _samples(tool.samples, words, label),
        class_="inner",
    )


def _samples(samples: Sequence[SampleView], words: Words, label: str) -> Element:
    listed = element("ol", class_="turns", aria_label=label)
    for each in samples:
        listed.append(element("li", _sample(each, words)))
    return listed


def _sample(sample: SampleView, words: Words) -> Element:
    head = element("p", severity_sign(sample.severity, words), " ", *worded(sample.message))
    box = element("div", head, class_=f"call {'faulty' if sample.severity == 'error' else 'sound'}")
    if sample.raw:
        box.append(element("pre", sample.raw))
    place = [f"{sample.source}, row {words.number(sample.row)}"]
    place += [f"turn {words.number(sample.turn)}"] if sample.turn is not None else []
    place += [f"call {words.number(sample.call)}"] if sample.call is not None else []
    place += [sample.dialect] if sample.dialect else []
    place += ["has a safe fix"] if sample.fixable else []
    box.append(element("p", ", ".join(place), class_="place"))
    if sample.field:
        part = ""
        if sample.start is not None and sample.end is not None:
            part = f", characters {words.number(sample.start)} to {words.number(sample.end)}"
        box.append(element("p", element("code", sample.field), part, class_="place"))
    box.append(element("p", element("code", sample.command), class_="place"))
    return box
