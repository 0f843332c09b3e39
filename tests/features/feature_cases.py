"""What a feature says at the cursor of a case, in the forms of its fences.

- `completion`: one item a line, `label · detail`, in the order in which they are offered; or `nothing`
- `applied LABEL`: the document after the item was taken; `plain` before the label is a client without snippets
- `hover`: the name that is described, and the description
- `actions`: one action a line, `kind · title`, `!` after the preferred one
- `after TITLE`: the document after the action was taken

Every module in `producers` adds the fences of one further feature: its `PRODUCERS`, as here.
"""

import importlib
import pkgutil
from pathlib import Path
from types import SimpleNamespace

from callwright.features import text_document_code_action as code_action
from callwright.features import text_document_completion as completion
from callwright.features import text_document_hover as hover
from callwright.features.base import Client, Request
from callwright.features.support.whole_document import title_of
from callwright.text.span import Edit, Span, apply_edits
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot

SNIPPETS = Client(snippets=True, preferred=True, document_changes=True)


def _here(case: Case) -> Span:
    return Span(case.cursor, case.cursor)


def _completion(case: Case, fence: Fence) -> str:
    items = completion.handle(case_snapshot(case), Request(_here(case), SNIPPETS))
    return "\n".join(f"{item.label} · {item.detail}" if item.detail else item.label for item in items) or "nothing"


def _applied(case: Case, fence: Fence) -> str:
    client, label = SNIPPETS, fence.about
    if label.startswith("plain "):
        client, label = Client(), label.removeprefix("plain ")
    items = completion.handle(case_snapshot(case), Request(_here(case), client))
    item = next(item for item in items if item.label == label)
    assert item.snippet or "$" not in item.edit.text
    edit = item.edit
    if item.snippet:
        # As every client does: further lines of a snippet are indented as the line that it is put into.
        text = case.source
        line = text[text.rfind("\n", 0, edit.span.start) + 1 : edit.span.start]
        margin = line[: len(line) - len(line.lstrip())]
        edit = Edit(edit.span, edit.text.replace("\n", "\n" + margin))
    return apply_edits(case.source, [edit, *item.further]).removesuffix("\n")


def _hover(case: Case, fence: Fence) -> str:
    found = hover.handle(case_snapshot(case), Request(_here(case)))
    return f"{found.span.of(case.source)}\n\n{found.markdown}" if found else "nothing"


def _actions(case: Case, fence: Fence) -> str:
    actions = code_action.handle(case_snapshot(case), Request(_here(case), SNIPPETS))
    return "\n".join(f"{one.kind} · {one.title}{' !' if one.preferred else ''}" for one in actions) or "nothing"


def _after(case: Case, fence: Fence) -> str:
    title, params = fence.about, None
    if title.startswith("source."):
        title = title_of(title, case_snapshot(case)) or ""
        params = SimpleNamespace(context=SimpleNamespace(only=[fence.about]))
    actions = code_action.handle(case_snapshot(case), Request(_here(case), SNIPPETS, params))
    action = next(one for one in actions if one.title == title)
    assert action.edits is not None
    return apply_edits(case.source, action.edits).removesuffix("\n")


PRODUCERS: dict[str, Producer] = {
    "completion": _completion,
    "applied": _applied,
    "hover": _hover,
    "actions": _actions,
    "after": _after,
}
for _module in sorted(info.name for info in pkgutil.iter_modules([str(Path(__file__).parent / "producers")])):
    PRODUCERS |= importlib.import_module(f"features.producers.{_module}").PRODUCERS
