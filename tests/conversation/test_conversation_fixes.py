"""What rules say about conversations, and what their fixes write, is the same wherever the transcript is."""

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from support.cases import Case, load_cases
from support.engine import registry_of, settings_of
from support.sampling import crossed

CASES = [
    case
    for case in load_cases(Path(__file__).parents[1] / "rules" / "conversations")
    if case.info.get("path") == "chat.json"
]
#: How a file holds a transcript as text, and how it is had back.
HOLDERS = {
    "a string in JSON": lambda text: json.dumps({"body": text}, ensure_ascii=False),
    "a string in ASCII": lambda text: json.dumps({"request": {"body": text}}),
    "a block in YAML": lambda text: "# é 😀\nbody: |-\n" + "".join(f"  {line}\n" for line in text.split("\n")),
    "a line of a log": lambda text: json.dumps({"ts": 1}) + "\r\n" + json.dumps({"body": text}) + "\r\n",
}
PATHS = {"a line of a log": "log.jsonl", "a block in YAML": "chat.yaml"}


def held(name: str, text: str) -> str:
    """Return the transcript that a file of `HOLDERS` holds."""
    if name == "a line of a log":
        text = text.split("\r\n")[1]
    if name == "a block in YAML":
        return str(YAML(typ="safe", pure=True).load(text)["body"])
    value = json.loads(text)
    return str(value["request"]["body"] if "request" in value else value["body"])


@pytest.mark.parametrize(("case", "name"), crossed(CASES, HOLDERS), ids=str)
def test_a_transcript_in_a_string_is_judged_and_fixed_as_one_that_is_alone(case: Case, name: str) -> None:
    registry, settings = registry_of(case), settings_of(case.info)
    alone = open_snapshot(case.source, path="chat.json", registry=registry, settings=settings)
    path = PATHS.get(name, "chat.json")
    text = HOLDERS[name](case.source)
    inside = open_snapshot(text, path=path, registry=registry, settings=settings)
    stated = [(each.code, each.severity, each.message) for each in diagnostics(alone)]
    assert [(each.code, each.severity, each.message) for each in diagnostics(inside)] == stated
    for one, two in zip(diagnostics(alone), diagnostics(inside), strict=True):
        marked = two.span.of(text)
        raw = one.span.of(case.source)
        assert (
            (" ".join(marked.split()) == " ".join(raw.split())) if "YAML" in name else json.loads(f'"{marked}"') == raw
        )
    assert held(name, fix_all(inside)[0]) == fix_all(alone)[0]
