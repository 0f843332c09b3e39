"""The content of the message about a rejected reply, as plain facts, and how it is reduced where there is little room.

Owns: `Facts`, which diagnostics belong to which call, the diagnosis in counts. Must not know: layout, limits of
length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE
from callwright.calls.result_text import RESULT_MARKER
from callwright.calls.vocabularies import RESULT_TAGS
from callwright.dialects.catalogue import find_dialect
from callwright.rules.base import ErrorType
from callwright.runtime.excerpt import excerpt
from callwright.runtime.views import MAX_CALLS, CallView, DiagnosticView, Level, View
from callwright.teaching.field_texts import code, fields, literal, one_line, signature
from callwright.text.span import Span, line_and_column

if TYPE_CHECKING:
    from callwright.rules.base import Diagnostic
    from callwright.runtime.correction import Correction
    from callwright.runtime.errors import ParseError
    from callwright.runtime.feedback_texts import Words
    from callwright.runtime.rejection import FailedCall
    from callwright.syntax.problem import Problem
    from callwright.tools.model import ToolSchema

_UNKNOWN_TOOL: Final = "TC301"
_EXTRA, _MISSING, _QUOTE, _NO_OBJECT, _OTHER, _SKIPPED = "TC201", "TC202", "TC204", "TC308", "TC401", "TC114"
#: The rule's own sentence is for the author of the schema.
_UNCHECKED = "TC529"
_BRACKETS: Final = frozenset({_EXTRA, _MISSING, "TC203"})
#: Errors in a call's structure: the message repeats how a call is written.
_STRUCTURE: Final = frozenset({_SKIPPED, "TC310", "TC311"})
_TAG: Final = "TC109"
#: Errors that a call has where the text ends inside it.
_TRUNCATED: Final = frozenset({"TC101", "TC108", _TAG, "TC113", _MISSING, _QUOTE})
#: Text beside parameters: the XML is still well-formed.
_BESIDE: Final = "TC107"
#: The beginning of a rule's sentence that is meant for authors.
_SKIPPING: Final = "Parsers skip this call: "
_MALFORMED: Final = frozenset({ErrorType.MALFORMED_JSON, ErrorType.MALFORMED_XML})
#: How far from a call a diagnostic may be to belong to it.
_NEAR: Final = 20
#: The maximum lengths of a rule's quotation, its message, a tool's name, a signature.
_QUOTED: Final = 80
_SENTENCE: Final = 500
_SCANNED_AT: Final = 4 * _SENTENCE
_NAME: Final = 60
_SIGNATURE: Final = 400
#: How many tools are listed, with their signatures and by name.
_TOOLS: Final = 8
_NAMES: Final = 30
#: How many characters of JSON are read again for a count.
_COUNTED: Final = 2_000_000

_SPAN = re.compile(r"(`++)(.+?)\1(?!`)", re.DOTALL)
_DOUBLE_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_KEY = re.compile(r'"(\w{1,40})"\s*+:\s*+\Z')
_ELEMENT = re.compile(r"<[A-Za-z_]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Facts:
    """The facts about one rejected reply; costly ones are computed once, on use.

    `longest` is the maximum length of a correction or an example.
    """

    def __init__(self, error: ParseError, words: Words, *, cut_off: bool, example: bool, longest: int) -> None:
        self.final = error.is_of(ErrorType.MAX_MISTAKES)
        self.cut_off = cut_off
        self._shows = example and not self.final
        self._longest = longest
        self.outer = error
        # For a mistake that exceeded the maximum, its cause is reported.
        self.error = error.cause if error.cause is not None else error
        self.words = words
        self.native = self.error.dialect == NATIVE
        self.dialect = find_dialect(self.error.dialect)
        #: The diagnostic that reports a result that the model invented.
        self._invented: Diagnostic | None = None
        self._invented_at = 0
        #: The diagnostic that reports that the reply ends inside a call.
        self._cut: Diagnostic | None = None
        self._counts: dict[int, Sequence[Problem]] = {}
        self._known_places: dict[int, tuple[int, int]] = {}
        self._arguments: dict[int, str | None] = {}
        self._texts: dict[tuple[int, ...], str | None] = {}
        self._signatures: dict[tuple[int, str], str | None] = {}

    def ladder(self) -> Iterator[View]:
        """Yield the most detailed view, then views with less and less detail."""
        level = Level()
        views = [level]
        steps: list[dict[str, Any]] = [{"others": False}]
        steps += [{"calls": count} for count in (3, 1) if len(self.groups) > count]
        if any(len(found) > 1 for _, found in self.groups[:MAX_CALLS]):
            steps.append({"diagnostics": 1})
        steps += [{"schema": "required"}, {"schema": "none"}, {"room": 60}, {"room": 0}]
        steps += [{"sample": "example"}, {"sample": "none"}, {"request": "short"}, {"request": "plain"}]
        for step in steps:
            level = replace(level, **step)
            views.append(level)
        for each in views:
            yield self.at(each)

    def at(self, level: Level) -> View:
        """Return the content of a message at this level of detail."""
        shown = self.groups[: level.calls]
        corrected = self._corrected(level) if level.sample == "corrected" else None
        example = self._example if corrected is None and level.sample != "none" else None
        return View(
            error=self.outer,
            heading=self._heading,
            calls=tuple(self._call(call, found, level) for call, found in shown),
            more_calls=sum(1 for call, _ in self.groups[level.calls :] if call is not None),
            stated=self._stated,
            tools=self._tools(level),
            names=self._names(level),
            corrected=corrected,
            example=example,
            label=self._label(corrected),
            asks=self._asks,
            request=self._request(level, corrected is not None),
            plain=self._fix,
            final=self.final,
            cut_off=self.cut_off,
        )

    # -- what is wrong -------------------------------------------------------------------------------------------------

    @cached_property
    def groups(self) -> list[tuple[FailedCall | None, list[tuple[Diagnostic, int]]]]:
        """The invalid calls with their diagnostics, equal ones once with the number of repetitions; the worst first."""
        found: dict[int, list[Diagnostic]] = {}
        starts = [call.span.start for call in self.error.calls]
        for diagnostic in self.error.diagnostics:
            found.setdefault(self._owner(diagnostic.span, starts), []).append(diagnostic)
        calls = self.error.calls
        groups: list[tuple[FailedCall | None, list[tuple[Diagnostic, int]]]] = []
        for owner in sorted(found):
            call = calls[owner] if owner < len(calls) else None
            invented = next((each for each in found[owner] if self._is_result(each, call)), None)
            if invented is not None:
                # What the model invents after it has no errors of its own.
                self._invented = invented
                self._invented_at = (
                    invented.span.start if call is None or invented.code == _SKIPPED else call.span.start
                )
                groups.append((None, [(invented, 0)]))
                break
            groups.append((call, _settled(self._unfinished(call, found[owner]))))
        return groups

    def _is_result(self, one: Diagnostic, call: FailedCall | None) -> bool:
        """Return whether a diagnostic reports a result in the reply, which only the system can write."""
        if one.code == _SKIPPED:
            return self.error.text.startswith(RESULT_MARKER, one.span.start)
        return one.code == _UNKNOWN_TOOL and call is not None and call.tool in (*RESULT_TAGS, RESULT_MARKER)

    def _unfinished(self, call: FailedCall | None, found: list[Diagnostic]) -> list[Diagnostic]:
        """Return a call's diagnostics; where the reply ends inside it, one in place of all that are due to that."""
        from callwright.runtime.correction import ends_inside

        due = [each for each in found if each.code in _TRUNCATED and each.error_type in _MALFORMED]
        if call is None or self.native or not due or not ends_inside(self.error, call):
            return found
        end = len(self.error.text.rstrip())
        self._cut = replace(due[0], span=Span(max(end - 1, 0), end))
        return [self._cut, *(each for each in found if each not in due)]

    def _owner(self, span: Span, starts: list[int]) -> int:
        """Return the index of the call that a diagnostic is in or near; the number of calls where it is near none."""
        calls = self.error.calls
        index = bisect_right(starts, span.start) - 1
        near = [each for each in (index, index + 1) if 0 <= each < len(calls)]
        for reach in (0, _NEAR):
            for each in near:
                place = calls[each].span
                if Span(max(place.start - reach, 0), place.end + reach).touches(span):
                    return each
        return len(calls)

    @cached_property
    def _first(self) -> Diagnostic | None:
        return self.groups[0][1][0][0] if self.groups else None

    @property
    def _worst(self) -> FailedCall | None:
        return self.groups[0][0] if self.groups else None

    @cached_property
    def _kind(self) -> ErrorType:
        first = self._first
        kind = first.error_type if first is not None and first.error_type is not None else self.error.type
        return kind.general

    @property
    def _heading(self) -> str:
        words = self.words
        if self._first is not None and (self._first.code == _SKIPPED or self._is_whole(self._first)):
            return words.heading
        if self._kind is ErrorType.MALFORMED_JSON and self.groups:
            return words.heading_json if self._is_json(self._first, self.groups[0][0]) else words.heading
        return words.heading_xml if self._is_xml(self._first, self._worst) else words.heading

    @cached_property
    def _stated(self) -> tuple[str, ...]:
        """The sentences about the reply as a whole."""
        words = self.words
        stated: list[str] = []
        if self.final:
            stated.append(words.end)
            if self.groups or self.error is not self.outer:
                stated.append(words.last_mistake)
        if not self.groups:
            stated.append(words.no_tool_call if self._lacks_call else self._overall)
        return tuple(stated)

    def _is_whole(self, one: Diagnostic) -> bool:
        """Return whether an error is one of the whole reply, which is not about how a call is written."""
        return one is self._cut or one is self._invented

    @property
    def _lacks_call(self) -> bool:
        return not self.groups and self.error.is_of(ErrorType.NO_CALLS)

    @property
    def _overall(self) -> str:
        """The error itself, where it has no diagnostics: a limit was exceeded."""
        message, call = _reported(self.error.message), self.error.call
        if call is None or call.tool is None:
            return message
        return self.words.call.format(number=call.number, tool=code(_cut(call.tool, _NAME)), what=message)

    def _call(self, call: FailedCall | None, found: list[tuple[Diagnostic, int]], level: Level) -> CallView:
        words = self.words
        views = tuple(self._diagnostic(call, each, alike, level) for each, alike in found[: level.diagnostics])
        more = sum(1 + alike for _, alike in found[level.diagnostics :])
        first, place = found[0][0], views[0]
        bare = what = self._what(first, call)
        if self.native:
            if place.position is not None:
                what = words.at_argument_position.format(what=bare, position=place.position)
        elif place.position is not None:
            what = words.at_position.format(what=bare, position=place.position, line=place.line, column=place.column)
        else:
            what = words.at_line.format(what=bare, line=place.line, column=place.column)
        name = None if call is None or call.tool is None else code(_cut(call.tool, _NAME))
        takes, schema = self._takes(call, level)
        return CallView(None if call is None else call.number, name, bare, what, views, more, takes, schema)

    def _what(self, first: Diagnostic, call: FailedCall | None) -> str:
        words = self.words
        kind = None if first.error_type is None else first.error_type.general
        if first is self._cut:
            return words.unfinished
        if first is self._invented:
            return words.invented
        if first.code == _SKIPPED:
            return words.wrong_format
        if kind is ErrorType.MALFORMED_JSON:
            return words.invalid_json if self._is_json(first, call) else words.invalid_format
        if kind is ErrorType.MALFORMED_XML and first.code != _BESIDE:
            return words.invalid_xml if self._is_xml(first, call) else words.invalid_format
        return {
            ErrorType.UNKNOWN_TOOL: words.unknown_tool,
            ErrorType.NO_CALLS: words.wrong_format,
        }.get(kind or ErrorType.SCHEMA_VALIDATION, words.invalid_arguments)

    @staticmethod
    def _is_json(one: Diagnostic | None, call: FailedCall | None) -> bool:
        """Return whether a syntax error is one of JSON, not of the text around it or of another dialect."""
        if one is None or call is None:
            return True
        if one.code.startswith("TC1"):
            return False  # tags, markers and fences
        return call.json is not None and call.json.start <= one.span.start <= call.json.end

    def _is_xml(self, one: Diagnostic | None, call: FailedCall | None) -> bool:
        """Return whether a syntax error is one of XML, which excludes markers such as `<|…|>`."""
        if one is None or one.code == _BESIDE or one.error_type is not ErrorType.MALFORMED_XML:
            return False
        if call is not None:
            return _ELEMENT.match(self.error.text, call.span.start) is not None
        return self.dialect is not None and self.dialect.is_xml

    def _diagnostic(self, call: FailedCall | None, one: Diagnostic, alike: int, level: Level) -> DiagnosticView:
        words, text = self.words, self.error.text
        where = _visible(one.span, text)
        line, column = self._place(where.start)
        json = call.json if call is not None else None
        inside = json is not None and self._is_json(one, call)
        position = one.span.start - json.start if json is not None and inside else None
        label = words.your_arguments if self.native else words.your_json if inside else words.your_text
        shown = None
        if level.room:
            within = json if inside else None if call is None else call.span
            if within is not None:
                within = Span(min(within.start, one.span.start), max(within.end, one.span.end))
            shown = excerpt(text, where, level.room, within)
            if not shown.code.strip("` "):
                shown = None
        return DiagnosticView(
            one.code,
            one.name,
            self._message(one, call),
            line,
            column,
            position,
            label,
            shown,
            tuple(self._diagnosis(one, call)),
            alike,
        )

    def _place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset of the reply."""
        if offset not in self._known_places:
            self._known_places[offset] = line_and_column(self.error.text, offset)
        return self._known_places[offset]

    def _message(self, one: Diagnostic, call: FailedCall | None) -> str:
        words = self.words
        if one is self._cut:
            return words.ends_inside
        if one is self._invented:
            return words.own_result
        if one.code in words.diagnostics:
            return words.diagnostics[one.code]
        if one.code == _UNCHECKED:
            return words.unchecked
        accepted = [found.title for name in self.error.dialects if (found := find_dialect(name)) is not None]
        asked, several = ", ".join(accepted), len(accepted) > 1
        used = find_dialect(call.dialect) if call is not None else None
        if one.code == _OTHER and used is not None and accepted:
            return (words.other_formats if several else words.other_format).format(used=used.title, asked=asked)
        if one.code == _SKIPPED:
            if _is_unformed(one) and accepted:
                return (words.no_formats if several else words.no_format).format(asked=asked)
            reason = one.message.removeprefix(_SKIPPING).replace(f"`{self.error.dialect}`", words.asked_format)
            return _reported(words.skipped.format(reason=reason))
        return _reported(one.message)

    # -- the diagnosis in counts ---------------------------------------------------------------------------------------

    def _diagnosis(self, one: Diagnostic, call: FailedCall | None) -> Iterator[str]:
        words = self.words
        if (
            one is self._cut
            or call is None
            or call.json is None
            or one.code not in (_EXTRA, _MISSING, _QUOTE, _NO_OBJECT)
        ):
            return
        if one.code == _NO_OBJECT:
            yield self._no_object(one, call)
            return
        if one.code == _QUOTE:
            count = sum(1 for each in _DOUBLE_QUOTE.finditer(call.json.of(self.error.text)) if each[0] == '"')
            yield words.odd_quotes.format(count=count) if count % 2 else words.unmatched_quotes
            return
        kind = "extra-closers" if one.code == _EXTRA else "missing-closers"
        problems = {each.span.start: each for each in self._problems(call) if each.kind == kind}
        # Where the rule's place differs from the reader's, a sole problem must be the one.
        problem = problems.get(one.span.start - call.json.start)
        if problem is None and len(problems) == 1:
            problem = next(iter(problems.values()))
        if problem is None:
            return
        closers = str(problem.data["text"])
        named = (
            (words.extra_brace, words.extra_braces, words.extra_bracket, words.extra_brackets)
            if one.code == _EXTRA
            else (words.missing_brace, words.missing_braces, words.missing_bracket, words.missing_brackets)
        )
        brackets = int(problem.data["brackets"])
        count = int(problem.data["braces"]) + brackets
        sentence = named[(2 if brackets else 0) + (1 if count > 1 else 0)]
        yield sentence.format(count=count, text=code(_cut(closers, 12)))

    def _problems(self, call: FailedCall) -> Sequence[Problem]:
        """Return the problems of a call's JSON, as the reader reports them."""
        known = self._counts.get(call.number)
        if known is None:
            from callwright.syntax.json import read_json

            assert call.json is not None, "the caller has looked"
            text = call.json.of(self.error.text)
            known = self._counts[call.number] = read_json(text).problems if len(text) <= _COUNTED else []
        return known

    def _no_object(self, one: Diagnostic, call: FailedCall) -> str:
        words, text = self.words, self.error.text
        key = _KEY.search(text[max(one.span.start - 60, 0) : one.span.start])
        got = {'"': words.a_string, "[": words.an_array, "t": words.a_boolean, "f": words.a_boolean, "n": words.null}
        tool = self._tool(call)
        first = next((each.name for each in tool.parameters.values() if each.required), None) if tool else None
        such_as = words.such_as.format(text=code(f'{{"{_cut(first, _NAME)}": …}}')) if first is not None else ""
        return words.must_be_object.format(
            where=code(key[1]) if key is not None else words.the_arguments,
            such_as=such_as,
            got=got.get(text[one.span.start : one.span.start + 1], words.a_number),
        )

    # -- the tools -----------------------------------------------------------------------------------------------------

    def _tool(self, call: FailedCall) -> ToolSchema | None:
        """Return the tool that a call means: the one of its name, or of the nearest name."""
        error = self.error
        if error.tool is not None and call == error.call:
            return error.tool
        if call.tool is None:
            return None
        near = error.registry.near(call.tool) or error.registry.unqualified(call.tool)
        found = error.registry.get(call.tool) or (error.registry.get(near) if near is not None else ())
        return found[0] if found else None

    def _takes(self, call: FailedCall | None, level: Level) -> tuple[str | None, str | None]:
        """Return the sentence about what a call's tool accepts, and the signature in it."""
        tool = self._tool(call) if call is not None else None
        if tool is None or level.schema == "none" or self.final:
            return None, None
        words = self.words
        reported = self._signature(tool, "full") if level.schema == "full" else None
        if reported is not None:
            optional = any(not one.required for one in tool.parameters.values())
            return (words.takes_optional if optional else words.takes).format(signature=reported), reported
        reported = self._signature(tool, "required")
        return (None, None) if reported is None else (words.requires.format(signature=reported), reported)

    def _signature(self, tool: ToolSchema, detail: str) -> str | None:
        """Return a tool's signature in back-ticks, None where it is too long."""
        key = (id(tool), detail)
        if key not in self._signatures:
            typed = self.dialect.typed if self.dialect is not None else True
            if detail == "full":
                text = signature(tool, typed=typed)
            else:
                reported = ", ".join(f"{one.name}: {one.short}" for one in fields(tool, typed=typed) if one.required)
                text = f"{tool.name}({reported})"
            self._signatures[key] = code(text) if len(text) <= _SIGNATURE else None
        return self._signatures[key]

    @cached_property
    def _lists_tools(self) -> bool:
        """Whether the message must list the tools: the model named none of them, or wrote no call."""
        if self.final or self.native:
            return False
        if not self.groups:
            return self._lacks_call
        if self._invented is not None:
            return False
        call = self.groups[0][0]
        return call is not None and self._tool(call) is None

    def _tools(self, level: Level) -> tuple[str, ...]:
        tools = self.error.registry.tools
        if not self._lists_tools or level.schema != "full" or len(tools) > _TOOLS:
            return ()
        reported = [self._signature(tool, "full") for tool in tools if tool.deprecated is None]
        return tuple(each for each in reported if each is not None) if all(reported) else ()

    def _names(self, level: Level) -> str | None:
        if not self._lists_tools or level.schema == "none" or self._tools(level):
            return None
        names = self.error.registry.names
        if not names:
            return None
        listed = ", ".join(code(_cut(name, _NAME)) for name in names[:_NAMES])
        more = len(names) - _NAMES
        return self.words.more_tools.format(names=listed, count=more) if more > 0 else listed

    # -- the call as it should be --------------------------------------------------------------------------------------

    @cached_property
    def _correction(self) -> Correction | None:
        from callwright.runtime.correction import correction_before, correction_of

        if self._first is not None and self._first is self._invented:
            return correction_before(self.error, self._invented_at)
        return correction_of(self.error)

    def _corrected(self, level: Level) -> str | None:
        if not self._shows or self.cut_off:
            return None
        if self.native:
            return self._corrected_arguments(level)
        correction = self._correction
        if correction is None:
            return None
        if level.others and level.calls == MAX_CALLS:
            # No call was run, so every call must be written again.
            every = self._shown(tuple(range(1, len(correction.calls) + 1)))
            if every is not None:
                return every
        return self._shown(tuple(call.number for call, _ in self.groups[: level.calls] if call is not None))

    def _shown(self, numbers: tuple[int, ...]) -> str | None:
        if numbers not in self._texts:
            text = self._correction.shown(numbers) if self._correction is not None else None
            self._texts[numbers] = self._fitting(text)
        return self._texts[numbers]

    def _corrected_arguments(self, level: Level) -> str | None:
        """Return the arguments of each reported native call, None where one of them cannot be corrected."""
        lines: list[str] = []
        for call, _ in self.groups[: level.calls]:
            text = self._arguments_of(call) if call is not None else None
            if call is None or text is None:
                return None
            if len(self.groups) > 1:
                tool = code(_cut(call.tool or "", _NAME))
                lines.append(self.words.call.format(number=call.number, tool=tool, what=literal(text)))
            else:
                lines.append(literal(text))
        return self._fitting("\n".join(lines)) if lines else None

    def _arguments_of(self, call: FailedCall) -> str | None:
        from callwright.runtime.correction import corrected_arguments

        if call.number not in self._arguments:
            self._arguments[call.number] = corrected_arguments(self.error, call)
        return self._arguments[call.number]

    @cached_property
    def _example(self) -> str | None:
        from callwright.runtime.examples import example_call

        if (
            not self._shows
            or self.native
            or self.cut_off
            or self._invented is not None
            or not (self.groups or self._lacks_call)
        ):
            return None
        call = self._worst
        tool = self._tool(call) if call is not None else self.error.tool
        shown = self._arguments_at_fault(call) if call is not None else ()
        return self._fitting(example_call(self.error.dialect, self.error.registry, tool, shown))

    def _arguments_at_fault(self, call: FailedCall) -> tuple[tuple[str, ...], ...]:
        """Return the paths of the arguments that the schema of a call's tool does not allow, without items of lists."""
        from callwright.runtime.correction import refused_arguments

        return refused_arguments(self.error, call)

    def _fitting(self, text: str | None) -> str | None:
        if text is None or len(text) > self._longest or _SURROGATE.search(text):
            return None
        return text

    def _label(self, corrected: str | None) -> str:
        words = self.words
        if corrected is None:
            return words.example
        if self.native:
            return words.corrected_arguments
        numbers = next(numbers for numbers, text in self._texts.items() if text == corrected)
        return words.corrected_several if len(numbers) > 1 else words.corrected

    # -- the request ---------------------------------------------------------------------------------------------------

    @cached_property
    def _asks(self) -> tuple[str, ...]:
        if self.dialect is None:
            return ()
        call = self.groups[0][0] if self.groups else None
        tool = self._tool(call) if call is not None else None
        raw = tool is not None and tool.markup == "raw" and self.dialect.asks_raw
        return tuple(self.dialect.asks_raw if raw else self.dialect.asks)

    @property
    def _several(self) -> bool:
        """Whether the reply is known to contain several calls."""
        correction = self._correction if self._shows and not self.cut_off else None
        known = correction is not None and len(correction.calls) > 1
        return known or len(self.error.calls) > 1 or any(call.number > 1 for call in self.error.calls)

    @property
    def _fix(self) -> str:
        """The request in one sentence."""
        words, first = self.words, self._first
        if self.final:
            return ""
        if self.native:
            return words.fix_native
        if not (self.groups or self._lacks_call):
            return words.fix_reply
        if first is not None and first is self._invented:
            return words.fix_invented if self._correction is None else words.fix_invented_calls
        if self._several:
            return words.fix_calls if self._cut is None else words.fix_unfinished_calls
        if first is not None and first is self._cut:
            return words.fix_unfinished
        if self._kind is ErrorType.MALFORMED_JSON and self._heading == words.heading_json:
            return words.fix_braces if first is not None and first.code in _BRACKETS else words.fix_json
        return {
            ErrorType.MALFORMED_XML: words.fix_xml if self._is_xml(first, self._worst) else words.fix_call,
            ErrorType.SCHEMA_VALIDATION: words.fix_arguments,
            ErrorType.UNKNOWN_TOOL: words.fix_tool,
            ErrorType.NO_CALLS: words.fix_call if self.groups else words.write_one_plain,
        }.get(self._kind, words.fix_call)

    def _request(self, level: Level, corrected: bool) -> str:
        words = self.words
        if self.final:
            return ""
        first = self._first
        parts = [words.cut_off] if self.cut_off else []
        if level.request == "plain" or not (self.groups or self._lacks_call):
            return " ".join([*parts, self._fix])
        asks = " ".join(self._asks if level.request == "full" else self._asks[:1])
        if level.request == "full" and self.groups:
            parts.append(words.nothing_done)
        reported = [each for each, _ in self.groups[0][1]] if self.groups else []
        unformed = self._kind is ErrorType.NO_CALLS or any(map(_is_unformed, reported))
        unformed = unformed or (first is not None and _is_structure(first))
        unformed = unformed and not (first is not None and self._is_whole(first))
        if unformed and asks:
            parts.append((words.write_as if self.groups else words.write_one).format(asks=asks))
        else:
            parts.append(self._fix)
            if (
                self._kind in _MALFORMED
                and not corrected
                and asks
                and not (first is not None and self._is_whole(first))
            ):
                parts.append(asks)
        return " ".join(parts)


def _settled(found: Sequence[Diagnostic]) -> list[tuple[Diagnostic, int]]:
    """Return the diagnostics of one call, equal ones once with the number of further ones: unknown tools first, then
    syntax errors, errors in the call's structure, and the others in their order.
    """
    unknown = [each for each in found if each.error_type is ErrorType.UNKNOWN_TOOL]
    unformed = [each for each in found if _is_unformed(each)]
    if unformed:
        # The call must be written again, whatever other errors it has.
        found = [*unknown, *unformed]
    alike: dict[tuple[str, str], list[Diagnostic]] = {}
    for each in found:
        alike.setdefault((each.code, each.message), []).append(each)
    reported = [(same[0], len(same) - 1) for same in alike.values()]
    return sorted(
        reported,
        key=lambda pair: (
            pair[0] not in unknown,
            pair[0].error_type not in _MALFORMED,
            not _is_structure(pair[0]),
        ),
    )


def _is_structure(diagnostic: Diagnostic) -> bool:
    """Return whether an error is one in the call's structure, such as arguments as attributes."""
    misplaced = diagnostic.code == _TAG and diagnostic.error_type is ErrorType.SCHEMA_VALIDATION
    return misplaced or diagnostic.code in _STRUCTURE


def _is_unformed(diagnostic: Diagnostic) -> bool:
    return diagnostic.error_type is not None and diagnostic.error_type.general is ErrorType.NO_CALLS


def _cut(text: str, limit: int) -> str:
    """Return a text of `limit` characters at most: its beginning and its end."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail - 1]}…{text[-tail:]}"


def _visible(span: Span, text: str) -> Span:
    """Return a span without the white space around it where it begins with a line break; else the span."""
    written = span.of(text)
    if not written.startswith(("\n", "\r")) or written.isspace():
        return span
    return Span(span.end - len(written.lstrip()), span.start + len(written.rstrip()))


def _reported(message: str) -> str:
    """Return a rule's sentences on one line in which no call can begin, with long quotations and messages cut."""
    if len(message) > _SCANNED_AT:
        # The long part is a quotation, between the first and the last back-tick.
        message = f"{message[:_SENTENCE]}…{message[-_SENTENCE:]}"
    if len(message) > _QUOTED:
        message = _SPAN.sub(lambda found: f"{found[1]}{_cut(found[2], _QUOTED)}{found[1]}", message)
    if len(message) > _SENTENCE:
        message = message[:_SENTENCE].rpartition(" ")[0] + " …"
    return one_line(message)
