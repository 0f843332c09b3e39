"""Operations of an HTTP interface as tools: OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0.

Owns: which operations there are, how parameters and body become one object of arguments, and the keywords of OpenAPI
3.0 that JSON Schema does not have. Must not know: other sources, files; nothing outside the document is read.

A parameter is an argument of its own name, and so is each member of a body that is an object; any other body is the
argument `body`. Where two would have one name, the place is added to the later name (`id__header`). References to
`#/components/schemas/…` become references to `#/$defs/…` of the tool, which has the definitions that it needs. The
specification: https://spec.openapis.org/oas/v3.1.1.html, https://spec.openapis.org/oas/v3.2.0.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.text.patterns import compile_later
from callwright.text.records import dataclass, field
from callwright.tools.older_drafts import exclude_bounds
from callwright.tools.references import reached, target
from callwright.tools.sources.base import Definition, Draft, FoundDefinitions, Path, ToolSource, allow_null

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
#: Headers that the caller does not set (they are described elsewhere in the document).
_HEADERS: Final = frozenset(["accept", "content-type", "authorization"])
_FORMS: Final = ("multipart/form-data", "application/x-www-form-urlencoded")
_VERSION: Final = compile_later(r"(?:3\.[0-9]|2\.0)(?:\.[0-9]++)?+(?:-\w++)?+")
_UNNAMEABLE: Final = re.compile(r"[^A-Za-z0-9_.\-]++")
#: Members of a schema in OpenAPI that do not constrain values.
_SILENT: Final = frozenset(["xml", "externalDocs", "discriminator", "nullable", "example", "collectionFormat"])
#: The members of a Swagger 2.0 parameter that belong to its schema.
_INLINE: Final = frozenset(
    [
        *(
            "type",
            "format",
            "items",
            "default",
            "maximum",
            "exclusiveMaximum",
            "minimum",
            "exclusiveMinimum",
            "pattern",
        ),
        *("maxLength", "minLength", "maxItems", "minItems", "uniqueItems", "enum", "multipleOf"),
    ]
)
_DEPTH: Final = 64
_INPUT: Final = "inputSchema"
_OUTPUT: Final = "outputSchema"


class OpenApiSource(ToolSource):
    """`{"openapi": "3.…", "paths": {path: {method: operation}}}`; an operation is not read without its document."""

    name = "openapi"
    order = 6

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return a tool for each operation; an OpenAPI document is recognized by its version."""
        version = document.get("openapi", document.get("swagger"))
        if not isinstance(version, str | float) or not _VERSION.fullmatch(str(version)):
            return None
        paths = document.get("paths")
        return [*_Reader(document).operations()] if isinstance(paths, Mapping) else []


@dataclass(slots=True)
class _Tool:
    """A tool that is being assembled."""

    properties: dict[str, Any] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    moved: dict[Path, Path] = field(default_factory=dict)
    keys: dict[Path, Path] = field(default_factory=dict)
    example: dict[str, Any] = field(default_factory=dict)


class _Reader:
    """Reads one document."""

    def __init__(self, document: Definition) -> None:
        self._document = document
        self._old = "swagger" in document
        #: Referenced schemas: names under `$defs` by reference, and by name the schema, its place, the names that it
        #: needs.
        self._names: dict[str, str] = {}
        self._schemas: dict[str, Any] = {}
        self._places: dict[str, Path] = {}
        self._needs: dict[str, set[str]] = {}
        self._waiting: list[tuple[str, Any]] = []

    def operations(self) -> Iterator[FoundDefinitions]:
        for path, item in self._document["paths"].items():
            where: Path = ("paths", path)
            item, where = self._resolved(item, where)  # noqa: PLW2901 # a path may be a reference
            if not isinstance(item, Mapping):
                continue
            for method, operation in item.items():
                if method in _METHODS and isinstance(operation, Mapping):
                    yield self._operation(str(path), method, operation, (*where, method), item, where)
            more = item.get("additionalOperations")
            if isinstance(more, Mapping):
                for method, operation in more.items():
                    if isinstance(operation, Mapping):
                        at = (*where, "additionalOperations", method)
                        yield self._operation(str(path), str(method).lower(), operation, at, item, where)

    def _operation(
        self, path: str, method: str, operation: Definition, at: Path, item: Definition, around: Path
    ) -> FoundDefinitions:
        tool, needs = _Tool(), set[str]()
        given = self._parameters(operation, at, item, around)
        # Of two with one name, the one in the path keeps it.
        for parameter, where in sorted(given, key=lambda one: one[0].get("in") != "path"):
            self._parameter(tool, parameter, where, needs)
        self._body(tool, operation, at, needs)
        schema: dict[str, Any] = {"type": "object", "properties": tool.properties}
        if tool.required:
            schema["required"] = tool.required
        self._define(schema, tool, needs, _INPUT)
        output = self._output(operation, at, tool)
        stated = operation.get("operationId")
        named = stated.strip() if isinstance(stated, str) else ""
        name = _UNNAMEABLE.sub("_", named or f"{method}_{path.strip('/')}".replace("{", "").replace("}", ""))
        tool.moved[("name",)] = (*at, "operationId") if named else at
        summary, description = operation.get("summary"), operation.get("description")
        if not description:
            tool.moved[("description",)] = (*at, "summary") if summary else at
        complete = tool.example and set(tool.required) <= set(tool.example)
        draft = Draft(
            name=name.strip("_") or method,
            description=description or summary or item.get("summary") or "",
            title=summary if description else None,
            input_schema=schema,
            schema_path=(_INPUT,),
            output_schema=output,
            output_path=(_OUTPUT,) if output is not None else (),
            examples=[tool.example] if complete else (),
            examples_path=(),
            deprecated=operation.get("deprecated"),
            annotations={"readOnlyHint": True} if method in ("get", "head", "options", "query") else None,
        )
        return FoundDefinitions(at, operation, draft=draft, source="openapi", moved=tool.moved, moved_keys=tool.keys)

    # -- arguments of a call -------------------------------------------------------------------------------------------

    def _parameters(
        self, operation: Definition, at: Path, item: Definition, around: Path
    ) -> Iterator[tuple[Definition, Path]]:
        """Yield the parameters of an operation with their places; its own come before those of its path."""
        seen: set[tuple[str, str]] = set()
        for owner, where in ((operation, at), (item, around)):
            listed = owner.get("parameters")
            for index, parameter in enumerate(listed if isinstance(listed, list) else ()):
                resolved, place = self._resolved(parameter, (*where, "parameters", index))
                if not isinstance(resolved, Mapping) or not isinstance(resolved.get("name"), str):
                    continue
                key = resolved["name"], str(resolved.get("in"))
                if key not in seen and not (key[1] == "header" and key[0].lower() in _HEADERS):
                    seen.add(key)
                    yield resolved, place

    def _parameter(self, tool: _Tool, parameter: Definition, where: Path, needs: set[str]) -> None:
        place, schema_at = str(parameter.get("in")), (*where, "schema")
        schema = parameter.get("schema")
        if self._old and place == "body":
            self._content(tool, schema, schema_at, bool(parameter.get("required")), needs)
            return
        if not isinstance(schema, Mapping | bool):
            media, found = self._media(parameter.get("content"))
            if found is not None:
                schema, schema_at = found.get("schema", {}), (*where, "content", media, "schema")
            else:
                schema, schema_at = {key: value for key, value in parameter.items() if key in _INLINE}, where
        translated = self._translated(schema, needs, _DEPTH)
        shown = dict(translated) if isinstance(translated, Mapping) else {}
        name = _free(parameter["name"], place, tool.properties)
        if isinstance(parameter.get("description"), str):
            shown["description"] = parameter["description"]
            tool.moved[(_INPUT, "properties", name, "description")] = (*where, "description")
        if parameter.get("deprecated") is True:
            shown["deprecated"] = True
        self._put(tool, name, shown, schema_at, required=parameter.get("required") is True or place == "path")
        tool.keys[(_INPUT, "properties", name)] = (*where, "name")
        value = _example(parameter, self._resolved)
        if value is not None:
            tool.example[name] = value

    def _put(self, tool: _Tool, name: str, schema: Any, where: Path, *, required: bool) -> None:
        tool.properties[name] = schema
        tool.moved[(_INPUT, "properties", name)] = where
        if required:
            tool.moved[(_INPUT, "required", len(tool.required))] = where
            tool.required.append(name)

    def _body(self, tool: _Tool, operation: Definition, at: Path, needs: set[str]) -> None:
        body, where = self._resolved(operation.get("requestBody"), (*at, "requestBody"))
        if not isinstance(body, Mapping):
            return
        media, found = self._media(body.get("content"))
        if found is None:
            return
        required = body.get("required") is True
        path = (*where, "content", media)
        before = set(tool.properties)
        if "json" in media or media in _FORMS or "xml" in media:
            single = self._content(tool, found.get("schema"), (*path, "schema"), required, needs)
        else:
            name = _free("body", "body", tool.properties)
            self._put(tool, name, {"type": "string"}, path, required=required)
            single = name
        if isinstance(body.get("description"), str) and single is not None:
            shown = tool.properties[single]
            if isinstance(shown, dict):
                tool.properties[single] = {"description": body["description"], **shown}
        value = _example(found, self._resolved)
        if single is not None and value is not None:
            tool.example[single] = value
        elif isinstance(value, Mapping):
            tool.example.update(
                {name: one for name, one in value.items() if name in tool.properties and name not in before}
            )

    def _content(self, tool: _Tool, schema: Any, where: Path, required: bool, needs: set[str]) -> str | None:
        """Add a body to the arguments, by its members or as a whole; return the name of the argument in the latter
        case.
        """
        plain, at = self._resolved(schema, where)
        if isinstance(plain, Mapping) and _is_record(plain):
            wanted = plain.get("required")
            for name, member in plain["properties"].items():
                if isinstance(member, Mapping) and member.get("readOnly") is True:
                    continue
                shown = _free(str(name), "body", tool.properties)
                one = self._translated(member, needs, _DEPTH)
                must = required and isinstance(wanted, list) and name in wanted
                self._put(tool, shown, one, (*at, "properties", name), required=must)
            return None
        name = _free("body", "body", tool.properties)
        self._put(
            tool, name, self._translated({} if schema is None else schema, needs, _DEPTH), where, required=required
        )
        return name

    def _media(self, content: Any) -> tuple[str, Definition | None]:
        """Return the media type that is JSON, else the first one, with its description."""
        if not isinstance(content, Mapping):
            return "", None
        kinds = [kind for kind, one in content.items() if isinstance(one, Mapping)]
        for fits in (lambda kind: "json" in kind, lambda kind: kind in _FORMS, lambda kind: kind == "*/*"):
            for kind in kinds:
                if fits(str(kind).lower()):
                    return str(kind), content[kind]
        return (str(kinds[0]), content[kinds[0]]) if kinds else ("", None)

    # -- results of a call ---------------------------------------------------------------------------------------------

    def _output(self, operation: Definition, at: Path, tool: _Tool) -> Any:
        """Return the schema of a successful call's JSON result, None where the document has none."""
        responses = operation.get("responses")
        if not isinstance(responses, Mapping):
            return None
        for status, answer in responses.items():
            if not str(status).upper().startswith("2"):
                continue
            response, where = self._resolved(answer, (*at, "responses", status))
            if not isinstance(response, Mapping):
                continue
            media, found = self._media(response.get("content"))
            schema, path = (found or {}).get("schema"), (*where, "content", media, "schema")
            if self._old:
                schema, path = response.get("schema"), (*where, "schema")
            if not isinstance(schema, Mapping) or not (self._old or "json" in media):
                continue
            needs: set[str] = set()
            plain, place = self._resolved(schema, path)
            whole = self._translated(plain, needs, _DEPTH)
            if not isinstance(whole, dict):
                continue
            tool.moved[(_OUTPUT,)] = place
            self._define(whole, tool, needs, _OUTPUT)
            return whole
        return None

    # -- schemas -------------------------------------------------------------------------------------------------------

    def _resolved(self, value: Any, where: Path) -> tuple[Any, Path]:
        """Return the target of a reference and its place; any other value unchanged."""
        for _ in range(_DEPTH):
            reference = value.get("$ref") if isinstance(value, Mapping) else None
            if not isinstance(reference, str) or not reference.startswith("#/"):
                break
            found = target(reference, self._document)
            if found is None:
                break
            value, where = found, _path_of(reference)
        return value, where

    def _define(self, schema: dict[str, Any], tool: _Tool, needs: set[str], key: str) -> None:
        """Add to a schema the definitions that it refers to, directly or not."""
        while self._waiting:
            name, found = self._waiting.pop()
            self._schemas[name] = self._translated(found, self._needs[name], _DEPTH)
        names = reached(needs, self._needs)
        if names:
            schema["$defs"] = {name: self._schemas[name] for name in sorted(names)}
            for name in names:
                tool.moved[(key, "$defs", name)] = self._places[name]

    def _reference(self, reference: str, needs: set[str]) -> str:
        """Return the reference to the same schema inside a tool."""
        found = target(reference, self._document) if reference.startswith("#/") else None
        if not isinstance(found, Mapping | bool):
            return reference
        name = self._names.get(reference)
        if name is None:
            name = self._named(reference)
            self._needs[name] = set()
            self._places[name] = _path_of(reference)
            # A schema may refer to itself, and to others in a long chain: each is translated in turn.
            self._waiting.append((name, found))
        needs.add(name)
        return f"#/$defs/{name}"

    def _named(self, reference: str) -> str:
        base = _UNNAMEABLE.sub("_", str(_path_of(reference)[-1])) or "schema"
        name, number = base, 1
        while name in self._needs:
            number += 1
            name = f"{base}_{number}"
        self._names[reference] = name
        return name

    def _translated(self, schema: Any, needs: set[str], depth: int) -> Any:
        """Return a schema translated to JSON Schema."""
        if not isinstance(schema, Mapping) or depth <= 0:
            return schema if isinstance(schema, Mapping | bool) else {}
        result: dict[str, Any] = {}
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str):
                result[key] = self._reference(value, needs)
            elif key in ("properties", "patternProperties", "$defs", "definitions") and isinstance(value, Mapping):
                result[key] = {str(name): self._translated(one, needs, depth - 1) for name, one in value.items()}
            elif key in ("allOf", "anyOf", "oneOf", "prefixItems") and isinstance(value, list):
                result[key] = [self._translated(one, needs, depth - 1) for one in value]
            elif key in ("items", "additionalProperties", "not", "contains", "propertyNames") and isinstance(
                value, Mapping
            ):
                result[key] = self._translated(value, needs, depth - 1)
            elif key not in _SILENT:
                result[key] = value
        _in_new_words(schema, result)
        return result


def _in_new_words(schema: Definition, result: dict[str, Any]) -> None:
    """Translate OpenAPI 3.0's own keywords: `nullable`, exclusive bounds, `example`, files."""
    if "example" in schema and "examples" not in schema:
        result["examples"] = [schema["example"]]
    elif not isinstance(result.get("examples", []), list):
        del result["examples"]
    if result.get("type") == "file":
        result["type"] = "string"
    exclude_bounds(result)
    if schema.get("nullable") is not True or allow_null(result):
        return
    if "$ref" in result or "allOf" in result:
        inner = {key: result.pop(key) for key in ("$ref", "allOf") if key in result}
        result["anyOf"] = [inner, {"type": "null"}]


def _is_record(schema: Definition) -> bool:
    """Return whether a schema states only the members of an object."""
    if not isinstance(schema.get("properties"), Mapping) or schema.get("type", "object") != "object":
        return False
    return not any(key in schema for key in ("allOf", "anyOf", "oneOf", "not", "if", "patternProperties", "nullable"))


def _free(name: str, place: str, taken: Mapping[str, Any]) -> str:
    """Return an unused name for an argument."""
    if name not in taken:
        return name
    free, number = f"{name}__{place}", 1
    while free in taken:
        number += 1
        free = f"{name}__{place}{number}"
    return free


def _example(owner: Definition, resolve: Any) -> Any:
    """Return the example of a parameter or a body, None where there is none."""
    if "example" in owner:
        return owner["example"]
    examples = owner.get("examples")
    if isinstance(examples, Mapping):
        for one in examples.values():
            found = resolve(one, ())[0]
            if isinstance(found, Mapping) and "value" in found:
                return found["value"]
    schema = owner.get("schema")
    return schema.get("example") if isinstance(schema, Mapping) else None


def _path_of(reference: str) -> Path:
    """Return the path that a local reference names."""
    if "%" in reference:
        from urllib.parse import unquote

        reference = unquote(reference)
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in reference[2:].split("/"))


SOURCE = OpenApiSource()
