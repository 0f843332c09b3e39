"""Results as text: how the result of a tool is written into a conversation, and the forms of its envelopes.

Owns: `ReportedResult`, `write_results`, the dialects, `is_envelope` and the words of envelopes. Must not know: any
single dialect, tools, transcripts. Results are read by `transcripts/support/text_results.py`.

| Dialect | Form | Known from | |---|---|---| | `tool-result` | `<tool_result name="f">`, the text, `</tool_result>` |
prompts of many agents | | `tool-response` | `<tool_response>{"name": "f", "content": …}</tool_response>` | Hermes | |
`tool-response-text` | `<tool_response>`, the text, `</tool_response>` | Qwen, GLM | | `function-results` |
`<function_results><result><tool_name>f</tool_name><stdout>…` | Anthropic's text dialect | | `mistral` |
`[TOOL_RESULTS]{"content": …, "call_id": …}[/TOOL_RESULTS]` | Mistral | | `label` | `[f for 'a'] Result:`, the text |
Cline, Roo Code | | `observation` | `Observation: ` and the text | ReAct |

Invariant: no text of a tool ends its own result or begins another one. A value that a dialect cannot contain is written
as JSON in the same tags, with the closing marker escaped; in dialects without tags, all results are then written as
`tool-result`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from callwright.text.line_ends import LINE_START
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple

#: The members of a result's envelope, by what they mean.
TOOL_KEYS: Final = ("name", "tool", "tool_name")
CONTENT_KEYS: Final = ("content", "result", "output", "response")
ID_KEYS: Final = ("tool_call_id", "call_id", "id")
FAILED_KEY: Final = "is_error"
#: The first of Mistral's markers around a result.
RESULT_MARKER: Final = "[TOOL_RESULTS]"
#: How Cline and Roo Code begin the text of a result of a failed tool.
LABELLED_FAILURES: Final = ("The tool execution failed", "<error>")
#: The dialect that can contain all results.
DEFAULT: Final = "tool-result"

#: The form of a label, which cannot be escaped.
_LABEL: Final = compile_later(
    rf"{LINE_START}\[[A-Za-z_][\w.-]{{0,80}}+(?: for '[^\r\n]{{0,500}}?')?\] Result:", re.MULTILINE
)
_LABELLED_TOOL: Final = compile_later(r"[A-Za-z_][\w.-]{0,80}")
_SHOWN_ARGUMENT: Final = compile_later(r"[^\r\n'\]]{1,200}")
#: The attribute values that need no escapes.
_ATTRIBUTE: Final = compile_later(r"[\w.:/-]{1,80}", re.ASCII)
#: The beginnings of texts that report a failure, in any case.
FAILURES: Final = (
    "error:", "error -", "exception:", "traceback (most recent call last)", "<error>", "<tool_use_error>",
    "fatal:", "failed:", "tool execution failed",
)  # fmt: skip
_SOUNDS_FAILED: Final = (*FAILURES, LABELLED_FAILURES[0].lower())
#: JSON with one of these words may report a failure.
_REPORTING: Final = compile_later(r"error|fail|success|\"ok\"", re.IGNORECASE)
#: What would end a result, or begin another, between Mistral's markers.
_MISTRAL_MARKER: Final = compile_later(r"\[(?=/?+TOOL_RESULTS\])")


class ResultDraft(NamedTuple):
    """A result to write: its tool, its value, whether it failed, and the call it answers.

    `value` is plain JSON data; of a failure it is a text. `about` is an argument of the call, to distinguish calls of
    one tool.
    """

    tool: str | None
    value: Any
    failed: bool = False
    call_id: str | None = None
    about: str | None = None


def write_results(value_format: str, results: Sequence[ResultDraft]) -> str:
    """Return results as text in a dialect. Raises KeyError if there is no such dialect."""
    written = _FORMATS[value_format](results)
    return _tool_results(results) if written is None else written


def dialects() -> tuple[str, ...]:
    """Return the names of the dialects."""
    return tuple(_FORMATS)


def is_envelope(value: Any) -> bool:
    """Return whether a value contains a result's content together with its tool's name, or with its call's id."""
    if not isinstance(value, dict) or len(value) > 4:
        return False
    known = (*TOOL_KEYS, *CONTENT_KEYS, *ID_KEYS, FAILED_KEY)
    return (
        any(isinstance(value.get(key), str) for key in (*TOOL_KEYS, "tool_call_id", "call_id"))
        and any(key in value for key in CONTENT_KEYS)
        and all(key in known for key in value)
    )


# -- the dialects -----------------------------------------------------------------------------------------------------


def _tool_results(results: Sequence[ResultDraft]) -> str:
    return "\n".join(_tool_result(result) for result in results)


def _tool_result(result: ResultDraft) -> str:
    text = _as_text(result.value)
    names = {"name": result.tool, "id": result.call_id, FAILED_KEY: _stated_failure(result)}
    attributes = {key: value for key, value in names.items() if value is not None}
    if (
        result.tool is None
        or text is None
        or "</tool_result>" in text
        or not all(_ATTRIBUTE.fullmatch(value) for value in attributes.values())
    ):
        return _enveloped("tool_result", result)
    written = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<tool_result{written}>\n{text}\n</tool_result>"


def _tool_responses(results: Sequence[ResultDraft]) -> str:
    return "\n".join(_enveloped("tool_response", result) for result in results)


def _tool_response_texts(results: Sequence[ResultDraft]) -> str:
    return "\n".join(_tool_response_text(result) for result in results)


def _tool_response_text(result: ResultDraft) -> str:
    text = _plain_text(result)
    if text is None or "</tool_response>" in text or _reads_as_envelope(text):
        return _enveloped("tool_response", result)
    return f"<tool_response>\n{'Error: ' if result.failed else ''}{text}\n</tool_response>"


def _function_results(results: Sequence[ResultDraft]) -> str | None:
    parts = []
    for result in results:
        text = _plain_text(result)
        if result.tool is None or _ATTRIBUTE.fullmatch(result.tool) is None or result.call_id is not None:
            return None
        if text is None or "</result>" in text or "</function_results>" in text:
            return None
        tag = "error" if result.failed else "stdout"
        parts.append(f"<result>\n<tool_name>{result.tool}</tool_name>\n<{tag}>\n{text}\n</{tag}>\n</result>")
    return "\n".join(("<function_results>", *parts, "</function_results>"))


def _mistral(results: Sequence[ResultDraft]) -> str:
    parts = []
    for result in results:
        written = _MISTRAL_MARKER.sub(r"\\u005b", _json(_envelope(result, "call_id"))).replace("</s>", r"<\/s>")
        parts.append(f"[TOOL_RESULTS]{written}[/TOOL_RESULTS]")
    return "\n".join(parts)


def _labelled(results: Sequence[ResultDraft]) -> str | None:
    parts = []
    for result in results:
        text = _plain_text(result)
        if result.tool is None or _LABELLED_TOOL.fullmatch(result.tool) is None or result.call_id is not None:
            return None
        if text is None or _LABEL.search(text):
            return None
        if result.failed:
            text = f"{LABELLED_FAILURES[0]} with the following error:\n<error>\n{text}\n</error>"
        shown = result.about is not None and _SHOWN_ARGUMENT.fullmatch(result.about) is not None
        about = f" for '{result.about}'" if shown else ""
        parts.append(f"[{result.tool}{about}] Result:\n{text}")
    return "\n\n".join(parts)


def _observation(results: Sequence[ResultDraft]) -> str | None:
    if len(results) != 1 or results[0].call_id is not None:
        return None
    text = _plain_text(results[0])
    return None if text is None else f"Observation: {'Error: ' if results[0].failed else ''}{text}"


_FORMATS: Final[Mapping[str, Callable[[Sequence[ResultDraft]], str | None]]] = {
    DEFAULT: _tool_results,
    "tool-response": _tool_responses,
    "tool-response-text": _tool_response_texts,
    "function-results": _function_results,
    "mistral": _mistral,
    "label": _labelled,
    "observation": _observation,
}


# -- values ------------------------------------------------------------------------------------------------------------


def _as_text(value: Any) -> str | None:
    """Return a value as text that reads back to it: a text as it is, or JSON of an array or object; None for others."""
    if isinstance(value, str):
        return value
    return _json(value) if isinstance(value, dict | list) else None


def _plain_text(result: ResultDraft) -> str | None:
    """Return a result as text, None if it has none, or if it resembles a failure and is a success."""
    text = _as_text(result.value)
    if text is None or not text.strip() or (not result.failed and _stated_failure(result) is not None):
        return None
    return text


def _stated_failure(result: ResultDraft) -> str | None:
    """Return the statement that a result needs: that it failed, or that it did not although its text resembles a
    failure."""
    if result.failed:
        return "true"
    return "false" if isinstance(result.value, str) and _sounds_failed(result.value) else None


def _sounds_failed(text: str) -> bool:
    """Return whether a text may be read as that of a failure."""
    begin = text[:200].lstrip()
    if begin.lower().startswith(_SOUNDS_FAILED):
        return True
    return begin.startswith(("{", "[")) and _REPORTING.search(text) is not None


def _envelope(result: ResultDraft, id_key: str) -> dict[str, Any]:
    made: dict[str, Any] = {"name": result.tool or "", "content": result.value}
    if result.call_id is not None:
        made[id_key] = result.call_id
    failure = _stated_failure(result)
    if failure is not None:
        made[FAILED_KEY] = failure == "true"
    return made


def _enveloped(tag: str, result: ResultDraft) -> str:
    # `\/` is a slash in JSON, so no text of a tool closes the tag.
    written = _json(_envelope(result, "tool_call_id")).replace(f"</{tag}", rf"<\/{tag}")
    return f"<{tag}>\n{written}\n</{tag}>"


def _reads_as_envelope(text: str) -> bool:
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return False
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return False
    return is_envelope(value) or (isinstance(value, list) and bool(value) and all(map(is_envelope, value)))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
