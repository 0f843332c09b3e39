"""The index lets modules load on demand, and is not needed: without it the folders are listed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from callwright import index
from callwright.dialects import catalogue as dialects
from callwright.hosts import catalogue as hosts
from callwright.rules import catalogue as rules
from callwright.rules.base import Scope

CACHES = (
    index._index,
    index.entries,
    dialects._modules,
    dialects.dialect_names,
    dialects.dialect_openers,
    rules._entries,
    rules.rule_names,
    rules.rules_of,
    rules.rules_for,
)


@pytest.fixture
def moved_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Let the index be read from another file, and forget what was read before and after."""
    file = tmp_path / "_index.json"
    monkeypatch.setattr(index, "INDEX_FILE", file)
    forget()
    yield file
    forget()


def forget() -> None:
    """Forget what was read of the index."""
    for each in CACHES:
        each.cache_clear()
    vars(hosts.HOSTS).pop("entries", None)


def seen() -> object:
    """Return what the catalogues say."""
    return (
        dialects.dialect_names(),
        dialects.dialect_openers(),
        [host.name for host in hosts.all_hosts()],
        hosts.choose_host("a.jsonl").name,
        rules.rule_names(),
        [rule.code for rule in rules.rules_of(Scope.CALL)],
        [rule.code for rule in rules.rules_for("duplicate-key")],
    )


def test_without_an_index_the_folders_are_listed(moved_index: Path) -> None:
    without = seen()
    assert not moved_index.exists()
    forget()
    moved_index.write_bytes((index.HERE / "_index.json").read_bytes())
    assert seen() == without


def test_a_broken_index_is_no_index(moved_index: Path) -> None:
    moved_index.write_text("{", encoding="utf-8")
    assert "xml-json" in dialects.dialect_names()


def test_a_module_that_the_index_does_not_know_is_found(moved_index: Path) -> None:
    entries = json.loads((index.HERE / "_index.json").read_text(encoding="utf-8"))
    entries["rules"] = [entry for entry in entries["rules"] if entry["code"] != "TC301"]
    moved_index.write_text(json.dumps(entries), encoding="utf-8")
    found = rules.find_rule("unknown-tool")
    assert found is not None
    assert found.code == "TC301"


def modules_after(program: str) -> set[str]:
    """Return what Python has imported after a program in a process of its own."""
    run = f"import sys\n{program}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True, encoding="utf-8")
    return set(done.stdout.split())


def rooms(modules: set[str], room: str) -> set[str]:
    """Return the members of a room that are loaded."""
    return modules & set(index.module_names(room))


def test_checking_prose_loads_no_dialect_and_no_rule() -> None:
    loaded = modules_after("import callwright; callwright.check('Nothing is called here: 1 < 2.')")
    assert rooms(loaded, "dialects") == rooms(loaded, "rules") == rooms(loaded, "hosts") == set()


def test_a_clean_call_loads_only_rules_that_look_at_sound_calls() -> None:
    loaded = modules_after("import callwright; callwright.check('<read_file><path>a.py</path></read_file>')")
    assert rooms(loaded, "rules") == {type(rule).__module__ for rule in rules.rules_of_sound_calls()}
    assert {"callwright.rules.wrong_type", "callwright.rules.unknown_argument"}.isdisjoint(loaded)
    assert "callwright.dialects.fenced_json" not in loaded


def test_what_only_faults_need_is_not_loaded_for_a_clean_call() -> None:
    loaded = modules_after("import callwright; callwright.check('<read_file><path>a.py</path></read_file>')")
    assert {"callwright.syntax.xml_recover", "callwright.prompt.editing"}.isdisjoint(loaded)


def test_a_call_that_does_not_fit_its_tool_loads_all_rules_that_look_at_calls() -> None:
    tool = {"name": "read_file", "inputSchema": {"type": "object", "required": ["path"]}}
    program = f"import callwright; callwright.check('<read_file></read_file>', tools=[{tool!r}])"
    assert rooms(modules_after(program), "rules") >= {type(rule).__module__ for rule in rules.rules_of(Scope.CALL)}


def test_a_fault_loads_the_rule_that_words_it() -> None:
    text = '<debug_launch>{"program": "a.py",}</debug_launch>'
    loaded = modules_after(f"import callwright; callwright.check({text!r})")
    assert "callwright.rules.trailing_comma" in loaded
    assert "callwright.rules.extra_closer" not in loaded


def test_a_document_loads_its_own_host() -> None:
    loaded = modules_after("import callwright; callwright.check('Hello.', path='a.md')")
    assert rooms(loaded, "hosts") == {"callwright.hosts.markdown"}
