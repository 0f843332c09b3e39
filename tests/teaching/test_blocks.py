"""Managed blocks come to say what they should in every kind of file, and nothing else of the file changes."""

import pytest

from callwright.dialects.catalogue import dialect_names
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.fix.fixer import fix_all
from callwright.hosts.support.managed import WORD
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.teaching.blocks import managed_blocks, wanted_text
from callwright.text.span import Edit, Span, apply_edits
from callwright.tools.registry import ToolRegistry
from support.sampling import crossed

TOOLS = ToolRegistry.of(
    [
        {
            "name": "write_file",
            "description": 'Write a file: "all" of it, \\ too, as `$path` and ${path} and {{ path }} say.',
            "inputSchema": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Where it lies."},
                    "lines": {"type": "array", "items": {"type": "string"}, "description": "What it is to hold."},
                },
                "required": ["path", "lines"],
            },
            "examples": [{"path": "a.py", "lines": ["if a < b:", '    print("ünï \\n")']}],
        },
        {"name": "now", "description": "Tell the time.", "inputSchema": {"type": "object"}},
    ]
)

#: Kinds of files: a name, and a text in which `@…@` means the markers' options. The last names of a file's text are
#: those that are shown around the block.
HOSTS = {
    "a.md": f"Before.\n\n<!-- {WORD} @ -->\nOld.\n<!-- /{WORD} -->\n\nBehind.\n",
    "a.prompt": f"Before.\r\n<!-- {WORD} @ -->\r\n<!-- /{WORD} -->\r\nBehind.\r\n",
    "in a list.md": f"- Before.\n\n  <!-- {WORD} @ -->\n  Old.\n  <!-- /{WORD} -->\n\nBehind.\n",
    "a.md.j2": f"{{% if a %}}\nBefore {{{{ b }}}}.\n{{# {WORD} @ #}}\nOld.\n{{# /{WORD} #}}\n{{% endif %}}\nBehind.\n",
    "a.py": f'A = 1\nB = """\nBefore.\n<!-- {WORD} @ -->\nOld.\n<!-- /{WORD} -->\nBehind.\n"""\n',
    "raw.py": f"A = 1\nB = r'''Before.\n<!-- {WORD} @ -->\nOld.\n<!-- /{WORD} -->\nBehind.'''\n",
    "comments.py": f'A = 1\n# {WORD} @\nB = """\\\nOld.\n"""\n# /{WORD}\nC = 2\n',
    "f-string.py": f'A = 1\n# {WORD} @\nB = f"""\n    Old.\n"""\n# /{WORD}\nC = 2\n',
    "a.yaml": f"a: 1\n# {WORD} @\nb: |\n  Old.\n# /{WORD}\nc: 2\n",
    "inside.yaml": f"a: 1\nb: |\n  Before.\n  <!-- {WORD} @ -->\n  Old.\n  <!-- /{WORD} -->\n  Behind.\nc: 2\n",
    "quoted.yaml": f'a: 1\n# {WORD} @\nb: "Old."\n# /{WORD}\nc: 2\n',
    "a.ts": f"const A = 1;\n// {WORD} @\nconst B = `Old.`;\n// /{WORD}\nconst C = 2;\n",
    "inside.ts": f'const B = "Before.\\n<!-- {WORD} @ -->\\nOld.\\n<!-- /{WORD} -->\\nBehind.";\n',
}  # fmt: skip


def opened(path: str, text: str) -> Snapshot:
    return open_snapshot(text, path=path, registry=TOOLS, settings=Settings())


@pytest.mark.parametrize(("path", "dialect"), crossed(HOSTS, dialect_names()))
def test_a_block_comes_to_report_what_it_should(path: str, dialect: str) -> None:
    source = HOSTS[path].replace("@", f"dialect={dialect} style=terse")
    snapshot = opened(path, source)
    (block,), failure = managed_blocks(snapshot)
    assert (failure, block.problems) == ([], [])
    wanted = wanted_text(block, TOOLS, None).text
    assert wanted is not None
    assert block.text not in (None, wanted)
    edits = block.write(wanted)
    assert edits is not None
    after = opened(path, apply_edits(source, edits))
    (written,), _ = managed_blocks(after)
    assert written.text == wanted
    (edit,) = edits
    assert source[: edit.span.start] + after.document.text()[edit.span.start :] == after.document.text()
    assert after.document.text().endswith(source[edit.span.end :])
    found = [each for each in diagnostics(after) if each.severity in ("error", "warning")]
    assert [(each.code, each.message, each.span.of(after.document.text())) for each in found] == []


@pytest.mark.parametrize("path", HOSTS)
def test_fixing_all_writes_it_and_then_rests(path: str) -> None:
    source = HOSTS[path].replace("@", "dialect=xml-json style=full")
    text, fixed = fix_all(opened(path, source))
    assert [each.code for each in fixed] == ["TC801"]
    assert fix_all(opened(path, text)) == (text, [])
    assert ("\r\n" in source) == ("\r\n" in text)
    assert "\r" not in source or "\n" not in text.replace("\r\n", "")


def test_a_block_follows_each_edit() -> None:
    source = HOSTS["a.md"].replace("@", "dialect=xml-json")
    text, _ = fix_all(opened("a.md", source))
    snapshot = opened("a.md", text)
    at = text.index("Tell the time.")
    stale = snapshot.edit([Edit(Span(at, at + 4), "Say")])
    assert [each.code for each in diagnostics(stale)] == ["TC801"]
    assert diagnostics(stale.edit([Edit(Span(at, at + 3), "Tell")])) == []
