"""Runtime: what an agent needs to read a model's replies strictly, to tell it what is wrong, and to run its tools.

`StrictParser` reads a reply: sound calls of known tools, or a `ParseError` that says what to correct.
`StrictToolManager` runs calls, dangerous ones only with leave. `FeedbackLoop` does both until the model answers:

    manager = StrictToolManager([ReadFile("."), WriteFile(".")], approve=ask_a_person)
    parser = StrictParser(tools=manager.registry, dialect="hermes")
    result = FeedbackLoop(model=model, parser=parser, manager=manager).run(messages)

`StreamingParser` and `StrictParser.stream` read a reply while it arrives and give `Event`s. A `Session` or a `Log`
keeps what happened, for `callwright replay` and `callwright report`.

Owns: the public names. Must not know: editors; each name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callwright.api import Call
    from callwright.rules.base import ErrorType
    from callwright.runtime.errors import ParseError, ParseResult
    from callwright.runtime.events import CallClosed, CallDropped, CallOpened, Event
    from callwright.runtime.feedback import Feedback
    from callwright.runtime.limits import Limits
    from callwright.runtime.log import Log, LogEvent, to_all, to_jsonl, to_logging, to_span_events
    from callwright.runtime.loop import CallRunner, FeedbackLoop
    from callwright.runtime.models import NativeCallError, Reply, ReplyError, anthropic_messages, openai_chat
    from callwright.runtime.rejection import FailedCall
    from callwright.runtime.replies import Model
    from callwright.runtime.session import Session, SessionError
    from callwright.runtime.streaming import StreamingParser
    from callwright.runtime.strict import StrictParser
    from callwright.runtime.strict_stream import StrictStream
    from callwright.runtime.strikes import Strikes
    from callwright.runtime.tools.base import StrictTool, ToolError, ToolResult
    from callwright.runtime.tools.envelope import Envelope, envelope_schema
    from callwright.runtime.tools.functions import tool_from
    from callwright.runtime.tools.list_files import ListFiles
    from callwright.runtime.tools.manager import Approve, StrictToolManager
    from callwright.runtime.tools.read_file import ReadFile
    from callwright.runtime.tools.results import render_results
    from callwright.runtime.tools.write_file import WriteFile
    from callwright.runtime.turns import LoopResult
    from callwright.runtime.words import ENGLISH, Words

#: Where each public name is defined.
_HOMES: Final = {
    "Approve": "callwright.runtime.tools.manager",
    "Call": "callwright.api",
    "CallClosed": "callwright.runtime.events",
    "CallDropped": "callwright.runtime.events",
    "CallOpened": "callwright.runtime.events",
    "CallRunner": "callwright.runtime.loop",
    "ENGLISH": "callwright.runtime.words",
    "Envelope": "callwright.runtime.tools.envelope",
    "ErrorType": "callwright.rules.base",
    "Event": "callwright.runtime.events",
    "FailedCall": "callwright.runtime.rejection",
    "Feedback": "callwright.runtime.feedback",
    "FeedbackLoop": "callwright.runtime.loop",
    "Limits": "callwright.runtime.limits",
    "ListFiles": "callwright.runtime.tools.list_files",
    "Log": "callwright.runtime.log",
    "LogEvent": "callwright.runtime.log",
    "LoopResult": "callwright.runtime.turns",
    "Model": "callwright.runtime.replies",
    "NativeCallError": "callwright.runtime.models",
    "ParseError": "callwright.runtime.errors",
    "ParseResult": "callwright.runtime.errors",
    "ReadFile": "callwright.runtime.tools.read_file",
    "Reply": "callwright.runtime.models",
    "ReplyError": "callwright.runtime.models",
    "Session": "callwright.runtime.session",
    "SessionError": "callwright.runtime.session",
    "StreamingParser": "callwright.runtime.streaming",
    "StrictParser": "callwright.runtime.strict",
    "StrictStream": "callwright.runtime.strict_stream",
    "StrictTool": "callwright.runtime.tools.base",
    "StrictToolManager": "callwright.runtime.tools.manager",
    "Strikes": "callwright.runtime.strikes",
    "ToolError": "callwright.runtime.tools.base",
    "ToolResult": "callwright.runtime.tools.base",
    "Words": "callwright.runtime.words",
    "WriteFile": "callwright.runtime.tools.write_file",
    "anthropic_messages": "callwright.runtime.models",
    "envelope_schema": "callwright.runtime.tools.envelope",
    "openai_chat": "callwright.runtime.models",
    "render_results": "callwright.runtime.tools.results",
    "to_all": "callwright.runtime.log",
    "to_jsonl": "callwright.runtime.log",
    "to_logging": "callwright.runtime.log",
    "to_span_events": "callwright.runtime.log",
    "tool_from": "callwright.runtime.tools.functions",
}
__all__ = [
    "ENGLISH",
    "Approve",
    "Call",
    "CallClosed",
    "CallDropped",
    "CallOpened",
    "CallRunner",
    "Envelope",
    "ErrorType",
    "Event",
    "FailedCall",
    "Feedback",
    "FeedbackLoop",
    "Limits",
    "ListFiles",
    "Log",
    "LogEvent",
    "LoopResult",
    "Model",
    "NativeCallError",
    "ParseError",
    "ParseResult",
    "ReadFile",
    "Reply",
    "ReplyError",
    "Session",
    "SessionError",
    "StreamingParser",
    "StrictParser",
    "StrictStream",
    "StrictTool",
    "StrictToolManager",
    "Strikes",
    "ToolError",
    "ToolResult",
    "Words",
    "WriteFile",
    "anthropic_messages",
    "envelope_schema",
    "openai_chat",
    "render_results",
    "to_all",
    "to_jsonl",
    "to_logging",
    "to_span_events",
    "tool_from",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'callwright.runtime' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
