"""Templates made at random, in which each literal is written once: where it comes out, its place is known."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

from hypothesis import strategies as st

#: A literal: it is in a template once.
LITERAL = re.compile(r"L\d+;")
#: What the variable `x` is, in which no literal occurs.
VALUE = " <x> "

_BEGIN = st.sampled_from(["", "", "-", "+"])
_END = st.sampled_from(["", "", "-"])
_GAP = st.sampled_from(["", " ", "\n", "\n  ", "\n\n\t"])
_QUOTE = st.sampled_from("'\"")
#: Expressions with two literals (A, B) that lose none of their characters.
_EXPRESSIONS = [
    "A",
    "A ~ x",
    "x + A + B",
    "(A + x + B) | trim",
    "(A ~ '\\n' ~ B) | indent(2)",
    "(A ~ '\\n' ~ B) | indent('--', true, true)",
    "(' ' ~ A ~ x ~ '  ').strip()",
    "(A ~ 'qq' ~ x).replace('q', B)",
    "x.replace('x', A)",
    "x | replace('x', A)",
    "[A, x, B] | join('|')",
    "[x, x] | join(A)",
    "', '.join([A, B])",
    "(A ~ '|' ~ x ~ '|' ~ B).split('|') | join(' ')",
    "(A ~ '\\n' ~ x).splitlines()[0]",
    "('..' ~ A ~ B)[2:]",
    "(A ~ B)[::1]",
    "A * 2",
    "(x ~ A).upper()",
    "A | upper | default(B)",
    "none | default(A) if x else B",
    "{'k': A}['k'] ~ {'a': B}.a",
    "(A, B) | map('trim') | join",
    "(A ~ '=' ~ x).partition('=')[0]",
    "(A ~ '--').removesuffix('--')",
    "ns.s ~ A",
    "[A, x] | first ~ ([x, B] | last)",
    "dict(a=A).a",
    "(x if 'L' in A else B) ~ A",
]


@st.composite
def templates(draw: st.DrawFn) -> str:
    """Draw a template which reads `x`, true `yes`, false `no` and the list `three`."""
    number = count(1)
    macros = draw(st.integers(0, 2))
    parts = ["{% set ns = namespace(s='') %}"]
    for index in range(macros):
        body = _body(draw, number, 2, [])
        parts.append(f"{{% macro m{index}(y, z='') %}}{body}{{{{ y }}}}{{% endmacro %}}")
    parts.append(_body(draw, number, 3, [f"m{index}" for index in range(macros)]))
    text = draw(_GAP).join(parts)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def _body(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    kinds: list[Callable[..., str]] = [_data, _expression, _expression, _lines]
    if depth:
        kinds += [_choice, _loop, _capture, _assignment, _filtered, _gathered, _generation]
        kinds += [_called, _called, _caller] if macros else []
    parts = [draw(st.sampled_from(kinds))(draw, number, depth - 1, macros) for _ in range(draw(st.integers(1, 4)))]
    return "".join(part + draw(_GAP) for part in parts)


def _literal(number: count[int]) -> str:
    return f"L{next(number)};"


def _tag(draw: st.DrawFn, code: str) -> str:
    return f"{{%{draw(_BEGIN)} {code} {draw(_END)}%}}"


def _data(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    comment = draw(st.sampled_from(["", "{# a comment #}", "{% raw %}{{ raw }}{% endraw %}"]))
    return _literal(number) + draw(_GAP) + comment + _literal(number)


def _written(draw: st.DrawFn, number: count[int]) -> str:
    """Return an expression with literals."""
    quotes = {name: draw(_QUOTE) for name in "AB"}
    return re.sub(
        r"\b[AB]\b",
        lambda found: quotes[found[0]] + _literal(number) + quotes[found[0]],
        draw(st.sampled_from(_EXPRESSIONS)),
    )


def _expression(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    return f"{{{{{draw(_END)} {_written(draw, number)} {draw(_END)}}}}}"


def _lines(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    """A string over several lines, with escapes."""
    return f"{{{{ '{_literal(number)}\\n\\t\n{_literal(number)}\\'\n\n\\\\{_literal(number)}' ~ x }}}}"


def _choice(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    test = draw(st.sampled_from(["yes", "no", "not no", "x is string", "ns.s", "three | length > 2"]))
    middle = f"{_tag(draw, 'elif yes')}{_body(draw, number, depth, macros)}" if draw(st.booleans()) else ""
    return (
        f"{_tag(draw, 'if ' + test)}{_body(draw, number, depth, macros)}{middle}"
        f"{_tag(draw, 'else')}{_body(draw, number, depth, macros)}{_tag(draw, 'endif')}"
    )


def _loop(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    head = draw(st.sampled_from(["for i in three", "for i in three if loop is undefined or i", "for i in range(2)"]))
    inner = draw(st.sampled_from(["", "{% if loop.last %}{% break %}{% endif %}", "{{ loop.cycle(x, i) }}"]))
    return f"{_tag(draw, head)}{_body(draw, number, depth, macros)}{inner}{_tag(draw, 'endfor')}"


def _capture(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    how = draw(st.sampled_from(["", " | trim", " | replace('q', 'r')"]))
    use = draw(st.sampled_from(["c", "c | trim", "c ~ c", "c | indent", "c.strip().split('q') | join('q')"]))
    return f"{_tag(draw, 'set c' + how)}{_body(draw, number, depth, macros)}{_tag(draw, 'endset')}{{{{ {use} }}}}"


def _assignment(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    return f"{_tag(draw, 'set v = ' + _written(draw, number))}{draw(_GAP)}{{{{ v }}}}"


def _filtered(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    name = draw(st.sampled_from(["trim", "upper", "indent(2, true)", "replace('q', x)"]))
    return f"{_tag(draw, 'filter ' + name)}{_body(draw, number, depth, macros)}{_tag(draw, 'endfilter')}"


def _gathered(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    more = _tag(draw, "set ns.s = ns.s ~ " + _written(draw, number))
    return f"{{% for i in three %}}{more}{{% endfor %}}{{{{ ns.s }}}}"


def _generation(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    return f"{_tag(draw, 'generation')}{_body(draw, number, depth, macros)}{_tag(draw, 'endgeneration')}"


def _called(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    call = f"{draw(st.sampled_from(macros))}({_written(draw, number)})"
    if draw(st.booleans()):
        return f"{_tag(draw, 'set w = ' + call)}{{{{ w | trim }}}}"
    return f"{{{{ {call} ~ {_written(draw, number)} }}}}"


def _caller(draw: st.DrawFn, number: count[int], depth: int, macros: list[str]) -> str:
    call = f"{draw(st.sampled_from(macros))}({_written(draw, number)}, caller)"
    return f"{{% call {call} %}}{_body(draw, number, depth, macros)}{{% endcall %}}"
