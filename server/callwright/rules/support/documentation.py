"""A rule's documentation, parsed: what it finds, why that is bad, and its examples.

Owns: the form of a rule's docstring. Must not know: any single rule, Markdown, terminals.

A docstring is a sentence, a paragraph that begins with `Why is this bad:`, further paragraphs if need be, and sections:
a line `Settings`, `Tools`, `Example` or `Use instead`, and below it lines indented by four. `Settings` contains lines
of `callwright.toml` that the examples after it need, `Tools` a tool file in JSON for them. `Example path=chat.json`
names the file of an example, which sets its kind; without it, an example is Markdown.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from callwright.rules.base import Rule

WHY: Final = "Why is this bad:"
SETTINGS: Final = "Settings"
TOOLS: Final = "Tools"
EXAMPLE: Final = "Example"
INSTEAD: Final = "Use instead"
_SECTIONS: Final = (SETTINGS, TOOLS, EXAMPLE, INSTEAD)
_WITH_PATH: Final = f"{EXAMPLE} path="


@dataclass(slots=True)
class Example:
    """One example: the faulty source with annotation lines, what to write instead ("" where none is given), and the
    lines of configuration and the tool file that it needs. `path` names the file that it is in, "" where that is
    Markdown."""

    source: str
    instead: str = ""
    settings: str = ""
    tools: str = ""
    path: str = ""


@dataclass(slots=True)
class Documentation:
    """A rule's documentation; paragraphs are single lines, sources keep their lines."""

    summary: str
    why: str = ""
    remarks: list[str] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)


def documentation_of(rule: Rule | type[Rule]) -> Documentation:
    """Return a rule's documentation. Raises ValueError where a section is in a wrong place."""
    kind = rule if isinstance(rule, type) else type(rule)
    paragraphs, sections = _split((inspect.getdoc(kind) or "").split("\n"))
    found = Documentation(paragraphs[0] if paragraphs else "")
    for paragraph in paragraphs[1:]:
        if paragraph.startswith(WHY) and not found.why:
            why = paragraph.removeprefix(WHY).strip()
            found.why = why[:1].upper() + why[1:]
        else:
            found.remarks.append(paragraph)
    settings = tools = ""
    for name, body in sections:
        if name == SETTINGS:
            settings = body
        elif name == TOOLS:
            tools = body
        elif name == EXAMPLE or name.startswith(_WITH_PATH):
            found.examples.append(Example(body, settings=settings, tools=tools, path=name[len(_WITH_PATH) :]))
        elif not found.examples or found.examples[-1].instead:
            raise ValueError(f"{kind.__name__}: `{INSTEAD}` has no `{EXAMPLE}` before it")
        else:
            found.examples[-1].instead = body
    return found


def _split(lines: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return paragraphs and sections; the indented lines below a section's name belong to it."""
    paragraphs: list[list[str]] = [[]]
    sections: list[tuple[str, list[str]]] = []
    inside = False
    for line in lines:
        if line in _SECTIONS or line.startswith(_WITH_PATH):
            inside = True
            sections.append((line, []))
        elif inside and (not line or line.startswith("    ")):
            sections[-1][1].append(line[4:])
        elif line.strip():
            inside = False
            paragraphs[-1].append(line.strip())
        elif paragraphs[-1]:
            paragraphs.append([])
    texts = [" ".join(paragraph) for paragraph in paragraphs if paragraph]
    return texts, [(name, "\n".join(body).strip("\n")) for name, body in sections]
