"""What is asked of a chat template, and what comes of rendering it.

Owns: `Job`, `Run`, `Rendered`, `Failed`, `Outcome`, `Variables`, `ChatTemplateError`.
Must not know: Jinja, processes, how characters are traced, what a rendering is judged by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from callwright.text.span import Span

#: Why a rendering failed.
#: `raised`: the template called `raise_exception`. `error`: any other exception; the message begins with its type.
#: `syntax`: it does not compile. `time`, `memory`, `output`: it reached a limit. `refused`: it asked for what no chat
#: template may have: another template (`include`, `extends`, `import`), or what the sandbox or the guard denies.
FailureKind: TypeAlias = Literal["raised", "error", "syntax", "time", "memory", "output", "refused"]

#: What a user installs where Jinja is missing.
INSTALL: Final = "pip install callwright[templates]"


class ChatTemplateError(Exception):
    """Chat templates cannot be rendered at all: Jinja is not installed, or the child process does not start."""


@dataclass(frozen=True, slots=True)
class Job:
    """One rendering: messages and tools in the shapes of the OpenAI API, and other variables of the template.

    `variables` may have `add_generation_prompt`, `enable_thinking`, `bos_token` and any other name. With `tagged` the
    result says where each character comes from.
    """

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None
    variables: Mapping[str, object] = field(default_factory=dict)
    tagged: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """The characters `[start, end)` of a rendering, which one place in the template wrote.

    `span` is that place in code points: the innermost literal (template data, or a string in an expression) or
    `{{ }}`. Where `exact` is false, no column is known and the span is that of its lines. `via` are the call sites and
    the outer `{{ }}` around it, innermost first.
    """

    start: int
    end: int
    span: Span
    exact: bool = True
    via: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendering; of a tagged job the runs cover the text without gaps, of others there are none."""

    text: str
    runs: tuple[Run, ...] = ()

    def run_at(self, offset: int) -> Run | None:
        """Return the run that the character at `offset` of the text belongs to, None without runs."""
        low, high = 0, len(self.runs)
        while low < high:
            middle = (low + high) // 2
            if self.runs[middle].end <= offset:
                low = middle + 1
            else:
                high = middle
        return self.runs[low] if low < len(self.runs) and self.runs[low].start <= offset else None


@dataclass(frozen=True, slots=True)
class Failed:
    """A rendering that came to nothing; `span` is the place in the template where it failed, where that is known."""

    kind: FailureKind
    message: str
    span: Span | None = None


Outcome: TypeAlias = Rendered | Failed


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables that a template reads and does not set, and which of them it uses as truth values."""

    names: frozenset[str] = frozenset()
    booleans: frozenset[str] = frozenset()
