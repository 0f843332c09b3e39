"""Trying a chat template with all its probes.

Owns: `prove`, the order of the renderings, which part of one is the assistant's, and the outcome of a probe. Must not
know: how templates are rendered, rules.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from callwright.calls.call import Call
from callwright.chat_templates.capabilities import capabilities_of
from callwright.chat_templates.differences import difference_of
from callwright.chat_templates.files import TOKENS
from callwright.chat_templates.model import Failed, Job, Outcome, Rendered, Run, Variables
from callwright.chat_templates.probes import DOCUMENTS, Form, Probe, layouts, shown, values
from callwright.chat_templates.proof import ProbeOutcome, Proof, Tried
from callwright.chat_templates.reading import read_calls
from callwright.dialects.catalogue import find_dialect
from callwright.text.budget import yield_point
from callwright.text.span import Span, equal_start


class Renders(Protocol):
    """What renders templates; all jobs of a call are about one template."""

    def render(self, source: str, jobs: Sequence[Job]) -> list[Outcome]:
        """Return what came of each job."""

    def variables(self, source: str) -> Variables | Failed:
        """Return the variables that the template reads, or why it does not compile."""


def prove(
    source: str,
    renderer: Renders,
    *,
    name: str = "",
    dialect: str | None = None,
    tokens: Mapping[str, object] = TOKENS,
) -> Proof:
    """Return what comes of every probe of a template.

    A template whose `name` ends in `tool_use` is for conversations with tools alone, one in `rag` for conversations
    with documents. Where calls are written by their ids alone, the ids have the names of tools. Calls are read back in
    the dialect that is demanded, else in whichever the text is written. `tokens` are the variables that a tokenizer
    gives its template, `bos_token` and the like; their values are tried inside of values.
    Raises ValueError where there is no such dialect, ChatTemplateError where templates cannot be rendered at all.
    """
    variables = renderer.variables(source)
    if isinstance(variables, Failed):
        return Proof(source, failed=variables)
    documents = {"documents": list(DOCUMENTS)} if name.endswith(_WITH_DOCUMENTS) else {}
    trial = _Trial(source, renderer, dialect, {**tokens, **documents})
    only_tools = name.endswith(_TOOLS_ALONE)
    chosen = _chosen(layouts(sorted(variables.booleans - _GIVEN)), only_tools)
    laid_out = _without_other_types(trial.of(chosen))
    named_ids = _writes_ids_alone(laid_out)
    if named_ids:
        laid_out = _without_other_types(trial.of([probe.with_named_ids() for probe in chosen]))
    dialects = _dialects(laid_out)
    markers = _markers(laid_out, dialects)
    special = [str(value) for value in tokens.values() if isinstance(value, str) and value]
    of_values = _chosen(values(markers, special), only_tools)
    tried = (*laid_out, *trial.of([probe.with_named_ids() for probe in of_values] if named_ids else of_values))
    if "tools" not in variables.names and "tool_calls" not in source:
        tried = tuple(map(_without_tools, tried))
    proof = Proof(source, variables, tried, dialects, named_ids=named_ids, origin_of=trial.origin_of)
    proof.tried = tuple(replace(each, difference=difference_of(proof, each)) for each in tried)
    proof.capabilities = capabilities_of(proof, markers)
    return proof


#: Variables that every rendering is given, or that are no switches.
_GIVEN: Final = frozenset({"messages", "tools", "add_generation_prompt", "bos_token", "eos_token", "documents"})


#: How transformers names the template that it chooses where there are tools, and how models name the one for documents.
_TOOLS_ALONE: Final = "tool_use"
_WITH_DOCUMENTS: Final = "rag"
#: A call of `raise_exception`, whose message may fail itself.
_RAISES: Final = "raise_exception("


def _chosen(probes: Sequence[Probe], only_tools: bool) -> list[Probe]:
    return [each for each in probes if each.tools or not only_tools]


def _writes_ids_alone(tried: Iterable[Tried]) -> bool:
    """Return whether calls are written with their ids, and without their names."""
    one = [each for each in tried if each.probe.name == "one-call" and each.rendered is not None]
    calls = [(call, each.reply_text) for each in one for call in each.probe.calls]
    return any(call.id is not None and call.id in text and call.name not in text for call, text in calls)


def _without_other_types(tried: Sequence[Tried]) -> tuple[Tried, ...]:
    """Return what was tried without variables that are no truth values after all."""
    others = {
        name
        for each in tried
        if each.failed is not None and each.failed.message.startswith("TypeError") and "bool" in each.failed.message
        for name in each.probe.variables
    }
    return tuple(each for each in tried if not others & each.probe.variables.keys())


def _without_tools(tried: Tried) -> Tried:
    """Return what came of a probe where the template has nothing to do with tools: one with calls is skipped."""
    if tried.outcome is ProbeOutcome.UNREAD:
        return replace(tried, outcome=ProbeOutcome.SKIPPED, message="the template reads neither tools nor calls")
    return tried


def _dialects(tried: Iterable[Tried]) -> tuple[str, ...]:
    """Return the dialects in which calls were read back, the commonest first."""
    count = Counter(call.dialect for each in tried for call in each.calls)
    return tuple(name for name, _ in count.most_common())


def _markers(tried: Iterable[Tried], dialects: Sequence[str]) -> tuple[str, ...]:
    """Return the markers of the dialects that the template writes, in the order in which it writes them."""
    text = "\n".join(each.reply_text for each in tried)
    known = {marker for name in dialects if (found := find_dialect(name)) is not None for marker in found.markers}
    return tuple(sorted((marker for marker in known if marker in text), key=text.index))


class _Trial:
    """The renderings of one template; each is made once, and all that a set of probes needs in one batch."""

    def __init__(self, source: str, renderer: Renders, dialect: str | None, tokens: Mapping[str, object]) -> None:
        self._source = source
        self._renderer = renderer
        self._dialect = dialect
        self._tokens = tokens
        self._made: dict[str, Outcome] = {}
        self._origins: dict[tuple[str, Form], Rendered | None] = {}

    def of(self, wanted: Sequence[Probe]) -> tuple[Tried, ...]:
        """Return what comes of the probes, each in its forms."""
        each = [(probe, form, probe.in_form(form)) for probe in wanted for form in probe.forms]
        self._render(job for probe, _, messages in each for job in self._jobs(probe, messages))
        return tuple(self._tried(probe, form, messages) for probe, form, messages in each)

    def origin_of(self, tried: Tried, offset: int) -> Run | None:
        """Return the run of the template that wrote a character of a probe's rendering."""
        key = (tried.probe.name, tried.form)
        if key not in self._origins:
            job = replace(self._job(tried.probe, tried.probe.in_form(tried.form)), tagged=True)
            (outcome,) = self._renderer.render(self._source, [job])
            plain = tried.rendered.text if tried.rendered is not None else None
            self._origins[key] = outcome if isinstance(outcome, Rendered) and outcome.text == plain else None
        found = self._origins[key]
        return found.run_at(offset) if found is not None else None

    def _job(self, probe: Probe, messages: list[dict[str, Any]], prompt: bool = False) -> Job:
        variables = {**self._tokens, **probe.variables, "add_generation_prompt": prompt}
        return Job(messages, list(probe.tools) or None, variables)

    def _jobs(self, probe: Probe, messages: list[dict[str, Any]]) -> list[Job]:
        """Return the jobs of a probe: the whole, what precedes the reply, the same with a prompt, and up to its end."""
        before = messages[: probe.reply] if probe.reply is not None else messages
        ended = messages[: probe.reply + 1] if probe.reply is not None else messages
        whole = self._job(probe, messages)
        return [whole, self._job(probe, before), self._job(probe, before, prompt=True), self._job(probe, ended)]

    def _render(self, jobs: Iterable[Job]) -> None:
        missing = {key: job for job in jobs if (key := _key(job)) not in self._made}
        if missing:
            outcomes = self._renderer.render(self._source, list(missing.values()))
            self._made.update(zip(missing, outcomes, strict=True))

    def _text(self, job: Job) -> str | None:
        outcome = self._made[_key(job)]
        return outcome.text if isinstance(outcome, Rendered) else None

    def _tried(self, probe: Probe, form: Form, messages: list[dict[str, Any]]) -> Tried:
        yield_point()
        whole, before, prompt, ended = self._jobs(probe, messages)
        outcome = self._made[_key(whole)]
        prefix, prompted = self._text(before), self._text(prompt)
        tried = Tried(probe, form, ProbeOutcome.SAME, prefix=prefix, prompted=prompted)
        if isinstance(outcome, Failed):
            stated = outcome.kind == "error" and outcome.span is not None and _RAISES in outcome.span.of(self._source)
            skipped = outcome.kind == "raised" or stated
            kind = ProbeOutcome.SKIPPED if skipped else ProbeOutcome.RAISES
            return replace(tried, outcome=kind, message=outcome.message, failed=outcome)
        tried = replace(tried, rendered=outcome)
        if probe.reply is None:
            return tried
        reply = _reply(outcome.text, prefix if prefix is not None else prompted or "", self._text(ended), probe)
        read = read_calls(outcome.text[reply.start : reply.end], self._dialect)
        calls = tuple(replace(call, span=call.span.shift(reply.start)) for call in read.calls)
        kind, message = _compared(probe, calls)
        if kind is ProbeOutcome.SAME and read.invalid:
            kind, message = ProbeOutcome.DIFFERS, f"the call is not valid, it has {' and '.join(read.invalid)}"
        tried = replace(tried, outcome=kind, message=message, reply=reply, calls=calls)
        at = reply.start + read.invalid_at
        return replace(tried, invalid=read.invalid, invalid_at=at, ambiguous=read.ambiguous)


def _key(job: Job) -> str:
    tools = [tool["function"]["name"] for tool in job.tools or ()]
    return json.dumps([job.messages, tools, job.variables], sort_keys=True)


#: After what a marker may begin.
_BORDERS: Final = (">", "]", "\n")


def _reply(text: str, prefix: str, ended: str | None, probe: Probe) -> Span:
    """Return the part of a rendering that the reply wrote: what follows the rendering of the messages before it.

    It ends where the rendering of the conversation up to the reply does, `ended`; where that has something else in the
    reply, before the first word of a later message.
    """
    start = equal_start(text, prefix)
    if start < len(prefix):
        # What both have of a marker may belong to the reply.
        start = max(text.rfind(border, 0, start) + 1 for border in _BORDERS)
    found = [at for word in probe.words if (at := text.find(word, start)) >= 0]
    end = min(found, default=len(text))
    same = equal_start(text, ended) if ended is not None else 0
    written = [call.name for call in probe.calls if call.name in text[start:end]]
    return Span(start, same if start < same < end and all(each in text[start:same] for each in written) else end)


def _compared(probe: Probe, calls: Sequence[Call]) -> tuple[ProbeOutcome, str]:
    """Return the outcome for the calls that were read, and in words what differs."""
    if not calls:
        return ProbeOutcome.UNREAD, "no call is read"
    if [call.tool for call in calls] != [call.name for call in probe.calls]:
        names = ", ".join(f"`{call.tool}`" for call in calls)
        many = "1 call is" if len(calls) == 1 else f"{len(calls)} calls are"
        return ProbeOutcome.DIFFERS, f"{many} read for {len(probe.calls)}: {names}"
    for made, read in zip(probe.calls, calls, strict=True):
        if not _equal(dict(made.arguments), read.arguments):
            return ProbeOutcome.DIFFERS, f"`{made.name}` is read with {shown(read.arguments)}"
    return ProbeOutcome.SAME, ""


def _equal(made: object, read: object) -> bool:
    """Return whether two JSON values are the same: 1 and 1.0 are, 1 and true are not."""
    if isinstance(made, bool) or isinstance(read, bool):
        return made is read
    if isinstance(made, dict) and isinstance(read, dict):
        return made.keys() == read.keys() and all(_equal(made[key], read[key]) for key in made)
    if isinstance(made, list) and isinstance(read, list):
        return len(made) == len(read) and all(map(_equal, made, read))
    return made == read and isinstance(made, str) == isinstance(read, str)
