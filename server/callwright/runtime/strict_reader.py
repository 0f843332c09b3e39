"""Reads a reply strictly: its calls, or why it is rejected; nothing is guessed and nothing is fixed.

Owns: `StrictReader`, which diagnostics reject a reply, and which of them the error reports. Must not know: how the
options of a parser are checked, the words of the message to the model, how a model is asked.

A call is returned only if it is in an accepted dialect, without an error, and its arguments match its tool's schema.
One invalid call rejects the whole reply, and so does text in the form of a call of an unknown tool. Code spans,
comments and reasoning are prose.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from callwright.calls.call import Call
from callwright.calls.model import JsonValue, MarkupValue
from callwright.dialects.catalogue import find_dialect
from callwright.document.reader import read_context, read_reply
from callwright.document.settings import Settings
from callwright.fastpath.fast_paths import IN_TEXTS, may_answer
from callwright.recovery.missed_calls import traces_of
from callwright.recovery.unmatched_markers import doubled_closers, doubled_openers, text_after, truncated_closers
from callwright.rules.base import Diagnostic, ErrorType, Severity
from callwright.runtime.limits import DEFAULT, Limits
from callwright.runtime.rejection import FailedCall, Rejection
from callwright.schema.binding import bind
from callwright.syntax.value_format import JSON
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.calls.protocol import Disagreement
    from callwright.document.reader import FoundCall, ReadResult
    from callwright.schema.binding import Binding
    from callwright.syntax.problem import Problem
    from callwright.tools.model import ToolSchema

_OTHER_DIALECT: Final = "TC401"
_UNKNOWN_TOOL: Final = "TC301"
_SKIPPED: Final = "TC114"
#: How many problems of a reply are reported.
_MAX_PROBLEMS: Final = 500
#: The remedy where two readers read a call differently.
_PLAINER: Final = "Use plain tags, without colons in names, and write each long text in one CDATA section."


class StrictReader:
    """Reads replies with a set of tools, in one of the dialects. It has no state.

    Invariant: the returned calls are those that `callwright.parse` returns for the text, and no rule with an error type
    reports them.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        dialects: Sequence[str],
        *,
        markup: str | None = None,
        reasoning: str = "mentions",
        answer_tags: Sequence[str] = (),
        require_call: bool = False,
        limits: Limits = DEFAULT,
    ) -> None:
        """Set the tools and the options, which `StrictParser` has checked."""
        # A runtime knows all of its tools: another name is an error, even if the set itself is open.
        self.registry = ToolRegistry(registry.tools).with_markup(markup)
        self.dialects = tuple(dialects)
        self.require_call = require_call
        self.limits = limits
        self.settings = Settings(
            dialect=self.dialects[0],
            strict=True,
            markup=markup,
            reasoning=reasoning,
            answer_tags=tuple(answer_tags),
            placeholders=False,
        )
        self.context = read_context(self.registry, self.settings)
        self._may_answer = may_answer(self.settings, IN_TEXTS)

    @property
    def dialect(self) -> str:
        """The dialect that is asked for; the others are taken, too."""
        return self.dialects[0]

    def read(self, text: str) -> tuple[list[Call], Rejection | None]:
        """Return the calls of a reply, which may be none, and why it is rejected or None.

        Raises TypeError where the reply is not text.
        """
        if not isinstance(text, str):
            # Clients return None for the text of a reply without text.
            raise TypeError(f'the reply is a `{type(text).__name__}`: pass its text, or `""` if it has none')
        longest = self.limits.max_text
        if longest is not None and len(text) > longest:
            return [], self.too_large(text, read=False)
        segment = read_reply(text, self.context, most=self.limits.max_calls)
        rejection = self._beyond_limits(text, segment)
        if rejection is not None:
            return [], rejection
        calls = self.sound_calls(text, segment)
        after = next(text_after(text, segment.calls), None)
        if (
            calls is None
            or after is not None
            or traces_of(text, segment.calls, self.registry, self.settings) is not None
        ):
            rejection = self.judged(text, segment)
            if rejection is not None:
                return [], rejection
            calls = self.given(text, segment) if calls is None else calls
        rejection = self.disputed(text, segment)
        if rejection is not None:
            return [], rejection
        if not calls and self.require_call:
            return [], self._no_calls(text)
        if len(calls) > 1:
            calls.sort(key=lambda call: call.span)
        return calls, None

    def too_large(self, text: str, *, read: bool = True) -> Rejection | None:
        """Return why a reply is rejected that exceeds a limit, None where it exceeds none.

        Without `read` only the length of the text is checked.
        """
        rejection = self.limits.check(text, dialects=self.dialects, registry=self.registry, settings=self.settings)
        if rejection is not None or not read:
            return rejection
        return self._beyond_limits(text, read_reply(text, self.context, most=self.limits.max_calls))

    def _beyond_limits(self, text: str, segment: ReadResult) -> Rejection | None:
        return self.limits.check(
            text, _peers(segment), dialects=self.dialects, registry=self.registry, settings=self.settings
        )

    def given(self, text: str, segment: ReadResult) -> list[Call]:
        """Return the calls of an accepted reply as plain `Call` objects, in the order of `segment`."""
        peers = _peers(segment)
        return [self._call(self._bound(text, found, peers)) for found in segment.calls]

    def disputed(self, text: str, segment: ReadResult) -> Rejection | None:
        """Return why a reply is rejected because lxml reads a call in XML differently, None where there is no such
        call.

        Call this for valid calls: they are returned only if a second reader reads the same values.
        """
        if not any(isinstance(found.call.arguments, MarkupValue) for found in segment.calls):
            return None
        from callwright.calls.xml_referee import disagreement

        for number, found in enumerate(sorted(segment.calls, key=lambda each: each.call.span), 1):
            dispute = disagreement(found.call, text, self.registry)
            if dispute is not None:
                message = f"The call may not be read as intended: {dispute}. {_PLAINER}"
                failed = _failed(number, found.call)
                tool = self._bound(text, found, _peers(segment)).tool
                return self._rejected(ErrorType.MALFORMED_XML, message, text, (), failed, tool, (failed,), dispute)
        return None

    # -- clean replies ---------------------------------------------------------------------------------------------

    def sound_calls(self, text: str, segment: ReadResult) -> list[Call] | None:
        """Return the calls of a reply that is certainly valid; None where the full check is needed."""
        if segment.problems or not self._may_answer:
            return None
        calls: list[Call] = []
        peers = _peers(segment)
        for found in segment.calls:
            call = found.call
            if call.problems or call.sketch or not call.complete or call.dialect not in self.dialects:
                return None
            binding = self._bound(text, found, peers)
            if not _is_sound(binding):
                return None
            calls.append(self._call(binding))
        for unmatched in (doubled_openers, doubled_closers, truncated_closers):
            if next(unmatched(text, segment.calls), None) is not None:
                return None
        return calls

    def _bound(self, text: str, found: FoundCall, peers: Sequence[ToolCall]) -> Binding:
        return bind(found.call, text, self.registry, self.settings, fence=found.fence, peers=peers)

    @staticmethod
    def _call(binding: Binding) -> Call:
        call = binding.call
        return Call(call.tool, binding.arguments, call.dialect, call.span, call.call_id)

    # -- replies at fault ----------------------------------------------------------------------------------------------

    def judged(self, text: str, segment: ReadResult, *, whole: bool = True) -> Rejection | None:
        """Return why a reply is rejected, None where it is valid after all; `whole` says that all of it has arrived."""
        from callwright.document.blocks import ReadPassage
        from callwright.hosts.base import Passage
        from callwright.lint.passages import check_passage, check_reply
        from callwright.text.projection import Identity

        problems = _first(segment.problems, _MAX_PROBLEMS)
        read = ReadPassage(Passage(text, Identity(0, len(text))), _with_few_problems(segment.calls), problems)
        taken = {each.call.tool_span.end for each in segment.calls if each.call.dialect in self.dialects}
        if whole:
            reported, certain = check_reply(read, self.registry, self.settings)
        else:
            reported = certain = check_passage(read, self.registry, self.settings, whole=False)
        found = [each for each in reported if _rejects(each, taken)]
        if not found:
            return None
        # The error is that of the first diagnostic that later text cannot revoke, so that a stream, which may stop
        # there, is rejected for the same reason.
        leading = [each for each in certain if _rejects(each, taken)] or found
        at_fault = self._at_fault(segment, leading)
        failed, tool = None, None
        if at_fault and at_fault[0][1] == 0:
            failed = at_fault[0][0]
            tool = self._bound(text, at_fault[0][2], _peers(segment)).tool
        calls = tuple(each for each, _, _ in self._at_fault(segment, found))
        first = leading[0]
        # A diagnostic before a call, or right after another, is known before the call is.
        known_before = failed is not None and _begins_after(first.span.start, at_fault[0][2], segment)
        unknown = next((each for each in leading if each.code == _UNKNOWN_TOOL), None)
        if failed is not None and unknown is not None and failed.span.touches(unknown.span) and not known_before:
            # The unknown tool comes first: no other correction would make it a call.
            first = unknown
        elif first.error_type is ErrorType.NO_CALLS or (
            failed is not None and failed.dialect not in self.dialects and not known_before
        ):
            # The dialect comes first: it is not the demanded one.
            return self._no_calls(text, found, failed, tool, calls, leading)
        assert first.error_type is not None, "only diagnostics with an error type reject a reply"
        return self._rejected(first.error_type, first.message, text, found, failed, tool, calls)

    def _rejected(
        self,
        kind: ErrorType,
        message: str,
        text: str,
        found: Sequence[Diagnostic],
        failed: FailedCall | None,
        tool: ToolSchema | None,
        calls: Sequence[FailedCall],
        dispute: Disagreement | None = None,
    ) -> Rejection:
        return Rejection(
            type=kind,
            message=message,
            text=text,
            dialects=self.dialects,
            registry=self.registry,
            settings=self.settings,
            diagnostics=found,
            call=failed,
            tool=tool,
            calls=calls,
            dispute=dispute,
        )

    @staticmethod
    def _at_fault(segment: ReadResult, found: Sequence[Diagnostic]) -> list[tuple[FailedCall, int, FoundCall]]:
        """Return the calls with diagnostics, each once, with the index of its first diagnostic."""
        calls = sorted(segment.calls, key=lambda each: each.call.span)
        places = [each.call.place for each in calls]
        starts = [place.start for place in places]
        first_in: dict[int, int] = {}
        for at, diagnostic in enumerate(found):
            # The last call that begins before the diagnostic, else the next one if the diagnostic reaches it.
            index = bisect_right(starts, diagnostic.span.start) - 1
            near = (each for each in (index, index + 1) if 0 <= each < len(calls))
            owner = next((each for each in near if places[each].touches(diagnostic.span)), None)
            if owner is not None:
                first_in.setdefault(owner, at)
        return [
            (_failed(number + 1, calls[number].call), first_in[number], calls[number]) for number in sorted(first_in)
        ]

    def _no_calls(
        self,
        text: str,
        found: Sequence[Diagnostic] = (),
        failed: FailedCall | None = None,
        tool: ToolSchema | None = None,
        calls: Sequence[FailedCall] = (),
        leading: Sequence[Diagnostic] = (),
    ) -> Rejection:
        dialect = find_dialect(self.dialect)
        # A block of another dialect is still a block.
        absent = dialect is not None and dialect.is_xml and not (failed is not None and _is_block(text, failed.span))
        other = next((each for each in leading if each.code in (_OTHER_DIALECT, _SKIPPED)), None)
        if other is not None:
            message = other.message
        else:
            message = f"There is no tool call in this reply; expected one in `{self.dialect}`."
        kind = ErrorType.NO_XML_BLOCKS if absent else ErrorType.NO_CALLS
        return self._rejected(kind, message, text, found, failed, tool, calls)


def _failed(number: int, call: ToolCall) -> FailedCall:
    json = None
    if isinstance(call.arguments, JsonValue) and call.arguments.read.value_format is JSON:
        read = call.arguments.read
        json = Span(read.span.start, max(read.span.end, read.end))
    return FailedCall(number, call.tool, call.dialect, call.span, json)


def _is_block(text: str, span: Span) -> bool:
    """Return whether a call is written as an XML element."""
    return text.startswith("<", span.start) and (text[span.start + 1 : span.start + 2].isalpha())


def _begins_after(offset: int, found: FoundCall, segment: ReadResult) -> bool:
    """Return whether a call begins after an offset, or at it where another call ends."""
    start = found.call.place.start
    return start > offset or (start == offset and any(each.call.place.end == offset for each in segment.calls))


def _peers(segment: ReadResult) -> list[ToolCall]:
    return [found.call for found in segment.calls]


def _with_few_problems(calls: list[FoundCall]) -> list[FoundCall]:
    """Return the calls, with a limited number of problems in total, at least one per call that has any."""
    left = _MAX_PROBLEMS
    if sum(len(found.call.problems) for found in calls) <= left:
        return calls
    few: list[FoundCall] = []
    for found in calls:
        own = found.call.problems
        kept = _first(own, max(left, 1))
        left -= len(kept)
        few.append(found if len(kept) == len(own) else replace(found, call=replace(found.call, problems=kept)))
    return few


def _first(problems: list[Problem], most: int) -> list[Problem]:
    return problems if len(problems) <= most else sorted(problems, key=lambda problem: problem.span)[:most]


def _rejects(diagnostic: Diagnostic, taken: Container[int]) -> bool:
    """Return whether a diagnostic rejects the reply; `taken` is where the tools' names end in calls of accepted
    dialects.
    """
    if diagnostic.error_type is None or diagnostic.severity not in (Severity.ERROR, Severity.WARNING):
        return False
    return diagnostic.code != _OTHER_DIALECT or diagnostic.span.end not in taken


def _is_sound(binding: Binding) -> bool:
    """Return whether no rule with an error type can report a call that was read without a problem."""
    return (
        binding.tool is not None
        and binding.call.arguments is not None
        and isinstance(binding.value, dict)
        and binding.fits
        and not (binding.problems or binding.decoded or binding.coerced.wild or binding.coerced.elided)
    )
