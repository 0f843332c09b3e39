"""The rule `tool-name-refused`."""

from collections.abc import Iterator
from functools import partial

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import rename_key, replace_value
from callwright.rules.support.tool_words import quoted
from callwright.tools.profiles import ToolProfile, ToolWants, tool_profile


class ToolNameRefused(ToolRule):
    """A tool has a name that its provider rejects.

    Why is this bad: the provider rejects the whole request with every tool in it, or the client drops the tool. The
    provider is the one in the settings, or else the one in whose format the tool is written. The code that runs the
    tool must use the new name, too, so the fix is never applied automatically.

    Example
        [
          {
            "type": "function",
            "function": {
              "name": "files.read",
                      ^^^^^^^^^^^^ TC506 "OpenAI rejects the name `files.read`: names may contain only letters, digits, `_` and `-`."
              "description": "Reads a file."
            }
          }
        ]

    Use instead
        [
          {
            "type": "function",
            "function": {
              "name": "files_read",
              "description": "Reads a file."
            }
          }
        ]

    Settings
        provider = "openai"

    Example
        [
          {
            "name": "list_every_open_pull_request_of_a_repository_with_its_reviews_and_checks",
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC506 "OpenAI rejects the name `list_every_open_pull_request_of_a_repository_with_its_revie…`: it has 72 characters, but at most 64 are allowed."
            "description": "Lists pull requests.",
            "inputSchema": {"type": "object"}
          }
        ]

    Use instead
        [
          {
            "name": "list_open_pull_requests",
            "description": "Lists pull requests.",
            "inputSchema": {"type": "object"}
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC506"
    fast_path = FastPath.PLAIN  # every provider accepts a plain name

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the name does not match the demanded pattern."""
        definition = subject.definition
        profile = tool_profile(subject.settings.provider, definition.source)
        demand = profile.demand(ToolWants.NAME)
        name = definition.tool.name
        if demand is None or profile.accepts_name(name):
            return
        stated = "rejects" if demand.severity == "error" else "advises against"
        message = f"{_begin(profile.title)} {stated} the name {quoted(name)}: {_why(profile, name)}."
        fixes = partial(_fixes, subject, profile)
        yield self.diagnostic(subject.at_name(), message, fixes, severity=Severity(demand.severity))


def _begin(title: str) -> str:
    return title[:1].upper() + title[1:]


def _why(profile: ToolProfile, name: str) -> str:
    if len(name) > profile.name_length:
        return f"it has {len(name)} characters, but at most {profile.name_length} are allowed"
    if profile.accepts_name(f"_{name}"):
        return "a name must begin with a letter or `_`"
    return f"names may contain only {profile.name_stated}"


def _fixes(subject: ToolSubject, profile: ToolProfile) -> Iterator[Fix]:
    definition = subject.definition
    new = profile.accepted_name(definition.tool.name)
    document = subject.document
    if new is None or new in document.apart or any(other.tool.name == new for other in document.definitions):
        return
    edit = rename_key if definition.name_is_key else replace_value
    yield from with_edits(f"Rename to `{new}`", edit(document, definition.name_path, new), Applicability.UNSAFE)
