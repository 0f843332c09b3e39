"""`callwright rule`: the documentation of rules.

Owns: the options and the layout of a page. Must not know: any single rule.
"""

import inspect
import sys
from typing import Any

from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.names import unknown
from callwright.cli.support.option_groups import ColorOptions, JsonOptions
from callwright.cli.support.options import option, word
from callwright.cli.support.output import to_json
from callwright.cli.support.terminal import Style, style_for
from callwright.rules.base import Rule


class RulePageOptions(JsonOptions, ColorOptions, examples=("callwright rule", "callwright rule unknown-tool")):
    """What `callwright rule` takes."""

    name: str | None = word(
        "The code of a rule, such as `TC301`, or its name, such as `unknown-tool`. Without it, list all rules.",
        default=None,
    )
    all_: bool = option("Explain every rule.", default=False)


def run(options: RulePageOptions) -> int:
    """Explain a rule: what it reports, why that is bad, and what to write instead."""
    from callwright.rules.catalogue import all_rules, find_rule

    rules = all_rules()
    style = style_for(sys.stdout, options.color)
    if options.name is not None and options.all_:
        raise CommandError("a rule and `--all` cannot be combined; choose one")
    if options.name is not None:
        found = (
            find_rule(options.name)
            or find_rule(options.name.upper())
            or find_rule(options.name.lower().replace("_", "-"))
        )
        if found is None:
            raise unknown("rule", options.name, [rule.name for rule in rules], "`callwright rule` lists all rules.")
        print(to_json(as_json(found)) if options.json else page(found, style))
    elif options.json:
        print(to_json([as_json(rule) for rule in rules]))
    elif options.all_:
        print("\n\n".join(page(rule, style) for rule in rules))
    else:
        width = max((len(rule.name) for rule in rules), default=0)
        for rule in rules:
            print(f"{style('bold', rule.code)}  {rule.name:{width}}  {rule.severity.value:7}  {summary(rule)}")
        print("\n`callwright rule CODE` explains a rule, `callwright rule --all` all rules.")
    return CLEAN


def documentation(rule: Rule) -> str:
    """Return a rule's page as its author wrote it, without the indentation of the code."""
    return inspect.getdoc(type(rule)) or ""


def summary(rule: Rule) -> str:
    """Return the first sentence of a rule's page."""
    return documentation(rule).partition("\n")[0]


def as_json(rule: Rule) -> dict[str, Any]:
    """Return a rule as plain values."""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "scope": rule.scope.value,
        "error_type": None if rule.error_type is None else rule.error_type.value,
        "summary": summary(rule),
        "documentation": documentation(rule),
    }


def page(rule: Rule, style: Style) -> str:
    """Return a rule's page as a person reads it."""
    head = style("bold", f"{rule.name} ({rule.code})")
    return f"{head}\nSeverity: {rule.severity.value}. Checks: {rule.scope.value}.\n\n{documentation(rule)}"
