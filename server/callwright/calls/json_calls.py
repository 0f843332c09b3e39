"""JSON objects that are calls: which keys hold the name, the arguments and the id, and the call that an object is.

Owns: `Form` (the keys as data), the step from an object to its call with all places, which call of several a problem
belongs to. Must not know: where the objects are, how their JSON is read, dialect modules.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from callwright.calls.json_places import inside_quotes, own_problems
from callwright.calls.marker_problems import differ
from callwright.calls.model import JsonValue, Path, ToolCall
from callwright.calls.protocol import ReadContext
from callwright.calls.sketch import is_placeholder_name
from callwright.syntax.json import JsonMember, JsonNode, JsonRead
from callwright.syntax.problem import Problem
from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple, dataclass, field
from callwright.text.span import Span

FAMILY: Final = "envelope"
#: Wrong names of the arguments, which no engine reads.
MISNOMERS: Final = ("args", "parameters", "params", "input", "parameter", "argument", "kwargs", "tool_input")


@dataclass(frozen=True, slots=True)
class Form:
    """The keys of a call's object: those that are written, and others that are read.

    `name_also` and `arguments_also` are read without a diagnostic, `arguments_else` with the diagnostic that engines
    differ, and not in strict reading. `family` is the family of the dialects, `held` says that name and arguments may
    be under `function` as well, `bare` that names need no quotes. The first of `ids` is where a call's id is written.
    `keyed` says that the only key is the tool's name. `counted` says that ids which are plain numbers only count the
    calls. `no_tools` are names that mean that no tool is called.
    """

    name: str = "name"
    arguments: str = "arguments"
    name_also: tuple[str, ...] = ()
    arguments_also: tuple[str, ...] = ()
    arguments_else: tuple[str, ...] = ("parameters",)
    ids: tuple[str, ...] = ("id", "call_id", "tool_call_id")
    family: str = FAMILY
    held: bool = True
    bare: bool = False
    keyed: bool = False
    counted: bool = False
    no_tools: frozenset[str] = frozenset()
    #: Every key under which the tool's name is read, and every one of the arguments.
    name_keys: tuple[str, ...] = field(init=False)
    argument_keys: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Collect the keys once, since they are searched in every object."""
        object.__setattr__(self, "name_keys", (self.name, *self.name_also))
        object.__setattr__(self, "argument_keys", (self.arguments, *self.arguments_also, *self.arguments_else))

    def name_in(self, value: Mapping[str, Any]) -> str:
        """Return the key of the name in an object, or the key that it should have."""
        return next((key for key in self.name_keys if key in value), self.name)

    def arguments_in(self, value: Mapping[str, Any]) -> str:
        """Return the key of the arguments in an object, or the key that they should have."""
        return next((key for key in self.argument_keys if key in value), self.arguments)


class Entry(NamedTuple):
    """An object in a JSON text: the text's reading, the path to the object, and its node."""

    read: JsonRead
    path: Path
    node: JsonNode

    def value(self, key: str) -> JsonValue | None:
        """Return the value of a member, None if there is no such member."""
        inner = self.node.locate((key,)) if key in self.node.value else None
        return JsonValue(self.read, (*self.path, key), inner) if inner is not None else None


def entry_at(read: JsonRead, path: Path) -> Entry:
    """Return the object at a path that was taken from the value."""
    node = read.locate(path)
    assert node is not None, "the path was taken from the value"
    return Entry(read, path, node)


def calls_of(
    text: str,
    reads: Sequence[JsonRead],
    form: Form,
    dialect: str,
    frame: Span,
    context: ReadContext,
    *,
    listed: bool = False,
) -> list[ToolCall]:
    """Return the calls in JSON values, each with the problems in it.

    A call that is alone in its frame covers all of it; with `listed` it covers only its object.
    """
    calls: list[ToolCall] = []
    for read in reads:
        found: list[ToolCall] = []
        for entry in _entries(read):
            span = entry.node.span if listed or entry.path else frame
            found += _calls_in(text, entry, form, dialect, span, context)
        if found:
            distribute(found, own_problems(read))
        calls += found
    for call in calls:
        call.frame = frame
    return calls


def distribute(calls: Sequence[ToolCall], problems: Iterable[Problem]) -> None:
    """Give each problem to the call (or the object in it) that begins last before it, else to the first."""
    starts = [call.details.get("object", call.span).start for call in calls]
    for problem in problems:
        calls[max(bisect_right(starts, problem.span.start) - 1, 0)].problems.append(problem)


def is_cut(reads: Sequence[JsonRead]) -> bool:
    """Return whether the last of several JSON texts ends before it is complete."""
    return any(problem.data.get("truncated") or problem.kind == "missing-closers" for problem in reads[-1].problems)


def ends_text(problems: Iterable[Problem]) -> bool:
    """Return whether one of the problems is that the text ends before all brackets are closed."""
    return any(problem.kind == "missing-closers" and problem.data.get("truncated") for problem in problems)


def _entries(read: JsonRead) -> list[Entry]:
    """Return the objects in a JSON text that are meant as calls: itself, the entries of its list, or none."""
    root = read.root
    path: Path = ()
    if root.kind == "object" and isinstance(read.value, dict) and isinstance(read.value.get("tool_calls"), list):
        inner = root.locate(("tool_calls",))
        if inner is not None:
            root, path = inner, ("tool_calls",)
    if root.kind == "array":
        # Split once: to search for each entry from the array's start would cost the array's length each time.
        items = enumerate(root.items)
        return [Entry(read, (*path, index), item) for index, item in items if item.kind == "object"]
    return [Entry(read, path, root)] if root.kind == "object" else []


def _calls_in(text: str, entry: Entry, form: Form, dialect: str, span: Span, context: ReadContext) -> list[ToolCall]:
    read, path, node = entry
    value = node.value
    if not isinstance(value, dict) or (not value and (path in read.elided or path in read.wild)):
        return []
    if form.keyed and not (form.name in value and form.arguments in value):
        members = {member.key: member for member in node.members}
        return [
            _keyed_call(text, entry, member, dialect, span if len(members) == 1 else member.span)
            for member in members.values()
        ]
    name = next((value[key] for key in form.name_keys if key in value), None)
    if isinstance(name, str) and name in form.no_tools and not context.tools.has(name):
        return []
    return [object_call(text, entry, form, dialect, span, strict=context.strict)]


def _keyed_call(text: str, entry: Entry, member: JsonMember, dialect: str, span: Span) -> ToolCall:
    """Return the call whose tool's name is a key, and whose arguments are that key's value."""
    named = inside_quotes(text, member.key_span, member.key)
    cut = named.end == member.key_span.end >= len(text)
    return ToolCall(
        dialect=dialect,
        span=span,
        tool=member.key if member.key.strip() and not cut else None,
        tool_span=named,
        arguments=JsonValue(entry.read, (*entry.path, member.key), member.value),
        body=member.value.span,
        name_spans=(named,),
        sketch=is_placeholder_name(member.key),
        details={"family": FAMILY, "object": member.span, "named": True},
    )


def object_call(
    text: str, entry: Entry, form: Form, dialect: str, span: Span, owner: Entry | None = None, *, strict: bool = False
) -> ToolCall:
    """Return the call that an object is by the keys of `form`, which may be incomplete.

    `owner` is the object with the call's id, if that is another object. With `strict`, arguments under a key that
    engines differ about are missing.
    """
    value = entry.node.value
    problems: list[Problem] = []
    whole = entry.node.span
    if form.held and form.name not in value and isinstance(value.get("function"), dict):
        key_span = entry.node.locate_key(("function",)) or whole
        problems.append(_differ(key_span, "the name and the arguments inside of `function`", form))
        entry = entry_at(entry.read, (*entry.path, "function"))
        value = entry.node.value
    node = entry.node
    key, given = form.name_in(value), form.arguments_in(value)
    if form.held and key not in value and isinstance(value.get("function"), str):
        key = "function"
        problems.append(_differ(node.locate_key((key,)) or node.span, "the name under `function`", form))
    named = node.locate((key,)) if key in value else None
    tool, tool_span = tool_of(text, node, named, bare=form.bare)
    if strict and given in form.arguments_else and given not in form.arguments_also:
        given = form.arguments
    arguments = entry.value(given)
    if arguments is not None and given in form.arguments_else:
        key_span = node.locate_key((given,)) or arguments.span
        problems.append(_differ(key_span, f"the arguments under `{given}`", form))
    misnamed = None
    if arguments is None:
        other = next((each for each in MISNOMERS if isinstance(value.get(each), dict)), None)
        place = node.locate_key((other,)) if other is not None else None
        misnamed = (other, place) if place is not None else None
    ids = value if owner is None else owner.node.value
    identifier = next((ids[each] for each in form.ids if isinstance(ids.get(each), str | int)), None)
    details: dict[str, Any] = {
        "family": form.family,
        "object": whole,
        "named": named is not None,
        "name_key": key,
        "arguments_key": given,
        "misnamed": misnamed,
    }
    if form.counted and identifier is not None and str(identifier).isdecimal():
        details["counted"] = True
    return ToolCall(
        dialect=dialect,
        span=span,
        tool=tool,
        tool_span=tool_span,
        arguments=arguments,
        body=arguments.span if arguments is not None else node.span,
        name_spans=(tool_span,) if named is not None else (),
        problems=problems,
        call_id=None if identifier is None else str(identifier),
        sketch=(tool is not None and is_placeholder_name(tool)) or entry.path in entry.read.elided,
        details=details,
    )


def _differ(span: Span, reading: str, form: Form) -> Problem:
    others = f"engines that require `{form.name}` and `{form.arguments}` drop the call"
    return differ(span, f"The call is read with {reading}", others, certain=False)


def tool_of(text: str, node: JsonNode, named: JsonNode | None, *, bare: bool = False) -> tuple[str | None, Span]:
    """Return the tool's name and where it is, or None and the place where it is missing or truncated.

    With `bare`, a name without quotes is complete at the end of the text.
    """
    if named is None:
        return None, Span(node.span.start, node.span.start + 1)
    span = named.span
    if named.kind == "hole":
        return HOLE, span
    if named.kind == "elision":
        return span.of(text), span
    name = named.value
    if named.kind == "string":
        span = inside_quotes(text, span, name)
        if span.end == named.span.end and span.end >= len(text) and not (bare and span == named.span):
            return None, span
    return name if isinstance(name, str) and name.strip() else None, span
