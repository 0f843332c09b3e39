"""A dialect is one file: dialects with markers of any kind, written here in a few lines, pass what all others pass.

Nothing but the object is added: reading, strict parsing, streams, rendering, conversion, fixes and completion follow
from its markers. Braces doubled or with `%` are a template's, so that no marker of a prompt can have them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from callwright.calls.envelopes import Envelope
from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import equals_head
from callwright.conversion import convert_document
from callwright.dialects.base import Dialect
from callwright.dialects.catalogue import find_dialect
from callwright.dialects.support.envelope import EnvelopeDialect
from callwright.dialects.support.tagged import TaggedDialect, openers_of
from callwright.document.settings import Settings
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.runtime import StrictParser
from callwright.runtime.events import CallClosed
from callwright.text.span import Edit, apply_edits
from callwright.tools.registry import ToolRegistry
from dialects import test_truncation as truncation
from features import test_completion_in_dialects as in_dialects
from features import test_completion_nested as completion
from invariants import streams
from invariants import test_conversion_keeps_values as conversion
from invariants import test_time_is_linear as linear
from runtime import test_strict_is_closed as closed
from support.added_dialects import added_dialects
from support.sampling import crossed, sampled

#: What each dialect is named after, with its markers.
ENVELOPES = {
    "percent": Envelope("%%CALL%%", "%%END%%"),
    "brackets": Envelope("[[CALL]]", "[[/CALL]]"),
    "words": Envelope("BEGIN_CALL", "END_CALL", apart=True),
    "brace": Envelope("@@call", "}@@"),
    "quotes": Envelope("~~call", '"""'),
    "parentheses": Envelope("(call)", "(/call)"),
    "pipes": Envelope("{|call|}", "{|end|}"),
    "commas": Envelope(",,call", ",,end"),
    "digits": Envelope("9CALL9", "9END9"),
    "beyond-ascii": Envelope("«call»", "«/call»"),
    "astral": Envelope("🔧call", "🔧end"),
    "dashes": Envelope("--call--", "--end--", array=True),
}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "take_it",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "count": {"type": "integer"}},
            "required": ["path"],
        },
    }
]
REGISTRY = ToolRegistry.of(TOOLS)
OBJECT = '{"name": "take_it", "arguments": {"path": "a", "count": 1}}'

each = pytest.mark.parametrize("name", sampled(ENVELOPES, keep=4))


def grammar(name: str, call: tuple[str, str, str], parameter: tuple[str, str, str]) -> Grammar:
    """Return a dialect of marked parameters: how a marker begins, how it ends after a name, and what closes it."""
    return Grammar(
        name=name,
        call_opener=call[0],
        call_closer=call[2],
        parameter_opener=parameter[0],
        parameter_closer=parameter[2],
        call=equals_head(*call[:2]),
        parameter=equals_head(*parameter[:2]),
        style=TextStyle(newlines="none", untyped="string"),
        call_form=f"{call[0]}{{name}}{call[1]}",
        parameter_form=f"{parameter[0]}{{name}}{parameter[1]}",
        markup=False,
    )


#: Dialects whose markers hold names.
GRAMMARS = {
    "named-angles": grammar("named-angles", ("<call=", ">", "</call>"), ("<arg=", ">", "</arg>")),
    "named-percent": grammar("named-percent", ("%%CALL=", "%%", "%%/CALL%%"), ("%%ARG=", "%%", "%%/ARG%%")),
    "named-brackets": grammar("named-brackets", ("[[call=", "]]", "[[/call]]"), ("[[arg=", "]]", "[[/arg]]")),
    "named-mixed": grammar("named-mixed", ("@call=", "!", "!end"), ("$arg=", "$", "/arg$")),
}


def dialect_of(given: str, envelope: Envelope) -> Dialect:
    class Added(EnvelopeDialect):
        name = given
        title = given
        summary = given
        used_by = ("nothing",)
        openers = (envelope.opener,)
        envelopes = (envelope,)
        asks = ("Write each call as one JSON object between the markers.",)

    return Added()


def named(grammar: Grammar) -> Dialect:
    class Added(TaggedDialect):
        name = grammar.name
        title = grammar.name
        summary = grammar.name
        used_by = ("nothing",)
        grammars = (grammar,)
        openers = openers_of((grammar,))
        typed = False
        asks = ("Write each argument between markers of its own.",)

    return Added()


@pytest.fixture(scope="module", autouse=True)
def added() -> Iterator[None]:
    with added_dialects(*(dialect_of(*each) for each in ENVELOPES.items()), *map(named, GRAMMARS.values())):
        yield


def call_in(name: str, gap: str = "", inner: str = OBJECT) -> str:
    envelope = ENVELOPES[name]
    inner = f"[{inner}]" if envelope.array else inner
    return f"{envelope.opener}{gap}{inner}{gap}{envelope.closer}"


def codes(text: str, name: str) -> list[str]:
    found = diagnostics(open_snapshot(text, path="a.md", registry=REGISTRY, settings=Settings(dialect=name)))
    return [diagnostic.code for diagnostic in found]


@each
@pytest.mark.parametrize("place", ["{}", "Before.\n\n{}\n\nAfter.", "I call {} now.", "- {}", "> {}", "```\n{}\n```"])
@pytest.mark.parametrize("gap", ["", " ", "\n"])
def test_calls_are_read_anywhere_and_as_they_arrive(name: str, place: str, gap: str) -> None:
    call = call_in(name, gap)
    text = place.format(call)
    settings = Settings(dialect=name)
    (placed,) = open_snapshot(text, path="a.md", registry=REGISTRY, settings=settings).placed_calls()
    assert (placed.call.dialect, placed.call.place.of(text)) == (name, call)
    assert codes(text, name) == []
    parser = StrictParser(tools=TOOLS, dialect=name)
    assert [one.arguments for one in parser.parse(text).calls] == [{"path": "a", "count": 1}]
    for size in (1, 5, 1000):
        stream = parser.stream()
        events = [event for piece in streams.chunks(text, [size]) for event in stream.feed(piece)] + stream.last
        result = stream.finish()
        assert result == parser.parse(text)
        assert sum(isinstance(event, CallClosed) for event in (*events, *stream.last)) == 1
        streams.stream(streams.chunks(text, [size]), REGISTRY, settings)


@each
def test_a_marker_in_a_value_is_escaped_where_it_is_written_and_reported_where_it_is_not(name: str) -> None:
    envelope = ENVELOPES[name]
    for value in (envelope.closer, envelope.opener, f"x{envelope.closer}y\\{envelope.closer}\n{envelope.closer}"):
        hermes = f"<tool_call>{json.dumps({'name': 'take_it', 'arguments': {'path': value}})}</tool_call>"
        snapshot = open_snapshot(hermes, path="a.txt", registry=REGISTRY, settings=Settings())
        written = convert_document(snapshot, name).text
        assert written.count(envelope.opener) == written.count(envelope.closer) == 1
        assert [one.arguments for one in StrictParser(tools=TOOLS, dialect=name).parse(written).calls] == [
            {"path": value}
        ]
        back = open_snapshot(written, path="a.txt", registry=REGISTRY, settings=Settings())
        assert convert_document(back, "hermes").converted == 1
    literal = call_in(name, inner=OBJECT.replace('"a"', json.dumps(envelope.closer, ensure_ascii=False)))
    # A quote in a string is always escaped.
    expected = [] if envelope.closer.startswith('"') else ["TC112"]
    assert codes(literal, name) == expected
    snapshot = open_snapshot(literal, path="a.md", registry=REGISTRY, settings=Settings(dialect=name))
    for diagnostic in diagnostics(snapshot):
        (edit,) = diagnostic.fixes[0].edits
        written = apply_edits(envelope.closer, [Edit(edit.span.shift(-diagnostic.span.start), edit.text)])
        assert written != envelope.closer
        assert f"Write it as `{written}`." in diagnostic.message
    assert codes(fix_all(snapshot, unsafe=True)[0], name) == []


@each
def test_faults_are_found_fixed_and_rejected(name: str) -> None:
    opener, closer = ENVELOPES[name].opener, ENVELOPES[name].closer
    call = call_in(name)
    for faulty in (
        f"{call.removesuffix(closer)}\n\nAnd so on.",
        f"{call.removesuffix(closer)}\n{call}",
        call[:-1],
        call.replace("1}}", "1}"),
        call.replace("1}}", "1}}}"),
        call.replace("1}}", "1,}}"),
        call.replace(closer, f" well {closer}"),
        call.replace("take_it", "taek_it"),
        call.replace('"count"', '"cuont"'),
    ):
        parser = StrictParser(tools=TOOLS, dialect=name)
        assert parser.parse(faulty).calls == [], faulty
        assert codes(faulty, name), faulty
        snapshot = open_snapshot(faulty, path="a.md", registry=REGISTRY, settings=Settings(dialect=name))
        fixed, _ = fix_all(snapshot, unsafe=True)
        assert codes(fixed, name) == [], (faulty, fixed)
        assert parser.parse(fixed).calls, (faulty, fixed)
    for doubled in (call + closer, f"{call}\n{closer}", opener + call):
        error = StrictParser(tools=TOOLS, dialect=name).parse(doubled).error
        assert error is not None, doubled
        assert "TC103" in error.codes


@pytest.mark.parametrize("name", sampled([*ENVELOPES, *GRAMMARS], keep=5))
@pytest.mark.parametrize("compact", [True, False], ids=["compact", "laid out"])
def test_a_call_that_is_cut_off_stays_a_call_and_is_reported(name: str, *, compact: bool) -> None:
    truncation.test_a_call_that_is_cut_off_stays_a_call_and_is_reported(name, compact=compact)
    truncation.test_the_whole_call_is_clean_and_typed(name, compact=compact)


@pytest.mark.parametrize("name", sampled([*ENVELOPES, *GRAMMARS], keep=5))
def test_values_survive_conversion_there_and_back(name: str) -> None:
    for test in (
        conversion.test_each_dialect_keeps_typed_arguments,
        conversion.test_each_dialect_keeps_arguments_without_a_schema,
    ):
        test(dialect=name, carrier="tool-call-json")
    conversion.test_a_text_that_a_schema_knows_survives(name, "tool-call-json")
    conversion.test_an_odd_name_survives_or_is_refused(name, "tool-call-json")
    conversion.test_deep_and_wide_values_survive_or_are_refused(name, "tool-call-json")
    conversion.test_plain_calls_are_converted_and_not_refused((name, "xml-children"))
    conversion.test_plain_calls_are_converted_and_not_refused(("xml-children", name))
    conversion.test_calls_of_one_wrapper_keep_their_order(name)
    conversion.test_an_id_is_kept_or_the_reason_names_it(name)


@pytest.mark.parametrize("name", sampled([*ENVELOPES, *GRAMMARS], keep=5))
def test_names_and_values_are_completed(name: str) -> None:
    completion.test_names_and_values_inside_of_values_are_offered(name)
    completion.test_what_is_taken_at_the_end_of_a_cut_call_spoils_nothing(name)


def test_lines_that_begin_with_brackets_hide_no_marker_before_them() -> None:
    text = completion.written("named-brackets")
    assert text is not None
    for word in ("phases", "deed", "finish"):
        at = text.index(word)
        assert text[:at].count("\n[") >= 4
        for document in (text, text[:at]):
            offered = completion.offered(document, at, "named-brackets")
            assert any(word in item.label for item in offered), word


@pytest.mark.parametrize(("name", "way"), crossed(sampled([*ENVELOPES, *GRAMMARS], keep=5), in_dialects.WAYS))
def test_what_a_call_names_is_completed_in_every_host(name: str, way: str) -> None:
    in_dialects.test_what_is_cut_or_pointed_at_is_offered_and_leads_back(name, way)


@pytest.mark.parametrize("name", sampled([*ENVELOPES, *GRAMMARS], keep=5))
def test_strict_parsing_is_closed(name: str) -> None:
    closed.test_every_dialect_rejects_a_sample_of_them(name)
    closed.test_an_invented_tool_is_unknown_in_every_format(name)


@each
def test_twice_the_text_takes_twice_the_work(name: str) -> None:
    linear.test_twice_the_text_takes_twice_the_work(name)


def test_words_on_lines_of_their_own_are_written_so() -> None:
    hermes = f"<tool_call>{OBJECT}</tool_call>"
    snapshot = open_snapshot(hermes, path="a.md", registry=REGISTRY, settings=Settings())
    assert convert_document(snapshot, "words").text == f"BEGIN_CALL\n{OBJECT}\nEND_CALL"


@pytest.mark.parametrize("closer", ["}", "}}", "]", "},", ": "])
def test_what_json_may_hold_cannot_end_a_call(closer: str) -> None:
    with pytest.raises(ValueError, match="cannot end a call"):
        Envelope("%%CALL%%", closer)


def test_the_dialects_are_gone_afterwards() -> None:
    with added_dialects(dialect_of("passing", Envelope("!!CALL!!", "!!END!!"))):
        assert find_dialect("passing") is not None
        assert find_dialect("percent") is not None
    assert find_dialect("passing") is None


@pytest.mark.parametrize("name", sampled([*ENVELOPES, *GRAMMARS], keep=5))
def test_calls_in_the_strings_of_a_program_are_read(name: str) -> None:
    if name in ENVELOPES:
        call = call_in(name, inner=OBJECT.replace("take_it", "taek_it"))
    else:
        form = GRAMMARS[name]
        call = form.call_form.format(name="taek_it") + form.parameter_form.format(name="path")
        call += f"a{form.parameter_closer}{form.call_closer}"
    program = f"PROMPT = {call!r}\n"
    snapshot = open_snapshot(program, path="a.py", registry=REGISTRY, settings=Settings(dialect=name))
    assert [(placed.call.dialect, placed.call.tool) for placed in snapshot.placed_calls()] == [(name, "taek_it")]
