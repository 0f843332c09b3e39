"""What can be written in a call of any dialect: names, arguments, values and ends, as the dialect writes them.

Owns: `Draft`, `Writer` and `opener_drafts`. Must not know: how a place was found, projections, protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.tag_bodies import BODY_KEY
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.cursor.cursor import CursorPlace
    from callwright.cursor.cursor_forms import Form
    from callwright.features.support.snippets import Slots
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: How much of a closing text is shown as its label.
_LABEL: Final = 60
#: How much of a call's beginning must be typed: one character begins anything.
_TYPED: Final = 2
#: No call begins with a longer text than this on one line.
MAX_OPENER_LENGTH: Final = 200
#: How many tools are listed in the place of a name.
_CHOICES: Final = 50


@dataclass(frozen=True, slots=True)
class Draft:
    """A completion in offsets of the passage, its slots not yet filled.

    `about` are the tool and the path of a parameter in it that the draft is about, for a description on request.
    """

    label: str
    kind: str
    text: str
    slots: Slots | None = None
    span: Span | None = None
    filter: str = ""
    final: bool = True
    detail: str = ""
    deprecated: bool = False
    further: tuple[Edit, ...] = ()
    commit: str = ""
    about: tuple[str, tuple[str | int, ...]] | None = None
    required: bool = False


def kind_of(detail: str) -> str:
    """Return what kind of completion a foreseen value is, by what it is to its parameter."""
    return {"": "enum", "file": "file", "folder": "folder"}.get(detail, "value")


class Writer:
    """Writes what is missing at one place, in the dialect of the call around it."""

    def __init__(
        self,
        place: CursorPlace,
        registry: ToolRegistry,
        *,
        tools: Callable[[], Sequence[ToolSchema]],
        members: Callable[[str, tuple[str | int, ...]], Sequence[tuple[str, Sequence[Any], bool]]],
        listed: Callable[[str, tuple[str | int, ...]], Sequence[Any]],
        cursor: int,
    ) -> None:
        from callwright.cursor.cursor_forms import form_of

        assert place.writing is not None
        self.place = place
        self.writing = place.writing
        self.registry = registry
        self.tools = tools
        self.members = members
        self.listed = listed
        self.cursor = cursor
        form = form_of(place.writing.dialect)
        assert form is not None, "a place is written in the form by which it was found"
        self.form: Form = form

    def names(self) -> Iterator[tuple[Draft, ToolSchema]]:
        """Yield the tools' names, each with what is missing around it."""
        from callwright.cursor.cursor_forms import TOOL
        from callwright.features.support.snippets import Slots, arguments_of

        lead = self.writing.lead
        for tool in self.tools():
            text, slots = tool.name, None
            if not self.writing.alone:
                slots = Slots()
                rest = after_slots(self.form, tool, arguments_of(tool, slots, markup=not self._typed), slots)
                if rest is None:
                    continue
                tail = self.form.tail.replace(TOOL, tool.name)
                if self.writing.tail is not None and tail and rest.endswith(tail):
                    rest = rest.removesuffix(tail) + self.writing.tail.replace(TOOL, tool.name)
                text += rest
            elif lead:
                slots = Slots()
            yield Draft(tool.name, "tool", lead + text, slots, filter=lead + tool.name, further=self._quote), tool

    @property
    def _quote(self) -> tuple[Edit, ...]:
        """The edits that change the quote before a name into the one that is written after it."""
        return () if self.writing.alone or self.writing.quote is None else (Edit(self.writing.quote, '"'),)

    @property
    def _typed(self) -> bool:
        from callwright.dialects.catalogue import find_dialect

        dialect = find_dialect(self.form.dialect)
        return dialect is not None and dialect.typed

    def arguments(self) -> Iterator[tuple[Draft, Sequence[Any], bool]]:
        """Yield the arguments that are not there yet, each with its schemas and whether it is required."""
        from callwright.features.support.snippets import Slots, value_of

        place = self.place
        tool = self._tool()
        if tool is None or place.tool is None:
            return
        lead = self.writing.lead
        for name, schemas, required in self.members(place.tool, place.path):
            if name in place.present:
                continue
            if schemas and schemas[0][0].get(BODY_KEY) is True and _has_body(self.form, tool, name):
                continue
            if self.writing.alone:
                twin = self.writing.twin
                further = () if twin is None else (Edit(twin, name),)
                before, after = self.writing.around
                whole = f"{before}{name}{after}"
                yield Draft(name, "parameter", whole, filter=name, further=further), schemas, required
                continue
            slots = Slots()
            schema, owner = schemas[0] if schemas else ({}, tool)
            value = value_of(schema, owner.input_schema, slots, markup=not self._typed)
            text = argument_slots(self.form, tool, name, value, slots)
            if text is not None:
                draft = Draft(
                    name, "parameter", lead + text, slots, filter=lead + name, final=False, further=self._quote
                )
                yield draft, schemas, required

    def values(self) -> Iterator[Draft]:
        """Yield the values that are listed for an argument."""
        from callwright.cursor.cursor_forms import quotes_of, value_text

        place, tool = self.place, self._tool()
        if tool is None or place.tool is None or not place.path:
            return
        names = [step for step in place.path if isinstance(step, str)]
        is_quoted = any(quotes_of(self.form))
        for value, detail in self.listed(place.tool, place.path):
            text = value_text(self.form, tool, names[-1] if names else "", value)
            if text is None or "\n" in text.strip():
                continue
            text = text.strip()
            label = value if isinstance(value, str) else text
            begun = text[:1] in ('"', "'")
            shown = label if begun or not is_quoted else text
            yield Draft(label, kind_of(detail), text, filter=shown, detail=detail)

    def all_arguments(self) -> Iterator[Draft]:
        """Yield the JSON text of all arguments that a call needs, with what leads to it."""
        from callwright.calls.protocol import Refusal
        from callwright.calls.render import json_text
        from callwright.features.support.snippets import Slots, arguments_of

        tool = self._tool()
        if tool is None:
            return
        slots = Slots()
        written = json_text(arguments_of(tool, slots, markup=False) or slots.members())
        if not isinstance(written, Refusal):
            lead = self.writing.lead
            text = lead + written + self.writing.closer
            yield Draft("{…}", "snippet", text, slots, filter=(lead.lstrip() or "{"), detail="arguments")

    def links(self, front: str) -> Iterator[tuple[Draft, Sequence[Any], bool]]:
        """Yield what is between an argument's name and its value, where `front` breaks off there, with the value.

        `front` is the text before the cursor.
        """
        from callwright.cursor.cursor_forms import link_of
        from callwright.features.support.snippets import Slots, value_of

        tool = self._tool()
        if tool is None or self.form.is_json or not self.place.faults:
            return
        for name, schemas, required in self.members(tool.name, self.place.path):
            slots = Slots()
            schema, owner = schemas[0] if schemas else ({}, tool)
            value = value_of(schema, owner.input_schema, slots, markup=not self._typed)
            text = argument_slots(self.form, tool, name, value, slots)
            if text is None:
                continue
            rest = text[len(name) :]
            link = link_of(self.form, rest)
            for typed in range(len(link) - 1, 0, -1):
                if rest.startswith(link) and front.endswith(name + rest[:typed]):
                    begun = rest[:typed].rpartition("\n")[2]
                    span = Span(self.cursor - len(begun), self.cursor)
                    written = begun + rest[typed:]
                    label = " ".join(link.split())
                    draft = Draft(label, "parameter", written, slots, span, filter=written, final=False)
                    yield draft, schemas, required
                    return

    def ends(self) -> Iterator[Draft]:
        """Yield what ends the value or the call that is open."""
        closer = self.writing.closer
        if closer.strip():
            span = Span(self.cursor - self.writing.closer_typed, self.cursor)
            label = " ".join(closer.split())
            label = label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"
            yield Draft(label, "tag", closer, span=span, filter=closer.lstrip())

    def _tool(self) -> ToolSchema | None:
        candidates = self.registry.get(self.place.tool) if self.place.tool is not None else ()
        return candidates[0] if candidates else None


def after_slots(form: Form, tool: ToolSchema, arguments: Mapping[str, Any], slots: Slots) -> str | None:
    """Return what a dialect writes after the tool's name of a call whose arguments hold slots."""
    from callwright.cursor.cursor_forms import TOOL, after_name

    if form.is_json or not any(slots.bare_in(value) for value in arguments.values()):
        return after_name(form, tool, dict(arguments))
    parts = [argument_slots(form, tool, name, value, slots) for name, value in arguments.items()]
    if None in parts:
        return None
    return form.first + form.next.join(filter(None, parts)) + form.tail.replace(TOOL, tool.name)


def argument_slots(form: Form, tool: ToolSchema, name: str, value: Any, slots: Slots) -> str | None:
    """Return an argument from its key to its end; a slot of a type is written as a value of that type is."""
    from callwright.cursor.cursor_forms import argument_text, quotes_of, value_text

    samples = slots.samples(value)
    if not samples:
        text = argument_text(form, tool, name, value)
        before, after = quotes_of(form)
        for slot in slots.bare_in(value) if before and text is not None else ():
            # Inside of an object or array it was written as a text.
            shown = [value_text(form, tool, name, sample) for sample in slots.samples(slot)]
            words = [word.strip() for word in shown if word is not None]
            new = slots.members() if words == ["{}"] else slots.bare(*words)
            text = text.replace(f"{before}{slot}{after}", new) if words and text is not None else text
        return text
    text = argument_text(form, tool, name, samples[0])
    shown = [value_text(form, tool, name, sample) for sample in samples]
    words = [word.strip() for word in shown if word is not None]
    if text is None or len(words) < len(samples):
        return text
    at = text.rfind(words[0])
    slot = slots.members() if samples[0] == {} and words[0] == "{}" else slots.bare(*words)
    return text[:at] + slot + text[at + len(words[0]) :] if at >= len(name) else text


def call_slots(name: str, tool: ToolSchema, slots: Slots) -> str | None:
    """Return a whole call in a dialect of which the form is all, None where it is not or the call cannot be written."""
    from callwright.cursor.cursor_calls import WALKED
    from callwright.cursor.cursor_forms import form_of
    from callwright.dialects.catalogue import find_dialect
    from callwright.features.support.snippets import arguments_of

    form, dialect = form_of(name), find_dialect(name)
    if form is None or dialect is None or form.is_json or name in WALKED:
        return None
    after = after_slots(form, tool, arguments_of(tool, slots, markup=not dialect.typed), slots)
    return form.head + tool.name + after if after is not None else None


def opener_drafts(
    before: str,
    end: int,
    dialect_in_force: str | None,
    tools: Sequence[ToolSchema],
    stated: Sequence[str] | None = None,
) -> Iterator[Draft]:
    """Yield whole calls in the dialects whose calls begin with what is before the cursor on its line.

    `before` ends at offset `end`; the dialect in force comes first, and `stated` are the only ones that are wanted.
    """
    from callwright.calls.protocol import Refusal, RenderStyle
    from callwright.cursor.cursor_forms import form_of, whole_call
    from callwright.dialects.catalogue import dialect_names, find_dialect
    from callwright.features.support.snippets import Slots, arguments_of

    names = sorted(dialect_names() if stated is None else stated, key=lambda name: name != dialect_in_force)
    for name in names:
        form, dialect = form_of(name), find_dialect(name)
        if form is None or dialect is None:
            continue
        typed = _typed_of(form.head, before)
        own = name == dialect_in_force
        if typed < _TYPED:
            continue
        span = Span(end - typed, end)
        if own:
            for tool in tools[:_CHOICES]:
                slots = Slots()
                text = call_slots(name, tool, slots)
                if text is None:
                    slots = Slots()
                    text = whole_call(name, tool, arguments_of(tool, slots, markup=not dialect.typed))
                if text is not None:
                    label, start = f"{_first_marker(form.head)} {tool.name}", form.head
                    yield Draft(label, "snippet", text, slots, span, start + tool.name, detail=dialect.title)
            continue
        slots = Slots()
        listed = [tool.name for tool in tools[:_CHOICES]]
        written = dialect.render(slots.text(*listed), {}, None, RenderStyle())
        if not isinstance(written, Refusal) and written.count("CwText") == 1:
            yield Draft(_first_marker(form.head), "snippet", written, slots, span, form.head, detail=dialect.title)


def _typed_of(head: str, before: str) -> int:
    """Return how much of a call's beginning is at the end of a text, after nothing but space."""
    typed = before.lstrip(" \t>")
    first = head.split("\n", 1)[0]
    return len(typed) if typed and len(typed) < len(first) and first.startswith(typed) else 0


def _first_marker(head: str) -> str:
    return head.split("\n", 1)[0].strip()


def documented(draft: Draft, registry: ToolRegistry, relation: str) -> str:
    """Return the documentation of a draft's tool or parameter, nothing where it is about neither."""
    if draft.about is None:
        return ""
    return description_of(draft.about[0], draft.about[1], registry, relation=relation, required=draft.required)


def description_of(
    tool: str, path: Sequence[str | int], registry: ToolRegistry, *, relation: str, required: bool = False
) -> str:
    """Return a registry's documentation of a tool, or of the parameter at `path` in it; nothing where it knows
    neither."""
    from callwright.cursor.cursor import Schemas
    from callwright.features.support.markdown import schema_markdown, tool_markdown

    found = registry.get(tool)
    if not path:
        return tool_markdown(list(found)[:1]) if found else ""
    schemas: Sequence[tuple[Mapping[str, Any], ToolSchema]] = Schemas(registry).at(tool, tuple(path))
    if not schemas:
        return ""
    rooted = [(schema, owner.input_schema) for schema, owner in schemas]
    return schema_markdown(str(path[-1]), rooted, of=tool, required=required, relation=relation)


def _has_body(form: Form, tool: ToolSchema, name: str) -> bool:
    """Return whether a dialect writes an argument without its name, as the text of the call."""
    from callwright.cursor.cursor_forms import VALUE, whole_call

    text = whole_call(form.dialect, tool, {name: VALUE})
    return text is not None and name not in text
