"""How a conversation is written as a row: one function a shape, and where in the row its faults will be found.

Owns: the shapes of the corpus: OpenAI's fine-tuning messages, Anthropic's messages, ShareGPT's conversations with calls
in a text dialect, ATIF trajectories. Must not know: the texts, which faults there are, files.

A row is what a line of JSONL holds, and a row of a table has for columns. `place` says where a call of an exchange is
in it: the index in the list of messages, and the number of the call within that message.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

from benchmarks.corpora.conversations import FUNCTIONS, SYSTEM, TOOLS, Call, Conversation, Exchange
from benchmarks.corpora.value_formats import FORMATS, Format, as_json

#: What a call is in a shape: JSON in a string, an object, or a segment of a text.
Kept = Literal["string", "object", "text"]


class Shape(ABC):
    """A shape of transcripts, in one dialect where calls are text."""

    name: str
    kept: ClassVar[Kept]
    prefix: ClassVar[str] = "call_"
    #: Which member holds the list of messages, and what each message is called by.
    messages: ClassVar[str]

    @property
    @abstractmethod
    def dialect(self) -> str | None:
        """The dialect that its calls are in; None where they are fields."""

    @abstractmethod
    def row(self, conversation: Conversation) -> dict[str, Any]:
        """Return the conversation as a row."""

    @abstractmethod
    def turn(self, exchange: int) -> int:
        """Return the index of the message that calls in an exchange."""

    @abstractmethod
    def result_turn(self, exchange: int) -> int:
        """Return the index of the message that holds the result of an exchange."""


class OpenAI(Shape):
    """Lines as OpenAI's fine-tuning takes them: `messages` and `tools`."""

    name = "openai"
    kept = "string"
    messages = "messages"
    dialect = None

    def row(self, conversation: Conversation) -> dict[str, Any]:
        """Return the conversation as a row."""
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": conversation.request},
        ]
        for each in conversation.exchanges:
            call = each.call
            text = as_json(call.arguments) if call.written is None else call.written
            entry = {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": text}}
            messages.append({"role": "assistant", "content": each.stated, "tool_calls": [entry]})
            if each.result_id is not None:
                messages.append({"role": "tool", "tool_call_id": each.result_id, "content": each.result})
        messages.append({"role": "assistant", "content": conversation.answer})
        return {"messages": messages, "tools": FUNCTIONS}

    def turn(self, exchange: int) -> int:
        """Return the index of the message that calls in an exchange."""
        return 2 + 2 * exchange

    def result_turn(self, exchange: int) -> int:
        """Return the index of the message that holds the result of an exchange."""
        return 3 + 2 * exchange


class Anthropic(Shape):
    """Requests of Anthropic's messages interface: `system`, `messages` in blocks, and `tools`."""

    name = "anthropic"
    kept = "object"
    prefix = "toolu_"
    messages = "messages"
    dialect = None

    def row(self, conversation: Conversation) -> dict[str, Any]:
        """Return the conversation as a row."""
        messages: list[dict[str, Any]] = [{"role": "user", "content": conversation.request}]
        for each in conversation.exchanges:
            call = each.call
            use = {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}
            messages.append({"role": "assistant", "content": [{"type": "text", "text": each.stated}, use]})
            if each.result_id is not None:
                result = {"type": "tool_result", "tool_use_id": each.result_id, "content": each.result}
                messages.append({"role": "user", "content": [result]})
            else:
                messages.append({"role": "user", "content": "And?"})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": conversation.answer}]})
        return {"system": SYSTEM, "messages": messages, "tools": TOOLS}

    def turn(self, exchange: int) -> int:
        """Return the index of the message that calls in an exchange."""
        return 1 + 2 * exchange

    def result_turn(self, exchange: int) -> int:
        """Return the index of the message that holds the result of an exchange."""
        return 2 + 2 * exchange


class ShareGPT(Shape):
    """Conversations as `from` and `value`, with calls in a dialect and the tools in a column of their own."""

    kept = "text"
    messages = "conversations"

    def __init__(self, value_format: Format) -> None:
        self.value_format = value_format
        self.name = f"sharegpt-{value_format.name}"

    @property
    def dialect(self) -> str | None:
        """The dialect that its calls are in."""
        return self.value_format.name

    def text(self, call: Call) -> str:
        """Return a call as it is in a message's text."""
        return self.value_format.write(call.tool, call.arguments) if call.written is None else call.written

    def row(self, conversation: Conversation) -> dict[str, Any]:
        """Return the conversation as a row."""
        entries = [{"from": "system", "value": SYSTEM}, {"from": "human", "value": conversation.request}]
        for each in conversation.exchanges:
            entries.append({"from": "gpt", "value": f"{before(each)}{self.text(each.call)}"})
            result = self.value_format.result(each.call.tool, each.result)
            entries.append({"from": "tool" if self.value_format.name == "hermes" else "human", "value": result})
        entries.append({"from": "gpt", "value": conversation.answer})
        return {"conversations": entries, "tools": as_json(FUNCTIONS)}

    def turn(self, exchange: int) -> int:
        """Return the index of the message that calls in an exchange."""
        return 2 + 2 * exchange

    def result_turn(self, exchange: int) -> int:
        """Return the index of the message that holds the result of an exchange."""
        return 3 + 2 * exchange


def before(exchange: Exchange) -> str:
    """Return the text in front of a call, in which no tag may seem to begin."""
    return exchange.stated.replace("<", "is less than").replace("&", "and") + "\n"


class Atif(Shape):
    """Trajectories of the Agent Trajectory Interchange Format."""

    name = "atif"
    kept = "object"
    messages = "steps"
    dialect = None

    def row(self, conversation: Conversation) -> dict[str, Any]:
        """Return the conversation as a row."""
        steps: list[dict[str, Any]] = [
            {"step_id": 1, "source": "system", "message": SYSTEM},
            {"step_id": 2, "source": "user", "message": conversation.request},
        ]
        for each in conversation.exchanges:
            call = each.call
            entry = {"tool_call_id": call.id, "function_name": call.tool, "arguments": call.arguments}
            step = {"step_id": len(steps) + 1, "source": "agent", "message": each.stated, "tool_calls": [entry]}
            if each.result_id is not None:
                step["observation"] = {"results": [{"source_call_id": each.result_id, "content": each.result}]}
            steps.append(step)
        steps.append({"step_id": len(steps) + 1, "source": "agent", "message": conversation.answer})
        agent = {"name": "made", "version": "1.0", "model_name": "made", "tool_definitions": FUNCTIONS}
        return {"schema_version": "ATIF-v1.4", "session_id": "made", "agent": agent, "steps": steps}

    def turn(self, exchange: int) -> int:
        """Return the index of the step that calls in an exchange."""
        return 2 + exchange

    def result_turn(self, exchange: int) -> int:
        """Return the index of the step that holds the result of an exchange."""
        return 2 + exchange


SHAPES: dict[str, Shape] = {
    each.name: each for each in (OpenAI(), Anthropic(), *map(ShareGPT, FORMATS.values()), Atif())
}
