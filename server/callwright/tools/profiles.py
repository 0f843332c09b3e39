"""Tool profiles: what the providers demand of the definitions of tools, as data with the public source of each demand.

Owns: `ToolProfile`, `ToolDemand`, `ToolWants`, and which profile goes with a way of writing definitions. Must not know:
rules, how a demand is checked, transcripts.

A demand is an *error* where the provider's interface refuses the list of tools, a *warning* where it may or where
others that take the list do. What a profile does not name it does not demand. Every fact was looked up in 2026.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal


class ToolWants(enum.StrEnum):
    """The things that a provider may demand of a definition; `TOOL_WANTED` says each in words."""

    NAME = "name"
    ROOT_TYPE = "root-type"
    ITEMS = "items"
    EXAMPLES = "examples"
    OUTPUT_OBJECT = "output-object"


TOOL_WANTED: Final[Mapping[ToolWants, str]] = {
    ToolWants.NAME: "Names have the form that is named above.",
    ToolWants.ROOT_TYPE: 'The input schema says `"type": "object"` itself.',
    ToolWants.ITEMS: "A schema of an array says what its `items` are.",
    ToolWants.EXAMPLES: "Examples fit the input schema.",
    ToolWants.OUTPUT_OBJECT: "The output schema describes an object.",
}


@dataclass(frozen=True, slots=True)
class ToolDemand:
    """How bad it is where a demand is not met, and where the provider (or whoever met its refusal) says so."""

    severity: Literal["error", "warning", "info"]
    source: str


@dataclass(frozen=True, slots=True)
class ToolProfile:
    """What one provider, in one version of its interface, demands of definitions.

    `version` is the revision or date that the facts are of, empty where the provider names none. `name_characters` is
    what a name is made of and `name_said` says so to people; `name_start` is what it may begin with, None for any of
    these. `name_length` is how long it may be.
    """

    name: str
    title: str
    version: str = ""
    demands: Mapping[ToolWants, ToolDemand] = field(default_factory=dict)
    name_characters: str = ""
    name_said: str = ""
    name_start: str | None = None
    name_length: int = 0

    def demand(self, wanted: ToolWants) -> ToolDemand | None:
        """Return what is demanded, None where nothing is."""
        return self.demands.get(wanted)

    def accepts_name(self, name: str) -> bool:
        """Tell whether a tool may have this name."""
        if self.demand(ToolWants.NAME) is None:
            return True
        if not 0 < len(name) <= self.name_length or re.fullmatch(f"[{self.name_characters}]++", name) is None:
            return False
        return self.name_start is None or re.match(f"[{self.name_start}]", name) is not None

    def accepted_name(self, name: str) -> str | None:
        """Return the name with `_` for each character that is refused, None where that is not accepted either."""
        if self.demand(ToolWants.NAME) is None:
            return None
        changed = re.sub(f"[^{self.name_characters}]", "_", name.strip())
        if self.name_start is not None and re.match(f"[{self.name_start}]", changed) is None:
            changed = f"_{changed}"
        return changed if self.accepts_name(changed) and changed.strip("_") else None


def _error(source: str) -> ToolDemand:
    return ToolDemand("error", source)


def _warning(source: str) -> ToolDemand:
    return ToolDemand("warning", source)


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

_WORD: Final = "a-zA-Z0-9_\\-"
_WORD_SAID: Final = "letters, digits, `_` and `-`"

_PROFILES: Final = (
    ToolProfile(
        "mcp",
        "the Model Context Protocol",
        "2025-11-25",
        {
            ToolWants.NAME: _warning(f"{_SPEC}/2025-11-25/server/tools#tool-names"),
            ToolWants.ROOT_TYPE: _error(f"{_SPEC}/2025-11-25/schema#tool"),
            ToolWants.ITEMS: _warning(_MCP_ITEMS),
            # From 2026-07-28 on an output schema may describe any value:
            # https://modelcontextprotocol.io/seps/2106-json-schema-2020-12
            ToolWants.OUTPUT_OBJECT: _warning(f"{_SPEC}/2025-11-25/schema#tool"),
        },
        name_characters=f"{_WORD}.",
        name_said="letters, digits, `_`, `-` and `.`",
        name_length=128,
    ),
    ToolProfile(
        "mcp-2025-06-18",
        "the Model Context Protocol",
        "2025-06-18",
        {
            ToolWants.ROOT_TYPE: _error(f"{_SPEC}/2025-06-18/schema#tool"),
            ToolWants.ITEMS: _warning(_MCP_ITEMS),
            ToolWants.OUTPUT_OBJECT: _error(f"{_SPEC}/2025-06-18/schema#tool"),
        },
    ),
    ToolProfile(
        "mcp-2026-07-28",
        "the Model Context Protocol",
        "2026-07-28",
        {
            ToolWants.NAME: _warning(f"{_SPEC}/2025-11-25/server/tools#tool-names"),
            ToolWants.ROOT_TYPE: _error("https://modelcontextprotocol.io/seps/2106-json-schema-2020-12"),
            ToolWants.ITEMS: _warning(_MCP_ITEMS),
        },
        name_characters=f"{_WORD}.",
        name_said="letters, digits, `_`, `-` and `.`",
        name_length=128,
    ),
    ToolProfile(
        "openai",
        "OpenAI",
        demands={
            ToolWants.NAME: _error(_OPENAI_NAME),
            ToolWants.ROOT_TYPE: _error(_OPENAI_ROOT),
            ToolWants.ITEMS: _error(_OPENAI_ITEMS),
        },
        name_characters=_WORD,
        name_said=_WORD_SAID,
        name_length=64,
    ),
    ToolProfile(
        "anthropic",
        "Anthropic",
        demands={
            ToolWants.NAME: _error(_ANTHROPIC_NAME),
            ToolWants.ROOT_TYPE: _error(_ANTHROPIC_ROOT),
            ToolWants.EXAMPLES: _error(_ANTHROPIC_EXAMPLES),
        },
        name_characters=_WORD,
        name_said=_WORD_SAID,
        name_length=128,
    ),
    ToolProfile(
        "gemini",
        "Gemini",
        demands={
            ToolWants.NAME: _error(_GEMINI),
            ToolWants.ITEMS: _error(_GEMINI_ITEMS),
        },
        name_characters=f"{_WORD}.:",
        name_said="letters, digits, `_`, `-`, `.` and `:`",
        name_start="a-zA-Z_",
        name_length=128,
    ),
    ToolProfile(
        "bedrock",
        "Bedrock",
        demands={ToolWants.NAME: _error(_BEDROCK)},
        name_characters=_WORD,
        name_said=_WORD_SAID,
        name_length=64,
    ),
    ToolProfile(
        "mistral",
        "Mistral",
        demands={ToolWants.NAME: _error(_MISTRAL)},
        name_characters=_WORD,
        name_said=_WORD_SAID,
        name_length=64,
    ),
)

NONE: Final = ToolProfile("none", "No provider")
_BY_NAME: Final = {profile.name: profile for profile in _PROFILES}
_OTHER_NAMES: Final = {"openai-responses": "openai"}
#: The profile of tools that are written as one provider takes them.
_OF_SOURCE: Final = {
    "mcp": "mcp",
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "converse": "bedrock",
}

#: The names of all profiles, in the order in which they are listed to people.
TOOL_PROVIDERS: Final = tuple(_BY_NAME)


def all_tool_profiles() -> tuple[ToolProfile, ...]:
    """Return every profile, in the order in which they are listed to people."""
    return _PROFILES


def tool_profile(provider: str | None, source: str) -> ToolProfile:
    """Return the profile of a provider; without one that of the way in which a definition is written.

    A provider that demands nothing of tools, and a source that is nobody's, have the one that demands nothing.
    """
    if provider is None:
        return _BY_NAME.get(_OF_SOURCE.get(source, ""), NONE)
    return _BY_NAME.get(_OTHER_NAMES.get(provider, provider), NONE)
