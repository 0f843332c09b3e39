"""Text with its origins is the same text, and each character's origin is right."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.chat_templates.compiling import Mode
from callwright.chat_templates.model import Failed, Job, Rendered
from callwright.chat_templates.rendering import Compiled, compile_template
from callwright.chat_templates.tagged import Tagged, joined, leaf, node_of, segments, within
from chat_templates.generated_templates import LITERAL, VALUE, templates
from support.sampling import tries

VARIABLES = {"x": VALUE, "yes": True, "no": False, "three": [1, 2, 3]}


def tagged(source: str, **variables: object) -> Rendered:
    """Render a template with all origins; it must not fall back to less."""
    compiled = compile_template(source)
    assert isinstance(compiled, Compiled), compiled
    outcome = compiled.render_tagged(Job([], None, variables))
    assert isinstance(outcome, Rendered), outcome
    assert Mode.OUTERMOST not in compiled._codes, "the template noticed its tags"
    return outcome


def shown(source: str, **variables: object) -> list[tuple[str, str]]:
    """Return the pieces of a rendering, each with the text of the template that wrote it."""
    outcome = tagged(source, **variables)
    return [(outcome.text[run.start : run.end], run.span.of(source)) for run in outcome.runs]


@given(templates())
@settings(max_examples=tries(1500), deadline=None)
def test_generated_templates(source: str) -> None:
    compiled = compile_template(source)
    assert isinstance(compiled, Compiled), compiled
    job = Job([], None, VARIABLES)
    plain, outcome = compiled.render(job), compiled.render_tagged(job)
    if isinstance(plain, Failed):
        assert outcome == plain
        return
    assert isinstance(outcome, Rendered)
    assert outcome.text == plain.text
    assert Mode.OUTERMOST not in compiled._codes, "the template noticed its tags"
    assert "".join(outcome.text[run.start : run.end] for run in outcome.runs) == plain.text
    assert [run.start for run in outcome.runs[1:]] == [run.end for run in outcome.runs[:-1]]
    for found in LITERAL.finditer(outcome.text):
        run = outcome.run_at(found.start())
        assert run is not None
        assert run.exact
        assert run.end >= found.end(), "a literal comes from one place"
        place = source.index(found[0])
        assert run.span.start <= place, found[0]
        assert place + len(found[0]) <= run.span.end, found[0]
        written = run.span.of(source)
        assert "{{" not in written or "{{ raw }}" in written
        assert "%}" not in written
    for at, char in enumerate(outcome.text):
        run = outcome.run_at(at)
        assert run is not None
        if char in "xX":
            assert run.span.of(source).startswith("{{")
            assert run.span.of(source).endswith("}}")
        for span in run.via:
            assert span.of(source).startswith(("{{", "m0(", "m1(", "{%"))


@pytest.mark.parametrize(
    ("source", "pieces"),
    [
        ("a\nb{{ x }}c", [("a\nb", "a\nb"), ("X", "{{ x }}"), ("c", "c")]),
        ("a {#- no -#} b", [("a", "a"), ("b", "b")]),
        ("  {% if x %}\n  a\n  {% endif %}\nb", [("  a\n", "  a\n"), ("b", "b")]),
        ("{{ 'a' + x + \"b\" }}", [("a", "'a'"), ("X", "{{ 'a' + x + \"b\" }}"), ("b", '"b"')]),
        ("{{ 'a' 'b' ~ x }}", [("ab", "'a' 'b'"), ("X", "{{ 'a' 'b' ~ x }}")]),
        ("{{- x -}}\n", [("X", "{{- x -}}")]),
        ("{% raw %}{{ a }}{% endraw %}", [("{{ a }}", "{{ a }}")]),
        ("{{ x | tojson }}", [('"X"', "{{ x | tojson }}")]),
        ("{{ '%s!' | format(x) }}", [("X!", "{{ '%s!' | format(x) }}")]),
        ("{% set a = 'b' %}{{ a }}", [("b", "'b'")]),
        ("{{ 'a\\n\nb' }}", [("a\n\nb", "a\\n\nb")]),
        ("{{ {'k': 'v'}['k'] }}", [("v", "'v'")]),
        ("{% set a = x | tojson %}{{ a }}", [('"X"', "{% set a = x | tojson %}")]),
        ("{% set a = '{}b'.format(x) + x %}{{ a }}", [("Xb", "{% set a = '{}b'.format(x) + x %}"), ("X", "{{ a }}")]),
        ("{% filter tojson %}a{% endfilter %}", [('"a"', "{% filter tojson %}")]),
        ("a\r\nb{{ x }}\r\nc", [("a\nb", "a\r\nb"), ("X", "{{ x }}"), ("\nc", "\r\nc")]),
        ("{{ 'é😀' }}{{ x }}", [("é😀", "'é😀'"), ("X", "{{ x }}")]),
        ("{{ 'a<b' | e }}", [("a&lt;b", "{{ 'a<b' | e }}")]),
        ("{% for c in 'ab' %}{{ c }}{% endfor %}", [("a", "'ab'"), ("b", "'ab'")]),
    ],
)
def test_pieces(source: str, pieces: list[tuple[str, str]]) -> None:
    assert shown(source, x="X") == pieces


def test_in_a_macro_the_call_sites_are_kept() -> None:
    source = "{% macro m(a) %}<{{ a }}>{% endmacro %}{% set b = m(x) %}{{ '-' ~ b }}{{ m('y') }}"
    outcome = tagged(source, x="X")
    assert [(outcome.text[run.start : run.end], run.span.of(source), [via.of(source) for via in run.via])
            for run in outcome.runs] == [
        ("-", "'-'", ["{{ '-' ~ b }}"]),
        ("<", "<", ["m(x)", "{{ '-' ~ b }}"]),
        ("X", "{{ a }}", ["m(x)", "{{ '-' ~ b }}"]),
        (">", ">", ["m(x)", "{{ '-' ~ b }}"]),
        ("<", "<", ["m('y')", "{{ m('y') }}"]),
        ("y", "'y'", ["{{ a }}", "m('y')", "{{ m('y') }}"]),
        (">", ">", ["m('y')", "{{ m('y') }}"]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "{% block a %}<{{ x }}>{% endblock %}{{ self.a() }}",
        "{% autoescape true %}<{{ x }}>{{ '<b>' ~ x }}{% endautoescape %}",
        # It asks what only a tagged text has.
        "{{ 'a'.origin_ is defined }}{{ x }}",
    ],
)
def test_where_text_is_not_followed_the_outermost_pieces_are_known(source: str) -> None:
    compiled = compile_template(source)
    assert isinstance(compiled, Compiled)
    job = Job([], None, {"x": "<X>"})
    outcome = compiled.render_tagged(job)
    assert isinstance(outcome, Rendered)
    assert Mode.OUTERMOST in compiled._codes
    assert Rendered(outcome.text) == compiled.render(job)
    for run in outcome.runs:
        assert run.exact
        assert run.span.of(source).startswith("{{") or "{" not in run.span.of(source)


def test_a_place_that_is_not_certain_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    # As if another version of Jinja yielded tokens that are not in the source.
    from jinja2.lexer import Lexer

    original = Lexer.tokeniter

    def other(self: Any, *args: Any) -> Any:
        for line, kind, value in original(self, *args):
            yield line, kind, "other" if kind == "name" and value == "strange" else value

    monkeypatch.setattr(Lexer, "tokeniter", other)
    source = "a\n{{ strange }}b{{ 'c' }}\n{{ 'd' }}"
    compiled = compile_template(source)
    assert isinstance(compiled, Compiled)
    outcome = compiled.render_tagged(Job([], None, {"other": "X"}))
    assert isinstance(outcome, Rendered)
    assert [(outcome.text[run.start : run.end], run.span.of(source), run.exact) for run in outcome.runs] == [
        ("a\n", "a\n", True),
        ("X", "{{ strange }}b{{ 'c' }}", False),
        ("b", "{{ strange }}b{{ 'c' }}", False),
        ("c", "{{ strange }}b{{ 'c' }}", False),
        ("\n", "{{ strange }}b{{ 'c' }}\n{{ 'd' }}", False),
        ("d", "{{ 'd' }}", False),
    ]


# What text does, on a text in which each character is there once.

ALPHABET = "abc def\n GHI\r\njkl,mno,pqr\t.STU vwx"
Text = Callable[[str], str]
OPERATIONS: dict[str, Callable[..., object]] = {
    "slice": lambda t, i, j: t[i:j],
    "step": lambda t, i, j: t[i : j : (i % 3) - 4],
    "index": lambda t, i, *_: t[i % len(t)] if t else t,
    "add": lambda t, i, *_: t[:i] + t[i:],
    "add plain": lambda t, *_: "<" + t + ">",
    "mul": lambda t, *_: t * 1,
    "strip": lambda t, *_: t.strip(),
    "lstrip": lambda t, *_: t.lstrip("ab"),
    "rstrip": lambda t, *_: t.rstrip("x>"),
    "split": lambda t, *_: t.split()[0] if t.split() else t,
    "split at": lambda t, *_: ";".join(t.split(",")),
    "split once": lambda t, *_: t.split(None, 1)[-1] if t.split() else t,
    "rsplit once": lambda t, *_: t.rsplit(None, 1)[0] if t.split() else t,
    "rsplit at": lambda t, i, *_: t.rsplit(",", 1)[i % 2 - 1],
    "lines": lambda t, *_: "".join(t.splitlines()),
    "lines with ends": lambda t, *_: "".join(t.splitlines(True)[::-1]),
    "partition": lambda t, *_: "".join(t.partition(",")[::-1]),
    "rpartition": lambda t, *_: "".join(t.rpartition(",")[::-1]),
    "replace": lambda t, i, *_: t.replace(",", "--", i),
    "replace nothing": lambda t, *_: t.replace("", "-", 2),
    "removeprefix": lambda t, *_: t.removeprefix("abc"),
    "removesuffix": lambda t, *_: t.removesuffix("vwx"),
    "join": lambda t, *_: t[:3].join(["(", ")"]),
    "upper": lambda t, *_: t.upper(),
    "lower": lambda t, *_: t.lower(),
    "title": lambda t, *_: t.title(),
    "swapcase": lambda t, *_: t.swapcase(),
    "casefold": lambda t, *_: t.casefold(),
    "capitalize": lambda t, *_: t.capitalize(),
    "iterate": lambda t, *_: "".join(reversed(list(t))),
    "str": lambda t, *_: str(t),
    "format": lambda t, *_: t.center(40),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(OPERATIONS)), st.integers(-9, 40), st.integers(-9, 40)), max_size=8))
@settings(max_examples=tries(3000), deadline=None)
def test_a_tagged_text_is_a_text(operations: list[tuple[str, int, int]]) -> None:
    plain: str = ALPHABET
    text: str = joined([leaf(ALPHABET[:9], 0), within(leaf(ALPHABET[9:20], 1), 5), (2, ALPHABET[20:])])
    starts = {0: 0, 1: 9, 2: 20}
    for name, i, j in operations:
        # Joining goes by a text's own method where it is the separator.
        plain = str(OPERATIONS[name](plain, i, j))
        made = OPERATIONS[name](text, i, j)
        assert isinstance(made, str)
        assert made == plain
        assert hash(made) == hash(plain)
        text = made
    ends, found = segments(node_of(text))
    assert (ends[-1] if ends else 0) == len(plain)
    start = 0
    for end, segment in zip(ends, found, strict=True):
        for at in range(start, end):
            if segment.site in starts:
                origin = ALPHABET[starts[segment.site] + segment.offset + at - start]
                assert origin.casefold() == plain[at].casefold()
        start = end


def test_origins_survive() -> None:
    text = leaf("abc", 0)
    for operation in ("slice", "add plain", "strip", "replace", "upper", "iterate", "str"):
        assert isinstance(OPERATIONS[operation](text, 0, 3) if operation != "iterate" else text[0], Tagged), operation


def test_other_operands_are_as_for_text() -> None:
    from markupsafe import Markup

    text = leaf("a<b", 0)
    assert text + Markup("<i>") == Markup("a&lt;b<i>")
    assert Markup("<i>") + text == Markup("<i>a&lt;b")
    with pytest.raises(TypeError, match="concatenate str"):
        text + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        1 + text
    with pytest.raises(IndexError):
        text[3]
    assert [text] * 2 == ["a<b", "a<b"]
    assert text * 0 == ""


def test_long_chains_are_read_without_recursion() -> None:
    text: str = leaf("", 0)
    for number in range(50_000):
        text = text + leaf("a", number)
    ends, found = segments(node_of(text))
    assert len(ends) == 50_000
    assert [segment.site for segment in found] == list(range(50_000))


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(N) %}a{{ i }}{% endfor %}",
        "{% set ns = namespace(s='') %}{% for i in range(N) %}{% set ns.s = ns.s ~ 'a' ~ i %}{% endfor %}{{ ns.s }}",
        "{% set ns = namespace(s='') %}{% for i in range(N) %}{% set ns.s = 'a' + ns.s %}{% endfor %}{{ ns.s | trim }}",
        "{% set c %}{% for i in range(N) %}a,{{ i }}{% endfor %}{% endset %}{{ c.split(',') | join('; ') }}",
        "{% macro m(a) %}<{{ a }}>{% endmacro %}{% for i in range(N) %}{{ m(m(i)) | indent }}{% endfor %}",
        "{% set c %}{% for i in range(N) %}a{{ i }}{% endfor %}{% endset %}{% for d in c %}{{ d }}{% endfor %}",
    ],
)
def test_work_is_linear_in_the_pieces(source: str) -> None:
    """Counted: how often a function is called. What is copied in C counts once, as it does without origins."""
    counts = {size: _calls(partial(tagged, source.replace("N", str(size)))) for size in (1000, 2000)}
    assert counts[2000] < 2.3 * counts[1000]


def _calls(work: Callable[[], object]) -> int:
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
