"""`lenses`: each lens as `line: title`, with the command after it where it is a button.

`command N` is what running the N-th button gives: the value, then the document where it was changed.
"""

import json
from types import SimpleNamespace
from typing import Any

from callwright.features import text_document_code_lens as feature
from callwright.features import workspace_execute_command as execute
from callwright.features.base import Client, RefusedError, Request
from callwright.text.document import TextDocument
from callwright.text.positions import PositionEncoding, to_offset
from callwright.text.span import apply_edits
from features.edges import answer_of
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot


def _lenses(case: Case, fence: Fence) -> str:
    out = []
    for lens in answer_of(feature, case) or []:
        command = lens["command"]
        more = command.get("arguments", [])[2:]
        words = [f"{lens['range']['start']['line'] + 1}: {command['title']}"]
        words += ["·", command["command"], *map(str, more)] if command["command"] else []
        out.append(" ".join(words))
    return "\n".join(out) or "nothing"


def _command(case: Case, fence: Fence) -> str:
    buttons = [lens["command"] for lens in answer_of(feature, case) or [] if lens["command"]["command"]]
    chosen = buttons[int(fence.about) - 1]
    snapshot = case_snapshot(case)
    document = TextDocument.from_text(case.source)

    def place(_uri: str, position: Any) -> Any:
        return snapshot, to_offset(document, position["line"], position["character"], PositionEncoding.UTF32)

    around: Any = SimpleNamespace(place=place)
    params = SimpleNamespace(command=chosen["command"], arguments=[snapshot.uri, *chosen["arguments"][1:]])
    client = Client.of({"workspace": {"applyEdit": True}})
    try:
        done = execute.handle(None, Request(client=client, params=params, workspace=around))
    except RefusedError as refused:
        return f"refused: {refused}"
    value = done.value if isinstance(done.value, str) else json.dumps(done.value)
    return "\n".join([value, *([apply_edits(case.source, done.edits).rstrip("\n")] if done.edits else [])])


PRODUCERS: dict[str, Producer] = {"lenses": _lenses, "command": _command}
