"""Arguments of a wrong type or value: the error names the argument when it is passed, not when it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from callwright.runtime import Feedback, FeedbackLoop, Reply, StrictParser, StrictToolManager, tool_from

TOOLS = [{"name": "go", "input_schema": {"type": "object", "properties": {}}}]


def loop(**options: Any) -> FeedbackLoop:
    parser = StrictParser(tools=TOOLS, dialect="hermes")
    return FeedbackLoop(model=lambda _: "Done.", parser=parser, **options)


@pytest.mark.parametrize(
    ("make", "option", "value", "message"),
    [
        (loop, "strikes", 3, "`strikes` is a `int`: pass "),
        (StrictToolManager, "approve", True, "`approve` is a `bool`: it must be callable"),
        (Feedback, "words", "Error", "`words` must be `Words`"),
        (Feedback, "template", 3, "`template` a text or None"),
        (Reply, "text", None, "the reply is a `NoneType`: pass its text"),
        (tool_from, "function", 3, "a `int` cannot be a tool: pass a function"),
    ],
)
def test_a_value_of_a_wrong_type_is_named(make: Callable[..., Any], option: str, value: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make(**{option: value})


@pytest.mark.parametrize("value", [0, "3", True, 2.5])
@pytest.mark.parametrize(
    ("make", "option"), [(loop, "max_turns"), (StrictToolManager, "max_result"), (StrictToolManager, "max_threads")]
)
def test_a_number_must_be_a_whole_number_of_at_least_one(make: Callable[..., Any], option: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"whole numbers? of at least 1"):
        make(**{option: value})


@pytest.mark.parametrize("value", ["300", True, 300.0, 10])
def test_a_limit_of_feedback_must_be_large_enough(value: Any) -> None:
    with pytest.raises(ValueError, match="but a message needs at least"):
        Feedback(limit=value)


@pytest.mark.parametrize("tags", [None, 3, "answer", [""]])
def test_tags_of_an_answer_must_be_names(tags: Any) -> None:
    with pytest.raises(TypeError, match="`answer_tags` must be a list"):
        StrictParser(tools=TOOLS, dialect="hermes", answer_tags=tags)
