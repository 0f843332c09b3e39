"""YAML files: the texts that are found in them are those that ruamel.yaml reads, in the same order and style."""

from __future__ import annotations

import re
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from callwright.hosts.base import HostContext
from callwright.hosts.yaml import HOST
from callwright.syntax.yaml_reader import yaml_outline
from callwright.syntax.yaml_tree import YamlMapping, YamlNode, YamlSequence, YamlText
from support.sampling import tries

LINES = [
    *("a:", "b: 1", "c: |", "d: >-", "e: |2+", "f: 'x", 'g: "y', "- z", "-", "- - w", "- k: v", "- |", "? q", ": r"),
    *(
        "text <t>",
        "more: text",
        "# c",
        "",
        "'",
        '"',
        "y' # c",
        'x"',
        "h: {i: j, 'k': [l, m]}",
        "n: [o,",
        "p]",
        "s: {t:",
    ),
    *("u}", "v: &w x", "y: *w", "z: !!str 1", "<<: {a: b}", "---", "...", "--- |", "\"q\": 'r'", "k: a # b", "m: a: b"),
    *("x: - y", "? - a", "{a: b}: c", "*w : d", "i: >", "j: |-  # c", "%YAML 1.2", "\tt: 1", "l: a#b:c", "o: 'it''s'"),
]
#: Directly below the header of a block at the root, ruamel.yaml takes a marker for text.
QUIRK = re.compile(r"[|>][-+]?\d?[^\r\n]*(?:\r\n|\n)[ \r\n]*(?:---|\.\.\.)")
DOCUMENTS = st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 2, 2, 4]), st.sampled_from(LINES)), max_size=9)


def expected(document: str) -> list[tuple[str, str]] | None:
    """Return the scalars of a file that are not keys with their styles, as ruamel.yaml reads them; None where it
    refuses the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            roots = list(YAML(typ="safe", pure=True).compose_all(document))
        except (YAMLError, ValueError, TypeError, AttributeError):
            return None
    found: list[tuple[int, str, str]] = []
    seen: set[int] = set()
    waiting: list[Node] = [root for root in roots if root is not None]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ScalarNode):
            found.append((node.start_mark.index, node.style or "", node.value))
        elif isinstance(node, MappingNode):
            waiting += [value for _, value in node.value]
        elif isinstance(node, SequenceNode):
            waiting += node.value
    return [(style, value) for _, style, value in sorted(found) if style or value]


def found(document: str) -> list[tuple[str, str]]:
    """Return the same as this project reads it."""
    nodes = nodes_of(yaml_outline(document))
    return [(node.style, node.text) for node in nodes if isinstance(node, YamlText) and (node.style or node.text)]


def nodes_of(roots: list[YamlNode]) -> Iterator[YamlNode]:
    """Yield all nodes below `roots` that are not keys, each before what lies in it, in the order of the text."""
    waiting: list[YamlNode] = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, YamlMapping):
            waiting += [entry.value for entry in reversed(node.entries) if entry.value is not None]
        elif isinstance(node, YamlSequence):
            waiting += [item for item in reversed(node.items) if item is not None]


@settings(deadline=None, max_examples=tries(200), suppress_health_check=list(HealthCheck))
@given(DOCUMENTS, st.sampled_from(["\n", "\n", "\r\n"]))
def test_scalars_are_those_that_ruamel_reads(lines: list[tuple[int, str]], newline: str) -> None:
    document = newline.join(" " * indent + line for indent, line in lines)
    if QUIRK.search(document):
        return
    own = found(document)
    wanted = expected(document)
    assert wanted is None or own == wanted


@settings(deadline=None, max_examples=tries(200))
@given(st.text(alphabet="ab:-?|>'\"[]{},#&*!%\n\r\t 2+", max_size=50))
def test_any_text_is_read(document: str) -> None:
    own = found(document)
    record = HOST.read(document, HostContext())
    assert all(0 <= passage.projection.to_raw(0) <= len(document) for passage in record.passages)
    wanted = expected(document)
    # On tabs, and on a colon alone in brackets, readers of YAML do not agree.
    assert wanted is None or any(char in document for char in "\t[{") or own == wanted


def test_files_of_installed_packages_are_read_as_ruamel_reads_them() -> None:
    packages = Path(sysconfig.get_paths()["purelib"])
    files = sorted(file for ending in ("*.yaml", "*.yml") for file in packages.rglob(ending))
    corpora = sorted((Path(__file__).parent / "yaml" / "corpus").glob("*.y*ml"))
    checked = 0
    for file in [*files, *corpora]:
        text = file.read_bytes().decode("utf-8")
        wanted = expected(text) if len(text) < 50_000 else None
        if wanted is not None:
            checked += 1
            assert found(text) == wanted, str(file)
    assert checked >= 9, "the corpus has more files that ruamel.yaml accepts"


def test_what_is_never_closed_is_sought_once() -> None:
    for piece in (
        "- [\n",
        "- {a: [\n",
        "a: 'b\n",
        'a: "b\n',
        "- |\n",
        "a: >\n\n",
        "- - - ",
        "a: b: c\n",
        "{",
        "[a: ",
        "? ",
    ):
        assert isinstance(HOST.read(piece * 2_000, HostContext()).passages, list)


def test_the_last_block_of_a_part_ends_where_the_part_does() -> None:
    document = "a: |\n  b\n  c\n"
    (node,) = (node for node in nodes_of(yaml_outline(document, 0, 8)) if isinstance(node, YamlText))
    assert (node.text, node.projection.text) == ("b", "b")
