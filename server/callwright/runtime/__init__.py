"""Runtime: what an agent needs to read a model's replies strictly, to report errors to the model, and to run its tools.

`StrictParser` reads a reply: valid calls of known tools, or a `ParseError` that says what to correct.
`StrictToolManager` runs calls, dangerous ones only with permission. `FeedbackLoop` does both until the model answers:

    manager = StrictToolManager([ReadFile("."), WriteFile(".")], approve=ask_a_person)
    parser = StrictParser(tools=manager.registry, dialect="hermes")
    result = FeedbackLoop(model=model, parser=parser, manager=manager).run(messages)

`StreamingParser` and `StrictParser.stream` read a reply while it arrives and return `Event`s. A `Session` or a `Log`
records the run for `callwright replay` and `callwright report`.

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
    from callwright.runtime.feedback_texts import ENGLISH, Words
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

#: The public names, by the module that defines them.
_HOMES: Final = {
    "api": "Call",
    "rules.base": "ErrorType",
    "runtime.errors": "ParseError ParseResult",
    "runtime.events": "CallClosed CallDropped CallOpened Event",
    "runtime.feedback": "Feedback",
    "runtime.limits": "Limits",
    "runtime.log": "Log LogEvent to_all to_jsonl to_logging to_span_events",
    "runtime.loop": "CallRunner FeedbackLoop",
    "runtime.models": "NativeCallError Reply ReplyError anthropic_messages openai_chat",
    "runtime.rejection": "FailedCall",
    "runtime.replies": "Model",
    "runtime.session": "Session SessionError",
    "runtime.streaming": "StreamingParser",
    "runtime.strict": "StrictParser",
    "runtime.strict_stream": "StrictStream",
    "runtime.strikes": "Strikes",
    "runtime.tools.base": "StrictTool ToolError ToolResult",
    "runtime.tools.envelope": "Envelope envelope_schema",
    "runtime.tools.functions": "tool_from",
    "runtime.tools.list_files": "ListFiles",
    "runtime.tools.manager": "Approve StrictToolManager",
    "runtime.tools.read_file": "ReadFile",
    "runtime.tools.results": "render_results",
    "runtime.tools.write_file": "WriteFile",
    "runtime.turns": "LoopResult",
    "runtime.feedback_texts": "ENGLISH Words",
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
    home = next((module for module, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module 'callwright.runtime' has no attribute '{name}'")
    return getattr(import_module(f"callwright.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
