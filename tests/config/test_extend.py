"""Configurations that build on others: what counts, where paths lead, and where faults are shown."""

import json
from pathlib import Path

import pytest

from callwright.config import find_project, load_project, override, read_config
from callwright.config.files import MAX_EXTENDED
from callwright.config.project import Project
from callwright.document.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with two packages and what they share, each with a tool file."""
    (tmp_path / ".git").mkdir()
    for name in ("public", "package", "package/deep"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kit.json").write_text(json.dumps({"name": f"{Path(name).name}_tool"}), encoding="utf-8")
    return tmp_path


def write(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


def stated(project: Project) -> list[tuple[str | None, str, str]]:
    """Return each problem's file, kind and marked text."""
    found = []
    for file, problem in project.problems:
        text = Path(file).read_text(encoding="utf-8") if file is not None else ""
        found.append((Path(file).name if file is not None else None, problem.kind, problem.span.of(text)))
    return found


def test_what_a_file_builds_on_counts_as_if_it_were_above(folder: Path) -> None:
    base = write(
        folder / "public" / "base.toml",
        """
        dialect = "xml-json"
        ignore = ["TC401"]
        files = ["*.md", "own/**"]
        [severity]
        TC301 = "warning"
        TC302 = "off"
        [[overrides]]
        files = ["*.txt"]
        dialect = "invoke"
        [[overrides]]
        files = ["own/**"]
        dialect = "hermes"
        """,
    )
    write(
        folder / "package" / "callwright.toml",
        """
        extend = "../public/base.toml"
        dialect = "xml-children"
        extend_ignore = ["TC402"]
        extend_files = ["mine/**"]
        severity = { TC302 = "hint" }
        [[overrides]]
        files = ["deep/*.txt"]
        dialect = "kimi"
        """,
    )
    project = find_project(folder / "package" / "a.prompt")
    assert (project.problems, project.extended) == ((), (base,))
    assert project.settings == Settings(
        dialect="xml-children", ignore=("TC401", "TC402"), severity={"TC301": "warning", "TC302": "hint"}
    )
    # An override goes before every setting for all files, even where it is in the file that is built on.
    assert project.at(folder / "package" / "a.txt").settings.dialect == "invoke"
    assert project.at(folder / "package" / "deep" / "a.txt").settings.dialect == "kimi"
    # Patterns are relative to the file that they are in; a name without a folder is meant anywhere.
    assert project.at(folder / "package" / "own" / "a.md").settings.dialect == "xml-children"
    covered = [one for one in ("a.md", "deep/a.md", "own/a", "mine/a") if project.covers(folder / "package" / one)]
    assert covered == ["a.md", "deep/a.md", "mine/a"]


def test_tool_files_are_sought_beside_the_file_that_names_them(folder: Path) -> None:
    write(folder / "public" / "base.toml", 'tools = ["kit.json"]')
    file = write(folder / "package" / "callwright.toml", 'extend = "../public/base.toml"')
    project = find_project(folder / "package" / "a.prompt")
    assert (project.registry.names, project.registry.closed) == (("public_tool",), True)
    write(file, 'extend = ["../public/base.toml"]\nextend_tools = ["kit.json"]')
    assert find_project(folder / "package" / "a.prompt").registry.names == ("public_tool", "package_tool")
    write(file, 'extend = "../public/base.toml"\ntools = ["kit.json"]')
    project = find_project(folder / "package" / "a.prompt")
    assert project.registry.names == ("package_tool",)
    assert project.tool_files == (folder / "package" / "kit.json",)


def test_tools_that_never_count_are_not_even_scanned_for(folder: Path) -> None:
    write(
        folder / "public" / "base.toml", 'tools = ["nothing.json"]\n[[overrides]]\nfiles = ["*.md"]\ntools = ["x.json"]'
    )
    write(folder / "package" / "callwright.toml", 'extend = "../public/base.toml"\ntools = ["kit.json"]')
    project = find_project(folder / "package" / "a.prompt")
    assert stated(project) == [("base.toml", "config-tools-missing", '"x.json"')]
    named = override(project, {"tools": ["kit.json"]})
    assert named.at(folder / "package" / "a.md").registry.names == ("package_tool",)


def test_of_several_files_the_later_one_counts_and_each_counts_once(folder: Path) -> None:
    write(folder / "public" / "root.toml", 'dialect = "hermes"\nextend_ignore = ["TC401"]')
    write(folder / "public" / "one.toml", 'extend = "root.toml"\ndialect = "invoke"')
    write(folder / "public" / "two.toml", 'extend = "root.toml"\nextend_ignore = ["TC402"]')
    write(folder / "package" / "callwright.toml", 'extend = ["../public/one.toml", "../public/two.toml"]')
    project = find_project(folder / "package" / "a.prompt")
    assert project.problems == ()
    assert project.settings == Settings(dialect="invoke", ignore=("TC401", "TC402"))
    assert [file.name for file in project.extended] == ["one.toml", "root.toml", "two.toml"]


def test_a_pyproject_builds_and_is_built_on(folder: Path) -> None:
    write(folder / "public" / "pyproject.toml", '[tool.callwright]\nextend = "more.toml"\nstrict = true')
    write(folder / "public" / "more.toml", 'dialect = "invoke"')
    file = write(folder / "package" / "pyproject.toml", '[tool.callwright]\nextend = "../public/pyproject.toml"')
    project = find_project(folder / "package" / "a.prompt")
    assert (project.settings, project.problems) == (Settings(dialect="invoke", strict=True), ())
    write(folder / "public" / "pyproject.toml", "[project]\nname = 'x'\n")
    project = find_project(folder / "package" / "a.prompt")
    assert stated(project) == [("pyproject.toml", "config-extend", '"../public/pyproject.toml"')]
    assert project.problems[0][0] == str(file)
    assert "has no table `[tool.callwright]`" in project.problems[0][1].data["reason"]


def test_faults_are_shown_in_the_file_they_are_in(folder: Path) -> None:
    write(folder / "public" / "base.toml", 'dialekt = "invoke"\n[[overrides]]\nfiles = ["*.md"]\nstrict = 3')
    write(folder / "package" / "callwright.toml", 'extend = "../public/base.toml"\nmarkup = "html"')
    assert stated(find_project(folder / "package" / "a.prompt")) == [
        ("base.toml", "config-unknown-key", "dialekt"),
        ("base.toml", "config-invalid-value", "3"),
        ("callwright.toml", "config-invalid-value", '"html"'),
    ]


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ('extend = "nothing.toml"', '"nothing.toml"', "there is no such file"),
        ('extend = ["kit.json", "deep"]', '"deep"', "this is a folder"),
        (
            'extend = "callwright.toml"',
            '"callwright.toml"',
            "is circular: `package/callwright.toml` extends",
        ),
        ('extend = "/etc/callwright.toml"', '"/etc/callwright.toml"', "without your permission"),
        ('extend = "../../x.toml"', '"../../x.toml"', "without your permission"),
        ('extend = "link.toml"', '"link.toml"', "without your permission"),
        ('extend = "~nobody-of-this-name/x.toml"', '"~nobody-of-this-name/x.toml"', "there is no such file"),
        (f'extend = "{"x" * 5000}"', f'"{"x" * 5000}"', "there is no such file"),
    ],
)
def test_a_file_that_cannot_be_built_on_is_shown_where_it_is_named(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, text: str, place: str, reason: str
) -> None:
    outside = write(tmp_path_factory.mktemp("outside") / "x.toml", "strict = true")
    (folder / "package" / "link.toml").symlink_to(outside)
    write(folder / "package" / "callwright.toml", 'tools = ["kit.json"]\n' + text)
    project = find_project(folder / "package" / "a.prompt")
    ours = [problem for file, problem in project.problems if file is not None and file.endswith("callwright.toml")]
    assert (ours[-1].kind, ours[-1].span.of('tools = ["kit.json"]\n' + text)) == ("config-extend", place)
    assert reason in ours[-1].data["reason"]
    assert ours[-1].data["remedy"]
    assert not project.settings.strict
    # What the file would have named is missing: a name that is not there proves nothing.
    assert (project.registry.names, project.registry.closed) == (("package_tool",), False)


def test_a_file_outside_is_built_on_with_the_users_word(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = write(tmp_path_factory.mktemp("outside") / "x.toml", "strict = true")
    file = write(folder / "package" / "callwright.toml", f"extend = '{outside}'")
    assert not find_project(folder / "package" / "a.prompt").settings.strict
    assert find_project(folder / "package" / "a.prompt", allow_outside=True).settings.strict
    assert load_project(file).settings.strict


def test_a_circle_is_reported_with_every_link(folder: Path) -> None:
    write(folder / "public" / "base.toml", 'extend = "../package/deep/other.toml"\nstrict = true')
    write(folder / "package" / "deep" / "other.toml", 'extend = "../callwright.toml"\nmarkup = "raw"')
    write(folder / "package" / "callwright.toml", 'extend = "../public/base.toml"\ndialect = "invoke"')
    project = find_project(folder / "package" / "a.prompt")
    assert stated(project) == [("other.toml", "config-extend", '"../callwright.toml"')]
    assert project.problems[0][1].data["reason"] == (
        "this is circular: `package/callwright.toml` extends `public/base.toml` extends "
        "`package/deep/other.toml` extends `package/callwright.toml`"
    )
    assert project.settings == Settings(dialect="invoke", strict=True, markup="raw")


def test_a_file_with_faults_is_shown_in_itself_and_where_it_is_named(folder: Path) -> None:
    base = write(folder / "public" / "base.toml", "strict = yes")
    write(folder / "package" / "callwright.toml", 'extend = "../public/base.toml"\nmarkup = "raw"')
    project = find_project(folder / "package" / "a.prompt")
    assert stated(project) == [
        ("base.toml", "config-syntax", "y"),
        ("callwright.toml", "config-extend", '"../public/base.toml"'),
    ]
    assert project.settings.markup == "raw"
    base.write_bytes(b"\xff")
    assert [problem.kind for _, problem in find_project(folder / "package" / "a.prompt").problems] == ["config-extend"]


def test_a_long_chain_ends(folder: Path) -> None:
    for number in range(MAX_EXTENDED + 10):
        write(folder / "public" / f"{number}.toml", f'extend = "{number + 1}.toml"')
    project = read_config('extend = "public/0.toml"', folder / "callwright.toml")
    assert [problem.kind for _, problem in project.problems] == ["config-extend"]
    assert len(project.extended) == MAX_EXTENDED


def test_a_file_that_is_built_on_is_a_configuration_whatever_its_name(folder: Path) -> None:
    base = write(folder / "public" / "base.toml", "")
    write(folder / "package" / "callwright.toml", 'extend = "../public/base.toml"')
    project = find_project(folder / "package" / "a.prompt")
    host = project.host_of(base)
    assert host is not None
    assert host.holds == "configuration"
    assert project.host_of(folder / "public" / "other.toml") is None


def test_only_a_file_builds_on_another(folder: Path) -> None:
    write(folder / "base.toml", "strict = true")
    project = override(find_project(folder / "a.prompt"), {"extend": "base.toml"})
    assert [(file, problem.kind) for file, problem in project.problems] == [(None, "config-invalid-value")]
    assert not project.settings.strict


def test_an_editor_may_report_overrides(folder: Path) -> None:
    write(folder / "callwright.toml", 'dialect = "xml-json"')
    more = [{"files": ["*.md"], "dialect": "invoke"}, {"dialect": "kimi"}]
    project = override(find_project(folder / "a.prompt"), {"overrides": more})
    assert project.at(folder / "package" / "a.md").settings.dialect == "invoke"
    assert project.at(folder / "package" / "a.txt").settings.dialect == "xml-json"
    assert [(file, problem.data["key"]) for file, problem in project.problems] == [(None, "overrides[1]")]
