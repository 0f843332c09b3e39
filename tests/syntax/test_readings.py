"""What each reader makes of sound and of damaged texts, to the last place: Markdown cases in `readings/*.md`.

A case's source names its `reader`. In `read` each line of the source is a text of its own; `␊` is a line end in it, `␉`
a tab, `⏎` a carriage return, and `{{…}}` a hole. Below it are its tree with the place of each value, the problems (a
`!` after the place: the repair is certain, a `?`: it is a guess), where reading ended and how far was looked, and the
text with all repairs.

In `without`, `doubled` and `cut` the source is damaged in every place: each character is left out, doubled, or the
first of those that are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from callwright.syntax.gemma_values import ESCAPE, QUOTE, read_gemma
from callwright.syntax.javascript_source import javascript_strings
from callwright.syntax.json import JsonNode, JsonRead, read_json
from callwright.syntax.json_corrections import changes as json_changes
from callwright.syntax.json_corrections import closings
from callwright.syntax.problem import Problem
from callwright.syntax.python_calls import CallsRead, read_calls
from callwright.syntax.python_corrections import corrections, open_string
from callwright.syntax.python_source import python_strings
from callwright.syntax.source_strings import SourceString
from callwright.syntax.toml_places import TomlPlaces, toml_spot
from callwright.syntax.xml import XmlElement, XmlRead, read_element
from callwright.syntax.yaml_reader import YamlReader, read_documents
from callwright.syntax.yaml_tree import YamlAlias, YamlMapping, YamlNode, YamlSequence, YamlText
from callwright.syntax.yaml_values import read_yaml
from callwright.text.holes import HOLE
from callwright.text.span import apply_edits
from support.cases import Case, Fence, Producer, load_cases
from support.sampling import sampled
from syntax.test_xml_cases import HINTS

CASES = load_cases(Path(__file__).parent / "readings")
STOP = re.compile(r"</tool\s*>")
PARAMETERS = {"f": ("a", "b"), "one": ("settings",), "none": ()}
_HIDDEN = {"\n": "␊", "\t": "␉", "\r": "⏎"}
_HELD = re.compile(r"\{\{.*?\}\}")

#: What a reader returns for a text: the tree, each problem, and places.
Reported = tuple[str, list[Problem], str]


def opened(text: str) -> str:
    for char, sign in _HIDDEN.items():
        text = text.replace(sign, char)
    return _HELD.sub(lambda held: HOLE * len(held[0]), text)


def shown(text: str) -> str:
    for char, sign in _HIDDEN.items():
        text = text.replace(char, sign)
    text = re.sub(f"{HOLE}+", lambda run: "{{" + "x" * (len(run[0]) - 4) + "}}", text)
    return text.encode(errors="backslashreplace").decode()


def place(span: Any) -> str:
    return f"{span[0]}-{span[1]}" if span is not None else "nowhere"


def data(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def node(found: JsonNode) -> str:
    at = place(found.span) + ("…" if found.elided else "")
    if found.kind == "object":
        members = [f"{data(each.key)}@{place(each.key_span)}: {node(each.value)}" for each in found.members]
        return f"{{{', '.join(members)}}}@{at}"
    if found.kind == "array":
        return f"[{', '.join(node(each) for each in found.items)}]@{at}"
    kind = "" if found.kind in ("string", "number", "literal") else f"{found.kind} "
    return f"{kind}{data(found.value)}@{at}"


def parts(found: JsonRead) -> str:
    more = [f"{name} {data(paths)}" for name, paths in (("wild", found.wild), ("elided", found.elided)) if paths]
    return "; ".join([f"end {found.end}, looked to {found.reach}", *more])


def value(found: JsonNode) -> Any:
    if found.kind == "object":
        return {each.key: value(each.value) for each in found.members}
    return [value(each) for each in found.items] if found.kind == "array" else found.value


def json_read(found: JsonRead | None) -> Reported:
    if found is None:
        return "nothing", [], ""
    assert data(value(found.root)) == data(found.value), "the value is that of the tree"
    return node(found.root), found.problems, parts(found)


def calls(text: str, info: dict[str, str]) -> Reported:
    stop = STOP if "stop" in info else None
    return reported_of_calls(read_calls(text, stop=stop, parameters=PARAMETERS.get))


def reported_of_calls(found: CallsRead) -> Reported:
    tree = " ".join(
        f"{each.name}@{place(each.name_span)}{'' if each.closed else '!'}{node(each.read.root)}@{place(each.span)}"
        for each in found.calls
    )
    problems = [*found.problems, *(problem for each in found.calls for problem in each.read.problems)]
    inner = [f"[{parts(each.read)}]" for each in found.calls]
    more = [*inner, *(["sketched"] if found.sketched else []), *([] if found.closed else ["not closed"])]
    return (
        tree or "no call",
        problems,
        "; ".join([f"{place(found.span)}, end {found.end}, looked to {found.reach}", *more]),
    )


def element(found: XmlElement) -> str:
    close = place(found.close_span) if found.close_span is not None else "/" if found.self_closing else "!"
    inner = "".join(element(each) for each in found.elements)
    text = "" if found.has_elements and not found.text().strip() else data(found.text())
    return f"<{found.name}{'~' * found.opaque} {place(found.span)} {close}>{text}{inner}</>"


def xml(text: str, info: dict[str, str]) -> Reported:
    return reported_of_element(read_element(text, 0, hints=HINTS[info.get("hints", "file")]))


def reported_of_element(found: XmlRead | None) -> Reported:
    if found is None:
        return "nothing", [], ""
    return element(found.element), found.problems, f"end {found.end}, looked to {found.reach}"


def outline_node(found: YamlNode | None) -> str:
    match found:
        case None:
            return "nothing"
        case YamlAlias():
            return f"*{found.name}@{place(found.span)}"
        case YamlText():
            adorned = "".join([f"&{found.anchor} " if found.anchor else "", f"{found.tag} " if found.tag else ""])
            flow = " in brackets" if found.flow else ""
            return f"{adorned}{data(found.text)}@{place(found.span)} {found.style} {found.indent}{flow}"
        case YamlSequence():
            adorned = "".join([f"&{found.anchor} " if found.anchor else "", f"{found.tag} " if found.tag else ""])
            items = (
                (f"{found.keys[index].key}: " if index in found.keys else "") + outline_node(each)
                for index, each in enumerate(found.items)
            )
            return f"{adorned}[{', '.join(items)}]@{found.start}-{found.end}"
        case YamlMapping():
            adorned = "".join([f"&{found.anchor} " if found.anchor else "", f"{found.tag} " if found.tag else ""])
            entries = (
                f"{data(each.key)}@{place(each.span)}/{each.column}: {outline_node(each.value)}"
                for each in found.entries
            )
            return f"{adorned}{{{', '.join(entries)}}}@{found.start}-{found.end}/{found.column}"


def outline(text: str, info: dict[str, str]) -> Reported:
    del info
    return reported_of_outline(read_documents(text))


def reported_of_outline(found: YamlReader) -> Reported:
    faults = f"objects at {', '.join(map(place, found.faults))}" if found.faults else ""
    return " --- ".join(map(outline_node, found.roots)) or "nothing", [], faults


def yaml(text: str, info: dict[str, str]) -> Reported:
    del info
    colon = text.find(":")
    return json_read(read_yaml(text, colon + 1, 0)) if colon >= 0 else ("nothing", [], "")


def source_strings(found: Iterable[SourceString]) -> Reported:
    reported = []
    for each in found:
        markers = [name for name in ("is_raw", "formatted") if getattr(each, name)]
        markers += [] if each.held else ["not held"]
        fields = f" fields {' '.join(map(place, each.fields))}" if each.fields else ""
        within = f" within {each.within}" if each.within else ""
        ends = f"{each.begin}-{each.start}-{each.end}-{each.stop}"
        reported.append(f"{each.quote}{ends} #{each.group}{fields}{within}{' '.join(['', *markers])}")
    return ", ".join(reported) or "no string", [], ""


def toml(text: str, info: dict[str, str]) -> Reported:
    """Return what a cursor at each place is at, and where each key and value is."""
    del info
    spots = []
    for offset in range(len(text) + 1):
        found = toml_spot(text, offset)
        if found is None:
            spots.append("-")
            continue
        markers = "".join(
            sign for sign, held in (("L", found.in_list), ("H", found.list_header), ("E", found.ended)) if held
        )
        path = ".".join(found.path)
        spots.append(f"{found.role[0]}{markers}({path}){place(found.span)}{data(found.text) if found.text else ''}")
    places = TomlPlaces(text)
    keys = [f"{data(path)}@{' '.join(map(place, spans))}" for path, spans in places._keys.items()]
    values = [f"{data(path)}@{place(span)}" for path, span in places._values.items()]
    return " ".join(_runs(spots)), [], f"keys {', '.join(keys)}; values {', '.join(values)}"


def _runs(reported: Iterable[str]) -> Iterator[str]:
    """Report equal neighbours once, with the place of the first."""
    last = ""
    for offset, each in enumerate(reported):
        if each != last:
            yield f"{offset}:{each}"
        last = each


def js(text: str, info: dict[str, str]) -> Reported:
    del info
    return source_strings(javascript_strings(text))


def python(text: str, info: dict[str, str]) -> Reported:
    del info
    return source_strings(python_strings(text))


def gemma(text: str, info: dict[str, str]) -> Reported:
    quote = ESCAPE if "escape" in info else QUOTE
    return json_read(read_gemma(text, 0, quote=quote, ending="<tool_call|>") if text.startswith("{") else None)


def plain_json(text: str, info: dict[str, str]) -> Reported:
    return json_read(read_json(text, stop=STOP if "stop" in info else None, open_ended="open" in info))


def json_corrections(text: str, info: dict[str, str]) -> Reported:
    del info
    ways = [*json_changes(text), *closings(text)]
    return " · ".join(apply_edits(text, each) for each in ways) or "none", [], ""


def python_corrections(text: str, info: dict[str, str]) -> Reported:
    del info
    ways = corrections(text)
    if ways is None:
        return "too many", [], ""
    reported = [f"{apply_edits(text, each.edits)} @{place(each.place)}" for each in ways]
    return " · ".join(reported) or "none", [], f"open at {open_string(text)}"


READERS: dict[str, Callable[[str, dict[str, str]], Reported]] = {
    "gemma": gemma,
    "javascript-source": js,
    "json": plain_json,
    "json-slips": json_corrections,
    "python": calls,
    "python-slips": python_corrections,
    "python-source": python,
    "toml": toml,
    "xml": xml,
    "yaml": yaml,
    "yaml-outline": outline,
}


def reported(case: Case, text: str) -> Reported:
    return READERS[case.info["reader"]](text, dict(case.info))


def fixed(text: str, problems: Iterable[Problem]) -> str:
    edits = [edit for problem in problems for edit in problem.repair]
    try:
        return shown(apply_edits(text, edits)) if edits else ""
    except ValueError:
        return "repairs that exclude each other"


def sign(problem: Problem) -> str:
    return "" if not problem.repair else "!" if problem.certain else "?"


def read(case: Case, fence: Fence) -> str:
    del fence
    lines: list[str] = []
    for line in case.source_fence.body.split("\n"):
        text = opened(line)
        tree, problems, places = reported(case, text)
        lines += ["", shown(text), f"  {shown(tree)}"]
        lines += [
            f"  {each.kind} {place(each.span)}{sign(each)}{' ' + shown(data(dict(each.data))) if each.data else ''}"
            for each in problems
        ]
        lines += [f"  {shown(each)}" for each in (places, fixed(text, problems)) if each]
    return "\n".join(lines[1:])


def damaged(case: Case, variants: Iterable[str]) -> str:
    lines = []
    for text in dict.fromkeys(variants):
        tree, problems, places = reported(case, text)
        kinds = [f"{each.kind} {place(each.span)}{sign(each)}" for each in problems]
        more = [each for each in (", ".join(kinds), places, fixed(text, problems)) if each]
        lines.append(f"{shown(text)}\n  {' | '.join([shown(tree), *map(shown, more)])}")
    return "\n".join(lines)


def without(case: Case, fence: Fence) -> str:
    del fence
    text = opened(case.source_fence.body)
    return damaged(case, (text[:at] + text[at + 1 :] for at in range(len(text))))


def doubled(case: Case, fence: Fence) -> str:
    del fence
    text = opened(case.source_fence.body)
    return damaged(case, (text[: at + 1] + text[at:] for at in range(len(text))))


def cut(case: Case, fence: Fence) -> str:
    del fence
    text = opened(case.source_fence.body)
    return damaged(case, (text[:at] for at in range(1, len(text))))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, {"read": read, "without": without, "doubled": doubled, "cut": cut})


def test_every_reader_has_cases() -> None:
    assert {case.info["reader"] for case in CASES} == set(READERS)


#: How a part of a text is read: the text, and where the part ends.
BOUNDED: dict[str, Callable[[str, int], Reported]] = {
    "gemma": lambda text, end: json_read(read_gemma(text, 0, end, ending="<tool_call|>")),
    "json": lambda text, end: json_read(read_json(text, 0, end, stop=STOP)),
    "python": lambda text, end: reported_of_calls(read_calls(text, 0, end, stop=STOP, parameters=PARAMETERS.get)),
    "xml": lambda text, end: reported_of_element(read_element(text, 0, end=end, hints=HINTS["file"])),
    "yaml-outline": lambda text, end: reported_of_outline(read_documents(text, 0, end)),
}
#: What is after a part, and is not to be seen.
AFTER = ("\u2028?: ~~", ": x y z", " x y z", "\r\n\n  ", "'\"]})")


def parts_of(reader: str) -> Iterator[tuple[str, int]]:
    """Yield each beginning of each text of the cases."""
    for case in CASES:
        if case.info["reader"] == reader:
            lines = any(fence.name == "read" for fence in case.expected)
            for line in case.source_fence.body.split("\n") if lines else [case.source_fence.body]:
                text = opened(line)
                if (reader != "gemma" or text.startswith("{")) and (reader != "yaml" or text.startswith("k:")):
                    yield from ((text, end) for end in range(2 if reader == "yaml" else 1, len(text)))


@pytest.mark.parametrize("reader", BOUNDED)
def test_a_part_is_read_as_if_nothing_followed(reader: str) -> None:
    bounded = BOUNDED[reader]
    for text, end in sampled(parts_of(reader), keep=2, by=itemgetter(0)):
        alone = bounded(text[:end], end)
        assert bounded(text, end) == alone, f"up to {end} of {text!r}"
        for after in AFTER:
            assert bounded(text[:end] + after, end) == alone, f"{text[:end]!r} before {after!r}"


def test_of_yaml_it_counts_that_something_is_after_a_part_and_not_what() -> None:
    """A value that the text ends in is cut off; one that its fence ends is not."""
    for text, end in parts_of("yaml"):
        at = text.index(":") + 1
        reported = [json_read(read_yaml(text[:end] + after, at, 0, end)) for after in AFTER]
        assert reported[1:] == reported[:-1], f"up to {end} of {text!r}"
