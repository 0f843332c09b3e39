"""Sketches: calls with placeholders for a name or a value, and what is still reported about them.

Owns: whether a call is a sketch, and which of its problems are about the frame around the placeholders. Must not know:
rules, dialects. Nothing here is asked where text is what a model wrote (`Settings.placeholders` is False).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.sketch import UPPER_SNAKE, is_placeholder_name, is_placeholder_value, is_prose
from callwright.text.budget import yield_point
from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later
from callwright.text.records import dataclass

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.schema.binding import Binding
    from callwright.syntax.problem import Problem

#: In longer calls a value that reads as a placeholder is one among many.
_MAX_LENGTH: Final = 16_384
#: At most this much is between the JSON of a call and code after it.
_MAX_GAP: Final = 40
#: Problems of what holds a call together. Whatever its values are, these are errors.
_FRAME: Final = frozenset(
    {"unclosed-tag", "mismatched-tag", "unmatched-closing-tag", "truncated-tag", "ambiguous-closer", "unclosed-fence"}
    | {"missing-closers", "extra-closers", "mismatched-bracket", "missing-colon", "missing-comma", "unmatched-quote"}
    | {"unescaped-quote", "text-between-parameters", "unexpected-text", "broken-attribute", "unterminated-cdata"}
    | {"skipped-call"}
)
_CLOSERS: Final = frozenset({"extra-closers", "mismatched-bracket"})
#: Problems whose own text may be the placeholder.
_IN_PLACE: Final = frozenset({"unquoted-string", "unquoted-key", "unexpected-text", "not-json"})
#: A part of a name that is a placeholder: `functions.{name}:{index}`.
_NAME_IN_BRACES: Final = compile_later(r"[{<][A-Za-z][\w -]{0,40}[}>]")
#: What a program fills in, where no quotes are around it.
_VARIABLE: Final = compile_later(r"\$[A-Za-z_]\w*+")
#: Words that name a value, where no quotes are around them: `start_seconds`, `argument_1_value`.
_NAMED_VALUE: Final = compile_later(r"[a-z][a-z0-9]*+(?:_[a-z0-9]++)++")
#: More calls, which a template writes.
_MORE: Final = compile_later(r"\{{1,2}[A-Za-z_]\w*+\}")
_BRACKETS: Final = {"{": "}", "[": "]", "(": ")", "<": ">"}
#: What follows a placeholder in brackets, or comes before it, and separates it from what is beside it.
_SPACE: Final = " \t\r\n,"


@dataclass(frozen=True, slots=True)
class Sketch:
    """A call with placeholders. `lost` is true if its parser could not follow them."""

    binding: Binding
    lost: bool

    def keeps(self, problem: Problem) -> bool:
        """Return whether a problem of the call is about its frame."""
        if self.lost or problem.kind not in _FRAME:
            return False
        text = self.binding.text
        if problem.kind in _CLOSERS and text.startswith("{", self.binding.call.span.start):
            return False  # without a frame, closers may be those of a value around the call
        if _is_code_after(problem, text):
            return False
        if problem.kind in ("text-between-parameters", "unexpected-text"):
            return not _is_left_out(problem)
        if problem.kind in ("unclosed-tag", "mismatched-tag"):
            return not (_is_empty_placeholder(problem, text) or _is_placeholder_before_closer(problem, text))
        if problem.kind == "broken-attribute":
            return not _is_elided_attribute(problem, text)
        if problem.kind in ("missing-comma", "missing-colon"):
            start, end = problem.span
            return text[:start].rstrip(_SPACE)[-1:] not in ("…", ">") and not text[end : end + 3].startswith("...")
        return True


def sketch_of(binding: Binding) -> Sketch | None:
    """Return the call as a sketch; None where all of it is meant as it is written."""
    call = binding.call
    lost = any(_is_lost(problem, binding.text) for problem in call.problems)
    is_sketch = (
        lost
        or call.sketch
        or _is_placeholder_tool(binding)
        or any(_is_placeholder(problem, binding.text, known=bool(binding.candidates)) for problem in call.problems)
        or _holds_elision(binding)
        or (
            call.span.end - call.span.start <= _MAX_LENGTH
            and any(_is_placeholder_text(binding, path, text) for path, text in _texts(binding.value))
        )
    )
    return Sketch(binding, lost) if is_sketch else None


def is_sketched(problem: Problem, text: str) -> bool:
    """Return whether a problem outside of all calls is about a placeholder: for the name of a skipped call, or for the
    rest of a section."""
    if problem.kind == "unclosed-tag":
        return _is_placeholder_before_closer(problem, text)
    if problem.kind != "skipped-call":
        return False
    written = problem.span.of(text)
    named = HOLE in written or text.startswith(HOLE, problem.span.end)
    return named or _NAME_IN_BRACES.search(written) is not None


def _is_lost(problem: Problem, text: str) -> bool:
    """Return whether a problem is text that no parser reads as a value, and that people read as one."""
    if problem.kind == "unquoted-string":
        return is_prose(str(problem.data.get("text", "")))
    if problem.kind not in ("unexpected-text", "not-json") or not problem.data.get("junk"):
        return False
    return is_prose(str(problem.data.get("text", ""))) or _is_placeholder(problem, text)


def _is_placeholder_tool(binding: Binding) -> bool:
    name = binding.call.tool
    if name is None or binding.candidates:
        return False
    return (
        is_placeholder_name(name)
        or is_placeholder_value(name)
        or is_prose(name)
        or (_NAME_IN_BRACES.search(name) is not None)
    )


def _is_placeholder_before_closer(problem: Problem, text: str) -> bool:
    """Return whether a placeholder for more calls is where a closer is missing: `{more_calls}`."""
    at = problem.data.get("insert_at", problem.span.end)
    following = text[at : at + _MAX_GAP].lstrip()
    return following.startswith(HOLE) or _MORE.match(following) is not None


def _is_code_after(problem: Problem, text: str) -> bool:
    """Return whether what is after the JSON is an element with code, as Qwen-Agent's prompts ask for it."""
    at = problem.data.get("insert_at", problem.span.start)
    code = text[at : at + _MAX_GAP].lstrip()
    if problem.kind == "unexpected-text":
        return code.startswith("<code>")
    return problem.kind == "unclosed-tag" and code.startswith(("<code>", "</code>"))


def _is_placeholder(problem: Problem, text: str, *, known: bool = True) -> bool:
    """Return whether a problem is that a placeholder is where a value should be, or the name of a tool.

    `known` says that the tool is one whatever is around its name.
    """
    if _is_code_after(problem, text):
        return True
    if problem.kind in ("unclosed-tag", "mismatched-tag"):
        return _is_empty_placeholder(problem, text)
    if problem.kind == "text-between-parameters":
        return _is_left_out(problem)
    if problem.kind == "broken-attribute":
        return _is_elided_attribute(problem, text)
    if problem.kind == "foreign-value" and not known:
        return is_placeholder_value(problem.span.of(text))
    if problem.kind not in _IN_PLACE:
        return False
    start, end = problem.span
    written = text[start:end]
    if is_placeholder_value(written) or _VARIABLE.fullmatch(written) is not None:
        return True
    if problem.kind in ("unquoted-string", "not-json") and _NAMED_VALUE.fullmatch(written) is not None:
        return True
    before, after = text[:start].rstrip()[-1:], text[end : end + 20].lstrip()[:1]
    return _BRACKETS.get(before) == after and is_placeholder_value(f"{{{written}}}")


def _is_elided_attribute(problem: Problem, text: str) -> bool:
    """Return whether what is in a tag is `...`: more attributes may be there."""
    written = problem.span.of(text).strip()
    return len(written) > 1 and not written.strip(".…")


def _is_left_out(problem: Problem) -> bool:
    """Return whether text where none belongs says that more may be there: `...`, `(other parameters)`."""
    stated = str(problem.data.get("text", "")).strip().strip(",")
    return not stated.startswith("<") and is_placeholder_value(stated)


def _is_empty_placeholder(problem: Problem, text: str) -> bool:
    """Return whether a tag is never closed that is all that another one holds: `<path><file_path></path>`."""
    span = problem.data.get("open", problem.span)
    return (
        text[: span.start].endswith(">")
        and text.startswith("</", span.end)
        and text[span.start : span.start + 2] != "</"
    )


def _holds_elision(binding: Binding) -> bool:
    """Return whether `...`, `[...]` or `<words>` is among the arguments without quotes."""
    coerced = binding.coerced
    if coerced.elided:
        return True
    text = binding.text
    for path in coerced.wild:
        start, end = binding.span_of(path)
        written = text[start:end].strip()
        if HOLE not in written and (written.startswith(("...", "…")) or is_placeholder_value(written)):
            return True
    return False


def _texts(value: Any) -> Iterator[tuple[Path, str]]:
    """Yield the texts in a value with their paths, and the keys of objects as texts of no path."""
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        yield_point()
        path, each = waiting.pop()
        if isinstance(each, str):
            yield path, each
        elif isinstance(each, dict):
            for key, inner in each.items():
                yield (), str(key)
                waiting.append(((*path, str(key)), inner))
        elif isinstance(each, list):
            waiting += [((*path, at), inner) for at, inner in enumerate(each)]


def _is_placeholder_text(binding: Binding, path: Path, text: str) -> bool:
    """Return whether a text among the arguments is a placeholder: never where its schema knows such values."""
    if is_placeholder_value(text):
        schema = binding.schema_at(path) if path else binding.schema
        return not path or not _knows(schema, text)
    return bool(path) and is_prose(text) and any(error.path == path for error in binding.errors)


def _knows(schema: Any, text: str) -> bool:
    """Return whether a schema lists a text, or lists texts in capitals, as its values."""
    if not isinstance(schema, dict):
        return False
    listed = schema.get("enum")
    values = [*(listed if isinstance(listed, list) else ()), schema.get("const"), schema.get("default")]
    return text in values or (
        UPPER_SNAKE.fullmatch(text) is not None
        and any(isinstance(each, str) and UPPER_SNAKE.fullmatch(each) is not None for each in values)
    )
