"""How words become arguments: the straight reading agrees with cyclopts, and errors are reported to people."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cli.check import CheckOptions
from callwright.cli.support.arguments import (
    Command,
    application,
    command_names,
    command_of,
    dispatch,
    load_command,
    read_straight,
)
from callwright.cli.support.failure import CommandError
from callwright.cli.support.options import Options
from callwright.cli.tools_lock import LockOptions
from support.sampling import tries


def test_commands_are_the_modules_of_the_room() -> None:
    assert {"check", "parse", "convert", "rule", "dialect", "tools", "tools lock", "demo", "server"} <= set(
        command_names()
    )
    assert "main" not in command_names()


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("check", "[OPTIONS] PATH..."),
        ("convert", "[OPTIONS] PATH... --to DIALECT"),
        ("rule", "[OPTIONS] [NAME]"),
        ("server", "[OPTIONS]"),
        ("tools", "[OPTIONS] [NAME]"),
        ("tools lock", "[OPTIONS] SERVER..."),
    ],
)
def test_the_help_states_which_words_a_command_takes(name: str, usage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch([*name.split(), "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: callwright {name} {usage}\n")


#: Words around the edges of every option of every command.
WORDS = st.one_of(
    st.sampled_from(
        sorted(
            {
                form
                for name in command_names()
                for option in load_command(name).options.every
                if option.kind == "option"
                for form in (option.written, option.written + "=x")
            }
        )
    ),
    st.sampled_from(
        ["a.prompt", "-", "--", "", "json", "text", "always", "xml-json", "-1", "-x", "--nope", "=", "a b"]
    ),
    st.sampled_from(
        ["--output-format=json", "--color=never", "--fix=true", "--to=", "--all", "é", "[1]", "-o", "-o=x", "-ox", "-q"]
    ),
)


@settings(deadline=None, max_examples=tries(300))
@given(st.sampled_from(command_names()), st.lists(WORDS, max_size=5))
def test_where_the_straight_reading_answers_cyclopts_gives_the_same(name: str, words: list[str]) -> None:
    straight = read_straight(load_command(name).options, words)
    if straight is None or "-" in words:  # cyclopts takes a lone hyphen for an option, which is why we do not ask it
        return
    given, bound, _ = application([name]).parse_args([*name.split(), *words], exit_on_error=False, print_error=False)
    assert given(*bound.args, **bound.kwargs) == straight


def test_a_short_form_is_read_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    options = load_command("check").options
    assert read_straight(options, ["a", "-q", "-o", "out", "-w"]) == {
        "paths": ("a",),
        "quiet": True,
        "output_file": "out",
        "watch": True,
    }
    assert read_straight(options, ["a", "-o", "x", "--output-file", "y"]) is None
    assert dispatch(["check", "--help"]) == 0
    assert re.search(r"--output-file -o ", capsys.readouterr().out)


def test_a_command_may_have_another_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_of(["tools", "lock", "memory"]) == "tools lock"
    assert command_of(["tools", "read_file"]) == "tools"
    assert command_of(["tools", "--", "lock"]) == "tools"
    assert command_of(["lock"]) is None
    assert dispatch(["tools", "--help"]) == 0
    assert re.search(r"Commands.*\block\b", capsys.readouterr().out, re.DOTALL)
    with pytest.raises(CommandError, match=r"--nope.*`callwright tools lock --help`"):
        dispatch(["tools", "lock", "--nope"])


def replacement(name: str, options: type[Options], calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a command do nothing but say what it was called with."""

    def run(options: Options) -> int:
        """Replace the command."""
        calls.append(options)
        return 0

    def load(asked: str) -> Command:
        return Command(run, options) if asked == name else load_command(asked)

    monkeypatch.setattr("callwright.cli.support.arguments.load_command", load)


@pytest.mark.parametrize("words", [["--yes", "a"], ["a", "--yes=true"]], ids=["straight", "by cyclopts"])
def test_what_is_after_two_hyphens_is_a_command_of_its_own(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[LockOptions] = []
    replacement("tools lock", LockOptions, calls, monkeypatch)
    dispatch(["tools", "lock", *words, "--", "npx", "-y", "--yes", "--", "x"])
    assert calls == [LockOptions(servers=("a",), command=("npx", "-y", "--yes", "--", "x"), yes=True)]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[CheckOptions]:
    """What `check` was called with."""
    calls: list[CheckOptions] = []
    replacement("check", CheckOptions, calls, monkeypatch)
    return calls


def test_options_may_come_between_paths_and_be_repeated(seen: list[CheckOptions]) -> None:
    dispatch(["check", "a", "--tools", "x.json", "-", "--fix", "--tools=y.json", "--", "-b"])
    assert seen == [CheckOptions(paths=("a", "-", "-b"), tools=("x.json", "y.json"), fix=True)]


def test_a_form_that_only_cyclopts_knows_works_too(seen: list[CheckOptions]) -> None:
    dispatch(["check", "-", "--fix=true"])
    assert seen == [CheckOptions(paths=("-",), fix=True)]


def test_a_lone_hyphen_survives_the_way_through_cyclopts(seen: list[CheckOptions]) -> None:
    dispatch(["check", "-", "--tools=-", "--fix=true"])
    dispatch(["check", "a", "--tools", "-"])
    assert seen == [
        CheckOptions(paths=("-",), tools=("-",), fix=True),
        CheckOptions(paths=("a",), tools=("-",)),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chekc"], r'Unknown command "chekc"\. Did you mean "check"\?.*`callwright --help`'),
        (["check", "--fxi", "a"], r"Unknown option: --fxi\. Did you mean --fix\? See `callwright check --help`"),
        (["check", "a", "--tools"], r"--tools requires an argument"),
        (["check", "--fix", "--fix"], r"--fix specified multiple times\. Remove all but one\."),
        (
            ["check", "--output-format", "github", "--output-format", "sarif"],
            r"--output-format specified multiple times\. Run the command once for each report",
        ),
    ],
)
def test_wrong_words_are_answered_with_what_is_meant_and_where_help_is(
    words: list[str], message: str, seen: list[CheckOptions]
) -> None:
    with pytest.raises(CommandError, match=message):
        dispatch(words)
    assert seen == []
