"""Case files of features: prose, then a source with the cursor `‸`, then what a feature says there.

A case is everything under one `##` heading. Its fences, each told by its info string:

- `tools`: the tool definitions, in JSON; the file's first one holds for every case that has none of its own
- `settings`: keys of the settings, in JSON
- `source NAME`: the document, its file name chooses the host
- `completion`: one item a line, `label · detail`, in the order in which they are offered; or `nothing`
- `applied LABEL`: the document after the item was taken; `plain` before the label is a client without snippets
- `hover`: the description
- `actions`: one action a line, `kind · title`, `!` behind the preferred one
- `after TITLE`: the document after the action was taken

With `CALLWRIGHT_REWRITE=1` in the environment what is expected is written anew from what comes out.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from callwright.analysis.settings import Settings
from callwright.analysis.snapshot import Snapshot
from callwright.features import text_document_code_action as code_action
from callwright.features import text_document_completion as completion
from callwright.features import text_document_hover as hover
from callwright.features.base import Client, Request
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span, apply_edits
from callwright.tools.registry import ToolRegistry

FOLDER = Path(__file__).parent
CURSOR = "‸"
REWRITE = os.environ.get("CALLWRIGHT_REWRITE") == "1"
SNIPPETS = Client(snippets=True, preferred=True, document_changes=True)
_FENCE = re.compile(
    r"^(?P<marker>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=marker)[ \t]*$\n?", re.DOTALL | re.MULTILINE
)


@dataclass
class Case:
    """One case with what is expected, and where each expectation stands in its file."""

    file: Path
    title: str
    tools: list[dict[str, Any]]
    settings: dict[str, Any]
    name: str
    source: str
    expected: list[tuple[str, str, Span]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.source.replace(CURSOR, "")

    @property
    def offset(self) -> int:
        return self.source.index(CURSOR)

    def snapshot(self) -> Snapshot:
        settings: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in self.settings.items()
        }
        return Snapshot.open(
            TextDocument.from_text(self.text),
            uri=f"file:///{self.name}",
            path=f"/{self.name}",
            registry=ToolRegistry.of(self.tools),
            settings=Settings(**settings),
        )

    def answer(self, kind: str) -> str:
        """Return what a feature says, in the form of the fence `kind`."""
        snapshot = self.snapshot()
        what, _, argument = kind.partition(" ")
        here = Span(self.offset, self.offset)
        if what == "completion":
            items = completion.handle(snapshot, Request(here, SNIPPETS))
            return (
                "".join(f"{item.label} · {item.detail}\n" if item.detail else f"{item.label}\n" for item in items)
                or "nothing\n"
            )
        if what == "applied":
            client = SNIPPETS
            if argument.startswith("plain "):
                client, argument = Client(), argument.removeprefix("plain ")
            items = completion.handle(snapshot, Request(here, client))
            item = next(item for item in items if item.label == argument)
            assert item.snippet or "$" not in item.edit.text
            edit = item.edit
            if item.snippet:
                # As every client does: further lines of a snippet are indented as the line that it is put into.
                line = self.text[self.text.rfind("\n", 0, edit.span.start) + 1 : edit.span.start]
                margin = line[: len(line) - len(line.lstrip())]
                edit = Edit(edit.span, edit.text.replace("\n", "\n" + margin))
            return apply_edits(self.text, [edit, *item.further])
        if what == "hover":
            found = hover.handle(snapshot, Request(here))
            return f"{self.text[found.span.start : found.span.end]}\n\n{found.markdown}\n" if found else "nothing\n"
        actions = code_action.handle(snapshot, Request(here, SNIPPETS))
        if what == "actions":
            return (
                "".join(f"{one.kind} · {one.title}{' !' if one.preferred else ''}\n" for one in actions) or "nothing\n"
            )
        assert what == "after", f"no such fence: {kind}"
        if argument == code_action.FIX_ALL:
            params = SimpleNamespace(context=SimpleNamespace(only=[argument]))
            actions = code_action.handle(snapshot, Request(here, SNIPPETS, params))
            argument = code_action.FIX_ALL_TITLE
        action = next(one for one in actions if one.title == argument)
        assert action.edits is not None
        return apply_edits(self.text, action.edits)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines) or "nothing\n"


def read_cases(file: Path) -> Iterator[Case]:
    """Yield the cases of a file."""
    text = file.read_text(encoding="utf-8")
    heads = [match.start() for match in re.finditer(r"^## ", text, re.MULTILINE)]
    tools: list[dict[str, Any]] = []
    for match in _FENCE.finditer(text, 0, heads[0]):
        if match["info"].strip() == "tools":
            tools = json.loads(match["body"])
    for start, end in zip(heads, [*heads[1:], len(text)], strict=True):
        case = Case(file, text[start + 3 : text.index("\n", start)].strip(), tools, {}, "", "")
        for match in _FENCE.finditer(text, start, end):
            info, body = match["info"].strip(), match["body"]
            if info == "tools":
                case.tools = json.loads(body)
            elif info == "settings":
                case.settings = json.loads(body)
            elif info.startswith("source "):
                case.name, case.source = info.removeprefix("source "), body
                case.source = case.source.removesuffix("\n")
            else:
                case.expected.append((info, body, Span(*match.span("body"))))
        yield case


def rewrite(file: Path) -> None:
    """Write the expectations of a file anew from what comes out."""
    text = file.read_text(encoding="utf-8")
    for case in reversed(list(read_cases(file))):
        for kind, _, span in reversed(case.expected):
            text = text[: span.start] + with_newline(case.answer(kind)) + text[span.end :]
    file.write_text(text, encoding="utf-8")


def with_newline(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"
