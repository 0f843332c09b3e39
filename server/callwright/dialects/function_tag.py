"""The `function-tag` dialect: `<function=NAME>` around the arguments as one JSON object.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Sequence
from typing import Final

from callwright.calls.marker_problems import half_marker, mismatched, unclosed
from callwright.calls.named_json import (
    MAX_LENGTH,
    Grammar,
    Header,
    ambiguous,
    body_limit,
    look_for,
    name_with_holes,
    named_call,
    read_body,
)
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering
from callwright.calls.scanning import skip_space
from callwright.dialects.support.named import NamedDialect
from callwright.syntax.problem import Problem
from callwright.text.span import Span

_CLOSER: Final = "</function>"
_OPENER = re.compile(r"<function=(?P<name>[^\s<>]{1,256}+)[ \t]*+>")
_BODY = re.compile(r"[{\[]|\"\s*+\{")
_NAME = re.compile(r"[^\s<>]{1,256}")
_CLOSING = re.compile(r"</function\s*+>")
_WRONG = re.compile(r"</(?!tool_call)[a-z_]{1,40}+(?:=[^\s<>]*+)?+\s*+>")
#: How far to read to know what a closing tag closes.
_SEEN = re.compile(r"</[a-z_]{0,41}+(?:=[^\s<>]*+)?+\s*+")
_GRAMMAR: Final = Grammar(
    header=_OPENER,
    closers=(_CLOSER,),
    every=re.compile(r"</function\s*+>|<function=|</?tool_call>|<\|(?:eom_id|eot_id|im_end)\|>"),
    markers=(_CLOSER, "<function=", "<tool_call>", "</tool_call>", "<|eom_id|>", "<|eot_id|>", "<|im_end|>"),
    closing=_CLOSING,
)


class FunctionTag(NamedDialect):
    """A tag `<function=NAME>` whose content is one JSON object with the arguments."""

    name = "function-tag"
    title = "Function tag with JSON"
    summary = "`<function=NAME>`, one JSON object with the arguments, `</function>`."
    used_by: Sequence[str] = ("Functionary 3.1", "Llama 3.1 (custom tools)")
    openers: Sequence[str] = ("<function=",)
    markers = ("<function=", _CLOSER, "<tool_call>", "</tool_call>")
    grammar = _GRAMMAR
    closer = _CLOSER
    escaping = r"""
        JSON escapes. A closing tag inside a string is written with `\u003c` for its `<`, because parsers that use a
        pattern end the call there.
    """
    ambiguity = """
        The content must begin as JSON. With `<parameter=…>` in it the call is `qwen-coder`. An empty tag is a call of
        this dialect only where calls are expected in it. A closing tag inside a JSON string is part of the string, with
        a warning.
    """
    peers = """
        Parsers that use a pattern, such as the one in Llama's examples, end the call at the first `</function>`.
        llama.cpp reads the whole JSON.
    """
    asks: Sequence[str] = (
        "Write each call as `<function=NAME>`, one JSON object with the arguments, and `</function>`.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call whose tag opens at `start`; None where its content is not JSON."""
        match = _OPENER.match(text, start)
        if match is None:
            context.look(start + 256 + MAX_LENGTH)
            return None
        visible = skip_space(text, match.end())
        look_for(text, visible, _GRAMMAR.markers, context)
        if _BODY.match(text, visible) is None:
            context.look(skip_space(text, visible + 1) + 1)
            if context.preferred != self.name or _CLOSING.match(text, visible) is None:
                return None
        header = Header(name_with_holes(match["name"]), Span(match.start("name"), match.end("name")), match.end())
        limit = body_limit(text, header.body, context)
        body = read_body(text, header.body, limit, _GRAMMAR, context)
        body_end = max(body.end, header.body)
        closing = _CLOSING.match(text, body.at)
        opened = Span(start, match.end())
        problems: list[Problem] = []
        complete = True
        end = body_end
        if closing is None and text.startswith("</", body.at):
            context.look(_SEEN.match(text, body.at).end() + 1)  # type: ignore[union-attr]  # it matches here
        half = half_marker(text, body.at, _CLOSER)
        wrong = _WRONG.match(text, body.at)
        if closing is not None:
            end = closing.end()
            problems = ambiguous(text, body, _CLOSING, Span(closing.start(), closing.end()))
        elif half is not None:
            problems.append(half)
            end, body_end, complete = half.span.end, body.at, False
        elif wrong is not None:
            span = Span(wrong.start(), wrong.end())
            problems.append(mismatched(span, _CLOSER, opened))
            end, body_end = span.end, body.at
        else:
            complete = False
            cut = body.at >= limit
            problems.append(unclosed(opened, _CLOSER, body_end, cut=cut, certain=not body.problems))
        inner = Span(header.body, body_end)
        call = named_call(self.name, header, Span(start, end), body, inner, complete=complete)
        call.problems += problems
        return Reading([call], end, end)

    def head(self, call: Rendering, index: int) -> str | Refusal:
        """Return the opening tag."""
        del index
        if _NAME.fullmatch(call.tool) is None:
            return Refusal(f"the tag cannot contain the name `{call.tool}`")
        return f"<function={call.tool}>"


DIALECT = FunctionTag()
