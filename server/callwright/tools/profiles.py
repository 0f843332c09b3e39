"""Tool profiles: what providers demand of tool definitions, as data with the public source of each demand.

Owns: `ToolProfile`, `ToolWants`, `SchemaDemands`, and which profile belongs to a format of definitions. Must not know:
rules, how a demand is checked, transcripts.

A demand is an *error* where the provider's API rejects the list of tools, a *warning* where it may, or where others
that accept such lists do. What a profile does not name it does not demand. Every fact was looked up in 2026.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from callwright.demands import Demand, Severity, error, warning


class ToolWants(enum.Enum):
    """The demands that a provider may make of a definition, in words."""

    NAME = "Names have the form stated above."
    ROOT_TYPE = 'The input schema has `"type": "object"`.'
    ITEMS = "The schema of an array has `items`."
    EXAMPLES = "Examples match the input schema."
    OUTPUT_OBJECT = "The output schema describes an object."


class SchemaWants(enum.Enum):
    """The demands that a provider may make of the schemas inside an input schema, in words."""

    CLOSED = 'Every object has `"additionalProperties": false`.'
    ALL_REQUIRED = "Every property is in `required`."
    NOT_RECURSIVE = "No schema refers to an enclosing schema."
    PLAIN_CHOICES = "The values of an `enum` are neither objects nor arrays."
    TEXT_CHOICES = "The values of an `enum` are strings."
    ONE_TYPE = "`type` is one name, not a list."
    REFERENCES_APART = "No part of an `allOf` is a `$ref`."


#: An `enum` of more values than these has a limit for the characters of all its strings: `LONG_CHOICES`.
MANY_CHOICES: Final = 250


class SchemaLimit(enum.Enum):
    """The quantities that a provider may limit in an input schema, in words."""

    PROPERTIES = "properties in one schema"
    LEVELS = "levels of objects"
    CHOICES = "values in all `enum`s of one schema"
    LONG_CHOICES = f"characters in an `enum` of more than {MANY_CHOICES} strings"
    NAMES = "characters in all names of properties and definitions and all values of `enum` and `const`"
    TOOLS = "tools with strict mode in one request"
    OPTIONAL = "optional properties in all of these tools"
    UNIONS = "properties of several types in all of these tools"


@dataclass(frozen=True, slots=True)
class SchemaDemands:
    """A provider's demands of an input schema and of every schema inside it.

    `title` names the provider. `refused` are keywords that are rejected everywhere, `refused_at_top` those that are
    rejected in the input schema itself; `taken` are values with which a rejected keyword is still accepted. An *info*
    is for what the provider does not list as supported, without a known rejection. `apart` are the keys of a separate
    schema that the demands do not apply to.
    """

    title: str
    source: str
    refused: Mapping[str, Demand] = field(default_factory=dict)
    refused_at_top: Mapping[str, Demand] = field(default_factory=dict)
    taken: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    wants: Mapping[SchemaWants, Demand] = field(default_factory=dict)
    limits: Mapping[SchemaLimit, int] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ToolProfile:
    """What one provider, in one version of its interface, demands of definitions.

    `version` is the revision or date of the facts, empty where the provider names none. `name_characters` are the
    allowed characters of a name and `name_stated` the same in words; `name_start` are those that it may begin with,
    None for any of these. `name_length` is the maximum length. `always` are the demands of every input schema, `strict`
    those of a definition with `"strict": true`.
    """

    name: str
    title: str
    version: str = ""
    demands: Mapping[ToolWants, Demand] = field(default_factory=dict)
    name_characters: str = "a-zA-Z0-9_\\-"
    name_stated: str = "letters, digits, `_` and `-`"
    name_start: str | None = None
    name_length: int = 0
    always: SchemaDemands | None = None
    strict: SchemaDemands | None = None

    def demand(self, wanted: ToolWants) -> Demand | None:
        """Return the demand, None where there is none."""
        return self.demands.get(wanted)

    def accepts_name(self, name: str) -> bool:
        """Return whether a tool may have this name."""
        if self.demand(ToolWants.NAME) is None:
            return True
        if not 0 < len(name) <= self.name_length or re.fullmatch(f"[{self.name_characters}]++", name) is None:
            return False
        return self.name_start is None or re.match(f"[{self.name_start}]", name) is not None

    def accepted_name(self, name: str) -> str | None:
        """Return the name with `_` for each rejected character, None where that is not accepted either."""
        if self.demand(ToolWants.NAME) is None:
            return None
        changed = re.sub(f"[^{self.name_characters}]", "_", name.strip())
        if self.name_start is not None and re.match(f"[{self.name_start}]", changed) is None:
            changed = f"_{changed}"
        return changed if self.accepts_name(changed) and changed.strip("_") else None


_SPEC: Final = "https://modelcontextprotocol.io/specification"
_MCP_ITEMS: Final = "https://github.com/agentscope-ai/ReMe/issues/84"
_OPENAI_ITEMS: Final = "https://github.com/ruvnet/ruflo/issues/1294"
_OPENAI_ROOT: Final = "https://github.com/ComposioHQ/composio/issues/1829"
_OPENAI_NAME: Final = "https://github.com/microsoft/semantic-kernel/issues/5320"
_ANTHROPIC_NAME: Final = "https://github.com/github/copilot-cli/issues/1879"
_ANTHROPIC_ROOT: Final = "https://github.com/lidge-jun/opencodex/issues/75"
_ANTHROPIC_EXAMPLES: Final = (
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use#providing-tool-use-examples"
)
_GEMINI: Final = "https://ai.google.dev/api/caching#FunctionDeclaration"
_GEMINI_ITEMS: Final = "https://github.com/cline/cline/issues/7926"
_BEDROCK: Final = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html"
_MISTRAL: Final = "https://github.com/Kochava-Studios/witsy/pull/164"


def _each(severity: Severity, source: str, keywords: str) -> dict[str, Demand]:
    """Return one demand for each of the keywords."""
    return dict.fromkeys(keywords.split(), Demand(severity, source))


_OPENAI_STRICT: Final = "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas"
_OPENAI_TOP: Final = "https://github.com/cecli-dev/cecli/issues/281"
_ANTHROPIC_STRICT: Final = (
    "https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations"
)
_ANTHROPIC_NUMBERS: Final = "https://github.com/earendil-works/pi/issues/9953"
_ANTHROPIC_TOP: Final = "https://github.com/anthropics/claude-code/issues/27337"
_GEMINI_SCHEMA: Final = "https://ai.google.dev/api/caching#Schema"

#: What OpenAI accepts in a schema, strict or not (December 2025), and with strict mode (February 2026: the limits of
#: enumerations and strings; September 2026: `oneOf`).
_OPENAI_ALWAYS: Final = SchemaDemands(
    "OpenAI", _OPENAI_TOP, refused_at_top=_each("error", _OPENAI_TOP, "oneOf anyOf allOf enum not")
)
_OPENAI_IN_STRICT_MODE: Final = SchemaDemands(
    "OpenAI's strict mode",
    _OPENAI_STRICT,
    refused={
        **_each("error", _OPENAI_STRICT, "allOf not dependentRequired dependentSchemas if then else"),
        **_each("error", "https://github.com/openai/openai-node/pull/2602", "oneOf"),
        **_each("error", "https://github.com/can1357/oh-my-pi/issues/209", "propertyNames"),
        **_each("info", "https://github.com/openai/openai-node/pull/1988", "minLength maxLength"),
        **_each("info", "https://github.com/mastra-ai/mastra/issues/23321", "uniqueItems"),
        **_each("info", _OPENAI_STRICT, "patternProperties unevaluatedProperties minProperties maxProperties"),
        **_each("info", _OPENAI_STRICT, "unevaluatedItems contains minContains maxContains"),
    },
    refused_at_top=_each("error", _OPENAI_STRICT, "anyOf"),
    wants={SchemaWants.CLOSED: error(_OPENAI_STRICT), SchemaWants.ALL_REQUIRED: error(_OPENAI_STRICT)},
    limits={
        SchemaLimit.PROPERTIES: 5_000,
        SchemaLimit.LEVELS: 10,
        SchemaLimit.CHOICES: 1_000,
        SchemaLimit.LONG_CHOICES: 15_000,
        SchemaLimit.NAMES: 120_000,
    },
)
#: What Anthropic accepts in a schema, strict or not (February 2026), and with strict mode (September 2026). Its SDKs
#: rewrite what it does not list before they send it:
#: https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/_parse/_transform.py
_ANTHROPIC_ALWAYS: Final = SchemaDemands(
    "Anthropic", _ANTHROPIC_TOP, refused_at_top=_each("error", _ANTHROPIC_TOP, "oneOf allOf anyOf")
)
_ANTHROPIC_IN_STRICT_MODE: Final = SchemaDemands(
    "Anthropic's strict mode",
    _ANTHROPIC_STRICT,
    refused={
        **_each("error", _ANTHROPIC_NUMBERS, "minimum maximum"),
        **_each("error", _ANTHROPIC_STRICT, "exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength"),
        **_each("error", _ANTHROPIC_STRICT, "minItems maxItems uniqueItems"),
        **_each("info", _ANTHROPIC_STRICT, "oneOf not if then else dependentRequired dependentSchemas"),
        **_each("info", _ANTHROPIC_STRICT, "patternProperties propertyNames minProperties maxProperties"),
        **_each("info", _ANTHROPIC_STRICT, "unevaluatedProperties unevaluatedItems prefixItems"),
        **_each("info", _ANTHROPIC_STRICT, "contains minContains maxContains"),
    },
    taken={"minItems": (0, 1)},
    wants={
        SchemaWants.CLOSED: error(_ANTHROPIC_STRICT),
        SchemaWants.NOT_RECURSIVE: error(_ANTHROPIC_STRICT),
        SchemaWants.PLAIN_CHOICES: error(_ANTHROPIC_STRICT),
        SchemaWants.REFERENCES_APART: error(_ANTHROPIC_STRICT),
    },
    limits={SchemaLimit.TOOLS: 20, SchemaLimit.OPTIONAL: 24, SchemaLimit.UNIONS: 16},
)
#: What `parameters` accepts (September 2026): the fields of Google's own schema format; any other name is rejected as
#: unknown. Vertex AI has fields for the three that are warnings, and `parametersJsonSchema` accepts all of JSON Schema:
#: https://ai.google.dev/api/caching#FunctionDeclaration.
_GEMINI_ALWAYS: Final = SchemaDemands(
    "Gemini's `parameters`",
    _GEMINI_SCHEMA,
    refused={
        **_each("error", "https://github.com/zed-industries/zed/issues/44875", "const"),
        **_each("error", "https://github.com/pizza-bot-app/pizza-bot/issues/62", "exclusiveMinimum exclusiveMaximum"),
        **_each("error", "https://github.com/pizza-bot-app/pizza-bot/issues/62", "multipleOf uniqueItems allOf oneOf"),
        **_each("error", "https://github.com/zendev-sh/goai/pull/108", "propertyNames patternProperties"),
        **_each("error", "https://github.com/router-for-me/CLIProxyAPI/issues/97", "$schema"),
        **_each("error", "https://github.com/router-for-me/CLIProxyAPI/issues/3512", "$comment"),
        **_each("error", _GEMINI_SCHEMA, "not if then else dependentRequired dependentSchemas dependencies"),
        **_each("error", _GEMINI_SCHEMA, "unevaluatedProperties unevaluatedItems contains minContains maxContains"),
        **_each("error", _GEMINI_SCHEMA, "prefixItems definitions $id $anchor examples deprecated readOnly writeOnly"),
        **_each("warning", "https://github.com/adolfousier/opencrabs/issues/99", "additionalProperties"),
        **_each("warning", "https://github.com/librefang/librefang/issues/849", "$ref $defs"),
    },
    wants={
        SchemaWants.ONE_TYPE: error("https://github.com/zed-industries/zed/issues/53919"),
        SchemaWants.TEXT_CHOICES: error("https://github.com/weave-os/router/pull/65"),
    },
    apart=frozenset({"parametersJsonSchema", "parameters_json_schema"}),
)

_PROFILES: Final = (
    ToolProfile(
        "mcp",
        "the Model Context Protocol",
        "2025-11-25",
        {
            ToolWants.NAME: warning(f"{_SPEC}/2025-11-25/server/tools#tool-names"),
            ToolWants.ROOT_TYPE: error(f"{_SPEC}/2025-11-25/schema#tool"),
            ToolWants.ITEMS: warning(_MCP_ITEMS),
            # From 2026-07-28 on an output schema may describe any value:
            # https://modelcontextprotocol.io/seps/2106-json-schema-2020-12
            ToolWants.OUTPUT_OBJECT: warning(f"{_SPEC}/2025-11-25/schema#tool"),
        },
        name_characters="a-zA-Z0-9_\\-.",
        name_stated="letters, digits, `_`, `-` and `.`",
        name_length=128,
    ),
    ToolProfile(
        "mcp-2025-06-18",
        "the Model Context Protocol",
        "2025-06-18",
        {
            ToolWants.ROOT_TYPE: error(f"{_SPEC}/2025-06-18/schema#tool"),
            ToolWants.ITEMS: warning(_MCP_ITEMS),
            ToolWants.OUTPUT_OBJECT: error(f"{_SPEC}/2025-06-18/schema#tool"),
        },
    ),
    ToolProfile(
        "mcp-2026-07-28",
        "the Model Context Protocol",
        "2026-07-28",
        {
            ToolWants.NAME: warning(f"{_SPEC}/2025-11-25/server/tools#tool-names"),
            ToolWants.ROOT_TYPE: error("https://modelcontextprotocol.io/seps/2106-json-schema-2020-12"),
            ToolWants.ITEMS: warning(_MCP_ITEMS),
        },
        name_characters="a-zA-Z0-9_\\-.",
        name_stated="letters, digits, `_`, `-` and `.`",
        name_length=128,
    ),
    ToolProfile(
        "openai",
        "OpenAI",
        demands={
            ToolWants.NAME: error(_OPENAI_NAME),
            ToolWants.ROOT_TYPE: error(_OPENAI_ROOT),
            ToolWants.ITEMS: error(_OPENAI_ITEMS),
        },
        name_length=64,
        always=_OPENAI_ALWAYS,
        strict=_OPENAI_IN_STRICT_MODE,
    ),
    ToolProfile(
        "anthropic",
        "Anthropic",
        demands={
            ToolWants.NAME: error(_ANTHROPIC_NAME),
            ToolWants.ROOT_TYPE: error(_ANTHROPIC_ROOT),
            ToolWants.EXAMPLES: error(_ANTHROPIC_EXAMPLES),
        },
        name_length=128,
        always=_ANTHROPIC_ALWAYS,
        strict=_ANTHROPIC_IN_STRICT_MODE,
    ),
    ToolProfile(
        "gemini",
        "Gemini",
        demands={
            ToolWants.NAME: error(_GEMINI),
            ToolWants.ITEMS: error(_GEMINI_ITEMS),
        },
        name_characters="a-zA-Z0-9_\\-.:",
        name_stated="letters, digits, `_`, `-`, `.` and `:`",
        name_start="a-zA-Z_",
        name_length=128,
        always=_GEMINI_ALWAYS,
    ),
    ToolProfile(
        "bedrock",
        "Bedrock",
        demands={ToolWants.NAME: error(_BEDROCK)},
        name_length=64,
    ),
    ToolProfile(
        "mistral",
        "Mistral",
        demands={ToolWants.NAME: error(_MISTRAL)},
        name_length=64,
    ),
)

NONE: Final = ToolProfile("none", "No provider")
_BY_NAME: Final = {profile.name: profile for profile in _PROFILES}
_OTHER_NAMES: Final = {"openai-responses": "openai"}
#: The profile for tools in the format of one provider.
_OF_SOURCE: Final = {
    "mcp": "mcp",
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "converse": "bedrock",
}

#: The names of all profiles, in display order.
TOOL_PROVIDERS: Final = tuple(_BY_NAME)


def all_tool_profiles() -> tuple[ToolProfile, ...]:
    """Return every profile, in display order."""
    return _PROFILES


def tool_profile(provider: str | None, source: str) -> ToolProfile:
    """Return the profile of a provider; without one, that of the definition's format.

    A provider without demands on tools, and a source without a provider, have the profile that demands nothing.
    """
    if provider is None:
        return _BY_NAME.get(_OF_SOURCE.get(source, ""), NONE)
    return _BY_NAME.get(_OTHER_NAMES.get(provider, provider), NONE)
