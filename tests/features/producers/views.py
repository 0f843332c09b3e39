"""`dumped`: of the session that a document is dumped as, who speaks in which turn and what was wrong.

`previewed`: the texts of the page's headings. `listed`: the sources of the project with their tools and parameters.
"""

import json
import re
from types import SimpleNamespace
from typing import Any

from callwright.features import callwright_preview as preview
from callwright.features import callwright_session as session
from callwright.features import callwright_tools as tools
from callwright.features.base import ProjectTools, Request
from features.edges import answer_of
from features.producers.workspace import NOWHERE
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot

HEADING = re.compile(r"<h[1-4][^>]*>(.*?)</h[1-4]>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")


def _dumped(case: Case, fence: Fence) -> str:
    number: dict[str, Any] = {"conversation": int(fence.about)} if fence.about else {}
    found = answer_of(session, case, **number)
    if found is None:
        return "nothing"
    dumped = json.loads(found["json"])
    roles = " ".join(turn["role"] for turn in dumped["messages"])
    return "\n".join([roles, *(f"{error['type']} in turn {error['turn']}" for error in dumped["errors"])])


def _previewed(case: Case, fence: Fence) -> str:
    html = answer_of(preview, case)["html"]
    return "\n".join(" ".join(TAG.sub(" ", heading).split()) for heading in HEADING.findall(html))


def _listed(case: Case, fence: Fence) -> str:
    registry = case_snapshot(case).registry
    project = ProjectTools(None, registry, {"broken.json": {"error": 2}})
    around: Any = SimpleNamespace(registries=lambda: iter([project]), tool_file=lambda _path: None)
    found = tools.to_lsp(tools.handle(None, Request(workspace=around)), NOWHERE)
    out: list[str] = []
    for source in found["projects"][0]["sources"]:
        out.append(f"{source['name'] or 'no name'}: {source['errors']} errors")
        for tool in source["tools"]:
            given = [f"{one['name']}: {one['detail']}{' required' * one['required']}" for one in tool["parameters"]]
            out.append(f"  {tool['name']}({', '.join(given)}){' deprecated' * tool['deprecated']}")
    return "\n".join(out)


PRODUCERS: dict[str, Producer] = {"dumped": _dumped, "previewed": _previewed, "listed": _listed}
