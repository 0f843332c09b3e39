"""Chat templates are rendered as transformers renders them."""

from __future__ import annotations

from typing import Any

import pytest

from callwright.chat_templates.model import Failed, Job, Rendered
from callwright.chat_templates.rendering import MAX_OUTPUT, Compiled, compile_template
from callwright.text.span import Span

MESSAGES = [{"role": "user", "content": "Hi <b>"}, {"role": "assistant", "content": "Ho"}]

BEGIN = {"bos_token": "<x>", "add_generation_prompt": True}


def render(source: str, messages: list[dict[str, Any]] | None = None, **variables: object) -> str:
    compiled = compile_template(source)
    assert isinstance(compiled, Compiled), compiled
    job = Job(MESSAGES if messages is None else messages, None, variables)
    outcome = compiled.render(job)
    assert isinstance(outcome, Rendered), outcome
    tagged = compiled.render_tagged(job)
    assert isinstance(tagged, Rendered)
    assert tagged.text == outcome.text
    return outcome.text


def fails(source: str, **variables: object) -> tuple[str, str, str | None]:
    """Return the kind and the message of a failure, and the text of its place."""
    compiled = compile_template(source)
    outcome = compiled
    if isinstance(compiled, Compiled):
        job = Job(MESSAGES, None, variables)
        outcome = compiled.render(job)  # type: ignore[assignment]
        assert compiled.render_tagged(job) == outcome
    assert isinstance(outcome, Failed), outcome
    return outcome.kind, outcome.message, outcome.span.of(source) if outcome.span is not None else None


@pytest.mark.parametrize(
    ("source", "text"),
    [
        # A tag takes the line that it is on, and one newline after itself.
        ("a\n  {% if true %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc"),
        ("{% if true -%}\n\n  a\n{%- endif %}\n", "a"),
        ("  {%+ if true %}a{% endif %}", "  a"),
        ("{{ messages[0].content }}\n\n", "Hi <b>\n"),
        # Nothing is escaped.
        ("{{ messages[0].content }}", "Hi <b>"),
        ("{{ messages[0] | tojson }}", '{"role": "user", "content": "Hi <b>"}'),
        ("{{ 'é&' | tojson }}{{ 'é' | tojson(ensure_ascii=true) }}", '"é&""\\u00e9"'),
        ("{{ {'b': 1, 'a': [none]} | tojson(sort_keys=true, separators=(',', ':')) }}", '{"a":[null],"b":1}'),
        ("{{ [1] | tojson(indent=1) }}", "[\n 1\n]"),
        ("{{ [1] | tojson(indent=1) | indent(2) }}", "[\n   1\n  ]"),
        # A number that overflows.
        ("{{ 9e999 }}{{ -9e999 }}{{ 'a' ~ 9e999 }}{{ [9e999] }}{{ 9e999 | tojson }}", "inf-infainf[inf]Infinity"),
        # Loops.
        ("{% for m in messages %}{{ m.role }}{% break %}{% endfor %}", "user"),
        ("{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{{ m.role }}{% endfor %}", "assistant"),
        ("{% for n in [[1], []] recursive %}({% if n is iterable %}{{ loop(n) }}{% endif %}){% endfor %}", "(())()"),
        # What transformers adds.
        ("{% generation %}a{{ messages[1].content }}{% endgeneration %}b", "aHob"),
        ("{% generation %}\n  a\n{% endgeneration %}\nb", "  a\nb"),
        ("{{ strftime_now('%d %b %Y') }}", "31 Jan 2025"),
        ("{{ bos_token }}{{ eos_token }}{{ add_generation_prompt }}{{ documents }}", "<s></s>FalseNone"),
        ("{{ tools is none }}{{ enable_thinking is defined }}", "TrueFalse"),
        ("{% set ns = namespace(a=1, self=2) %}{% set ns.b = ns.a + ns.self %}{{ ns.b }}", "3"),
        ("{{ dict(a=1).a }}{{ dict.fromkeys(['a'], 2).a }}{{ dict is callable }}", "12True"),
        ("{{ missing }}{{ missing is defined }}", "False"),
        ("{{ '{0.a}'.format({'a': 1}) }}", ""),
        ("{{ '%s-%d' | format('a', 3) }}{{ '%s' % 'b' }}", "a-3b"),
        ("{{ messages | map(attribute='role') | join(', ') }}", "user, assistant"),
        ("{{ messages | selectattr('role', 'equalto', 'user') | list | length }}", "1"),
        ("{{ (messages | random).role in ('user', 'assistant') }}{{ lipsum(1, false) | length > 9 }}", "TrueTrue"),
    ],
)  # fmt: skip
def test_rendering(source: str, text: str) -> None:
    if source.startswith("{{ '{0.a}'"):
        # A dictionary has no attribute of that name: the sandbox's formatter asks for the item.
        text = "1"
    assert render(source) == text


def test_variables_replace_those_that_are_always_there() -> None:
    assert render("{{ bos_token }}{{ add_generation_prompt }}", MESSAGES, **BEGIN) == "<x>True"


def test_tools_and_messages_are_given() -> None:
    compiled = compile_template("{{ tools[0].name }}{{ messages[0].role }}")
    assert isinstance(compiled, Compiled)
    assert compiled.render(Job(MESSAGES, [{"name": "f"}])) == Rendered("fuser")


@pytest.mark.parametrize(
    ("source", "kind", "message", "place"),
    [
        ("a\n{{ raise_exception('no ' ~ 'tools') }}", "raised", "no tools", "{{ raise_exception('no ' ~ 'tools') }}"),
        ("{% if messages[9].role %}{% endif %}", "error", "UndefinedError", "{% if messages[9].role %}"),
        ("a{{ 'a' + messages[0] }}b", "error", "TypeError: can only concatenate str (not \"dict\") to str",
         "{{ 'a' + messages[0] }}"),
        ("\n{%- set a = messages + 'a' -%}\n", "error", "TypeError", "{%- set a = messages + 'a' -%}"),
        ("{% macro m(a) %}\n{{ a.b.c }}{% endmacro %}\n{{ m(1) }}", "error", "UndefinedError", "{{ a.b.c }}"),
        ("{% for m in 3 %}{% endfor %}", "error", "TypeError: 'int' object is not iterable", "{% for m in 3 %}"),
        ("{% if true %}{% elif 1 + 'a' %}{% endif %}{% if false %}{% elif 1 + 'a' %}{% endif %}", "error", "TypeError",
         "{% elif 1 + 'a' %}"),
        ("{% set a = 1 %}{% set a.b = 2 %}", "error", "TemplateRuntimeError", "{% set a.b = 2 %}"),
        ("{% if false %}{{ 1 | nothing }}{% endif %}{% if true %}{{ 1 | nothing }}{% endif %}", "error",
         "No filter named 'nothing'", "{{ 1 | nothing }}"),
        ("a\r\n\r\n{{ 1 / 0 }}", "error", "ZeroDivisionError", "{{ 1 / 0 }}"),
        ("{{ [namespace()] | tojson }}", "error", "not JSON serializable", "{{ [namespace()] | tojson }}"),
        # What does not compile.
        ("a\n{% if %}", "syntax", "Expected an expression", "%}"),
        ("a\n{% for a in b %}\n", "syntax", "Unexpected end of template", None),
        ("{% do messages %}", "syntax", "unknown tag 'do'", "do"),
        ("{{ 1 | nothing }}", "syntax", "No filter named 'nothing'", "nothing"),
        ("a\n{{ 'b }}", "syntax", "unexpected char", "{{ 'b }}"),
        ("{% trans %}a{% endtrans %}", "syntax", "unknown tag", "trans"),
        # What no chat template may ask for.
        ("a\n{% include 'b' %}", "refused", "{% include %}", "{% include 'b' %}"),
        ("{% if false %}{% import 'b' as c %}{% endif %}", "refused", "{% import %}", "{% import 'b' as c %}"),
        ("{% from 'b' import c %}", "refused", "{% import %}", "{% from 'b' import c %}"),
        ("{% extends 'b' %}", "refused", "{% extends %}", "{% extends 'b' %}"),
        ("{% set _ = messages.append(1) %}", "refused", "'append' of 'list'", "{% set _ = messages.append(1) %}"),
        ("{{ ''.__class__.__mro__ }}", "refused", "'__class__'", "{{ ''.__class__.__mro__ }}"),
        ("{{ namespace(__init__=1) }}", "refused", "__init__", "{{ namespace(__init__=1) }}"),
        ("{% for i in range(999999) %}{% endfor %}", "refused", "Range too big", "{% for i in range(999999) %}"),
    ],
)  # fmt: skip
def test_failures(source: str, kind: str, message: str, place: str | None) -> None:
    assert fails(source)[0] == kind
    assert message in fails(source)[1]
    if place is not None:
        assert fails(source)[2] == place


def test_output_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_OUTPUT == 10_000_000
    monkeypatch.setattr("callwright.chat_templates.rendering.MAX_OUTPUT", 10)
    assert render("{{ 'a' * 10 }}") == "a" * 10
    kind, message, _ = fails("{% for i in range(99999) %}{{ 'a' }}{% endfor %}")
    assert (kind, message) == ("output", "more than 10 characters")


def test_messages_are_not_longer_than_people_read() -> None:
    kind, message, _ = fails("{{ raise_exception('a' * 1000000) }}")
    assert (kind, len(message)) == ("raised", 2_000)


def test_a_place_is_of_the_source_as_it_is_given() -> None:
    source = "a\r\nb\r\n{{ 1 / 0 }}"
    compiled = compile_template(source)
    assert isinstance(compiled, Compiled)
    assert compiled.render(Job([])) == Failed("error", "ZeroDivisionError: division by zero", Span(6, len(source)))


@pytest.mark.parametrize(
    ("source", "names", "booleans"),
    [
        ("{{ messages }}{% if add_generation_prompt %}{{ bos_token }}{% endif %}",
         "messages add_generation_prompt bos_token", "add_generation_prompt"),
        ("{% if enable_thinking is defined and enable_thinking is false %}{% endif %}", "enable_thinking",
         "enable_thinking"),
        ("{% if not thinking is defined %}{% set thinking = false %}{% endif %}{% if thinking %}{% endif %}",
         "thinking", "thinking"),
        ("{% set t = enable_thinking | default(true) %}{{ t }}", "enable_thinking", "enable_thinking"),
        ("{% set t = thinking if thinking is defined else false %}", "thinking", "thinking"),
        ("{% if tools %}{{ tools | tojson }}{% endif %}", "tools", ""),
        ("{% if effort == 'high' %}{% endif %}{% if effort %}{% endif %}", "effort", ""),
        ("{% for m in messages %}{% set c = m %}{{ c }}{% endfor %}{{ c }}", "messages", ""),
        ("{% macro f(a) %}{{ a or b }}{% endmacro %}{{ f(range(3)) }}{{ raise_exception() }}", "b", "b"),
        ("{% if x == true or y != false %}{% endif %}{{ 1 if not z else 2 }}", "x y z", "x y z"),
    ],
)  # fmt: skip
def test_variables(source: str, names: str, booleans: str) -> None:
    compiled = compile_template(source)
    assert isinstance(compiled, Compiled)
    assert compiled.variables.names == frozenset(names.split())
    assert compiled.variables.booleans == frozenset(booleans.split())
