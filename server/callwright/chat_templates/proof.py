"""What came of a chat template's probes.

Owns: `ProbeOutcome`, `Difference`, `Tried`, `Capabilities`, `Proof`. Must not know: how probes are rendered and read,
rules.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from callwright.calls.call import Call
from callwright.chat_templates.model import Failed, Rendered, Run, Variables
from callwright.chat_templates.probes import Form, Kind, Probe
from callwright.text.span import Span, equal_ends


class ProbeOutcome(enum.StrEnum):
    """Whether the calls of a probe come back; all else is said by diagnostics."""

    SAME = "same"
    DIFFERS = "differs"
    RAISES = "raises"
    #: No call is read where one was made.
    UNREAD = "unread"
    #: The template states that it does not support this.
    SKIPPED = "skipped"


class Difference(enum.Enum):
    """What became of the calls of a probe."""

    #: Nothing of a call is in the rendering.
    LOST = "lost"
    #: The call is in the rendering, and no dialect reads it.
    UNREAD = "unread"
    #: The JSON of the arguments, or of a value, is a JSON string.
    ENCODED_TWICE = "encoded-twice"
    #: `<`, `&` or quotes are entities of HTML.
    HTML = "html"
    #: A quote, a backslash or a line break of a value is written as it is where it has to be escaped.
    UNESCAPED = "unescaped"
    #: A marker of the dialect in a value ends the value or the call.
    MARKER = "marker"
    #: An argument has another value, or is not there.
    CHANGED = "changed"
    #: A value has other white space at its beginning or end.
    SPACE = "space"
    #: The call is read, and only by a parser that accepts what is invalid in its dialect.
    INVALID = "invalid"
    #: The call is written as it should be where its arguments are an object, and never where they are a JSON string.
    STRING = "string"


@dataclass(frozen=True, slots=True)
class Tried:
    """A probe in one form of its arguments, and what came of it.

    `rendered` is the whole rendering, None where it failed; `reply` the span of the assistant's part in it, empty where
    the probe makes no call. `calls` are those that were read in that part, their spans offsets of the rendering, and
    `invalid` what in them only a lenient parser accepts, the first at `invalid_at`. `ambiguous` is whether a closer is
    in a value. `prefix` is the rendering of the messages before the reply, `prompted` the same with a generation
    prompt; they are None where they failed. `difference` is how the calls differ, where they were read back otherwise.
    """

    probe: Probe
    form: Form
    outcome: ProbeOutcome
    message: str = ""
    rendered: Rendered | None = None
    reply: Span = field(default=Span(0, 0))
    calls: tuple[Call, ...] = ()
    invalid: tuple[str, ...] = ()
    invalid_at: int = 0
    ambiguous: bool = False
    failed: Failed | None = None
    prefix: str | None = None
    prompted: str | None = None
    difference: Difference | None = None

    @property
    def reply_text(self) -> str:
        """The assistant's part of the rendering."""
        return self.rendered.text[self.reply.start : self.reply.end] if self.rendered is not None else ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a template supports, as its renderings show.

    None means that this cannot be known, for example because every such probe raises.
    """

    tools: bool | None = None
    calls: bool | None = None
    parallel_calls: bool | None = None
    ids: bool | None = None
    object_arguments: bool | None = None
    string_arguments: bool | None = None
    reasoning: bool | None = None
    system: bool | None = None
    content_parts: bool | None = None
    prefix_preserving: bool | None = None
    markers: tuple[str, ...] = ()


def _unknown(_tried: Tried, _offset: int) -> Run | None:
    return None


@dataclass(slots=True)
class Proof:
    """A chat template with all its probes: what rules of chat templates are given.

    `failed` says why nothing could be rendered. `named_ids` is whether a call is written by its id alone, so that the
    probes have ids with the names of the tools. `origin_of` renders a probe once more with the origin of each
    character, and returns the run at an offset of its rendering.
    """

    source: str
    variables: Variables = field(default_factory=Variables)
    tried: tuple[Tried, ...] = ()
    dialects: tuple[str, ...] = ()
    capabilities: Capabilities = field(default_factory=Capabilities)
    failed: Failed | None = None
    named_ids: bool = False
    origin_of: Callable[[Tried, int], Run | None] = field(default=_unknown, repr=False)

    def get(self, name: str, form: Form = "object") -> Tried | None:
        """Return what came of a probe in a form, None where it was not tried."""
        return next((each for each in self.tried if each.probe.name == name and each.form == form), None)

    def of_kind(self, kind: Kind, form: Form | None = None) -> Iterator[Tried]:
        """Yield what came of the probes of a kind, in one form or in both."""
        return (each for each in self.tried if each.probe.kind is kind and form in (None, each.form))

    def other_form(self, tried: Tried) -> Tried | None:
        """Return the same probe in the other form."""
        return self.get(tried.probe.name, "string" if tried.form == "object" else "object")

    @property
    def refusal(self) -> str | None:
        """Why no conversation at all is rendered; None where one is, or none was tried."""
        if any(each.rendered is not None for each in self.tried):
            return None
        return next((each.failed.message for each in self.tried if each.failed is not None), None)

    @property
    def taught(self) -> str:
        """The part of a rendering that is there because of the tools; empty where there is none or it is not known."""
        with_tools, without = self.get("tools-only"), self.get("user-only")
        if with_tools is None or without is None or with_tools.rendered is None or without.rendered is None:
            return ""
        text, plain = with_tools.rendered.text, without.rendered.text
        start, end = equal_ends(text, plain)
        return text[start : len(text) - end]

    def span_of(self, tried: Tried, offset: int) -> Span:
        """Return the place in the template that wrote a character of a probe's rendering; the whole where unknown."""
        run = self.origin_of(tried, offset)
        return run.span if run is not None else Span(0, len(self.source))
