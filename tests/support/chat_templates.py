"""Chat templates in tests: one process that renders them all, what comes of their probes, and what explains it."""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

import pytest

from callwright.chat_templates.proof import ProbeOutcome, Proof, Tried
from callwright.chat_templates.proving import prove
from callwright.chat_templates.renderer import Renderer
from callwright.document.settings import Settings
from callwright.lint.chat_templates import chat_template_diagnostics
from callwright.rules.base import Diagnostic
from callwright.text.span import line_and_column

#: A template that encodes the string arguments of the API once more, and has no other fault.
ENCODES_TWICE: Final = """{% for message in messages %}
<|{{ message.role }}|>{{ message.content or '' }}
{% for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{% endfor %}
{% endfor %}
{% if add_generation_prompt %}
<|assistant|>{% endif %}
"""
#: What a template reads calls and arguments by: where it does, an argument or a call may be lost.
_READS: Final = ("arguments", "tool_calls")


@cache
def renderer() -> Renderer:
    """Return the process that renders the chat templates of all tests; skips a test where Jinja is missing."""
    pytest.importorskip("jinja2")
    made = Renderer()
    atexit.register(made.close)
    return made


@cache
def proof_of(source: str, name: str = "") -> Proof:
    """Return what comes of the probes of a template; each template is tried once."""
    return prove(source, renderer(), name=name)


def rendered_diagnostics(source: str, settings: Settings | None = None) -> list[Diagnostic]:
    """Return what is found in a chat template when it is rendered."""
    return chat_template_diagnostics(proof_of(source), settings or Settings())


def unexplained(proof: Proof, diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """Yield each probe that does not come back and has no diagnostic at a line that causes it."""
    lines = {line_and_column(proof.source, each.span.start)[0] for each in diagnostics}
    for tried in proof.tried:
        if tried.outcome not in (ProbeOutcome.SAME, ProbeOutcome.SKIPPED) and not lines & set(_causes(proof, tried)):
            yield f"{tried.probe.name} ({tried.form}): {tried.outcome}, {tried.message}"


def _causes(proof: Proof, tried: Tried) -> Iterator[int]:
    """Yield the lines that failed, that wrote the reply of a probe, or that read its calls and arguments."""
    if tried.failed is not None:
        yield line_and_column(proof.source, tried.failed.span.start)[0] if tried.failed.span is not None else 1
        return
    at = tried.reply.start
    while at < tried.reply.end:
        run = proof.origin_of(tried, at)
        assert run is not None, "the origin of a character is not known"
        yield from (line_and_column(proof.source, span.start)[0] for span in (run.span, *run.via))
        at = max(run.end, at + 1)
    for number, line in enumerate(proof.source.split("\n"), 1):
        if any(word in line for word in _READS):
            yield number
