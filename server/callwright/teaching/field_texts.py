"""Words for tools: their parameters, types and limits as a prompt says them, safe for any reader of calls.

Owns: what is written about a parameter, and how an author's text is written so that nothing in it begins a call. Must
not know: dialects, layout.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callwright.teaching.formats import BY_FORMAT
from callwright.text.holes import HOLE
from callwright.tools.model import ToolSchema
from callwright.tools.parameters import Parameter, enum_of, facets, parameters_of, types_of
from callwright.tools.references import resolve, with_children

#: How deep nested parameters are described, and how many of one tool; beyond that, only the type is given.
_DEPTH: Final = 6
_MAX_FIELDS: Final = 300
_MAX_CHOICES: Final = 40
_PLURALS: Final = {
    "string": "strings",
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "array": "arrays",
    "object": "objects",
    "null": "nulls",
}
_ORDER: Final = tuple(_PLURALS)
_TICKS = re.compile("`++")
_SPACE = re.compile(r"\s++")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff" + HOLE + "]")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_WORD = re.compile(r"\S++|\s++")
#: What may begin a call, a comment, a fence or a thought outside a code span, wherever in a word it is.
_RISKY = re.compile(
    r"<[/!?A-Za-z_|｜\ufdd0]|~~~|>>>|\]<\]|\[[A-Za-z_][\w.]*+[(\]]|\[/?[A-Z_]{4,}+|functools\[|TOOL_CALL|tool_calls"
)
_JOINT = re.compile(r"(?<=[<>\[{~])(?=\S)|(?<=[\w|])(?=[\[(:])")
_EDGE: Final = "\"'.,;:()"
#: How many words a tag with attributes may continue for.
_MAX_WORDS: Final = 12
#: What may begin a call at the start of a line.
_LEAD = re.compile(r"[ \t]*+(?:[{\[>]|```|(?:Action|Action Input|Observation|INPUT)[ \t]*+:)")
_LIST = re.compile(r"([ \t]*+)([-*+]|\d{1,3}[.)])[ \t]++(?=\S)")


@dataclass(frozen=True, slots=True)
class Field:
    """The description of one parameter, or of a member of one: `notes` are its limits, each a few words.

    `type` says the type in words, `short` as a program would declare it.
    """

    name: str
    type: str
    short: str
    required: bool
    description: str
    notes: tuple[str, ...] = ()
    members: tuple["Field", ...] = ()


def cleaned(text: str) -> str:
    """Return an author's text without the characters that no prompt should hold."""
    return _UNSEEN.sub("\ufffd", text).strip()


def code(text: str) -> str:
    """Return `text` as a code span on one line, whatever it holds."""
    return literal(_SPACE.sub(" ", cleaned(text)))


def literal(line: str) -> str:
    """Return a line as a code span with every space in it. Line ends are shown as a program writes them."""
    line = _UNSEEN.sub("\ufffd", line).replace("\r", "\\r").replace("\n", "\\n").strip()
    if not line:
        return '`""`'
    fence = "`" * (max((len(run) for run in _TICKS.findall(line)), default=0) + 1)
    edge = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{edge}{line}{edge}{fence}"


def value_code(value: Any, *, typed: bool = True) -> str:
    """Return a value as a code span: as JSON, or, where values are written without types, a string as it is."""
    return code(_value_text(value, typed=typed))


def _value_text(value: Any, *, typed: bool) -> str:
    plain = not typed and isinstance(value, str) and value.strip() == value != "" and value.isprintable()
    return value if plain else json.dumps(value, ensure_ascii=False)


def one_line(text: str) -> str:
    """Return an author's text on one line in which no call can begin: what looks like markers is in code spans."""
    return _guarded(_SPACE.sub(" ", cleaned(text)))


def first_sentence(text: str) -> str:
    """Return the first sentence of an author's text, on one line."""
    line = _SPACE.sub(" ", cleaned(text))
    return _guarded(_SENTENCE.split(line, 1)[0])


def truncated(line: str) -> str:
    """Return a line with spaces in what might begin a call: for places where code spans mean nothing.

    Some dialects still read one space as a typing error.
    """
    return _JOINT.sub("  ", line)


def paragraphs(text: str) -> str:
    """Return an author's text with its lines, in which no call can begin; headings in it are bold, fences are gone."""
    lines: list[str] = []
    fenced = False
    for raw in cleaned(text.expandtabs(4)).splitlines():
        line = raw.rstrip()
        bare = line.strip()
        if bare.startswith(("```", "~~~")) and "`" not in bare.lstrip("`"):
            fenced = not fenced
        elif not bare:
            if lines and lines[-1]:
                lines.append("")
        elif fenced:
            lines.append(code(bare))
        elif bare.startswith("#"):
            title = bare.lstrip("#").strip()
            lines.append(f"**{_guarded(title)}**" if title else "")
        else:
            item = _LIST.match(line)
            indent = " " * min(len(line) - len(line.lstrip()), 4)
            lines.append(f"{item[1][:4]}{item[2]} {_guarded(line[item.end() :])}" if item else indent + _guarded(bare))
    return re.sub(r"\n{3,}+", "\n\n", "\n".join(lines)).strip("\n")


def _guarded(line: str) -> str:
    """Return a line in which what might begin a call is in a code span; the author's own spans are kept."""
    parts: list[str] = []
    at = 0
    for start, end in _spans(line):
        parts += [_marked(line[at:start]), line[start:end]]
        at = end
    text = "".join([*parts, _marked(line[at:])])
    if "`" in line[at:] or any("`" in line[a:b] for a, b in _between(line)):
        # A back-tick that closes nothing would pair with one further on.
        return code(line)
    return code(line) if _LEAD.match(text) else text


def _spans(line: str) -> list[tuple[int, int]]:
    """Return the code spans of a line, in order."""
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(line)]
    following: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[index][1] - runs[index][0], []).append(index)
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        start, end = runs[index]
        same = following[end - start]
        while same and same[-1] <= index:
            same.pop()
        if same:
            found.append((start, runs[same[-1]][1]))
            index = same[-1] + 1
        else:
            index += 1
    return found


def _between(line: str) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in _spans(line):
        yield at, start
        at = end


def _marked(text: str) -> str:
    """Return a text without code spans with one around each word, or run of words, that might begin a call."""
    if not _RISKY.search(text):
        return text
    words = _WORD.findall(text)
    parts: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if not _RISKY.search(word):
            parts.append(word)
            continue
        if word.rfind("<") > word.rfind(">"):
            ahead = words[index : index + _MAX_WORDS]
            closing = next((at for at, one in enumerate(ahead) if ">" in one), None)
            if closing is not None:
                word += "".join(ahead[: closing + 1])
                index += closing + 1
        inner = word.strip(_EDGE)
        at = word.index(inner)
        parts.append(f"{word[:at]}{code(inner)}{word[at + len(inner) :]}" if _RISKY.search(inner) else code(word))
    return "".join(parts)


def fields(tool: ToolSchema, *, typed: bool = True) -> tuple[Field, ...]:
    """Return the descriptions of a tool's parameters; aliases and deprecated ones are left out.

    `typed` says whether calls write strings in quotes, and so do the words here.
    """
    return _FieldRenderer(tool.input_schema, typed).reported(tool.parameters, _DEPTH)


def alternatives(tool: ToolSchema) -> str:
    """Return the sentence that says which parameters must be given where a schema asks for one of several sets."""
    reported = {name for name, one in tool.parameters.items() if not (one.deprecated or one.alias_of)}
    for keyword in ("anyOf", "oneOf"):
        variants = tool.input_schema.get(keyword)
        if not isinstance(variants, list) or len(variants) < 2:
            continue
        sets = [one.get("required") if isinstance(one, Mapping) else None for one in variants]
        if all(isinstance(names, list) and names and all(name in reported for name in names) for names in sets):
            words = [" and ".join(code(name) for name in names) for names in sets if names is not None]
            how = "exactly one of these" if keyword == "oneOf" else "at least one of these"
            return f"Give {how}: {', '.join(words)}."
    return ""


def signature(tool: ToolSchema, *, typed: bool = True) -> str:
    """Return a tool's name with its parameters, as a program would declare it: `f(path: string, limit?: integer)`."""
    return f"{_bare(tool.name)}({_declared(fields(tool, typed=typed))})"


def _declared(reported: Sequence[Field]) -> str:
    return ", ".join(f"{_bare(one.name)}{'' if one.required else '?'}: {one.short}" for one in reported)


def _bare(name: str) -> str:
    return name if re.fullmatch(r"[\w.:/\-]++", name) else json.dumps(name, ensure_ascii=False)


class _FieldRenderer:
    """Describes one schema; counts the fields, so that a cyclic or enormous one ends at the limit."""

    def __init__(self, root: Mapping[str, Any], typed: bool) -> None:
        self._root = root
        self._typed = typed
        self._left = _MAX_FIELDS

    def reported(self, parameters: Mapping[str, Parameter], depth: int) -> tuple[Field, ...]:
        """Return a field for each parameter to describe."""
        found: list[Field] = []
        for parameter in parameters.values():
            if parameter.alias_of is not None or (parameter.deprecated and not parameter.required) or self._left <= 0:
                continue
            self._left -= 1
            schema = parameter.schema
            members = self._members(schema, depth)
            found.append(
                Field(
                    parameter.name,
                    self._type(schema, depth),
                    self._short(schema, members, depth),
                    parameter.required,
                    parameter.description,
                    tuple(self._notes(schema)),
                    members,
                )
            )
        return tuple(found)

    def _type(self, schema: Mapping[str, Any], depth: int) -> str:
        listed = enum_of(schema, self._root)
        if listed:
            shown = [value_code(value, typed=self._typed) for value in listed[:_MAX_CHOICES]]
            more = ", …" if len(listed) > _MAX_CHOICES else ""
            return f"always {shown[0]}" if len(listed) == 1 else f"one of {', '.join(shown)}{more}"
        types = types_of(schema, self._root)
        if types is None:
            return "any value"
        names = [name for name in _ORDER if name in types and not (name == "integer" and "number" in types)]
        return " or ".join(self._named(name, schema, depth) for name in names) or "no value"

    def _short(self, schema: Mapping[str, Any], members: Sequence[Field], depth: int) -> str:
        listed = enum_of(schema, self._root)
        if listed:
            shown = [_value_text(value, typed=self._typed) for value in listed[:_MAX_CHOICES]]
            return " | ".join(shown) + (" | …" if len(listed) > _MAX_CHOICES else "")
        types = types_of(schema, self._root)
        if types is None:
            return "any"
        found: list[str] = []
        for name in _ORDER:
            if name not in types or (name == "integer" and "number" in types):
                continue
            if name == "array":
                items = self._items(schema)
                known = items is not None and depth > 0
                inner = self._short(resolve(items, self._root), members, depth - 1) if known else "any"
                found.append(f"({inner})[]" if " | " in inner else f"{inner}[]")
            elif name == "object" and members:
                found.append(f"{{{_declared(members)}}}")
            elif name == "object" and self._free(schema) is not None and depth > 0:
                inner = self._short(resolve(self._free(schema), self._root), (), depth - 1)
                found.append(f"{{[name]: {inner}}}")
            else:
                found.append(name)
        return " | ".join(found) or "nothing"

    def _free(self, schema: Mapping[str, Any]) -> Any:
        """Return the schema of an object's values where their names are free, None where it is not stated."""
        free = next((f["additionalProperties"] for f in self._facets(schema) if "additionalProperties" in f), None)
        return free if isinstance(free, Mapping) and free and not self._properties(schema) else None

    def _named(self, kind: str, schema: Mapping[str, Any], depth: int) -> str:
        if kind == "array":
            items = self._items(schema)
            return f"array of {self._plural(items, depth - 1)}" if items is not None and depth > 0 else "array"
        if kind == "object":
            free = self._free(schema)
            if free is not None and depth > 0:
                return f"object whose values are {self._plural(free, depth - 1)}"
        return kind

    def _plural(self, raw: Any, depth: int) -> str:
        schema = resolve(raw, self._root)
        listed = enum_of(schema, self._root)
        types = types_of(schema, self._root)
        if listed:
            return f"values, each {self._type(schema, depth)}"
        if types is None:
            return "any values"
        if len(types) == 1:
            (kind,) = types
            inner = self._named(kind, schema, depth)
            return _PLURALS[kind] + inner[len(kind) :]
        return f"values, each {self._type(schema, depth)}"

    def _facets(self, schema: Any) -> list[Mapping[str, Any]]:
        return facets(schema, self._root)[:50]

    def _items(self, schema: Mapping[str, Any]) -> Any:
        return next((one["items"] for one in self._facets(schema) if isinstance(one.get("items"), Mapping)), None)

    def _properties(self, schema: Mapping[str, Any]) -> bool:
        return any(isinstance(one.get("properties"), Mapping) and one["properties"] for one in self._facets(schema))

    def _members(self, schema: Mapping[str, Any], depth: int) -> tuple[Field, ...]:
        """Return the members of an object, or of the objects in an array."""
        inner: Any = schema
        for _ in range(depth):
            items = self._items(inner)
            if items is None:
                break
            inner = resolve(items, self._root)
        inner = self._beside_null(inner) or inner
        if depth <= 0 or self._left <= 0 or not self._properties(inner):
            return ()
        rooted = {key: self._root[key] for key in ("$defs", "definitions", "$schema", "$id") if key in self._root}
        return self.reported(parameters_of({**rooted, **inner}), depth - 1)

    def _beside_null(self, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return what a schema asks for where it is not null, None where null is not one of two choices."""
        for key in ("anyOf", "oneOf"):
            choices = schema.get(key)
            if isinstance(choices, list) and len(choices) == 2 and {"type": "null"} in choices:
                return resolve(choices[choices[0] == {"type": "null"}], self._root)
        return None

    def _notes(self, schema: Mapping[str, Any]) -> Iterator[str]:
        # An `anyOf` is described by its types alone: a limit of one choice does not apply to the others, but for null.
        other = self._beside_null(schema)
        if other is not None:
            yield from _limits({step: one for step, one in other.items() if step != "default"}, typed=self._typed)
        parts = schema.get("allOf")
        for one in [schema, *(resolve(part, self._root) for part in (parts if isinstance(parts, list) else ()))]:
            yield from _limits(one, typed=self._typed)


def _limits(schema: Mapping[str, Any], *, typed: bool) -> Iterator[str]:
    """Yield what a schema says of its values beyond their type."""
    for key, words in (
        ("minimum", "at least {}"),
        ("exclusiveMinimum", "more than {}"),
        ("maximum", "at most {}"),
        ("exclusiveMaximum", "less than {}"),
        ("multipleOf", "a multiple of {}"),
    ):
        if _is_number(schema.get(key)):
            yield words.format(schema[key])
    yield from _counted(schema, "minLength", "maxLength", "character")
    yield from _counted(schema, "minItems", "maxItems", "item")
    yield from _counted(schema, "minProperties", "maxProperties", "member")
    if schema.get("uniqueItems") is True:
        yield "no item twice"
    if isinstance(schema.get("format"), str):
        shown = BY_FORMAT.get(schema["format"])
        yield f"format {code(schema['format'])}" + (f" as in {code(shown)}" if shown is not None else "")
    if isinstance(schema.get("pattern"), str):
        yield f"matches {code(schema['pattern'])}"
    if "default" in schema:
        yield f"default {value_code(schema['default'], typed=typed)}"


def _counted(schema: Mapping[str, Any], least: str, most: str, noun: str) -> Iterator[str]:
    low, high = schema.get(least), schema.get(most)
    if _is_number(low) and low == high:
        yield f"exactly {_plural(low, noun)}"
        return
    if _is_number(low) and low:
        yield f"at least {_plural(low, noun)}"
    if _is_number(high):
        yield f"at most {_plural(high, noun)}"


def _plural(count: Any, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def without_extensions(schema: Any) -> Any:
    """Return a schema without what only our own files say: keywords that begin with `x-`, and `$schema`.

    A parameter may be called so, and so may a member of a default.
    """
    if not isinstance(schema, Mapping):
        return schema
    copy = with_children(schema, lambda _, child: without_extensions(child))
    return {key: one for key, one in copy.items() if not _is_extension(key)}


def _is_extension(key: Any) -> bool:
    return isinstance(key, str) and (key.startswith("x-") or key == "$schema")
