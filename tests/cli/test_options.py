"""Options: each is written once, and everything that is made from it says the same."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, get_origin

import pytest

from callwright.cli.check import CheckOptions
from callwright.cli.feedback import FeedbackOptions
from callwright.cli.replay import ReplayOptions
from callwright.cli.support.arguments import Command, command_names, load_command, read_straight, usage
from callwright.cli.support.completions import words_of
from callwright.cli.support.failure import CommandError
from callwright.cli.support.judging import JudgingOptions
from callwright.cli.support.option_groups import FileOptions, ProjectOptions, ToolOptions
from callwright.cli.support.options import SECTIONS, Option, Options, option, word, words
from callwright.config.keys import KEYS


class Group(Options, group=True):
    kind: Literal["a", "b"] = option("Which kind.", default="a", setting=str.upper)
    many: tuple[str, ...] = option("Several.", default=(), short="-m")


class Closing(Options, group=True, section="Output"):
    last: bool = option("The last.", default=False)


class Every(Group, Closing, wording={"many": "Several of them."}):
    need: str = option("Needed.")
    more: tuple[str, ...] = words("More words.", default=())
    first: str = word("A word.")
    kind: Literal["a", "b"] = option(default="b")


class Fewer(Every, without=("many",)):
    """All but one of them."""


def run(options: Every) -> int:
    """Replace the command."""
    return 0


def test_words_come_first_then_options_by_section_in_the_order_of_bases_and_own() -> None:
    assert [one.name for one in Every.every] == ["more", "first", "kind", "many", "need", "last"]
    assert usage(Command(run, Every)) == "[OPTIONS] MORE... FIRST --need NEED"


def test_a_command_states_more_of_an_option_or_gives_it_another_default_and_the_rest_stays() -> None:
    found = {one.name: one for one in Every.every}
    assert (found["many"].about, found["many"].short) == ("Several of them.", "-m")
    assert (found["kind"].about, found["kind"].default, found["kind"].setting) == ("Which kind.", "b", str.upper)
    assert Every(first="x", need="y") == Every(first="x", need="y", kind="b", many=(), more=(), last=False)


def test_an_option_that_is_not_offered_keeps_its_default() -> None:
    assert "many" not in [one.name for one in Fewer.every]
    assert Fewer(first="x", need="y").many == ()


def test_a_name_that_no_group_has_is_refused() -> None:
    with pytest.raises(KeyError, match="nope"):

        class _Without(Group, without=("nope",)):
            """Nothing."""

    with pytest.raises(KeyError, match="nope"):

        class _Wording(Group, wording={"nope": "No."}):
            """Nothing."""


def test_a_group_alone_is_nothing_to_be_made() -> None:
    with pytest.raises(TypeError, match="`Group` is a group of options"):
        Group()


EVERY = [
    pytest.param(one, id=f"{name} {one.name}") for name in command_names() for one in load_command(name).options.every
]


@pytest.mark.parametrize("one", EVERY)
def test_every_option_is_of_a_kind_that_both_readings_know(one: Option) -> None:
    kind = one.annotation
    if one.kind == "option":
        assert kind in (bool, str, str | None) or get_origin(kind) is Literal or kind == tuple[str, ...]
        assert not one.short or re.fullmatch("-[a-zA-Z]", one.short)
    else:
        assert kind == tuple[str, ...] if one.kind == "words" else kind in (str, str | None)
    assert re.fullmatch(r"[A-Z`].*\.", one.about, re.DOTALL)


def declared() -> Iterator[tuple[str, Any]]:
    """Each option where it is declared, with its help; groups and commands alike."""
    for name in command_names():
        load_command(name)
    pending, classes = [Options], set[type[Options]]()
    while pending:
        below = pending.pop().__subclasses__()
        pending += below
        classes.update(below)
    for cls in classes:
        if cls.__module__.startswith("callwright."):
            inherited = {
                (one.name, one.about) for base in cls.__bases__ if issubclass(base, Options) for one in base.every
            }
            yield from ((one.name, one.about) for one in cls.every if (one.name, one.about) not in inherited)


@pytest.mark.parametrize("one", EVERY)
def test_every_option_is_in_a_section_of_the_help(one: Option) -> None:
    assert one.section in SECTIONS


def test_check_groups_its_options() -> None:
    sections = dict.fromkeys(one.section for one in CheckOptions.every if one.kind == "option")
    assert [*sections] == ["Input", "Tools and dialect", "Rules", "Fixes", "Output", "Cache and jobs"]


def test_a_value_is_shown_as_what_it_is() -> None:
    shown = {one.name: one.placeholder for one in CheckOptions.every}
    assert [shown[name] for name in ("tools", "config", "dialect", "accept", "select", "ignore", "baseline")] == [
        *("PATH", "PATH", "DIALECT", "DIALECT", "RULE", "RULE", "PATH")
    ]


@pytest.mark.parametrize("name", command_names())
def test_the_help_ends_with_examples_that_can_be_given(name: str) -> None:
    options = load_command(name).options
    assert options.examples
    for example in options.examples:
        words = shlex.split(re.sub(r'^eval "\$\((.*)\)"$', r"\1", example).partition(" < ")[0].partition(" > ")[0])
        own, _, rest = " ".join(words).partition(" -- ")
        assert own.startswith(f"callwright {name}"), example
        given = words[len(f"callwright {name}".split()) : len(words) - (len(rest.split()) + 1 if rest else 0)]
        assert read_straight(options, given) is not None, example


def test_only_checks_have_formats_of_reports() -> None:
    offers = [
        name for name in command_names() for one in load_command(name).options.every if one.name == "output_format"
    ]
    assert offers == ["chat-template check", "check"]


def test_no_option_is_written_twice() -> None:
    twice = [one for one, count in Counter(declared()).items() if count > 1]
    assert twice == []


def test_what_overrides_a_setting_has_the_name_of_the_setting() -> None:
    names = {one.name for name in command_names() for one in load_command(name).options.every if one.setting}
    assert {"tools", "dialect", "accept", "select", "severity", "markup", "shipped"} <= names <= KEYS.keys()


def test_what_is_stated_overrides_the_settings_of_the_same_names() -> None:
    options = CheckOptions(
        dialect="xml-json", accept=("a,b", "c"), severity=("x=error,y=off",), max_mistakes="5", shipped=("all",)
    )
    assert options.as_mapping() == {
        "dialect": "xml-json",
        "accept": ["a", "b", "c"],
        "severity": {"x": "error", "y": "off"},
        "max_mistakes": 5,
        "shipped": True,
    }
    assert CheckOptions(files=("docs/**",), fix=True).as_mapping() == {}
    with pytest.raises(CommandError, match=r"`--tools nope\.json`: file not found"):
        CheckOptions(tools=("nope.json",)).as_mapping()


def test_an_option_of_the_name_of_a_setting_may_be_another_thing() -> None:
    assert FeedbackOptions(path="a", template="message.j2").as_mapping() == {}
    template = next(one for one in FeedbackOptions.every if one.name == "template")
    assert words_of("feedback", template) == ()


def test_commands_share_what_they_have_in_common() -> None:
    assert issubclass(FeedbackOptions, JudgingOptions)
    assert issubclass(ReplayOptions, JudgingOptions)
    for name in command_names():
        options = load_command(name).options
        names = {one.name for one in options.every}
        assert ("config" in names) == issubclass(options, ProjectOptions)
        assert not issubclass(options, ToolOptions) or issubclass(options, ProjectOptions)
        assert not issubclass(options, FileOptions) or "exclude" in names
