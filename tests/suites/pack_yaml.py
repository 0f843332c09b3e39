"""Packs the cases of a checkout of `yaml/yaml-test-suite` into `tests/suites/yaml-test-suite.jsonl`.

    python tests/suites/pack_yaml.py yaml-test-suite

One line for each case: its name in the suite, the text, whether it is no YAML, and the values of its documents, where
the suite gives them as JSON.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

HERE = Path(__file__).parent
#: What a case inherits from the one before it in its file, as the suite's own `bin/YAMLTestSuite.pm` has it.
INHERITED = ("yaml", "json", "tree")


def unescaped(text: str) -> str:
    """Return a text of the suite with the characters that its signs are for."""
    text = re.sub("—*»", "\t", text.replace("␣", " ").replace("←", "\r").replace("⇔", "\ufeff").replace("↵", ""))
    return re.sub(r"∎\n\Z", "", text)


def documents(text: str) -> list[Any]:
    """Return the values of a text with JSON values one after the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while (begun := re.compile(r"\S").search(text, at)) is not None:
        value, at = decoder.raw_decode(text, begun.start())
        found.append(value)
    return found


def cases(source: Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of all files."""
    for file in sorted((source / "src").glob("*.yaml")):
        before: dict[str, Any] = {}
        tests = YAML(typ="safe").load(file.read_text("utf-8"))
        for number, test in enumerate(tests):
            whole = {**{key: before[key] for key in INHERITED if key in before}, **test}
            before = whole
            name = file.stem + (f"-{number}" if len(tests) > 1 else "")
            entry = {"name": name, "yaml": unescaped(whole["yaml"]), "fails": "fail" in test}
            if whole.get("json") is not None and not entry["fails"]:
                entry["values"] = documents(whole["json"])
            yield entry


def main(source: str) -> None:
    """Write all cases, and the licence."""
    lines = [json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases(Path(source))]
    (HERE / "yaml-test-suite.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (HERE / "yaml-test-suite.LICENSE").write_bytes((Path(source) / "License").read_bytes())


if __name__ == "__main__":
    main(sys.argv[1])
