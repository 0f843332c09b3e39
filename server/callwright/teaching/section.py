"""The section of a system prompt that teaches tools: the format of calls, each tool, and examples.

Owns: what the section contains, in which order, and the four styles. Must not know: any single dialect, files, command
lines. Every example is read back as the dialect's strict reader reads it before it is shown; what cannot be written so
is reported in `Teaching.refused`, and the section continues without it. Nothing here raises, whatever the tools say.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal, TypeAlias

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.base import Dialect
from callwright.teaching.data import as_json, as_xml, as_yaml
from callwright.teaching.examples import candidates
from callwright.teaching.field_texts import (
    Field,
    alternatives,
    code,
    fields,
    first_sentence,
    literal,
    one_line,
    paragraphs,
    signature,
    truncated,
)
from callwright.teaching.reading import Example, Referee
from callwright.teaching.rejected import rejected
from callwright.tools.model import ToolSchema

Style: TypeAlias = Literal["terse", "full", "strict", "quoted"]
Format: TypeAlias = Literal["markdown", "xml", "json", "yaml"]

STYLES: Final[Sequence[Style]] = ("terse", "full", "strict", "quoted")
FORMATS: Final[Sequence[Format]] = ("markdown", "xml", "json", "yaml")
#: The dialect in which calls are written where only the format of the tool list is chosen.
DIALECT_OF: Final[Mapping[str, str]] = {"xml": "tool-call-xml", "json": "json", "yaml": "yaml"}

#: How many arguments are tried for one tool before it goes without an example.
_MAX_TRIES: Final = 6
_WRITERS: Final = {"xml": as_xml, "json": as_json, "yaml": as_yaml}


@dataclass(frozen=True, slots=True)
class Teaching:
    """A section, and what could not be shown in it: each tool's name with the reason."""

    text: str
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionOptions:
    """How a section is written.

    `value_format` is that of the list of tools. Without `several`, a reply is to hold one call. `heading_level` is that
    of the section's title; those below it are one deeper, and with 0 there are bold lines instead. Tools out of use are
    left out unless `deprecated` asks for them. `masked` says whether code spans keep calls in them from being read
    where the section will be, as in Markdown: in plain text they do not, so that fewer wrong calls can be shown there.
    """

    style: Style = "full"
    value_format: Format = "markdown"
    several: bool = True
    heading_level: int = 2
    examples: bool = True
    deprecated: bool = False
    masked: bool = True


def section(dialect: Dialect, tools: Sequence[ToolSchema], options: SectionOptions = SectionOptions()) -> str:
    """Return the section that teaches `tools` in `dialect`; it ends with one newline. Never raises."""
    return teach(dialect, tools, options).text


def teach(dialect: Dialect, tools: Sequence[ToolSchema], options: SectionOptions = SectionOptions()) -> Teaching:
    """Return the section with what could not be shown in it. Of several tools with one name the first is taught."""
    taught: dict[str, ToolSchema] = {}
    for tool in tools:
        if (options.deprecated or tool.deprecated is None) and tool.name not in taught:
            taught[tool.name] = tool
    writer = _Writer(dialect, list(taught.values()), options)
    text = writer.text()
    if not writer.referee.holds(text, writer.shown):
        # An author's words are read as something after all: they go into code spans, and the list into Markdown.
        plain = replace(options, value_format="markdown")
        guarded = _Writer(dialect, list(taught.values()), plain, guarded=True)
        text = guarded.text()
        if options.value_format != "markdown":
            reason = f"the list cannot be written in {options.value_format}, because part of it would be read as a call"
            guarded.refused.append(("", reason))
        writer = guarded
    return Teaching(text, tuple(writer.refused))


def examples_in(
    dialect: Dialect, tools: Sequence[ToolSchema], style: RenderStyle, shown: Sequence[Sequence[str]] = ()
) -> Iterator[tuple[ToolSchema, str]]:
    """Yield each tool with an example call of it in the dialect; one that has none is skipped.

    Calls that have the arguments at the paths of `shown` go before others.
    """
    referee = Referee(dialect, tools)
    for tool in tools:
        for arguments in islice(candidates(tool, shown), _MAX_TRIES):
            text = referee.written([Example(tool, arguments)], style)
            if not isinstance(text, Refusal):
                yield tool, text
                break


class _Writer:
    """Writes one section. `shown` are the calls that a reader finds in it, in order."""

    def __init__(
        self, dialect: Dialect, tools: list[ToolSchema], options: SectionOptions, *, guarded: bool = False
    ) -> None:
        self.dialect = dialect
        self.tools = tools
        self.style = options.style
        self.value_format = options.value_format
        self.several = options.several and not dialect.one_call
        self.level = min(max(options.heading_level, 0), 5)
        self.masked = options.masked
        self.guarded = guarded
        self.refused: list[tuple[str, str]] = []
        self.shown: list[Example] = []
        self.referee = Referee(dialect, tools, masked=options.masked)
        self._chosen: dict[str, list[tuple[Example, str]]] = {}
        if options.examples:
            for tool in tools:
                self._chosen[tool.name] = self._choose(tool)

    def text(self) -> str:
        """Return the whole section."""
        if not self.tools:
            return self._finished([self._heading(0, "Tools"), "There are no tools."])
        parts = [self._heading(0, "Tools"), *self._opening()]
        if self.style == "terse":
            parts += [*self._listed(), *self._format()]
        else:
            parts += [*self._format(), *self._listed()]
        if self.style == "strict":
            parts.append(
                "**IMPORTANT**: A reply with a tool call in any other form is rejected, and none of its calls is "
                "executed."
            )
        return self._finished(parts)

    def _finished(self, parts: Sequence[str]) -> str:
        return "\n\n".join(part for part in parts if part) + "\n"

    def _heading(self, depth: int, title: str) -> str:
        if not self.level:
            return f"**{title}**"
        return f"{'#' * min(self.level + depth, 6)} {title}"

    def _opening(self) -> Iterator[str]:
        if self.style == "strict":
            yield "**CRITICAL**: Tool calls MUST be written exactly as described here. NO other form is accepted."
        else:
            yield "You can use the tools below. To use one, write a call in your reply, exactly as described here."

    # The format

    def _format(self) -> Iterator[str]:
        strict = self.style == "strict"
        yield self._heading(1, "The ONLY supported format" if strict else "How to write a call")
        rules = [f"- {sentence}" for sentence in self._rules()]
        # Where code spans mean nothing, markers in a sentence would begin a call: there the examples speak for them.
        yield "\n".join(rule for rule in rules if self.masked or self.referee.holds(rule, []))
        if self.style == "quoted" and self._chosen:
            yield "The examples here are quoted strings. Write the call itself, without these quotes and backslashes."
        single = self._best()
        if single is None:
            return
        example, text = single
        yield "✅ Accepted:" if strict else "For example:"
        yield self._printed(text, [example])
        if self.several:
            yield from self._several(strict)
        if strict:
            yield from self._rejections(example)

    def _rules(self) -> Iterator[str]:
        raw = [tool for tool in self.tools if tool.markup == "raw" and tool.parameters]
        every = len(raw) == sum(1 for tool in self.tools if tool.parameters)
        yield from self.dialect.asks_raw if raw and every and self.dialect.asks_raw else self.dialect.asks
        if self.dialect.alone:
            yield "Write nothing else in a reply with calls."
        elif self.dialect.placement == "line":
            yield "Write a call on lines of its own. You may write text before it."
        else:
            yield "You may write text before a call."
        if self.several:
            yield "You may write several calls in one reply; they are executed in order."
        else:
            yield "Write only one call in a reply."
        yield "Stop after your last call. You get its result in the next message."
        yield "Pass every required argument, and no argument that the tool does not have."
        yield "Do not invent values: ask for what you do not know. If no tool is needed, answer without a call."

    def _several(self, strict: bool) -> Iterator[str]:
        pair = self._pair()
        if not pair:
            return
        text = self.referee.written(pair, RenderStyle())
        if isinstance(text, Refusal):
            return
        yield "✅ Accepted, several calls in one reply:" if strict else "Several calls in one reply:"
        yield self._printed(text, pair)

    def _rejections(self, example: Example) -> Iterator[str]:
        wrong = (one for one in rejected(self.referee, example) if self._may_follow(one.shown))
        lines = [f"- ❌ {literal(one.shown)}: {one.reason}" for one in wrong]
        if lines:
            yield "Rejected, and none of its calls is executed:"
            yield "\n".join(lines)

    def _may_follow(self, text: str) -> bool:
        return self.masked or self.referee.holds(f"- ❌ {literal(text)}: no", [])

    # Examples

    def _choose(self, tool: ToolSchema) -> list[tuple[Example, str]]:
        """Return up to two calls of a tool that can be written, with their texts; why there is none is noted."""
        found: list[tuple[Example, str]] = []
        reason = "no arguments that match its schema are known: add an example to the tool"
        for arguments in islice(candidates(tool), _MAX_TRIES):
            example = Example(tool, arguments)
            text = self.referee.written([example], RenderStyle(compact=self.style == "quoted"))
            if isinstance(text, Refusal):
                reason = text.reason
                continue
            found.append((example, text))
            if len(found) == 2:
                break
        if not found:
            self.refused.append((tool.name, reason))
        return found

    def _best(self) -> tuple[Example, str] | None:
        """Return the call that shows the format best: the first that has arguments, else the first."""
        every = [found[0] for found in self._chosen.values() if found]
        return next((one for one in every if one[0].arguments), every[0] if every else None)

    def _pair(self) -> list[Example]:
        """Return two calls that differ: of two tools, else two of one; nothing where there is but one."""
        firsts = [found[0][0] for found in self._chosen.values() if found]
        ranked = [one for one in firsts if one.arguments] + [one for one in firsts if not one.arguments]
        if len(ranked) > 1:
            return ranked[:2]
        return next(([one for one, _ in found] for found in self._chosen.values() if len(found) > 1), [])

    def _printed(self, text: str, examples: Sequence[Example]) -> str:
        """Return calls as they are shown, and note them for the reader who finds them."""
        if self.style == "quoted":
            quoted = json.dumps(text, ensure_ascii=False)
            # A person who reads a prompt takes escaped quotes for an error, where the string is not in a code span.
            if not (self.masked and '\\"' in quoted) and self.referee.holds(quoted, examples):
                text = quoted
            elif self.masked:
                return literal(quoted)
        self.shown += examples
        return text

    # The tools

    def _listed(self) -> Iterator[str]:
        if self.style == "terse":
            yield self._heading(1, "The tools")
        if self.value_format != "markdown":
            if self.style != "terse":
                yield self._heading(1, "The tools")
            yield f"```{self.value_format}\n{_WRITERS[self.value_format](self.tools, terse=self.style == 'terse')}\n```"
            if self.style != "terse":
                yield from self._examples_only()
        elif self.style == "terse":
            yield "\n".join(self._terse_line(tool) for tool in self.tools)
        else:
            for tool in self.tools:
                yield from self._tool(tool)

    def _examples_only(self) -> Iterator[str]:
        if not any(self._chosen.values()):
            return
        yield self._heading(1, "An example of each")
        for found in self._chosen.values():
            if found:
                yield self._printed(found[0][1], [found[0][0]])

    def _terse_line(self, tool: ToolSchema) -> str:
        stated = code(tool.description) if self.guarded and tool.description else first_sentence(tool.description)
        line = f"- {code(signature(tool, typed=self.dialect.typed))}"
        return self._reported(f"{line}: {stated}" if stated else line)

    def _tool(self, tool: ToolSchema) -> Iterator[str]:
        yield self._reported(self._heading(1, code(tool.name)))
        if tool.deprecated is not None:
            yield self._reported(f"Deprecated: {self._stated(tool.deprecated)}." if tool.deprecated else "Deprecated.")
        if tool.description.strip():
            yield self._reported(code(tool.description) if self.guarded else paragraphs(tool.description))
        reported = fields(tool, typed=self.dialect.typed)
        lines = [self._reported(line) for line in self._field_lines(reported, "")]
        yield "Parameters:\n" + "\n".join(lines) if lines else "It has no parameters."
        yield self._reported(alternatives(tool))
        found = self._chosen.get(tool.name)
        if found:
            yield "Example:"
            yield self._printed(found[0][1], [found[0][0]])

    def _field_lines(self, reported: Sequence[Field], indent: str) -> Iterator[str]:
        for field in reported:
            words = ", ".join([field.type, "required" if field.required else "optional", *field.notes])
            stated = self._stated(field.description)
            yield f"{indent}- {code(field.name)} ({words})" + (f": {stated}" if stated else "")
            yield from self._field_lines(field.members, indent + "  ")

    def _reported(self, text: str) -> str:
        """Return an author's words as they may be written here."""
        return truncated(text) if self.guarded and not self.masked else text

    def _stated(self, text: str) -> str:
        if not text.strip():
            return ""
        return code(text) if self.guarded else one_line(text)
