"""Writes the skeleton of a new rule or dialect, and its first case, which fails until the skeleton is filled in.

Owns: what a skeleton holds, which names and codes are free, and what is left to do. Must not know: any single rule or
dialect.

`make new-rule NAME=some-rule GROUP=TC4` and `make new-dialect NAME=some-dialect` run it. Nothing is overwritten.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from callwright.dialects.catalogue import dialect_names
from callwright.rules.catalogue import rule_names

ROOT: Final = Path(__file__).parents[2]
_RULES: Final = Path("server/callwright/rules")
_DIALECTS: Final = Path("server/callwright/dialects")
_GROUP: Final = re.compile(r"^## (TC[1-9])xx: (.+)$", re.MULTILINE)

_RULE: Final = '''\
"""The rule `{name}`.

Owns: when it has something to say, and its words. Must not know: how calls are read.
"""

from collections.abc import Iterator

from callwright.rules.base import CallRule, Diagnostic, Severity
from callwright.schema.binding import Binding


class {title}(CallRule):
    """The call is at fault: say how.

    Why is this bad: say what goes wrong for the reader of the call.

    Example
        <read_file><path>a.py</path></read_file>
         ^^^^^^^^^ {code} "Say what is wrong, then the remedy."

    Use instead
        <read_file><path>b.py</path></read_file>
    """

    code = "{code}"
    severity = Severity.WARNING

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each part of the call that is at fault."""
        del subject  # it has the arguments, and the span of each
        yield from ()
'''

_RULE_CASE: Final = """\
# {name}

## What is at fault

```source
<read_file><path>a.py</path></read_file>
```

```diagnostics
<read_file><path>a.py</path></read_file>
 ^^^^^^^^^ {code} "Say what is wrong, then the remedy."
```
"""

_DIALECT: Final = '''\
"""The `{name}` dialect: a JSON object between `<|{name}|>` and `<|/{name}|>`.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.dialects.base import Dialect
from callwright.dialects.support.envelope import EnvelopeDialect


class {title}(EnvelopeDialect):
    """Each call is a JSON object with `name` and `arguments` between markers of its own."""

    name = "{name}"
    title = "{title}"
    summary = '`<|{name}|>` around `{{"name": …, "arguments": …}}`.'
    used_by: Sequence[str] = ("say which models",)
    openers: Sequence[str] = ("<|{name}|>",)
    envelopes = (Envelope("<|{name}|>", "<|/{name}|>"),)
    asks = ("Write each call as one JSON object between `<|{name}|>` and `<|/{name}|>`.",)


DIALECT: Dialect = {title}()
'''

_DIALECT_CASE: Final = """\
# Calls in {name}

## One call

```source
<|{name}|>{{"name": "read_file", "arguments": {{"path": "a.py"}}}}<|/{name}|>
```

```tree
```
"""


class RefusedError(ValueError):
    """The skeleton is not written; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The texts of a new part by their paths, and what is to be done with it.

    `failing` are the tests that `command` runs and that fail until then; `remedy` says what makes them pass.
    """

    files: Mapping[Path, str]
    command: str
    failing: Sequence[str]
    remedy: str

    def reported(self) -> str:
        """Return what is written, and what to do next."""
        return "\n".join(
            [
                *(f"Wrote {path.as_posix()}" for path in self.files),
                "",
                f"1. {self.remedy} These tests fail until then:",
                f"   {self.command}",
                *(f"   - {test}" for test in self.failing),
                "2. Write the page and the index:",
                "   make docs",
                "",
            ]
        )


def rule_skeleton(name: str, group: str, root: Path = ROOT) -> Skeleton:
    """Return the skeleton of a rule. Raises RefusedError where the name or the group cannot be had."""
    stem, title = _free(name, _RULES, rule_names(), root)
    if not re.fullmatch(r"[a-z-]+", name):
        raise RefusedError(f"`{name}` holds a digit: the name of a rule is made of words.")
    code = _free_code(group, root)
    words = {"name": name, "title": title, "code": code}
    examples = "tests/rules/test_rule_examples.py::"
    return Skeleton(
        {_RULES / f"{stem}.py": _RULE.format(**words), Path("tests/rules", f"{name}.md"): _RULE_CASE.format(**words)},
        f".venv/bin/python -m pytest tests/rules -k {name}",
        [
            f"tests/rules/test_rule_cases.py::test_case[{name}: What is at fault]",
            f"{examples}test_an_example_yields_what_its_carets_show[{code}-{name}]",
            f"{examples}test_a_safe_fix_writes_what_to_write_instead[{code}-{name}]",
        ],
        f"Write what {code} looks for, its example and its case.",
    )


def dialect_skeleton(name: str, root: Path = ROOT) -> Skeleton:
    """Return the skeleton of a dialect. Raises RefusedError where the name cannot be had."""
    stem, title = _free(name, _DIALECTS, dialect_names(), root)
    words = {"name": name, "title": title}
    case = Path("tests/dialects", name, "calls.md")
    tests = "tests/dialects/test_dialect_cases.py"
    return Skeleton(
        {_DIALECTS / f"{stem}.py": _DIALECT.format(**words), case: _DIALECT_CASE.format(**words)},
        f".venv/bin/python -m pytest {tests} -k {name}",
        [
            f"{tests}::test_case[{name}/calls: One call]",
            *(
                f"{tests}::test_every_dialect_has_cases_of_every_kind[{name}-{kind}]"
                for kind in ("traps", "truncation", "not-calls")
            ),
        ],
        f"Write the markers and the cases; `--update-cases` fills in each tree of {case.as_posix()}.",
    )


def write(skeleton: Skeleton, root: Path = ROOT) -> None:
    """Write the files of a skeleton. Raises RefusedError, and writes nothing, where one of them exists."""
    for path in skeleton.files:
        if (root / path).exists():
            raise RefusedError(f"{path.as_posix()} exists, and is not overwritten: choose another name, or remove it.")
    for path, text in skeleton.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with (root / path).open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)


def _free(name: str, room: Path, taken: Sequence[str] | frozenset[str], root: Path) -> tuple[str, str]:
    """Return the names of the module and of the class that a new part has."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", name):
        raise RefusedError(
            f"`{name}` is no name: write small letters with hyphens between words, as in NAME=some-name."
        )
    stem = name.replace("-", "_")
    module = room / f"{stem}.py"
    if name in taken or (root / module).exists() or (root / room / stem).exists():
        raise RefusedError(f"`{name}` exists in {room.as_posix()}/: choose another name.")
    title = name.title().replace("-", "")
    if keyword.iskeyword(title):
        raise RefusedError(f"`{name}` is no name: its class would be called `{title}`, a word of Python.")
    return stem, title


def _free_code(group: str, root: Path) -> str:
    """Return the first code of a group that no rule has."""
    groups = dict(_GROUP.findall((root / "server" / "docs" / "rules" / "index.md").read_text(encoding="utf-8")))
    if group not in groups:
        stated = f"`{group}` is no group of rules" if group else "A rule belongs to a group, and none is named"
        listed = "".join(f"\n  GROUP={each}  {title}" for each, title in groups.items())
        raise RefusedError(f"{stated}; add one of these:{listed}")
    codes = (f"{group}{number:02}" for number in range(1, 100))
    code = next((code for code in codes if code not in rule_names()), None)
    if code is None:
        raise RefusedError(f"{group} has no free code: choose another group.")
    return code


def main(arguments: Sequence[str]) -> int:
    """Write a skeleton and say what to do next; return the exit code of the process."""
    try:
        match arguments:
            case ["rule", name, group]:
                skeleton = rule_skeleton(name, group)
            case ["dialect", name]:
                skeleton = dialect_skeleton(name)
            case _:
                sys.stderr.write("usage: skeletons.py rule NAME GROUP | dialect NAME\n")
                return 2
        write(skeleton)
    except RefusedError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(skeleton.reported())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
