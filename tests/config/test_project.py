"""Configuration: which file governs, what it says, and where it is wrong."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.config import (
    KEYS,
    LARGEST,
    Project,
    default_project,
    find_project,
    known_dialects,
    load_project,
    override,
    read_config,
)
from callwright.document.settings import Settings
from callwright.text.span import apply_edits
from callwright.tools.shipped import offered_registry, shipped_registry
from support.sampling import tries

TOOL = {"name": "my_tool", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a tool file and a folder of prompts."""
    for name in (".git", "tools", "prompts/deep"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "tools" / "kit.json").write_text(json.dumps({"tools": [TOOL]}), encoding="utf-8")
    return tmp_path


def write(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


def stated(project: Project, text: str) -> list[tuple[str, str]]:
    return [(problem.kind, problem.span.of(text)) for _, problem in project.problems]


# What is found


def test_without_a_configuration_the_shipped_tools_are_offered_and_none_is_demanded(folder: Path) -> None:
    project = find_project(folder / "prompts" / "a.prompt")
    assert (project.configured, project.file, project.root, project.boundary) == (False, None, folder, folder)
    assert project.settings == Settings()
    assert project.registry.offered
    assert set(project.registry.names) == set(offered_registry().names)
    assert not set(project.registry.in_force.names)
    default = default_project(folder)
    assert (default.root, default.settings, default.registry.offered) == (folder, Settings(), True)


def test_the_nearest_configuration_wins(folder: Path) -> None:
    outer = write(folder / "callwright.toml", 'dialect = "xml-json"')
    assert find_project(folder / "prompts" / "deep" / "a.prompt").file == outer
    inner = write(folder / "prompts" / "callwright.toml", 'dialect = "xml-children"')
    assert find_project(folder / "prompts" / "deep" / "a.prompt").file == inner
    assert find_project(folder / "a.prompt").file == outer
    assert find_project(folder / "prompts").settings.dialect == "xml-children"


def test_pyproject_counts_only_with_our_table_and_after_our_own_file(folder: Path) -> None:
    outer = write(folder / "callwright.toml", "strict = true")
    other = write(folder / "prompts" / "pyproject.toml", '[project]\nname = "x"\n')
    assert find_project(folder / "prompts" / "a.prompt").file == outer
    write(other, '[tool.callwright]\ndialect = "xml-json"\n')
    assert find_project(folder / "prompts" / "a.prompt").settings == Settings(dialect="xml-json")
    own = write(folder / "prompts" / "callwright.toml", "")
    assert find_project(folder / "prompts" / "a.prompt").file == own


def test_a_pyproject_that_cannot_be_read_is_none_of_our_business_unless_it_names_us(folder: Path) -> None:
    file = write(folder / "pyproject.toml", "[project\n")
    assert find_project(folder / "a.prompt").file is None
    write(file, "[tool.callwright]\nstrict = yes\n")
    assert [problem.kind for _, problem in find_project(folder / "a.prompt").problems] == ["config-syntax"]


def test_nothing_above_the_repository_or_the_workspace_is_scanned(tmp_path: Path) -> None:
    write(tmp_path / "callwright.toml", "strict = true")
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    assert find_project(repository / "a.prompt").file is None
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    assert find_project(workspace / "a.prompt").file == tmp_path / "callwright.toml"
    assert find_project(workspace / "a.prompt", root=workspace).file is None
    assert find_project(workspace / "a.prompt", root=tmp_path).file == tmp_path / "callwright.toml"


def test_a_world_writable_folder_ends_the_search(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "mine").mkdir(parents=True)
    write(shared / "callwright.toml", "strict = true")
    assert find_project(shared / "mine" / "a.prompt").file is not None
    shared.chmod(0o777)
    # Rights of this kind exist on POSIX systems only.
    assert (find_project(shared / "mine" / "a.prompt").file is None) == (os.name == "posix")


def test_a_configuration_after_a_link_out_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.toml", "strict = true")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "callwright.toml").symlink_to(outside)
    assert find_project(workspace / "a.prompt", root=workspace).file is None


# What it says


def test_every_key_is_understood(folder: Path) -> None:
    write(
        folder / "callwright.toml",
        """
        tools = ["tools/*.json"]
        dialect = "xml-json"
        accept = ["xml-children"]
        strict = true
        files = ["prompts/**"]
        exclude = ["prompts/old"]
        select = ["TC3", "unknown-tool", "ALL"]
        ignore = ["TC301"]
        markup = "raw"
        reasoning = "calls"
        provider = "anthropic"
        template = "jinja"
        max_mistakes = 5
        shipped = ["cline"]
        [severity]
        TC301 = "warning"
        unknown-tool = "off"
        """,
    )
    project = find_project(folder / "a.prompt")
    assert project.problems == ()
    assert project.settings == Settings(
        dialect="xml-json",
        accept=("xml-children",),
        strict=True,
        select=("TC3", "unknown-tool", "ALL"),
        ignore=("TC301",),
        severity={"TC301": "warning", "unknown-tool": "off"},
        markup="raw",
        reasoning="calls",
        provider="anthropic",
        template="jinja",
        max_mistakes=5,
    )
    assert project.tool_files == (folder / "tools" / "kit.json",)
    assert project.registry.tool_sets == ("kit", "cline")
    assert project.registry.closed
    assert project.covers(folder / "prompts" / "deep" / "a.txt")
    assert not project.covers(folder / "prompts" / "old" / "a.txt")
    assert not project.covers(folder / "a.txt")
    assert not project.covers(folder.parent / "prompts" / "a.txt")
    assert project.excludes(folder / "prompts" / "old")


@pytest.mark.parametrize(
    ("text", "sets", "closed"),
    [
        ("", shipped_registry().tool_sets, False),
        ("shipped = true", shipped_registry().tool_sets, False),
        ("shipped = false", (), False),
        ('shipped = ["cline", "windlass"]', ("cline", "windlass"), True),
        ('shipped = ["cline"]\ntools = ["tools/absent.json"]', ("cline",), False),
        ('tools = ["tools/kit.json"]', ("kit",), True),
        ('tools = ["tools/kit.json"]\nshipped = true', ("kit", *shipped_registry().tool_sets), True),
        ("tools = []", shipped_registry().tool_sets, False),
    ],
)
def test_shipped_tools_come_after_the_authors_own_where_they_are_asked_for(
    folder: Path, text: str, sets: tuple[str, ...], closed: bool
) -> None:
    project = read_config(text, folder / "callwright.toml")
    assert (project.registry.tool_sets, project.registry.closed) == (sets, closed)


# What is wrong


@pytest.mark.parametrize(
    ("text", "kind", "place", "repaired"),
    [
        ('dialekt = "xml-json"', "config-unknown-key", "dialekt", 'dialect = "xml-json"'),
        ("nonsense = 1", "config-unknown-key", "nonsense", None),
        ("[severty]\nTC301 = 'off'", "config-unknown-key", "severty", "[severity]\nTC301 = 'off'"),
        ('dialect = "xml-jsn"', "config-invalid-value", '"xml-jsn"', 'dialect = "xml-json"'),
        ("dialect = 3", "config-invalid-value", "3", None),
        ('accept = "xml-json"', "config-invalid-value", '"xml-json"', 'accept = ["xml-json"]'),
        ("accept = 'xml-jsn'", "config-invalid-value", "'xml-jsn'", None),
        ("ignore = 'TC301' # why", "config-invalid-value", "'TC301'", "ignore = ['TC301'] # why"),
        ("shipped = 'cline'", "config-invalid-value", "'cline'", "shipped = ['cline']"),
        ('max_mistakes = "5"', "config-invalid-value", '"5"', "max_mistakes = 5"),
        ("extends = []", "config-unknown-key", "extends", "extend = []"),
        ("extend = 3", "config-invalid-value", "3", None),
        ('dialekt = "xml-json"\ndialect = "xml-json"', "config-unknown-key", "dialekt", None),
        ("[severty]\nTC301 = 'loud'", "config-unknown-key", "severty", None),
        (
            '[severity]\nunknwn-tool = "off"\nunknown-tool = "off"',
            "config-invalid-value",
            "unknwn-tool",
            None,
        ),
        (
            '[[overrids]]\nfiles = ["a"]\n[[overrids]]\nfiles = ["b"]\n[overrids.severity]\nTC301 = "off"',
            "config-unknown-key",
            "overrids",
            '[[overrides]]\nfiles = ["a"]\n[[overrides]]\nfiles = ["b"]\n[overrides.severity]\nTC301 = "off"',
        ),
        ("[[overrides]]\nstrict = true", "config-invalid-value", "[[overrides]]", None),
        ('[[overrides]]\nfiles = "a"', "config-invalid-value", '"a"', '[[overrides]]\nfiles = ["a"]'),
        (
            '[[overrides]]\nfiles = ["a"]\n\n[[overrides]]\nfiles = ["b"]\ndialekt = "invoke"',
            "config-unknown-key",
            "dialekt",
            '[[overrides]]\nfiles = ["a"]\n\n[[overrides]]\nfiles = ["b"]\ndialect = "invoke"',
        ),
        (
            'overrides = [{ files = ["a"], dialect = "invok" }]',
            "config-invalid-value",
            '"invok"',
            'overrides = [{ files = ["a"], dialect = "invoke" }]',
        ),
        (
            '[[overrides]]\nfiles = ["a"]\n[overrides.severity]\nTC301 = "warn"',
            "config-invalid-value",
            '"warn"',
            '[[overrides]]\nfiles = ["a"]\n[overrides.severity]\nTC301 = "warning"',
        ),
        ('[[overrides]]\nfiles = ["a"]\nextend = "b"', "config-unknown-key", "extend", None),
        ('[[overrides]]\nfiles = ["a"]\ntools = ["none.json"]', "config-tools-missing", '"none.json"', None),
        ("[overrides]\nfiles = ['a']", "config-invalid-value", "[overrides]", "[[overrides]]\nfiles = ['a']"),
        ("[overrides]\nfiles = [3]", "config-invalid-value", "[overrides]", None),
        ("overrides.files = ['a']", "config-invalid-value", "overrides", None),
        (
            "overrides = { files = ['a'] }",
            "config-invalid-value",
            "{ files = ['a'] }",
            "overrides = [{ files = ['a'] }]",
        ),
        ("overrides = ['a']", "config-invalid-value", "'a'", None),
        (
            'accept = ["xml-children", "fenced_json"]',
            "config-invalid-value",
            '"fenced_json"',
            'accept = ["xml-children", "fenced-json"]',
        ),
        ('strict = "yes"', "config-invalid-value", '"yes"', "strict = true"),
        ('strict = "perhaps"', "config-invalid-value", '"perhaps"', None),
        (
            'select = ["TC3", "unknown-tol"]',
            "config-invalid-value",
            '"unknown-tol"',
            'select = ["TC3", "unknown-tool"]',
        ),
        ('ignore = ["TC99999"]', "config-invalid-value", '"TC99999"', None),
        ('severity = { TC301 = "warn" }', "config-invalid-value", '"warn"', 'severity = { TC301 = "warning" }'),
        (
            '[severity]\nunknwn-tool = "off"',
            "config-invalid-value",
            "unknwn-tool",
            '[severity]\n"unknown-tool" = "off"',
        ),
        ('severity = "error"', "config-invalid-value", '"error"', None),
        ('markup = "html"', "config-invalid-value", '"html"', None),
        ('template = "jinjja"', "config-invalid-value", '"jinjja"', 'template = "jinja"'),
        ('reasoning = "call"', "config-invalid-value", '"call"', 'reasoning = "calls"'),
        ('provider = "antropic"', "config-invalid-value", '"antropic"', 'provider = "anthropic"'),
        ("max_mistakes = 0", "config-invalid-value", "0", None),
        ("max_mistakes = true", "config-invalid-value", "true", None),
        ("shipped = 1", "config-invalid-value", "1", None),
        ('shipped = ["clin"]', "config-invalid-value", '"clin"', 'shipped = ["cline"]'),
        ("files = [1]", "config-invalid-value", "1", None),
        ('files = [""]', "config-invalid-value", '""', None),
        ('tools = ["tools/kit.json", "nothing.json"]', "config-tools-missing", '"nothing.json"', None),
        ('tools = ["none/*.json"]', "config-tools-missing", '"none/*.json"', None),
        ('tools = ["../outside.json"]', "config-tools-failed", '"../outside.json"', None),
        ('tools = ["/etc/*.json"]', "config-tools-failed", '"/etc/*.json"', None),
        (f'tools = ["{"x" * 5000}"]', "config-tools-missing", f'"{"x" * 5000}"', None),
        ('tools = ["~nobody-of-this-name/x"]', "config-tools-missing", '"~nobody-of-this-name/x"', None),
        ("a = ", "config-syntax", "", None),
        ("x = 1\r\ny == 2", "config-syntax", "=", None),
    ],
)
def test_each_fault_is_shown_at_its_key_or_value(
    folder: Path, text: str, kind: str, place: str, repaired: str | None
) -> None:
    for start in ("", "\ufeff", "# é 𝕏\n"):
        whole = start + text
        project = read_config(whole, folder / "callwright.toml")
        assert stated(project, whole) == [(kind, place)]
        ((file, problem),) = project.problems
        assert file == str(folder / "callwright.toml")
        assert problem.data["reason"]
        assert problem.data["remedy"]
        assert problem.certain == (repaired is not None)
        if repaired is not None:
            fixed = apply_edits(whole, problem.repair)
            assert fixed == start + repaired
            assert read_config(fixed, folder / "callwright.toml").problems == ()


def test_what_is_right_counts_beside_what_is_wrong(folder: Path) -> None:
    text = (
        'dialect = "xml-json"\naccept = ["xml-children", "no-such"]\nstrict = 3\n[severity]\nTC301 = "off"\nTC302 = 1\n'
    )
    project = read_config(text, folder / "callwright.toml")
    assert project.settings == Settings(dialect="xml-json", accept=("xml-children",), severity={"TC301": "off"})
    assert len(project.problems) == 3


def test_a_tool_file_that_does_not_load_is_shown_where_it_is_named_and_in_itself(folder: Path) -> None:
    broken = write(folder / "tools" / "z.json", '{"tools": [')
    text = 'tools = ["tools/*.json"]'
    project = read_config(text, folder / "callwright.toml")
    (here, named), (there, itself) = project.problems
    assert (here, named.kind, named.span.of(text)) == (
        str(folder / "callwright.toml"),
        "config-tools-failed",
        '"tools/*.json"',
    )
    assert (there, itself.kind) == (str(broken), "tools-invalid-syntax")
    assert project.registry.names == ("my_tool",)
    # Tools may be missing, so that a name which is not there proves nothing.
    assert not project.registry.closed


def test_a_tool_file_that_only_our_reader_can_read_is_shown_in_both_places_and_its_tools_are_known(
    folder: Path,
) -> None:
    write(folder / "tools" / "kit.json", f"[{json.dumps(TOOL)},]")
    project = read_config('tools = ["tools/kit.json"]', folder / "callwright.toml")
    assert [problem.kind for _, problem in project.problems] == ["config-tools-failed", "tools-invalid-syntax"]
    assert project.registry.names == ("my_tool",)


def test_a_tool_with_a_fault_is_shown_in_its_own_file_only(folder: Path) -> None:
    file = write(folder / "tools" / "kit.json", json.dumps([TOOL, {"name": "b", "inputSchema": {"type": "strin"}}]))
    project = read_config('tools = ["tools/kit.json"]', folder / "callwright.toml")
    assert [(place, problem.kind) for place, problem in project.problems] == [(str(file), "tool-schema-invalid")]
    assert project.registry.closed


def test_tools_outside_are_read_with_the_users_word_only(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "package").mkdir()
    outside = write(tmp_path / "kit.json", json.dumps(TOOL))
    (repository / "link.json").symlink_to(outside)
    write(repository / "inside.json", json.dumps(TOOL))
    file = repository / "package" / "callwright.toml"
    for path in ("../../kit.json", "../link.json", "../*link.json", str(outside)):
        write(file, f"tools = ['{path}']")
        refused = find_project(repository / "package" / "a.prompt")
        assert [problem.kind for _, problem in refused.problems] == ["config-tools-failed"]
        assert not refused.registry
        allowed = find_project(repository / "package" / "a.prompt", allow_outside=True)
        assert (allowed.registry.names, allowed.problems) == (("my_tool",), ())
    write(file, "tools = ['../inside.json']")
    assert find_project(repository / "package" / "a.prompt").registry.names == ("my_tool",)


def test_a_configuration_that_cannot_be_read_demands_nothing(folder: Path) -> None:
    file = folder / "callwright.toml"
    file.write_bytes(b"dialect = '\xff'")
    assert [problem.kind for _, problem in find_project(folder / "a.prompt").problems] == ["config-syntax"]
    with file.open("wb") as stream:
        stream.truncate(LARGEST + 1)
    project = find_project(folder / "a.prompt")
    assert [problem.kind for _, problem in project.problems] == ["config-syntax"]
    assert (project.settings, project.registry.closed, project.configured) == (Settings(), False, True)
    assert [problem.kind for _, problem in load_project(folder / "none.toml").problems] == ["config-syntax"]


def test_a_key_of_endless_parts_is_refused_before_it_costs_anything(folder: Path) -> None:
    for text in ("a." * 100_000 + "a = 1", "[" + "'a' . " * 100_000 + "a]"):
        assert [kind for kind, _ in stated(read_config(text, folder / "callwright.toml"), text)] == ["config-syntax"]
    assert read_config(f"files = ['{'a.' * 50}']", folder / "callwright.toml").problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"kay{number} = 1\n" for number in range(3000)),
        "ignore = [" + ",".join(f'"unknown-tol{number}"' for number in range(3000)) + "]",
        "tools = [" + ",".join(f'"t{number}"' for number in range(3000)) + "]",
        "[[overrides]]\nfilez = ['a']\n" * 3000,
        "extend = [" + ",".join(f'"e{number}.toml"' for number in range(3000)) + "]",
    ],
    ids=["keys", "selectors", "tools", "overrides", "extend"],
)
def test_of_endless_faults_the_first_are_reported(folder: Path, text: str) -> None:
    assert 0 < len(read_config(text, folder / "callwright.toml").problems) <= 500


def test_a_caller_that_knows_the_rules_has_selectors_held_against_them(folder: Path) -> None:
    rules = {"TC301", "TC101", "unknown-tool"}
    text = 'select = ["TC", "TC3", "TC301", "unknown-tool", "TC4"]'
    project = read_config(text, folder / "callwright.toml", known_rules=rules)
    assert stated(project, text) == [("config-invalid-value", '"TC4"')]


# Settings for some files


def test_an_override_is_for_the_files_that_it_names(folder: Path) -> None:
    write(folder / "other.json", json.dumps({"name": "other_tool"}))
    write(
        folder / "callwright.toml",
        """
        tools = ["tools/*.json"]
        dialect = "xml-json"
        ignore = ["TC401"]
        [severity]
        TC301 = "warning"
        TC302 = "off"
        [[overrides]]
        files = ["prompts/**", "*.md"]
        exclude = ["prompts/deep/new.prompt"]
        dialect = "xml-children"
        extend_ignore = ["TC402"]
        severity = { unknown-tool = "hint", TC302 = "error" }
        [[overrides]]
        files = ["prompts/deep"]
        dialect = "invoke"
        tools = ["other.json"]
        [[overrides]]
        files = ["both/**"]
        extend_tools = ["other.json"]
        shipped = ["cline"]
        """,
    )
    project = find_project(folder / "prompts" / "a.prompt")
    assert project.problems == ()
    assert project.at(folder / "a.prompt") is project
    assert project.settings.dialect == "xml-json"

    first = project.at(folder / "prompts" / "a.prompt")
    assert first.settings == Settings(
        dialect="xml-children",
        ignore=("TC401", "TC402"),
        severity={"TC301": "warning", "unknown-tool": "hint", "TC302": "error"},
    )
    assert list(first.settings.severity) == ["TC301", "unknown-tool", "TC302"]
    assert first.registry is project.registry
    assert project.at(folder / "docs" / "x.md").settings == first.settings
    assert project.at(folder / "prompts" / "b.prompt") is first

    second = project.at(folder / "prompts" / "deep" / "a.prompt")
    assert (second.settings.dialect, second.settings.ignore) == ("invoke", ("TC401", "TC402"))
    assert (second.registry.names, second.registry.closed) == (("other_tool",), True)
    new = project.at(folder / "prompts" / "deep" / "new.prompt")
    assert (new.settings.dialect, new.settings.ignore) == ("invoke", ("TC401",))

    both = project.at(folder / "both" / "a.prompt")
    assert both.registry.names[:2] == ("my_tool", "other_tool")
    assert both.registry.tool_sets == ("kit", "other", "cline")
    assert project.tool_files == (folder / "tools" / "kit.json", folder / "other.json")
    assert both.tool_files == project.tool_files


# Overrides


def test_overrides_lie_over_what_the_file_states(folder: Path) -> None:
    write(
        folder / "callwright.toml", 'dialect = "xml-json"\nselect = ["TC3"]\nfiles = ["a/**"]\ntools = ["tools/*.json"]'
    )
    project = find_project(folder / "a.prompt")
    changed = override(project, {"dialect": "xml-children", "strict": True, "files": ["b/**"]})
    assert changed.settings == Settings(dialect="xml-children", strict=True, select=("TC3",))
    assert changed.covers(folder / "b" / "x")
    assert not changed.covers(folder / "a" / "x")
    assert (changed.registry, changed.file) == (project.registry, project.file)
    nothing: dict[str, Any] = {"dialect": None, "tools": [], "accept": (), "severity": {}, "markup": ""}
    assert override(project, nothing) is project


def test_tools_stated_in_an_override_replace_those_of_the_file(folder: Path) -> None:
    write(folder / "other.json", json.dumps({"name": "other_tool"}))
    write(folder / "tools" / "broken.json", "{")
    write(folder / "callwright.toml", 'tools = ["tools/*.json"]')
    project = find_project(folder / "a.prompt")
    changed = override(project, {"tools": ["other.json"]})
    assert (changed.registry.names, changed.registry.closed) == (("other_tool",), True)
    assert changed.tool_files == (folder / "other.json",)
    assert str(folder / "tools" / "broken.json") not in {file for file, _ in changed.problems}
    beside = override(project, {"shipped": ["cline"]})
    assert beside.registry.tool_sets == ("kit", "cline")
    assert override(default_project(folder), {"shipped": False}).registry.names == ()


def test_faults_of_an_override_are_in_no_file(folder: Path) -> None:
    project = override(default_project(folder), {"dialect": "xml-jsn", "tools": ["none.json"], "what": 1})
    assert [(file, problem.kind) for file, problem in project.problems] == [
        (None, "config-invalid-value"),
        (None, "config-unknown-key"),
        (None, "config-tools-missing"),
    ]
    assert all(not problem.repair for _, problem in project.problems)


def test_tools_outside_need_the_users_word_in_an_override_too(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = write(tmp_path_factory.mktemp("outside") / "kit.json", json.dumps(TOOL))
    project = find_project(folder / "a.prompt")
    assert not override(project, {"tools": [str(outside)]}).registry
    assert override(project, {"tools": [str(outside)]}, allow_outside=True).registry.names == ("my_tool",)


def test_dialects_are_known_by_listing_their_room() -> None:
    assert {"xml-json", "xml-children", "tool-call-json", "tool-call-xml", "fenced-json"} <= set(known_dialects())


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.sampled_from(["xml-json", "TC3", "off", "**", "~", "\0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, max_examples=tries(100))
@given(st.dictionaries(st.sampled_from(sorted(KEYS)) | st.text(max_size=5), anything, max_size=4))
def test_any_override_gives_a_project(mapping: dict[str, Any]) -> None:
    project = override(Project(Path("/nonexistent"), Path("/nonexistent")), mapping)
    assert all(file is None for file, _ in project.problems)


@settings(deadline=None, max_examples=tries(150))
@given(
    st.lists(
        st.sampled_from(
            ["tools", "dialect", "severity", " = ", "[", "]", '"', "\n", "1", "{", "}", "'x'", ".", ",", "\r\n", "é"]
        )
    )
)
def test_any_text_gives_a_project_with_problems_inside_it(parts: list[str]) -> None:
    text = "".join(parts)
    for _, problem in read_config(text, "/nonexistent/callwright.toml").problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
