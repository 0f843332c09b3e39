"""How words become arguments: the straight reading agrees with cyclopts, and a person is told what is wrong."""

import inspect
import re
from collections.abc import Callable
from typing import Any, Literal, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cli.support.arguments import (
    application,
    command_names,
    command_of,
    dispatch,
    load_command,
    option_name,
    read_straight,
    short_options,
)
from callwright.cli.support.failure import CommandError
from support.sampling import tries


def test_commands_are_the_modules_of_the_room() -> None:
    assert {"check", "parse", "convert", "rule", "dialect", "tools", "tools lock", "demo", "server"} <= set(
        command_names()
    )
    assert "main" not in command_names()


@pytest.mark.parametrize("name", command_names())
def test_every_parameter_is_of_a_kind_that_the_straight_reading_knows(name: str) -> None:
    for parameter in inspect.signature(load_command(name)).parameters.values():
        kind = parameter.annotation
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            assert kind in (bool, str, str | None) or get_origin(kind) is Literal or kind == tuple[str, ...]
        else:
            assert parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
            assert kind in (str, str | None)


@pytest.mark.parametrize("name", command_names())
def test_every_parameter_is_explained_in_the_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = load_command(name)
    document = inspect.getdoc(run) or ""
    for parameter in inspect.signature(run).parameters:
        assert f"\n{parameter}\n    " in document


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("check", "[OPTIONS] PATH..."),
        ("convert", "[OPTIONS] PATH... --to TO"),
        ("rule", "[OPTIONS] [NAME]"),
        ("server", "[OPTIONS]"),
        ("tools", "[OPTIONS] [NAME]"),
        ("tools lock", "[OPTIONS] SERVER..."),
    ],
)
def test_the_help_says_which_words_a_command_takes(name: str, usage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch([*name.split(), "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: callwright {name} {usage}\n")


#: Words around the edges of every option of every command.
WORDS = st.one_of(
    st.sampled_from(
        sorted(
            {
                form
                for name in command_names()
                for parameter in inspect.signature(load_command(name)).parameters.values()
                if parameter.kind is inspect.Parameter.KEYWORD_ONLY
                for form in (option_name(parameter.name), option_name(parameter.name) + "=x")
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
    run = load_command(name)
    straight = read_straight(run, words)
    if straight is None or "-" in words:  # cyclopts takes a lone hyphen for an option, which is why we do not ask it
        return
    found, bound, _ = application([name]).parse_args([*name.split(), *words], exit_on_error=False, print_error=False)
    assert found is run
    assert (list(bound.args), bound.kwargs) == straight


@pytest.mark.parametrize("name", command_names())
def test_short_forms_stand_for_options(name: str) -> None:
    run = load_command(name)
    options = {one.name for one in inspect.signature(run).parameters.values() if one.kind is one.KEYWORD_ONLY}
    for short, parameter in short_options(run).items():
        assert re.fullmatch("-[a-zA-Z]", short)
        assert parameter in options


def test_a_short_form_is_read_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    run = load_command("check")
    assert read_straight(run, ["a", "-q", "-o", "out", "-w"]) == (
        ["a"],
        {"quiet": True, "output_file": "out", "watch": True},
    )
    assert read_straight(run, ["a", "-o", "x", "--output-file", "y"]) is None
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


@pytest.mark.parametrize("words", [["--yes", "a"], ["a", "--yes=true"]], ids=["straight", "by cyclopts"])
def test_what_stands_behind_two_hyphens_is_a_command_of_its_own(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def run(*servers: str, command: tuple[str, ...] = (), yes: bool = False) -> int:
        """Stand in.

        Parameters
        ----------
        servers
            Servers.
        command
            Command.
        yes
            Yes.
        """
        calls.append((servers, command, yes))
        return 0

    monkeypatch.setattr("callwright.cli.support.arguments.load_command", {"tools lock": run}.__getitem__)
    dispatch(["tools", "lock", *words, "--", "npx", "-y", "--yes", "--", "x"])
    assert calls == [(("a",), ("npx", "-y", "--yes", "--", "x"), True)]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """What a command was called with; it stands in for `check`."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def run(*paths: str, tools: tuple[str, ...] = (), fix: bool = False) -> int:
        """Stand in.

        Parameters
        ----------
        paths
            Paths.
        tools
            Tools.
        fix
            Fix.
        """
        calls.append((paths, {"tools": tools, "fix": fix}))
        return 0

    def load(name: str) -> Callable[..., int]:
        return run

    monkeypatch.setattr("callwright.cli.support.arguments.load_command", load)
    return calls


def test_options_may_stand_between_paths_and_be_repeated(seen: list[Any]) -> None:
    dispatch(["check", "a", "--tools", "x.json", "-", "--fix", "--tools=y.json", "--", "-b"])
    assert seen == [(("a", "-", "-b"), {"tools": ("x.json", "y.json"), "fix": True})]


def test_a_form_that_only_cyclopts_knows_works_too(seen: list[Any]) -> None:
    dispatch(["check", "-", "--fix=true"])
    assert seen == [(("-",), {"tools": (), "fix": True})]


def test_a_lone_hyphen_survives_the_way_through_cyclopts(seen: list[Any]) -> None:
    dispatch(["check", "-", "--tools=-", "--fix=true"])
    dispatch(["check", "a", "--tools", "-"])
    assert seen == [(("-",), {"tools": ("-",), "fix": True}), (("a",), {"tools": ("-",), "fix": False})]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chekc"], r'Unknown command "chekc"\. Did you mean "check"\?.*`callwright --help`'),
        (["check", "--fxi", "a"], r"Unknown option: --fxi\. Did you mean --fix\? `callwright check --help`"),
        (["check", "a", "--tools"], r"--tools requires an argument"),
        (["check", "--fix", "--fix"], r"--fix specified multiple times"),
    ],
)
def test_wrong_words_are_answered_with_what_is_meant_and_where_help_is(
    words: list[str], message: str, seen: list[Any]
) -> None:
    with pytest.raises(CommandError, match=message):
        dispatch(words)
    assert seen == []


def test_commands_that_judge_replies_share_the_options_that_say_how() -> None:
    feedback, replay = (inspect.signature(load_command(name)).parameters for name in ("feedback", "replay"))
    shared = {"tools", "dialect", "accept", "strict", "markup", "reasoning", "shipped", "require_call"}
    shared |= {"stdin_filename", "isolated", "config"}
    assert feedback.keys() & replay.keys() == shared | {"path", "output_format"}
    assert all(feedback[name] == replay[name] for name in shared)
