"""Packs the JSON-Schema-Test-Suite of an unpacked source distribution of `jsonschema` into `tests/suites/json-schema`.

    python tests/suites/pack.py jsonschema-4.26.0

One file for each draft, one line for each schema with its tests. The folder `optional/format` is left out: formats are
not asserted. So are the schemas that the suite's remote references lead to: nothing is ever fetched.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent / "json-schema"
DRAFTS = ("draft4", "draft6", "draft7", "draft2019-09", "draft2020-12")


def packed(tests: Path, draft: str) -> str:
    """Return the cases of a draft, a line of JSON each."""
    lines: list[str] = []
    for folder, optional in ((tests / draft, False), (tests / draft / "optional", True)):
        for file in sorted(folder.glob("*.json")):
            for group in json.loads(file.read_text("utf-8")):
                kept = {key: group[key] for key in ("description", "schema", "tests")}
                lines.append(json.dumps({"file": file.stem, "optional": optional, **kept}, separators=(",", ":")))
    return "".join(line + "\n" for line in lines)


def main(unpacked: str) -> None:
    """Write every draft's cases and the licence."""
    suite = Path(unpacked) / "json"
    for draft in DRAFTS:
        (HERE / f"{draft}.jsonl").write_text(packed(suite / "tests", draft), "utf-8")
    (HERE / "LICENSE").write_bytes((suite / "LICENSE").read_bytes())


if __name__ == "__main__":
    main(sys.argv[1])
