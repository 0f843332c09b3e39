"""Jobs and outcomes as lines of JSON, between a `Renderer` and its child.

Owns: both directions of both. Must not know: Jinja, processes. What comes from the child is not trusted: a template may
have taken it over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, get_args

from callwright.chat_templates.model import Failed, FailureKind, Job, Outcome, Rendered, Run, Variables
from callwright.text.span import Span

_KINDS: Final = frozenset(get_args(FailureKind))


def to_line(value: object) -> bytes:
    """Return a value as a line; raises ValueError, TypeError and RecursionError where JSON does not have it."""
    # A lone half of a surrogate pair stays what it is.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def from_line(line: bytes) -> Any:
    """Return the value of a line; raises ValueError and RecursionError where it is none."""
    return json.loads(line.decode("utf-8", "surrogatepass"))


def to_job(job: Job) -> bytes:
    """Return a job as a line."""
    return to_line([job.messages, job.tools, dict(job.variables), job.tagged])


def from_job(line: bytes) -> Job:
    """Return the job of a line."""
    return Job(*from_line(line))


def to_outcome(outcome: Outcome) -> bytes:
    """Return an outcome as a line."""
    if isinstance(outcome, Failed):
        return to_line({"kind": outcome.kind, "message": outcome.message, "span": outcome.span})
    numbers: dict[tuple[Span, ...], int] = {}
    runs = [(run.end, *run.span, run.exact, numbers.setdefault(run.via, len(numbers))) for run in outcome.runs]
    return to_line({"text": outcome.text, "runs": runs, "via": list(numbers)})


def from_outcome(line: bytes, size: int) -> Outcome:
    """Return the outcome of a line, about a template of `size` characters; raises ValueError where it is none."""
    try:
        value = from_line(line)
        return _failed(value, size) if "kind" in value else _rendered(value, size)
    except (LookupError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _failed(value: Mapping[str, Any], size: int) -> Failed:
    kind, message, span = value["kind"], value["message"], value["span"]
    if kind not in _KINDS or not isinstance(message, str):
        raise ValueError(kind)
    return Failed(kind, message, None if span is None else _span(span[0], span[1], size))


def _rendered(value: Mapping[str, Any], size: int) -> Rendered:
    text = value["text"]
    if not isinstance(text, str):
        raise TypeError("no text")
    passed = [tuple(_span(start, end, size) for start, end in each) for each in value["via"]]
    runs: list[Run] = []
    at = 0
    for end, start, stop, exact, via in value["runs"]:
        if end <= at:
            raise ValueError("runs in disorder")
        runs.append(Run(at, end, _span(start, stop, size), bool(exact), passed[via]))
        at = end
    if runs and at != len(text):
        raise ValueError("runs and text differ")
    return Rendered(text, tuple(runs))


def _span(start: int, end: int, size: int) -> Span:
    if not 0 <= start <= end <= size:
        raise ValueError("a span outside of the template")
    return Span(start, end)


def to_variables(found: Variables | Failed) -> bytes:
    """Return variables, or why there are none, as a line."""
    if isinstance(found, Failed):
        return to_outcome(found)
    return to_line({"names": sorted(found.names), "booleans": sorted(found.booleans)})


def from_variables(line: bytes, size: int) -> Variables | Failed:
    """Return the variables of a line; raises ValueError where it has none."""
    try:
        value = from_line(line)
        if "kind" in value:
            return _failed(value, size)
        return Variables(frozenset(map(str, value["names"])), frozenset(map(str, value["booleans"])))
    except (LookupError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
