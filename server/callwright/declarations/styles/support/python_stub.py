"""Functions of Python without a body: their signature, their docstring, and the tool that they define.

Owns: `Stub`, `stub_at`, `definition_of`: where such a function begins and ends, and how it is read by the reader of
Python sources although what is around it is not Python. Must not know: what shows that a function is a tool.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, replace
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, record, sequence
from callwright.tools.python.annotations import Schemas
from callwright.tools.python.functions import Tools
from callwright.tools.python.module import Function, Module

NAME: Final = r"[^\W\d]\w{0,99}+"
#: A list of parameters and a docstring are no longer than that.
_PARAMETERS: Final = 6_000
_DOCSTRING: Final = 30_000
_DEF: Final = compile_later(rf"(?:async[ \t]++)?def[ \t]++(?P<name>{NAME})[ \t]*+(?=\()")
#: A function with a body, as nearly all of a program are written: the next line begins with none of a stub's.
_WITH_BODY: Final = compile_later(
    rf"(?:async[ \t]++)?def[ \t]++{NAME}\([^()\n]*+\)[ \t]*+(?:->[^\n:]*+)?+:[ \t]*+\n(?:[ \t]*+\n)*+"
    r"(?P<indent>[ \t]*+)(?:(?P<quotes>\"\"\"|''')|(?![\"'.#\s]|[rRuU][\"']|pass\b|raise ))"
)
_LINE_START: Final = compile_later(r"\s*?\n([ \t]*+)(?=\S)(?![.#]|pass\b|raise )")
_NAMED: Final = compile_later(rf"(?P<name>{NAME})(?=\()")
_PIECE: Final = compile_later(
    r"(?P<plain>[^()\[\]{}\"'#\n]++)|(?P<string>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')|(?P<comment>\#[^\n]*+)"
    r"|(?P<line>\n[ \t]*+)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<odd>[\"'])"
)
_BRACKETS: Final = r"\[(?:[^\[\]\n]++|\[(?:[^\[\]\n]++|\[[^\[\]\n]*+\])*+\])*+\]"
#: A type as an annotation names it.
TYPE: Final = rf"(?:[\w.]++(?:{_BRACKETS})?|\"[^\"\n]{{0,100}}\"|'[^'\n]{{0,100}}'|\([^()\n]{{0,100}}\))"
_RETURNS: Final = compile_later(rf"[ \t]*+->[ \t]*+{TYPE}(?:[ \t]*+\|[ \t]*+{TYPE})*+")
#: A return annotation that is a sentence.
_REPORTED: Final = compile_later(r"[ \t]*+->[^\n:`#]{1,200}+")
_COLON: Final = compile_later(r"[ \t]*+:")
_REMARK: Final = compile_later(r"[ \t]*+(?:#[^\n]*+)?(?=\n|\Z)")
_STUB: Final = compile_later(
    r"[ \t]*+(?:\.\.\.|pass\b|raise NotImplementedError(?:\([^\n]*+\))?)[ \t]*+(?:#[^\n]*+)?(?=\n|\Z)"
)
_DOC: Final = compile_later(r"(?:[ \t]*+\n)*+(?P<indent>[ \t]*+)[rRuU]?(?P<quote>\"\"\"|'''|\"|')")
_INNER: Final = compile_later(r"(?:[ \t]*+(?:#[^\n]*+)?\n)*+(?P<indent>[ \t]*+)(?P<code>[^\s#][^\n]*+)?")
#: How a line begins on which no docstring continues: the next function, or the end of a fence or an element.
_OUTSIDE: Final = compile_later(r"\n[ \t]*+(?:(?:async[ \t]++)?def[ \t]++\w++[ \t]*+\(|`{3}|~{3}|</)")
#: The names that smolagents gives to types, which are those of JSON Schema.
_SCHEMA_TYPES: Final = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "any": "Any",
    "null": "None",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stub:
    """A function of which the signature and a docstring are all that is written.

    `start` is where its `def` begins, or its name without one; `shut` where its list of parameters ends, after the
    bracket, which is missing where it is not `closed`; `head` where its signature ends, and `end` the function. `doc`
    is the span of the docstring, quotes included; `cut` is true if those at its end are missing. `reach` is how far the
    text was read.
    """

    start: int
    name: Span
    shut: int
    head: int
    end: int
    reach: int
    closed: bool = True
    doc: Span | None = None
    cut: bool = False
    is_def: bool = True


def stub_at(text: str, at: int) -> Stub | None:
    """Return the function whose `def` is at an offset; None where there is none, or one with a body."""
    found = _DEF.match(text, at)
    if found is None or _has_body(text, at):
        return None
    shut, closed = _parameters_end(text, found.end())
    stub = Stub(at, Span(*found.span("name")), shut, shut, shut, shut + 200, closed)
    if not closed:
        return stub
    returns = _RETURNS.match(text, shut)
    head = returns.end() if returns is not None else shut
    colon = _COLON.match(text, head)
    if colon is None and (reported := _REPORTED.match(text, shut)) is not None:
        head = reported.end()
        colon = _COLON.match(text, head)
    if colon is None:
        # Nothing but a remark may follow a signature that opens no body.
        remark = _REMARK.match(text, head)
        return replace(stub, head=head, end=remark.end(), reach=remark.end() + 1) if remark is not None else None
    return _with_body(text, replace(stub, head=colon.end(), end=colon.end(), reach=colon.end() + 1))


def signature_at(text: str, at: int) -> Stub | None:
    """Return the function whose name is at an offset, with a list of parameters and a return annotation."""
    found = _NAMED.match(text, at)
    if found is None:
        return None
    shut, closed = _parameters_end(text, found.end())
    returns = _RETURNS.match(text, shut) if closed else None
    if returns is None:
        return None
    return Stub(at, Span(*found.span("name")), shut, returns.end(), returns.end(), returns.end() + 1, is_def=False)


def _has_body(text: str, at: int) -> bool:
    """Return whether a function plainly has a body: a quick check for what nearly all functions are."""
    found = _WITH_BODY.match(text, at, at + 1_000)
    if found is None:
        return False
    indent = _indent_of(text, at)
    if _width(found["indent"]) <= indent:
        return False
    if found["quotes"] is None:
        return True
    shut = text.find(found["quotes"], found.end(), found.end() + _DOCSTRING)
    after = _LINE_START.match(text, shut + 3) if shut >= 0 else None
    return after is not None and _width(after[1]) > indent and _OUTSIDE.search(text, found.end(), shut) is None


def _parameters_end(text: str, paren: int) -> tuple[int, bool]:
    """Return where a list of parameters ends, and whether its bracket is closed; where it is not, at its last line."""
    depth, at = 0, paren
    limit = min(len(text), paren + _PARAMETERS)
    last = paren + 1
    while at < limit:
        piece = _PIECE.match(text, at, limit)
        if piece is None:
            break
        kind = piece.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth == 0:
                return piece.end(), True
        elif kind == "line" and _leaves(text, piece.end()):
            break
        if kind != "line" and piece[0].strip():
            last = at + len(piece[0].rstrip())
        at = piece.end()
    return last, False


def _leaves(text: str, at: int) -> bool:
    """Return whether the line whose first character is at `at` continues with no list of parameters."""
    if at >= len(text) or text[at] == "\n":
        return True
    return text.startswith(("```", "~~~", "</", "def ", "async def ", "@", '"""'), at)


def _with_body(text: str, stub: Stub) -> Stub | None:
    """Return a function with what follows its colon; None where that is a body."""
    same = _STUB.match(text, stub.head)
    if same is not None:
        return replace(stub, end=same.end(), reach=same.end() + 1)
    indent = _indent_of(text, stub.start)
    remark = _REMARK.match(text, stub.head)
    if remark is None:
        doc = _DOC.match(text, stub.head)
        return _documented(text, stub, doc, indent) if doc is not None else None
    doc = _DOC.match(text, remark.end() + 1) if remark.end() < len(text) else None
    if doc is not None and _width(doc["indent"]) > indent:
        return _documented(text, stub, doc, indent)
    return _without_body(text, replace(stub, end=remark.end()), indent)


def _documented(text: str, stub: Stub, doc: re.Match[str], indent: int) -> Stub | None:
    """Return a function with its docstring; None where a body follows that."""
    quote, start = doc["quote"], doc.start("quote")
    inner = start + len(quote)
    limit = min(len(text), inner + _DOCSTRING)
    shut = text.find(quote, inner, limit)
    while shut > 0 and text[shut - 1] == "\\" and text[shut - 2] != "\\":
        shut = text.find(quote, shut + 1, limit)
    if len(quote) == 1 and shut >= 0 and "\n" in text[inner:shut]:
        shut = -1
    outside = _OUTSIDE.search(text, inner, limit if shut < 0 else shut)
    if shut < 0 or outside is not None:
        stop = outside.start() if outside is not None else limit
        stop = max(len(text[:stop].rstrip()), inner)
        return replace(stub, end=stop, doc=Span(start, stop), cut=True, reach=limit + 1)
    end = shut + len(quote)
    remark = _REMARK.match(text, end)
    if remark is None:
        return None
    return _without_body(text, replace(stub, end=end, doc=Span(start, end), reach=remark.end() + 1), indent)


def _without_body(text: str, stub: Stub, indent: int) -> Stub | None:
    """Return a function after whose end nothing follows, or a stub of a body; None where a body does."""
    remark = _REMARK.match(text, stub.end)
    at = remark.end() if remark is not None else stub.end
    inner = _INNER.match(text, at + 1) if at < len(text) else None
    if inner is None or inner["code"] is None or _width(inner["indent"]) <= indent:
        return replace(stub, reach=(inner.end() if inner is not None else at) + 1)
    placeholder = _STUB.match(text, inner.start("code"))
    if placeholder is None:
        return None
    at = placeholder.end()
    after = _INNER.match(text, at + 1) if at < len(text) else None
    if after is not None and after["code"] is not None and _width(after["indent"]) > indent:
        return None
    return replace(stub, end=at, reach=(after.end() if after is not None else at) + 1)


def _width(indent: str) -> int:
    return len(indent.expandtabs())


def _indent_of(text: str, at: int) -> int:
    start = text.rfind("\n", max(at - 200, 0), at) + 1
    return _width(text[start:at]) if not text[start:at].strip() else 0


# -- reading -----------------------------------------------------------------------------------------------------------


def parameters_of(text: str, stub: Stub) -> list[Span]:
    """Return the parameters of a function, as they are written between its brackets."""
    at = text.index("(", stub.name.end) + 1
    end = stub.shut - 1 if stub.closed else stub.shut
    found: list[Span] = []
    depth, start = 0, at
    while at < end:
        piece = _PIECE.match(text, at, end)
        if piece is None:
            break
        if piece.lastgroup == "plain" and depth == 0:
            for comma in re.finditer(",", piece[0]):
                found.append(Span(start, at + comma.start()))
                start = at + comma.end()
        depth += {"open": 1, "close": -1}.get(str(piece.lastgroup), 0)
        at = piece.end()
    found.append(Span(start, max(end, start)))
    return [each for each in found if each.of(text).strip()]


def definition_of(text: str, stub: Stub) -> tuple[LocatedValue, bool, bool] | None:
    """Return the definition of a function that is all that a text holds, with its decorators, whether it takes no other
    arguments, and whether something of it was not understood."""
    source = _source(text, stub)
    prefix, start = ("", 0) if stub.is_def else ("def \\\n", stub.start)
    if stub.is_def and text[:1] in (" ", "\t"):
        prefix = "if 1:\n"
    broken = stub.cut or not stub.closed
    optional: set[str] = set()
    tree = _parsed(prefix + source[start:])
    if tree is None:
        broken = True
        source = _fixed(text, source, stub)
        tree = _parsed(prefix + source[start:])
    if tree is None:
        # Python wants arguments with a default last.
        source, optional = _without_defaults(text, source, stub)
        tree = _parsed(prefix + source[start:])
    node = next((each for each in ast.walk(tree) if isinstance(each, Function)), None) if tree is not None else None
    if tree is None or node is None:
        return None
    ast.increment_lineno(tree, -prefix.count("\n"))
    if not stub.is_def:
        node.lineno, node.col_offset = 1, 0
    renamed = _use_names(node)
    module = Module(text, start, tree)
    tools = Tools(module, Schemas(module))
    decorator = tools.decorator(node)
    part = tools.function(node, decorator if isinstance(decorator, ast.Call) else None)
    if renamed and not (node.args.defaults or any(node.args.kw_defaults)):
        # Where signatures are written by smolagents, they have no defaults: any argument may have one.
        optional.update(each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    if optional:
        part.put("inputSchema", _not_required(part.parts["inputSchema"], optional), part.keys.get("inputSchema"))
    if part.parts["name"].value == node.name:
        part.put("name", LocatedValue(node.name, stub.name))
    return part, node.args.kwarg is None and node.args.vararg is None, broken


def _source(text: str, stub: Stub) -> str:
    """Return the text up to the end of a function as Python, with everything at the same place."""
    if not stub.closed:
        return text[: stub.shut].rstrip(" \t\n,") + "): ..."
    if stub.doc is None:
        return f"{text[: stub.shut]}: ..."
    # What a function returns says nothing of its arguments, and may be any text.
    blank = re.sub(r"[^\n]", " ", text[stub.shut + 1 : stub.doc.start])
    doc = stub.doc.of(text)
    if stub.cut:
        quote = doc[:3] if doc.startswith(('"""', "'''")) else doc[:1]
        doc = f"{doc} {quote}"
    return f"{text[: stub.shut]}:{blank}{doc}"


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _fixed(text: str, source: str, stub: Stub) -> str:
    """Return a source of the same length without the annotations and defaults that are not Python."""
    for span in parameters_of(text, stub):
        piece = source[span.start : span.end]
        if _parsed(f"def f({piece}): ...") is not None:
            continue
        named = re.match(rf"\s*(\*{{0,2}}{NAME})", piece)
        if named is None:
            plain = re.sub(r"[^\n]", " ", piece)
            source = f"{source[: span.start]}{plain}{source[span.end :]}"
            continue
        rest = piece[named.end() :]
        # Whether it may be left out is known, and no more.
        default = "=..." if len(rest) > 3 and re.search(r"=|\?|\boptional\b", rest, re.IGNORECASE) else ""
        rest = default + re.sub(r"[^\n]", " ", rest[len(default) :])
        source = f"{source[: span.start]}{named[0]}{rest}{source[span.end :]}"
    return source


def _without_defaults(text: str, source: str, stub: Stub) -> tuple[str, set[str]]:
    """Return a source of the same length without defaults, and the names of the arguments that had one."""
    optional: set[str] = set()
    for span in parameters_of(text, stub):
        named = re.match(rf"\s*({NAME})", source[span.start : span.end])
        at, depth = span.start, 0
        while at < span.end:
            piece = _PIECE.match(source, at, span.end)
            if piece is None:
                break
            equals = piece[0].find("=") if piece.lastgroup == "plain" and depth == 0 else -1
            if equals >= 0:
                blank = re.sub(r"[^\n]", " ", source[at + equals : span.end])
                source = f"{source[: at + equals]}{blank}{source[span.end :]}"
                if named is not None:
                    optional.add(named[1])
                break
            depth += {"open": 1, "close": -1}.get(str(piece.lastgroup), 0)
            at = piece.end()
    return source, optional


def _use_names(node: Function) -> bool:
    """Give types the names that Python has for them where they are called as JSON Schema calls them, and return whether
    any is."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    annotations = [each.annotation for each in arguments if each.annotation is not None]
    names = [each for one in annotations for each in ast.walk(one) if isinstance(each, ast.Name)]
    own = any(each.id in _SCHEMA_TYPES for each in names)
    for name in names:
        name.id = "dict" if name.id == "object" and own else _SCHEMA_TYPES.get(name.id, name.id)
    return own


def _not_required(schema: LocatedValue, names: set[str]) -> LocatedValue:
    """Return the schema of an object to which these properties need not belong."""
    whole = record(schema.span, {})
    for step, inner in schema.parts.items():
        if step != "required":
            whole.put(step, inner, schema.keys.get(step))
    required = schema.parts["required"].parts.values() if "required" in schema.parts else ()
    left = [each for each in required if each.value not in names]
    if left:
        whole.put("required", sequence(schema.span, left))
    return whole
