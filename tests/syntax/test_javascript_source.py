"""The strings of JavaScript and TypeScript sources, among comments, regular expressions, templates and elements."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.javascript_source import javascript_strings
from support.sampling import tries

NODE = shutil.which("node")
MODULES = Path(__file__).parents[2] / "client-vscode" / "node_modules"
TYPESCRIPT = MODULES / "typescript" / "lib" / "typescript.js"
ENDINGS = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".jsx"})
PIECES = ["'", '"', "`", "${", "{", "}", "(", ")", "[", "]", "/", "//", "/*", "*/", "<a>", "</a>", "<a b={", "/>", "<"]
PIECES += ["\\", "\n", "\r\n", " ", "a", "=", "return ", "if", "String.raw", ".", ";", "é😀", "</", ">"]


def shown(source: str) -> list[str]:
    """Return each literal as it is written, one that is unknown in brackets, and its expressions after a bar."""
    return [
        (f"{text}" if each.held else f"[{text}]") + "".join(f" | {field.of(source)}" for field in each.fields)
        for each in javascript_strings(source)
        for text in [source[each.begin : each.stop]]
    ]


@pytest.mark.parametrize(
    ("source", "strings"),
    [
        ("x = 'a' // 'b'\n/* \"c\" */ y = \"d\"", ["'a'", '"d"']),
        ("'a\\'b' \"c\\\nd\"", ["'a\\'b'", '"c\\\nd"']),
        ("`a${b}c\\${d}\\``", ["`a${b}c\\${d}\\`` | ${b}"]),
        ("`${`${'a'}`}`", ["`${`${'a'}`}` | ${`${'a'}`}", "`${'a'}` | ${'a'}", "'a'"]),
        ("`${{ a: `}` }.a}`", ["`${{ a: `}` }.a}` | ${{ a: `}` }.a}", "`}`"]),
        # A slash that divides, and one that begins a regular expression.
        ("a / 'b' / 'c'", ["'b'", "'c'"]),
        ("x = /'[/\"]`/g; 'a'", ["'a'"]),
        ("f(/'/) + 'a'", ["'a'"]),
        ("return /'/.test('a')", ["'a'"]),
        ("if (x) /'/.test('a')", ["'a'"]),
        ("(a) / 'b' / 2", ["'b'"]),
        ("a++ / 'b' / 2", ["'b'"]),
        ("`a` / 'b' / 2", ["`a`", "'b'"]),
        ("a // 'x'\n/ 'b' / 2", ["'b'"]),
        ("x = a /* c */ / 'b' / 2", ["'b'"]),
        ("x.return / 'b' / 2", ["'b'"]),
        ("x = !/'/.test('a')", ["'a'"]),
        ("x! / 'b' / 2", ["'b'"]),
        # Elements, types, comparisons.
        ("x = <a b='c' d={'e'}>Don't {`f`} // `</a>; 'g'", ["'e'", "`f`", "'g'"]),
        ("x = <><b/>it's</>; 'g'", ["'g'"]),
        ("x = (<a><b c={<d>'</d>}/>'</a>); 'g'", ["'g'"]),
        ("x = <T,>(a: T) => 'g'", ["'g'"]),
        ("x = <T extends U>(a: T) => 'g'", ["'g'"]),
        ("x = <any>'g'", ["'g'"]),
        ("f<T>('a'); b < c; 'd' > e", ["'a'", "'d'"]),
        ("1 << a; 'b'", ["'b'"]),
        ("#!/usr/bin/node don't\n'a'", ["'a'"]),
        # What is broken ends with its line, or at the end of the text.
        ("'a\nx = 'b'", ["'a", "'b'"]),
        ("`a\nx = 'b'", ["`a\nx = 'b'"]),
        ("`a${'b'", ["[`a${'b']", "'b'"]),
        ("`${f(}` + 'a'", ["`${f(}` | ${f(}", "'a'"]),
    ],
)
def test_strings_are_delimited(source: str, strings: list[str]) -> None:
    assert shown(source) == strings


def test_raw_templates_are_reported() -> None:
    found = javascript_strings("String.raw`a` + html`b` + String . raw `c` + raw`d`")
    assert [each.is_raw for each in found] == [True, False, True, False]


_SCRIPT = """
const ts = require(process.argv[1]), fs = require('fs'), out = {};
const { SyntaxKind: K } = ts;
for (const file of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const text = fs.readFileSync(file, 'utf8');
  const kind = /x$/.test(file) ? ts.ScriptKind.TSX : /\\.[mc]?ts$/.test(file) ? ts.ScriptKind.TS : ts.ScriptKind.JSX;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind), found = [];
  if (tree.parseDiagnostics.length) continue;
  const visit = (node) => {
    const said = node.kind === K.StringLiteral && node.parent.kind !== K.JsxAttribute;
    const template = [K.NoSubstitutionTemplateLiteral, K.TemplateExpression, K.TemplateLiteralType].includes(node.kind);
    if (said || template) found.push([node.getStart(tree), node.end]);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  out[file] = found.sort((a, b) => a[0] - b[0]);
}
process.stdout.write(JSON.stringify(out));
"""


@pytest.mark.skipif(NODE is None or not TYPESCRIPT.exists(), reason="the compiler of TypeScript is not there")
def test_installed_modules_have_the_strings_that_typescript_finds() -> None:
    files = [file for file in sorted(MODULES.rglob("*")) if file.suffix in ENDINGS and file.is_file()]
    chosen = [file for file in files[:: max(1, len(files) // 150)] if file.stat().st_size < 200_000]
    assert NODE is not None
    ran = subprocess.run(
        [NODE, "-e", _SCRIPT, str(TYPESCRIPT)],
        input=json.dumps([str(file) for file in chosen]),
        capture_output=True,
        text=True,
        check=True,
    )
    checked = 0
    for name, wanted in json.loads(ran.stdout).items():
        source = Path(name).read_bytes().decode("utf-8")
        if any(char > "\uffff" for char in source) or source.startswith("\ufeff"):
            # The compiler counts otherwise.
            continue
        assert sorted([each.begin, each.stop] for each in javascript_strings(source)) == wanted, name
        checked += len(wanted)
    assert checked > 500


@settings(deadline=None, max_examples=tries(500))
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_is_taken(source: str) -> None:
    strings = javascript_strings(source)
    assert [each.begin for each in strings] == sorted(each.begin for each in strings)
    for each in strings:
        assert 0 <= each.begin < each.start <= each.end <= each.stop <= len(source)
        assert source[each.begin] == each.quote
        assert source[each.end : each.stop] in ("", each.quote)
        edges = [place for field in each.fields for place in field]
        assert edges == sorted(edges)
        assert all(each.start <= place <= each.end for place in edges)
        assert all(source.startswith("${", field.start) and source[field.end - 1] == "}" for field in each.fields)
