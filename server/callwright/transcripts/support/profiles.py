"""Profiles: what the providers demand of a conversation, as data with the public source of each demand.

Owns: `Profile`, `Wants` and the list of providers. Must not know: shapes, rules, how a demand is checked.

A demand is an *error* where the provider's interface rejects the conversation, a *warning* where it may, and *info*
where it works worse. What is not in a profile is not demanded.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Final, Literal

from callwright.demands import Demand, error, info, warning
from callwright.text.patterns import compile_later
from callwright.text.records import dataclass, field, replace


class Wants(enum.Enum):
    """The things that a provider may demand, in words."""

    ANSWERED = "Every call has a result before the conversation continues."
    ASKED = "Every result belongs to a call."
    ADJACENT = "Results directly follow the message with the calls."
    TOGETHER = "The results of one message's calls are in one message."
    ORDER = "Results without ids are in the order of the calls."
    RESULTS_FIRST = "In a message with results, they come before its text."
    IDS = "Calls and results have ids."
    UNIQUE = "No two calls of a conversation have the same id, and no two results belong to the same call."
    ID_FORM = "Ids have the form stated above."
    ARGUMENTS = "Arguments have the form stated above."
    ROLES = "Only the roles listed above occur."
    USER_FIRST = "After the system message, the first message is the user's."
    ALTERNATION = "No two assistant messages are in a row."
    CALLS_AFTER_USER = "A message with calls follows a user message or results."
    OUTPUT_SCHEMA = "A result matches the output schema of its tool."


@dataclass(frozen=True, slots=True)
class Profile:
    """What one provider demands.

    `arguments` is the form of a call's arguments: JSON in a string, or the object itself; where `argument_keys` names
    members, this is demanded of these only. `roles` are the allowed roles of messages. With `merges`, consecutive
    messages of one role count as one message. `id_stated` is how a message describes `id_pattern`.
    """

    name: str
    title: str
    demands: Mapping[Wants, Demand] = field(default_factory=dict)
    arguments: Literal["string", "object"] | None = None
    argument_keys: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    merges: bool = False
    id_pattern: re.Pattern[str] | None = None
    id_stated: str = ""

    def severity(self, wanted: Wants) -> str | None:
        """Return how severe it is if a demand is not met, None where it is not made."""
        demand = self.demands.get(wanted)
        return demand.severity if demand is not None else None


_CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/create"
_CHAT_REFUSAL: Final = "https://github.com/BerriAI/litellm/issues/10083"
_RESPONSES: Final = "https://platform.openai.com/docs/api-reference/responses/create"
_RESPONSES_ANSWERED: Final = "https://github.com/bytedance/trae-agent/issues/245"
_RESPONSES_ASKED: Final = "https://github.com/continuedev/continue/issues/10092"
_MESSAGES: Final = "https://docs.anthropic.com/en/api/messages"
_TOOL_USE: Final = "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use"
_CONTENTS: Final = "https://ai.google.dev/api/caching#Content"
_FUNCTIONS: Final = "https://ai.google.dev/gemini-api/docs/function-calling"
_GEMINI_COUNT: Final = "https://github.com/google-gemini/gemini-cli/issues/3814"
_GEMINI_TURN: Final = "https://github.com/google-gemini/gemini-cli/issues/26486"
_GEMINI_RESPONSE: Final = "https://github.com/GoogleCloudPlatform/generative-ai/pull/368"
_CONVERSE: Final = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_{}.html"
_CONVERSE_ANSWERED: Final = "https://github.com/camel-ai/camel/issues/3954"
_CONVERSE_ASKED: Final = "https://github.com/pydantic/pydantic-ai/issues/2327"
_MISTRAL: Final = "https://docs.mistral.ai/capabilities/function_calling/"
_MISTRAL_ID: Final = (
    "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py"
)
_MCP: Final = "https://modelcontextprotocol.io/specification/2025-06-18/basic"
_MCP_TOOLS: Final = "https://modelcontextprotocol.io/specification/2025-06-18/server/tools"
_LANGCHAIN: Final = (
    "https://python.langchain.com/api_reference/core/messages/langchain_core.messages.tool.ToolCall.html"
)
_LANGGRAPH: Final = "https://docs.langchain.com/oss/python/langgraph/errors/INVALID_CHAT_HISTORY"
_LANGCHAIN_RESULTS: Final = "https://docs.langchain.com/oss/python/langchain/errors/INVALID_TOOL_RESULTS"
_VERCEL: Final = "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"
_VERCEL_MISSING: Final = (
    "https://github.com/vercel/ai/blob/main/packages/ai/src/prompt/convert-to-language-model-prompt.ts"
)
_TEMPLATES_ALTERNATE: Final = "https://github.com/eclipse-theia/theia/issues/17104"
_HUGGING_FACE: Final = "https://huggingface.co/docs/transformers/main/en/chat_extras"

NONE: Final = Profile("none", "No provider")

_PROFILES: Final = (
    Profile(
        "openai",
        "OpenAI chat completions",
        {
            Wants.ANSWERED: error(_CHAT_REFUSAL),
            Wants.ASKED: error(_CHAT),
            Wants.ADJACENT: error(_CHAT_REFUSAL),
            Wants.IDS: error(_CHAT),
            Wants.UNIQUE: warning(_CHAT),
            Wants.ID_FORM: warning("https://github.com/agno-agi/agno/issues/5382"),
            Wants.ARGUMENTS: error(_CHAT),
            Wants.ROLES: error(_CHAT),
        },
        arguments="string",
        roles=frozenset({"system", "developer", "user", "assistant", "tool", "function"}),
        # The ids of servers with OpenAI's interface come back to them, not to OpenAI.
        id_pattern=compile_later(r"chatcmpl-tool-[0-9a-f]{32}|.{1,40}", re.DOTALL),
        id_stated="at most 40 characters",
    ),
    Profile(
        "openai-responses",
        "OpenAI responses",
        {
            Wants.ANSWERED: error(_RESPONSES_ANSWERED),
            Wants.ASKED: error(_RESPONSES_ASKED),
            Wants.IDS: error(_RESPONSES),
            Wants.UNIQUE: warning(_RESPONSES),
            Wants.ID_FORM: error("https://github.com/openai/openai-openapi"),
            Wants.ARGUMENTS: error(_RESPONSES),
            Wants.ROLES: error(_RESPONSES),
        },
        arguments="string",
        roles=frozenset({"system", "developer", "user", "assistant"}),
        merges=True,
        id_pattern=compile_later(r".{1,64}", re.DOTALL),
        id_stated="at most 64 characters",
    ),
    Profile(
        "anthropic",
        "Anthropic messages",
        {
            Wants.ANSWERED: error(_TOOL_USE),
            Wants.ASKED: error(_TOOL_USE),
            Wants.ADJACENT: error(_TOOL_USE),
            Wants.TOGETHER: info(_TOOL_USE),
            Wants.RESULTS_FIRST: error(_TOOL_USE),
            Wants.IDS: error(_TOOL_USE),
            Wants.UNIQUE: error("https://github.com/vectorize-io/hindsight/pull/4250"),
            Wants.ID_FORM: error(_MESSAGES),
            Wants.ARGUMENTS: error(_TOOL_USE),
            Wants.ROLES: error(_MESSAGES),
            Wants.USER_FIRST: warning(_MESSAGES),
        },
        arguments="object",
        roles=frozenset({"user", "assistant"}),
        merges=True,
        id_pattern=compile_later(r"[a-zA-Z0-9_-]+"),
        id_stated="letters, digits, `_` and `-`",
    ),
    Profile(
        "gemini",
        "Gemini contents",
        {
            Wants.ANSWERED: error(_GEMINI_COUNT),
            Wants.ASKED: error(_GEMINI_RESPONSE),
            Wants.ADJACENT: error(_GEMINI_RESPONSE),
            Wants.TOGETHER: error(_GEMINI_COUNT),
            Wants.ORDER: warning(_FUNCTIONS),
            Wants.ARGUMENTS: error("https://ai.google.dev/api/caching#FunctionCall"),
            Wants.ROLES: error(_CONTENTS),
            Wants.USER_FIRST: warning(_CONTENTS),
            Wants.CALLS_AFTER_USER: error(_GEMINI_TURN),
        },
        arguments="object",
        roles=frozenset({"user", "model", "function", "tool"}),
        merges=True,
    ),
    Profile(
        "bedrock",
        "Bedrock Converse messages",
        {
            Wants.ANSWERED: error(_CONVERSE_ANSWERED),
            Wants.ASKED: error(_CONVERSE_ASKED),
            Wants.ADJACENT: error(_CONVERSE_ANSWERED),
            Wants.IDS: error(_CONVERSE.format("ToolUseBlock")),
            Wants.ROLES: error(_CONVERSE.format("Message")),
        },
        roles=frozenset({"user", "assistant"}),
        merges=True,
    ),
    Profile(
        "mistral",
        "Mistral chat completions",
        {
            Wants.ANSWERED: error(_MISTRAL_ID),
            Wants.ASKED: error(_MISTRAL_ID),
            Wants.ADJACENT: error(_MISTRAL_ID),
            Wants.IDS: error(_MISTRAL),
            Wants.UNIQUE: warning(_MISTRAL),
            Wants.ID_FORM: error(_MISTRAL_ID),
            Wants.ROLES: error(_MISTRAL),
            Wants.ALTERNATION: warning(_TEMPLATES_ALTERNATE),
        },
        roles=frozenset({"system", "user", "assistant", "tool"}),
        id_pattern=compile_later(r"[a-zA-Z0-9]{9}"),
        id_stated="nine letters or digits",
    ),
    Profile(
        "mcp",
        "Model Context Protocol",
        {
            Wants.ANSWERED: info(_MCP),
            Wants.ASKED: warning(_MCP),
            Wants.IDS: error(_MCP),
            Wants.UNIQUE: error(_MCP),
            Wants.ARGUMENTS: error(_MCP_TOOLS),
            Wants.OUTPUT_SCHEMA: error(_MCP_TOOLS),
        },
        arguments="object",
        merges=True,
    ),
    Profile(
        "langchain",
        "LangChain messages",
        {
            Wants.ANSWERED: warning(_LANGGRAPH),
            Wants.ASKED: warning(_LANGCHAIN_RESULTS),
            Wants.ADJACENT: warning(_LANGCHAIN_RESULTS),
            Wants.UNIQUE: warning(_LANGCHAIN_RESULTS),
            Wants.ARGUMENTS: error(_LANGCHAIN),
        },
        arguments="object",
        argument_keys=frozenset({"args"}),
        merges=True,
    ),
    Profile(
        "vercel",
        "Vercel AI SDK messages",
        {
            Wants.ANSWERED: warning(_VERCEL_MISSING),
            Wants.ASKED: warning(_VERCEL),
            Wants.IDS: error(_VERCEL),
            Wants.UNIQUE: warning(_VERCEL),
            Wants.ARGUMENTS: error(_VERCEL),
            Wants.ROLES: error(_VERCEL),
        },
        arguments="object",
        roles=frozenset({"system", "user", "assistant", "tool", "data"}),
        merges=True,
    ),
    Profile(
        "huggingface",
        "Hugging Face chat templates",
        {
            Wants.ORDER: warning(_HUGGING_FACE),
            Wants.ARGUMENTS: warning(_HUGGING_FACE),
            Wants.ALTERNATION: warning(_TEMPLATES_ALTERNATE),
        },
        arguments="object",
    ),
    NONE,
)

#: The names of all profiles, in the order in which they are listed to people.
PROVIDERS: Final = tuple(profile.name for profile in _PROFILES)

_BY_NAME: Final = {profile.name: profile for profile in _PROFILES}
_OTHER_NAMES: Final = {
    "vercel-ai": "vercel",
    "chat-template": "huggingface",
    "responses": "openai-responses",
    # Revisions of the protocol differ in what they demand of tools, not of conversations.
    "mcp-2025-06-18": "mcp",
    "mcp-2026-07-28": "mcp",
}

#: What chat templates and trainers accept: calls without ids, with arguments in either form.
TRAINING: Final = replace(
    _BY_NAME["huggingface"],
    demands={Wants.ORDER: warning(_HUGGING_FACE)},
    arguments=None,
)


def all_profiles() -> tuple[Profile, ...]:
    """Return every profile, in the order in which they are listed to people."""
    return _PROFILES


def find_profile(name: str | None) -> Profile:
    """Return the profile of a provider, and the one that demands nothing for a name that is not known."""
    return _BY_NAME.get(_OTHER_NAMES.get(name or "", name or ""), NONE)
