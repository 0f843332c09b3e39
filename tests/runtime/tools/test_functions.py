"""Tools made of functions: their schemas, their arguments, and what they return."""

import asyncio
import datetime
import enum
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field

from callwright.api import Call
from callwright.runtime.strict import StrictParser
from callwright.runtime.tools.base import StrictTool, ToolError
from callwright.runtime.tools.functions import tool_from
from callwright.runtime.tools.manager import StrictToolManager
from callwright.text.span import Span
from callwright.tools.functions import definition_of


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
        (
            {"place": {"city": "Bern"}, "day": "May"},
            "invalid",
            'The arguments of `weather` are not valid: `day` is `"May"`: input should be a valid date',
        ),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], kind: str, stated: str) -> None:
    result = StrictToolManager([tool_from(weather)]).run(call("weather", **arguments))
    assert result.kind == kind
    assert stated in str(result.error)


def test_what_pydantic_reports_is_short_and_of_the_arguments_alone() -> None:
    def meet(start: datetime.datetime, ends: list[datetime.date], place: Place | None = None) -> str:
        return Place.model_validate({"city": 3}).city

    manager = StrictToolManager([meet])
    error = str(manager.run(call("meet", start="soon", ends=["2024-05-01", "`late`"])).error)
    assert error.startswith(
        'The arguments of `meet` are not valid: `start` is `"soon"`: input should be a valid datetime'
    )
    assert '; `ends.1` is `` "`late`" ``: input should be a valid date' in error
    assert "pydantic" not in error
    assert len(error) < 300
    # What the function itself raises is its own.
    assert "ValidationError" in str(manager.run(call("meet", start="2024-05-01T10:00:00Z", ends=[])).error)


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


class Shade(enum.Enum):
    LIGHT = "light"
    DARK = "dark"


def plain(  # type: ignore[no-untyped-def]
    a: str,
    b: int,
    c: float,
    d: bool,
    e: list[str],
    f: dict[str, int],
    g: Literal["x", 1, None],
    h: Optional[str] = None,  # noqa: UP045
    i: int | str | None = 3,
    j: Shade = Shade.DARK,
    k: list[Shade] | None = None,
    lists: dict[str, list[Shade]] | None = None,
    m: Any = None,
    n: Sequence[float] = (),
    *,
    o: list = [],  # type: ignore[type-arg]  # noqa: B006
    p: dict = {"x": [1]},  # type: ignore[type-arg]  # noqa: B006
    q=None,
) -> dict[str, Any]:
    """Take "all" types.

    It's plain.

    Args:
        a: The first, `so`.
        j: How dark.
    """
    return {
        "j": j.name,
        "k": [each.name for each in k or ()],
        "l": lists and [*map(type, lists["z"])] == [Shade],
        "i": i,
    }


def untitled(value: Any) -> Any:
    """Return a schema without the titles and places that say nothing to a model."""
    if isinstance(value, dict):
        return {key: untitled(each) for key, each in value.items() if key != "title" or not isinstance(each, str)}
    return [untitled(each) for each in value] if isinstance(value, list) else value


def inlined(schema: dict[str, Any]) -> Any:
    """Return pydantic's schema with the enumeration in place of the references to it."""
    (shade,) = schema.pop("$defs").values()

    def inner(value: Any) -> Any:
        if isinstance(value, dict):
            if "$ref" in value:
                return {**shade, **{key: each for key, each in value.items() if key != "$ref"}}
            return {key: inner(each) for key, each in value.items()}
        return [inner(each) for each in value] if isinstance(value, list) else value

    return inner(untitled(schema))


def test_without_pydantic_plain_types_give_the_same_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = definition_of(plain)
    monkeypatch.setitem(sys.modules, "pydantic", None)
    found = definition_of(plain)
    assert (found["name"], found["description"]) == (expected["name"], expected["description"])
    schema, wanted = found["inputSchema"], inlined(untitled(expected["inputSchema"]))
    assert schema["required"] == wanted["required"]
    assert list(schema["properties"]) == list(wanted["properties"])
    for name, one in wanted["properties"].items():
        # A default that JSON does not have is left out.
        assert schema["properties"][name] == {key: each for key, each in one.items() if name != "n" or key != "default"}


@pytest.mark.parametrize("installed", [True, False])
def test_a_plain_function_runs_with_and_without_pydantic(installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not installed:
        monkeypatch.setitem(sys.modules, "pydantic", None)
    manager = StrictToolManager([plain])
    needed = {"a": "x", "b": 1, "c": 2, "d": True, "e": [], "f": {}, "g": "x"}
    shades = {"j": "light", "k": ["dark", "light"], "lists": {"z": ["dark"]}, "i": "3"}
    result = manager.run(call("plain", **needed, **shades))
    assert result.value == {"j": "LIGHT", "k": ["DARK", "LIGHT"], "l": True, "i": "3"}
    assert manager.run(call("plain", **needed)).value == {"j": "DARK", "k": [], "l": None, "i": 3}
    refused = manager.run(call("plain", **needed, j="grey"))
    assert refused.kind == "invalid"
    assert '`"light"` or `"dark"`' in str(refused.error)
    assert manager.run(call("plain", **needed, zz=1)).kind == "invalid"


def test_without_pydantic_a_coroutine_and_a_method_are_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)

    class Cupboard:
        """What is on it."""

        async def put(self, thing: str, count: int = 1) -> str:
            """Put a thing on it."""
            return thing * count

    manager = StrictToolManager([Cupboard().put])
    assert asyncio.run(manager.arun(call("put", thing="a", count=2))).value == "aa"
    (found,) = manager.registry
    assert (list(found.parameters), found.description) == (["thing", "count"], "Put a thing on it.")


def test_without_pydantic_the_type_that_needs_it_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    stated = "the type of `place`, `.*Place`, needs pydantic, which is not installed: run `pip install pydantic`"
    with pytest.raises(ImportError, match=stated):
        tool_from(weather)
    with pytest.raises(TypeError, match=f"the function `weather` cannot be made into a tool: {stated}"):
        StrictToolManager([weather])
    with pytest.raises(TypeError, match=stated):
        StrictParser(tools=[weather], dialect="hermes")

    def pairs(value: tuple[int, int]) -> None: ...

    def unresolved(value: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(ImportError, match="the type of `value`, `tuple"):
        tool_from(pairs)
    with pytest.raises(ImportError, match="cannot be resolved without pydantic"):
        tool_from(unresolved)
