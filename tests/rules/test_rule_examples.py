"""Every rule's documentation is true: its examples yield what they mark, and what to write instead yields nothing."""

import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from callwright.config import read_config
from callwright.corpus.judging import RowJudge
from callwright.corpus.lines import Row
from callwright.corpus.units import RunOptions
from callwright.declarations.load import read_tools
from callwright.lint.files import file_diagnostics, tool_diagnostics
from callwright.rules.base import Diagnostic, Rule, Scope, Severity
from callwright.rules.catalogue import all_rules
from callwright.rules.support.documentation import Documentation, Example, documentation_of
from callwright.text.span import Span, apply_edits
from callwright.tools.documents import read_tool_document
from callwright.tools.registry import EMPTY
from support.cases import annotated, diagnostics_of, differences
from support.chat_templates import rendered_diagnostics
from support.engine import check, settings_of, toml_settings

RULES = all_rules()


class RuleExample(NamedTuple):
    """One example of one rule."""

    rule: Rule
    number: int
    example: Example

    def diagnostics(self, source: str) -> list[Diagnostic]:
        """Return what is found in a source: a text with calls, or the file that the rule is about."""
        if self.rule.scope is Scope.TOOLS:
            document = read_tool_document(source, self.example.path or "tools.json")
            registry = document.registry
            if self.example.tools:
                registry = registry.merge(read_tools(self.example.tools, "base.json"))
            return tool_diagnostics(document, registry, toml_settings(self.example.settings))
        if self.rule.scope is Scope.CONFIG:
            # The tool files that examples name are sought beside this file.
            project = read_config(source, Path(__file__).with_name("callwright.toml"))
            return file_diagnostics([problem for _, problem in project.problems], EMPTY, settings_of({}))
        if self.rule.scope is Scope.CORPUS:
            return list(corpus_diagnostics(source))
        if self.rule.scope is Scope.CHAT_TEMPLATE:
            return rendered_diagnostics(source, toml_settings(self.example.settings))
        settings = toml_settings(self.example.settings)
        return check(source, settings, self.example.path or "case.md", self.example.tools)

    def __str__(self) -> str:
        return f"{self.rule.code}-{self.rule.name}" + (f"-{self.number}" if self.number else "")


def corpus_diagnostics(source: str) -> Iterator[Diagnostic]:
    """Yield what is found of the rows themselves, each on its whole line."""
    judge = RowJudge(RunOptions(EMPTY, settings_of({}), out=""))
    at = 0
    for number, line in enumerate(source.splitlines(keepends=True)):
        for each in judge.diagnostics(Row(number, line.encode())):
            rule = next(rule for rule in RULES if rule.code == each.rule)
            yield rule.diagnostic(Span(at, at + len(line.rstrip())), each.message)
        at += len(line)


def rule_examples() -> Iterator[RuleExample]:
    for rule in RULES:
        for number, example in enumerate(documentation_of(rule).examples):
            yield RuleExample(rule, number, example)


EXAMPLES = list(rule_examples())
by_example = pytest.mark.parametrize("shown", EXAMPLES, ids=str)


@by_example
def test_an_example_yields_what_its_carets_show(shown: RuleExample) -> None:
    source, markers = annotated(shown.example.source)
    assert markers, "the example marks no finding"
    failure = differences(source, markers, diagnostics_of(shown.diagnostics(source)))
    assert not failure, failure


@by_example
def test_an_example_shows_its_own_rule(shown: RuleExample) -> None:
    assert shown.rule.code in {marker.code for marker in annotated(shown.example.source).markers}


@by_example
def test_what_to_write_instead_yields_nothing(shown: RuleExample) -> None:
    assert shown.example.instead, "the example says nothing to write instead"
    assert not annotated(shown.example.instead).markers, "what to write instead is not annotated"
    failure = differences(shown.example.instead, [], diagnostics_of(shown.diagnostics(shown.example.instead)))
    assert not failure, failure


@by_example
def test_a_safe_fix_writes_what_to_write_instead(shown: RuleExample) -> None:
    source = annotated(shown.example.source).source
    own = [diagnostic for diagnostic in shown.diagnostics(source) if diagnostic.code == shown.rule.code]
    text = source
    for diagnostic in reversed(own):
        if diagnostic.fix is None or not diagnostic.fix.is_safe:
            return
        text = apply_edits(text, diagnostic.fix.edits)
    assert text == shown.example.instead


@by_example
def test_every_fix_of_an_example_removes_its_diagnostic_and_adds_none(shown: RuleExample) -> None:
    source = annotated(shown.example.source).source
    before = shown.diagnostics(source)
    errors = Counter(diagnostic.code for diagnostic in before if diagnostic.severity is Severity.ERROR)
    for diagnostic in before:
        for fix in diagnostic.fixes:
            after = shown.diagnostics(apply_edits(source, fix.edits))
            left = Counter(each.code for each in after if each.severity is Severity.ERROR)
            stated = f"{fix.title!r} leaves {[each.message for each in after]}"
            assert left[diagnostic.code] < max(errors[diagnostic.code], 1), stated
            # A guess may come out as another fault, never as more of them.
            assert not (left - errors) if fix.is_safe else left.total() <= errors.total(), stated


def test_a_rule_is_documented() -> None:
    for rule in RULES:
        found: Documentation = documentation_of(rule)
        assert found.summary.endswith("."), f"{rule.name}: the documentation begins with a sentence"
        assert found.why.endswith("."), f"{rule.name}: the documentation says `Why is this bad:`"
        assert found.examples, f"{rule.name}: a rule shows what it finds"


def test_a_rule_is_named_as_its_file() -> None:
    for rule in RULES:
        assert re.fullmatch(r"TC[1-9]\d\d", rule.code)
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
        module = import_module(type(rule).__module__)
        assert Path(str(module.__file__)).stem == rule.name.replace("-", "_")
        assert type(rule).__name__.lower() == rule.name.replace("-", "")


def test_a_rule_that_words_problems_states_which() -> None:
    for rule in RULES:
        if rule.scope is not Scope.TOOLS:
            # A rule about tool files may also check each definition.
            assert bool(rule.problems) == (rule.scope in {Scope.SYNTAX, Scope.CONFIG, Scope.CORPUS}), rule.name


def test_codes_and_names_are_unique() -> None:
    names = Counter([*(rule.code for rule in RULES), *(rule.name for rule in RULES)])
    assert [name for name, count in names.items() if count > 1] == []
