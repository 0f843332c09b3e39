"""The rule `result-mismatch`."""

from collections.abc import Callable, Iterable, Iterator

from callwright.calls.model import Path
from callwright.calls.teach import example_value
from callwright.conversation.conversation import Answer, Conversation
from callwright.conversation.results import BoundResult, faulty_result
from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.editing import insert_arguments, rename_argument
from callwright.rules.base import Applicability, ConversationRule, Diagnostic, Fix, Severity, with_edits
from callwright.rules.support.demands import named
from callwright.rules.support.schema_words import (
    TYPE_WORDS,
    WORDED_ELSEWHERE,
    constraint_words,
    expected_types,
    is_type_choice,
)
from callwright.rules.support.tool_words import quoted_names
from callwright.rules.support.value_fixes import choice_fixes, meant_choice, shown, shown_choices, type_fixes
from callwright.schema.binding import Binding
from callwright.schema.errors import SchemaError
from callwright.text.span import Span
from callwright.tools.parameters import type_name, types_of
from callwright.transcripts.support.profiles import Wants

#: How many characters of a text are covered where a value is expected.
_MARKED = 80

_Stated = tuple[Span, str, Callable[[], Iterable[Fix]]]


class ResultMismatch(ConversationRule):
    """A result does not match the output schema of its tool.

    Why is this bad: a program, or a model trained on such transcripts, looks for members that are not there. In
    few-shot examples, a wrong result misrepresents the tool. The Model Context Protocol requires a result to match the
    tool's output schema; there it is an error.

    A result that the transcript marks as failed is not checked, and text is reported only if the schema does not allow
    it.

    Example path=chat.json
        [
          {"role": "user", "content": "Debug a.py."},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "debug_launch", "arguments": "{\\"program\\": \\"a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "{\\"status\\": \\"sucess\\", \\"pid\\": \\"12\\"}"}
                                                                              ^^^^^^^^^^ TC711 "In the result of `debug_launch`, `status` must be one of `"success"`, `"error"`, not `"sucess"`; did you mean `success`?"
                                                                                                   ^^^^^^ TC711 "In the result of `debug_launch`, `pid` must be an integer, not a string."
        ]

    Use instead
        [
          {"role": "user", "content": "Debug a.py."},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "debug_launch", "arguments": "{\\"program\\": \\"a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "{\\"status\\": \\"success\\", \\"pid\\": 12}"}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC711"
    fast_path = FastPath.PLAIN  # the result of a tool that declares its output is not plain
    severity = Severity.WARNING

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each fault of each result whose tool has an output schema."""
        wanted = subject.profile.severity(Wants.OUTPUT_SCHEMA)
        severity = Severity(wanted) if wanted is not None else None
        for answer in subject.ledger.answers:
            bound = faulty_result(answer, subject.snapshot)
            if bound is None:
                continue
            for span, message, fixes in _faults(bound):
                yield self._diagnostic(answer, bound, span, message, fixes, severity)

    def _diagnostic(
        self,
        answer: Answer,
        bound: BoundResult,
        span: Span,
        message: str,
        fixes: Callable[[], Iterable[Fix]],
        severity: Severity | None,
    ) -> Diagnostic:
        def placed() -> Iterator[Fix]:
            for fix in fixes():
                own = bound.encode(fix.edits)
                edits = answer.turn.encode(own) if own is not None else None
                yield from with_edits(fix.title, edits, fix.applicability)

        in_turn = bound.raw_span(span)
        raw = answer.turn.part.projection.raw_span(in_turn).shift(answer.turn.start)
        return self.diagnostic(raw, message, placed, severity=severity)


def _faults(bound: BoundResult) -> Iterator[_Stated]:
    """Yield what is wrong with a result: the span, the message and the fix."""
    tool = named(bound.tool.name)
    binding = bound.binding
    if binding is None:
        types = types_of(bound.tool.input_schema, bound.tool.input_schema) or frozenset()
        wanted = " or ".join(sorted(TYPE_WORDS.get(name, name) for name in types - {"string"})) or "another text"
        yield _first_line(bound), f"The result of {tool} is text, but its output schema requires {wanted}.", tuple
        return
    if bound.problems:
        problem = bound.problems[0]
        kind = problem.kind.replace("-", " ")
        applicability = Applicability.SAFE if problem.certain else Applicability.UNSAFE
        repair = (Fix("Fix the JSON", problem.repair, applicability),) if problem.repair else ()
        yield problem.span, f"The result of {tool} is not valid JSON ({kind}).", lambda: repair
        return
    missing: dict[Path, list[str]] = {}
    for error in binding.errors:
        if error.keyword == "required":
            missing.setdefault(error.path, []).append(str(error.data["missing"]))
    for path, names in missing.items():
        misspelt = binding.misspelt(path)
        lacking = [name for name in names if name not in misspelt]
        if lacking:
            yield _lacks(binding, tool, path, lacking)
    for path in binding.unknown:
        near = binding.meant_by(path)
        if near is not None:
            yield _unnamed(binding, tool, path, near)
    for error in binding.errors:
        if error.keyword == "required":
            continue
        yield from _value_fault(binding, tool, error)


def _value_fault(binding: Binding, tool: str, error: SchemaError) -> Iterator[_Stated]:
    path = error.path
    for name in error.data.get("unexpected", ()):
        member = (*path, str(name))
        yield _unnamed(binding, tool, member, binding.meant_by(member))
    where = f"In the result of {tool}, `{'.'.join(map(str, path))}`" if path else f"The result of {tool}"
    expected = expected_types(error)
    if expected is not None:
        got = str(error.data.get("got") or type_name(binding.value_at(path)))
        wanted = " or ".join(TYPE_WORDS.get(name, name) for name in expected)
        message = f"{where} must be {wanted}, not {TYPE_WORDS.get(got, got)}."
        yield _short(binding, path), message, lambda: type_fixes(binding, path, expected)
    elif error.keyword in ("enum", "const"):
        options = list(error.data["options"])
        value = binding.value_at(path)
        meant = meant_choice(value, options)
        one = "must be one of" if len(options) > 1 else "must be"
        message = f"{where} {one} {shown_choices(options)}, not `{shown(value)}`"
        message += f"; did you mean `{meant.choice}`?" if meant.choice is not None else "."
        yield _short(binding, path), message, lambda: choice_fixes(binding, path, options, meant)
    elif error.keyword not in WORDED_ELSEWHERE and not is_type_choice(error):
        yield _short(binding, path), f"{where} {constraint_words(error)}.", tuple


def _lacks(binding: Binding, tool: str, path: Path, names: list[str]) -> _Stated:
    listed = quoted_names(names)
    owner = f"In the result of {tool}, `{'.'.join(map(str, path))}`" if path else f"The result of {tool}"

    def fixes() -> Iterator[Fix]:
        schemas = {name: binding.schema_at((*path, name)) for name in names}
        values = {name: example_value(schema) for name, schema in schemas.items()}
        edits = insert_arguments(binding, path, values)
        yield from with_edits(f"Add the missing {listed}", edits, Applicability.UNSAFE)

    return _brace(binding, path), f"{owner} lacks {listed}.", fixes


def _unnamed(binding: Binding, tool: str, path: Path, near: str | None) -> _Stated:
    where = f" in `{'.'.join(map(str, path[:-1]))}`" if len(path) > 1 else ""
    message = f"The output schema of {tool} has no `{path[-1]}`{where}"
    message += f"; did you mean `{near}`?" if near is not None else "."

    def fixes() -> Iterator[Fix]:
        if near is not None:
            safe = Applicability.SAFE if binding.is_sole(path) else Applicability.UNSAFE
            yield from with_edits(f"Rename to `{near}`", rename_argument(binding, path, near), safe)

    return binding.key_span_of(path) or binding.span_of(path), message, fixes


def _brace(binding: Binding, path: Path) -> Span:
    """Return the key that an object is under, or its first character."""
    span = binding.span_of(path)
    return binding.key_span_of(path) or Span(span.start, min(span.start + 1, span.end))


def _short(binding: Binding, path: Path) -> Span:
    """Return the span of a value; for an object or a list, its first character."""
    span = binding.span_of(path)
    return _brace(binding, path) if isinstance(binding.value_at(path), dict | list) else span


def _first_line(bound: BoundResult) -> Span:
    start, end = bound.span
    line = bound.text[start : min(end, start + _MARKED)].split("\n", 1)[0].rstrip("\r")
    return Span(start, start + len(line))
