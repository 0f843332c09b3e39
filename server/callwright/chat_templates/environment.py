"""Jinja as transformers sets it up, but for its clock.

Owns: `Environment`, `RaisedError`, the functions and filters that a chat template finds. Must not know: how a template
is rendered, where its text comes from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, LoopControlExtension
from jinja2.filters import do_join, do_replace
from jinja2.lexer import Token, TokenStream
from jinja2.nodes import EvalContext
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, pass_eval_context

from callwright.chat_templates.guard import COMPILING, PERMIT
from callwright.chat_templates.places import Source
from callwright.chat_templates.tagged import Tagged, joined, lifted

#: What `strftime_now` takes for the present, so that a rendering is the same every time.
NOW: Final = datetime(2025, 1, 31, 12, 0)  # noqa: DTZ001 - transformers' clock has no zone either
#: The oldest Jinja without known ways out of its sandbox; transformers demands it, too.
OLDEST: Final = (3, 1, 6)


class RaisedError(TemplateError):
    """A template called `raise_exception`."""


def raise_exception(message: object = "") -> None:
    """Fail with the template's own message."""
    raise RaisedError(str(message))


def strftime_now(format: str) -> str:  # noqa: A002 - templates may name it
    """Return the fixed present in a format."""
    return NOW.strftime(format)


def tojson(
    x: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return a value as JSON; unlike Jinja's own filter it escapes nothing for HTML."""
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class _Dictionary:
    """What templates know as `dict`: it makes one, and has none of the attributes of a class."""

    def __call__(self, *args: Any, **given: Any) -> dict[Any, Any]:
        return dict(*args, **given)

    def fromkeys(self, keys: Iterable[Any], value: Any = None) -> dict[Any, Any]:
        """Return a dictionary with the same value for all keys."""
        return dict.fromkeys(keys, value)


class _Namespace(Namespace):
    """A namespace whose attributes cannot begin with an underscore."""

    def __init__(*args: Any, **given: Any) -> None:
        # A template may name an attribute `self`.
        self = args[0]
        attributes = dict(*args[1:], **given)
        for name in attributes:
            _check_name(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace cannot have an attribute that begins with an underscore: {name!r}")


class _Generation(Extension):
    """The `generation` tag, in which a template puts what the assistant generates; it changes no text."""

    tags = {"generation"}  # noqa: RUF012 - a set of Jinja's

    def parse(self, parser: Parser) -> nodes.Node:
        """Read the tag up to its end."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_generated"), [], [], body).set_lineno(line)

    def _generated(self, caller: Macro) -> str:
        return caller()


class Environment(ImmutableSandboxedEnvironment):
    """Jinja with all that transformers gives to a chat template, and with the places of tokens."""

    def __init__(self) -> None:
        # Nothing is folded when a template is compiled: literals keep their places, and what costs much costs it once.
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, LoopControlExtension], optimized=False
        )
        self.filters["tojson"] = tojson
        self.globals.update(
            raise_exception=raise_exception, strftime_now=strftime_now, dict=_Dictionary(), namespace=_Namespace
        )
        self._source: Source | None = None

    def read(self, source: Source) -> nodes.Template:
        """Return the tree of a template, whose line numbers are places; raises TemplateSyntaxError."""
        self._source = source
        try:
            # Jinja evaluates the number that a literal with a point is; nothing of the template runs yet.
            with PERMIT.allow(COMPILING):
                return self._parse(source.original, None, None)
        finally:
            self._source = None

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        stream: Iterator[tuple[int, str, str]] = self.lexer.tokeniter(source, name, filename, state)
        if self._source is not None:
            stream = self._source.tokens(stream)
        tokens: Iterable[Token] = self.lexer.wrap(stream, name, filename)
        return TokenStream(tokens, name, filename)


class TaggedEnvironment(Environment):
    """The same, with filters that keep the origins of text."""

    concat = staticmethod(joined)

    def __init__(self) -> None:
        super().__init__()
        self.filters.update(join=_join, replace=_replace, indent=_indent)


@pass_eval_context
def _join(eval_ctx: EvalContext, value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    result: str = do_join(eval_ctx, value, d if eval_ctx.autoescape else lifted(str(d)), attribute)
    return result


@pass_eval_context
def _replace(eval_ctx: EvalContext, s: str, old: str, new: str, count: int | None = None) -> str:
    result: str = do_replace(eval_ctx, s if eval_ctx.autoescape else lifted(s), old, new, count)
    return result


_MARKUP: Final = "__html__"


def _indent(s: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    """Indent all lines but the first, and but empty ones, as Jinja's filter does."""
    by: str = width if isinstance(width, str) else " " * width
    newline: Any = "\n"
    if type(s) is not Tagged:
        if hasattr(s, _MARKUP):
            # What is markup has no origins to keep, and escapes what is added to it.
            by, newline = s.__class__(by), s.__class__(newline)
        s += newline
    else:
        s = s + newline
        by, newline = lifted(by), lifted(newline)
    if blank:
        result: str = (newline + by).join(s.splitlines())
    else:
        lines = s.splitlines()
        result = lines.pop(0)
        if lines:
            result += newline + newline.join([by + line if line else line for line in lines])
    return by + result if first else result


def variables_of(given: Mapping[str, object]) -> dict[str, object]:
    """Return the variables of a rendering together with those that transformers always sets."""
    return {
        "documents": None,
        "add_generation_prompt": False,
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        **given,
    }


def too_old(version: str) -> bool:
    """Return whether a version of Jinja is older than is safe."""
    numbers = [int(number) for number in re.findall(r"\d+", version)[:3]]
    return tuple(numbers) < OLDEST
