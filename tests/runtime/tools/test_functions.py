"""Tools made of functions: their schemas, their arguments, and what they return."""

import asyncio
import datetime
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from callwright.api import Call
from callwright.runtime.strict import StrictParser
from callwright.runtime.tools.base import StrictTool, ToolError
from callwright.runtime.tools.functions import tool_from
from callwright.runtime.tools.manager import StrictToolManager
from callwright.text.span import Span


class Place(BaseModel):
    """Where someone is."""

    city: str
    altitude: float = 0


@dataclass
class Weather:
    place: Place
    day: datetime.date
    tags: list[str]


def weather(
    place: Place,
    day: datetime.date,
    unit: Literal["C", "F"] = "C",
    days: Annotated[int, Field(ge=1, le=7)] = 1,
) -> Weather:
    """Tell the weather of a place.

    Args:
        place: Where.
        day: The first day that is asked for.
    """
    assert isinstance(place, Place)
    assert isinstance(day, datetime.date)
    if place.city == "Atlantis":
        raise ToolError("There is no such city.")
    return Weather(place, day, [unit] * days)


async def later(path: Path) -> str:
    """Say a path later."""
    await asyncio.sleep(0)
    return path.as_posix()


def call(tool: str, **arguments: Any) -> Call:
    return Call(tool, arguments, "xml-json", Span(0, 0))


def test_the_schema_is_that_of_the_annotations() -> None:
    tool = tool_from(weather)
    assert isinstance(tool, StrictTool)
    (found,) = StrictToolManager([tool]).registry
    assert (found.name, found.description) == ("weather", "Tell the weather of a place.")
    assert list(found.parameters) == ["place", "day", "unit", "days"]
    assert found.input_schema["required"] == ["place", "day"]
    assert found.parameters["day"].description == "The first day that is asked for."
    assert found.parameters["unit"].schema["enum"] == ["C", "F"]
    assert found.output_schema is not None
    assert found.output_schema["required"] == ["place", "day", "tags"]


def test_a_function_is_called_with_the_types_that_it_wants() -> None:
    manager = StrictToolManager([tool_from(weather)])
    made = call("weather", place={"city": "Bern"}, day="2024-05-01", days=2)
    result = manager.run(made)
    assert result.value == {"place": {"city": "Bern", "altitude": 0.0}, "day": "2024-05-01", "tags": ["C", "C"]}
    assert asyncio.run(manager.arun(made)).value == result.value
    assert manager.run(call("weather", place={"city": "Atlantis"}, day="2024-05-01")).error == "There is no such city."


@pytest.mark.parametrize(
    ("arguments", "kind", "stated"),
    [
        ({"place": {"city": "Bern"}}, "invalid", "lacks `day`"),
        ({"place": {"city": 3}, "day": "2024-05-01"}, "invalid", "`place.city`"),
        ({"place": {"city": "Bern"}, "day": "2024-05-01", "days": 8}, "invalid", "must be at most 7"),
        ({"place": {"city": "Bern"}, "day": "2024-05-01", "dayz": 1}, "invalid", "`dayz`"),
        ({"place": {"city": "Bern"}, "day": "May"}, "error", "ValidationError"),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], kind: str, stated: str) -> None:
    result = StrictToolManager([tool_from(weather)]).run(call("weather", **arguments))
    assert result.kind == kind
    assert stated in str(result.error)


def test_a_coroutine_function_is_awaited() -> None:
    manager = StrictToolManager([tool_from(later)], timeout=600)
    made = call("later", path="a/b")
    assert manager.run(made).value == asyncio.run(manager.arun(made)).value == "a/b"
    (found,) = manager.registry
    # A text is not a structured result.
    assert found.output_schema is None


def test_what_is_stated_beside_the_function_counts() -> None:
    tool = tool_from(
        later, name="say_path", description="Say it.", dangerous=True, timeout=3, annotations={"readOnlyHint": True}
    )
    manager = StrictToolManager([tool])
    (found,) = manager.registry
    assert (found.name, found.description, found.annotations) == ("say_path", "Say it.", {"readOnlyHint": True})
    assert manager.needs_leave("say_path")
    assert manager.run(call("say_path", path="a")).kind == "denied"


def test_a_function_without_annotations_takes_and_returns_anything() -> None:
    def anything(value, more=None):  # type: ignore[no-untyped-def]
        return [value, more]

    manager = StrictToolManager([tool_from(anything, name="any_thing")])
    parser = StrictParser(tools=manager.registry, dialect="xml-json")
    (made,) = parser.parse_or_raise('<any_thing>{"value": {"a": [1]}}</any_thing>')
    assert manager.run(made).value == [{"a": [1]}, None]


def test_arguments_without_names_are_refused() -> None:
    def by_position(a: int, /) -> int:
        return a

    def many(*a: int) -> int:
        return len(a)

    def others(**a: int) -> int:
        return len(a)

    for function in (by_position, many, others):
        with pytest.raises(ValueError, match="it must accept each of its arguments by name"):
            tool_from(function)


def test_without_pydantic_it_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(ImportError, match="pip install pydantic"):
        tool_from(weather)
