"""Chat templates over the wire: when they are rendered and when never, and what an editor gets."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from callwright.chat_templates import renderer
from callwright.chat_templates.model import INSTALL, ChatTemplateError
from callwright.text.span import Edit, Span, apply_edits
from lsp.conversation import CAPABILITIES, Conversation, between, codes, conversation
from support.chat_templates import ENCODES_TWICE

pytestmark = pytest.mark.skipif(importlib.util.find_spec("jinja2") is None, reason="Jinja is not installed")

#: What is wrong in it.
CLEAN = ENCODES_TWICE.replace(
    "{{ call.function.arguments | tojson }}",
    "{{ call.function.arguments if call.function.arguments is string else call.function.arguments | tojson }}",
)
#: Fails on content that is null, and one line later again.
FAILING_TWICE = CLEAN.replace(
    "{{ message.content or '' }}",
    """
{% if message.content is iterable and message.content is not string %}
{% for part in message.content %}{{ part.text }}{% endfor %}{% else %}
{% if '</think>' in message.content %}{{ '' }}{% endif %}
{{ message.content.strip() if message.content is defined }}{% endif %}""",
)
TWICE = "TC836"
FAILS = "TC834"
AT = {"start": {"line": 4, "character": 50}, "end": {"line": 4, "character": 88}}
#: It is cut off.
CUT = "{% for message in messages %}{{ message.content"
LOOP = "{% for message in messages %}" + "{% for a in range(99999) %}" * 3 + "{% endfor %}" * 4
TRUSTED = {"trusted": True}


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "chat_template.jinja").as_uri()


def begin(talk: Conversation, root: Path, options: Any = TRUSTED, **capabilities: Any) -> None:
    talk.initialize({**CAPABILITIES, **capabilities}, root, initializationOptions=options)


def found(talk: Conversation, uri: str, *wanted: str) -> list[dict[str, Any]]:
    """Return the diagnostics that are pushed for a document once they have these codes."""
    params = talk.wait(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == uri and codes(params["diagnostics"]) == [*wanted],
    )
    items: list[dict[str, Any]] = params["diagnostics"]
    return items


def save(talk: Conversation, uri: str, text: str) -> None:
    talk.notify("textDocument/didSave", {"textDocument": {"uri": uri}, "text": text})


def ask(talk: Conversation, uri: str) -> None:
    talk.request("workspace/executeCommand", {"command": "callwright.render", "arguments": [uri]})


def refused(talk: Conversation, uri: str) -> str:
    params = {"command": "callwright.render", "arguments": [uri]}
    words: str = talk.fails("workspace/executeCommand", params)["message"]
    return words


def shown(talk: Conversation) -> str:
    words: str = talk.wait("window/showMessage")["message"]
    return words


def has_rendered(talk: Conversation) -> bool:
    """Return whether anything was given to the thread that renders; the server has done all it had to do by then."""
    talk.request("callwright/tools", {})
    own = talk.server.parts.chat_templates
    return own._thread is not None or bool(own._due)


def actions(talk: Conversation, uri: str, place: dict[str, Any]) -> list[dict[str, Any]]:
    params = {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": [], "only": ["quickfix"]}}
    return talk.request("textDocument/codeAction", params) or []


def test_one_that_is_opened_in_a_trusted_workspace_is_checked(talk: Conversation, tmp_path: Path, uri: str) -> None:
    begin(talk, tmp_path)
    talk.open(uri, ENCODES_TWICE, "jinja")
    (item,) = found(talk, uri, TWICE)
    assert item["range"] == AT
    assert item["source"] == "callwright"
    assert talk.request("callwright/status", {"textDocument": {"uri": uri}})["problems"] == 1


@pytest.mark.parametrize("options", [None, {}, {"trusted": "yes"}, {"settings": TRUSTED}, {"settings": {}}])
def test_where_the_editor_states_no_trust_nothing_is_rendered(
    talk: Conversation, tmp_path: Path, uri: str, options: Any
) -> None:
    begin(talk, tmp_path, options)
    talk.open(uri, ENCODES_TWICE, "jinja")
    save(talk, uri, ENCODES_TWICE)
    assert not has_rendered(talk)
    assert "is not trusted" in refused(talk, uri)
    assert not has_rendered(talk)


def test_trust_is_no_setting(talk: Conversation, tmp_path: Path, uri: str) -> None:
    """A folder's settings reach the server as the user's do, so a folder could trust itself."""
    talk.settings = lambda _item: TRUSTED
    begin(talk, tmp_path, {}, workspace={"configuration": True})
    talk.wait("workspace/configuration")
    talk.open(uri, ENCODES_TWICE, "jinja")
    assert not has_rendered(talk)


def test_trust_alone_is_no_unknown_setting(talk: Conversation, tmp_path: Path, uri: str) -> None:
    begin(talk, tmp_path, {**TRUSTED, "chatTemplates": "save"})
    talk.open(uri, ENCODES_TWICE, "jinja")
    found(talk, uri, TWICE)
    assert not [each for each in talk.kept if "settings" in str(each.get("params", {}).get("message", ""))]


def test_without_jinja_nothing_is_rendered_and_the_command_states_what_to_install(
    talk: Conversation, tmp_path: Path, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    begin(talk, tmp_path)
    talk.open(uri, ENCODES_TWICE, "jinja")
    save(talk, uri, ENCODES_TWICE)
    assert not has_rendered(talk)
    assert INSTALL in talk.wait("window/logMessage")["message"]
    assert INSTALL in refused(talk, uri)
    assert not [each for each in talk.kept if INSTALL in str(each)]


def test_where_the_process_does_not_start_it_is_not_tried_again_unless_a_person_asks(
    talk: Conversation, tmp_path: Path, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fail(_self: Any, source: str) -> None:
        asked.append(source)
        raise ChatTemplateError("no process")

    monkeypatch.setattr(renderer.Renderer, "variables", fail)
    begin(talk, tmp_path)
    talk.open(uri, ENCODES_TWICE, "jinja")
    assert "no process" in talk.wait("window/logMessage")["message"]
    talk.change(uri, 2, {"text": CUT})
    save(talk, uri, CUT)
    talk.request("callwright/tools", {})
    assert asked == [ENCODES_TWICE]
    ask(talk, uri)
    assert shown(talk) == "Callwright: no process"
    assert asked == [ENCODES_TWICE, CUT]


@pytest.mark.parametrize("value", ["off", False])
def test_with_the_setting_off_only_a_person_has_it_rendered(
    talk: Conversation, tmp_path: Path, uri: str, value: Any
) -> None:
    begin(talk, tmp_path, {**TRUSTED, "chatTemplates": value})
    talk.open(uri, ENCODES_TWICE, "jinja")
    save(talk, uri, ENCODES_TWICE)
    assert not has_rendered(talk)
    ask(talk, uri)
    found(talk, uri, TWICE)
    assert shown(talk).startswith("Callwright: The chat template has 1 diagnostic. Probes: ")


def test_the_setting_is_taken_while_the_server_runs(talk: Conversation, tmp_path: Path, uri: str) -> None:
    begin(talk, tmp_path)
    talk.open(uri, ENCODES_TWICE, "jinja")
    found(talk, uri, TWICE)
    talk.notify("workspace/didChangeConfiguration", {"settings": {"callwright": {"chatTemplates": "off"}}})
    found(talk, uri)
    talk.notify("workspace/didChangeConfiguration", {"settings": {"callwright": {"chatTemplates": "save"}}})
    found(talk, uri, TWICE)
    talk.notify("workspace/didChangeConfiguration", {"settings": {"callwright": {"ignore": [TWICE]}}})
    found(talk, uri)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.jinja", "{{ title }}"),
        ("chat_template.md", ENCODES_TWICE),
        ("tokenizer_config.json", '{"bos_token": "messages"}'),
        ("tokenizer_config.json", '{"model": {"chat_template": "a"}}'),
    ],
)
def test_what_holds_no_chat_template_is_left_alone(talk: Conversation, tmp_path: Path, name: str, text: str) -> None:
    begin(talk, tmp_path)
    uri = (tmp_path / name).as_uri()
    talk.open(uri, text, "plaintext")
    assert found(talk, uri) == []
    if "chat_template" in text:
        ask(talk, uri)
        assert shown(talk).startswith("Callwright: This document is not a chat template")
    else:
        assert not has_rendered(talk)
        assert refused(talk, uri).startswith("This document is not a chat template")


def test_what_is_excluded_or_lies_outside_of_the_folders_is_left_alone(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "callwright.toml").write_text('exclude = ["old/**"]\n')
    begin(talk, tmp_path)
    for path in (tmp_path / "old" / "a.jinja", tmp_path.parent / "a.jinja"):
        talk.open(path.as_uri(), ENCODES_TWICE, "jinja")
    assert not has_rendered(talk)


def test_where_a_configuration_names_files_only_these_are_rendered(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "callwright.toml").write_text('files = ["templates/**"]\n')
    begin(talk, tmp_path)
    other, own = ((tmp_path / name).as_uri() for name in ("a.jinja", "templates/a.jinja"))
    talk.open(other, ENCODES_TWICE, "jinja")
    assert not has_rendered(talk)
    talk.open(own, ENCODES_TWICE, "jinja")
    assert TWICE in codes(talk.wait("textDocument/publishDiagnostics", partial(has_code, own, TWICE))["diagnostics"])


def has_code(uri: str, code: str, params: Any) -> bool:
    return params["uri"] == uri and code in codes(params["diagnostics"])


def test_places_follow_edits_and_a_change_of_the_text_takes_a_diagnostic_back(
    talk: Conversation, tmp_path: Path, uri: str
) -> None:
    begin(talk, tmp_path)
    talk.open(uri, ENCODES_TWICE, "jinja")
    found(talk, uri, TWICE)
    talk.change(uri, 2, {"range": between((0, 0), (0, 0)), "text": "{# one #}\n"})
    (item,) = found(talk, uri, TWICE)
    assert item["range"]["start"] == {"line": 5, "character": 50}
    # Beside it on its line, before and after.
    talk.change(
        uri,
        3,
        {"range": between((5, 88), (5, 88)), "text": "{#😀#}"},
        {"range": between((5, 0), (5, 0)), "text": "{#é😀#}"},
    )
    (item,) = found(talk, uri, TWICE)
    assert item["range"] == {"start": {"line": 5, "character": 57}, "end": {"line": 5, "character": 95}}
    talk.change(uri, 4, {"range": between((5, 59), (5, 59)), "text": " "})
    assert found(talk, uri) == []
    assert actions(talk, uri, between((5, 0), (6, 0))) == []
    text = str(talk.server.parts.session.documents[uri].text.text())
    save(talk, uri, text)
    found(talk, uri, TWICE)


def test_its_fix_is_a_quick_fix_and_what_it_leaves_is_clean(talk: Conversation, tmp_path: Path, uri: str) -> None:
    begin(talk, tmp_path)
    talk.open(uri, ENCODES_TWICE, "jinja")
    (item,) = found(talk, uri, TWICE)
    action, *_ = actions(talk, uri, item["range"])
    assert action["isPreferred"]
    assert action["diagnostics"] == [item]
    (change,) = action["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 1}
    talk.change(uri, 2, *reversed([{"range": each["range"], "text": each["newText"]} for each in change["edits"]]))
    assert found(talk, uri) == []
    text = talk.server.parts.session.documents[uri].text.text()
    save(talk, uri, text)
    ask(talk, uri)
    assert shown(talk).startswith("Callwright: The chat template has no diagnostics. Probes: ")


def test_a_fix_that_does_not_hold_is_not_offered_and_the_reason_is(
    talk: Conversation, tmp_path: Path, uri: str
) -> None:
    """What is fixed in the first line fails in the next one."""
    shown = {**CAPABILITIES["textDocument"]["codeAction"], "disabledSupport": True}
    begin(talk, tmp_path, textDocument={**CAPABILITIES["textDocument"], "codeAction": shown})
    talk.open(uri, FAILING_TWICE, "jinja")
    (item,) = found(talk, uri, FAILS)
    (action,) = actions(talk, uri, item["range"])
    assert "edit" not in action
    assert "the template with it still has this diagnostic" in action["disabled"]["reason"]
    text = FAILING_TWICE.replace("message.content.strip()", "(message.content or '') | trim")
    talk.change(uri, 2, {"text": text})
    save(talk, uri, text)
    (item,) = found(talk, uri, FAILS)
    (action,) = actions(talk, uri, item["range"])
    assert action["isPreferred"]
    assert "edit" in action


def test_a_template_in_json_is_checked_and_fixed_in_its_string(talk: Conversation, tmp_path: Path) -> None:
    begin(talk, tmp_path)
    uri = (tmp_path / "tokenizer_config.json").as_uri()
    text = json.dumps(
        {"eos_token": {"content": "<|end|>"}, "chat_template": [{"name": "é", "template": ENCODES_TWICE}]}
    )
    talk.open(uri, text, "json")
    (item,) = found(talk, uri, TWICE)
    start, end = item["range"]["start"]["character"], item["range"]["end"]["character"]
    assert text[start:end] == "{{ call.function.arguments | tojson }}"
    action, *_ = actions(talk, uri, item["range"])
    (change,) = action["edit"]["documentChanges"]
    edits = [
        Edit(Span(each["range"]["start"]["character"], each["range"]["end"]["character"]), each["newText"])
        for each in change["edits"]
    ]
    fixed = apply_edits(text, edits)
    assert json.loads(fixed)["chat_template"][0]["template"] != ENCODES_TWICE
    talk.change(uri, 2, {"text": fixed})
    save(talk, uri, fixed)
    ask(talk, uri)
    assert "no diagnostics" in shown(talk)


@pytest.mark.parametrize(("name", "count"), [("tool_use", "no diagnostics"), ("default", "1 diagnostic")])
def test_a_template_for_conversations_with_tools_is_not_tried_without_them(
    talk: Conversation, tmp_path: Path, name: str, count: str
) -> None:
    begin(talk, tmp_path)
    uri = (tmp_path / "tokenizer_config.json").as_uri()
    template = "{% for tool in tools %}{{ tool | tojson }}{% endfor %}" + CLEAN
    talk.open(uri, json.dumps({"chat_template": [{"name": name, "template": template}]}), "json")
    ask(talk, uri)
    assert shown(talk).startswith(f"Callwright: The chat template has {count}. Probes: ")


def test_a_client_that_fetches_diagnostics_is_asked_to_do_so_again(
    talk: Conversation, tmp_path: Path, uri: str
) -> None:
    own = {**CAPABILITIES["textDocument"], "diagnostic": {}}
    begin(talk, tmp_path, textDocument=own, workspace={"diagnostics": {"refreshSupport": True}})
    talk.open(uri, ENCODES_TWICE, "jinja")
    talk.wait("workspace/diagnostic/refresh")
    pulled = talk.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert codes(pulled["items"]) == [TWICE]


def test_the_newest_text_wins(talk: Conversation, tmp_path: Path, uri: str) -> None:
    begin(talk, tmp_path)
    talk.open(uri, CUT, "jinja")
    for version in range(2, 9):
        text = ENCODES_TWICE if version % 2 == 0 else CUT
        talk.change(uri, version, {"text": text})
        save(talk, uri, text)
    (item,) = found(talk, uri, TWICE)
    assert item["range"] == AT
    ask(talk, uri)
    assert "1 diagnostic." in shown(talk)


def test_one_that_is_closed_meanwhile_is_forgotten(talk: Conversation, tmp_path: Path, uri: str) -> None:
    begin(talk, tmp_path)
    other = (tmp_path / "other.jinja").as_uri()
    talk.open(uri, CUT, "jinja")
    talk.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    talk.open(other, ENCODES_TWICE, "jinja")
    found(talk, other, TWICE)
    assert not [each for each in talk.kept if has_code(uri, TWICE, {"uri": "", **each.get("params", {})})]


def test_a_template_that_loops_holds_nothing_up(
    talk: Conversation, tmp_path: Path, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = partial(renderer.Renderer, seconds=2.0, seconds_of_job=1.0)
    monkeypatch.setattr(renderer, "Renderer", limited)
    begin(talk, tmp_path)
    talk.open(uri, LOOP, "jinja")
    talk.request("callwright/tools", {})
    for version in range(2, 30):
        talk.change(uri, version, {"range": between((0, 0), (0, 0)), "text": "."})
        assert talk.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) in (None, [])
    # All of it is answered while the template is rendered.
    assert not talk.server.parts.session.documents[uri].rendered
    assert talk.server.parts.chat_templates._current == uri
    items = talk.wait("textDocument/publishDiagnostics", lambda params: params["uri"] == uri and params["diagnostics"])[
        "diagnostics"
    ]
    assert "takes longer than" in items[0]["message"]
    # The next one has a process again.
    talk.change(uri, 30, {"text": ENCODES_TWICE})
    save(talk, uri, ENCODES_TWICE)
    found(talk, uri, TWICE)


def test_after_shutdown_nothing_is_rendered(talk: Conversation, tmp_path: Path, uri: str) -> None:
    begin(talk, tmp_path)
    talk.open(uri, ENCODES_TWICE, "jinja")
    found(talk, uri, TWICE)
    own = talk.server.parts.chat_templates
    assert has_rendered(talk)
    talk.request("shutdown", None)
    assert own._thread is None
    document = talk.server.parts.session.documents[uri]
    document.rendered_text = None
    own.take(document)
    assert not own._due
