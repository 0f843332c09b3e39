"""The rule `undocumented-tool`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import documents_tools
from callwright.rules.base import Diagnostic, DocumentRule, Severity
from callwright.rules.support.tool_words import quoted_names

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


class UndocumentedTool(DocumentRule):
    """The prompt documents most of the tools but does not mention some of them.

    Why is this bad: a model does not call a tool that it does not know about. If you omit it on purpose, disable the
    rule for the file; `callwright prompt` writes the missing documentation.

    Deprecated tools and those shipped with Callwright need not be mentioned. Where a template or a managed block writes
    the documentation, nothing is reported.

    Example
        # Tools
          ^^^^^ TC815 "The prompt documents 5 of 6 tools; `git_status` is not mentioned."

        - `debug_launch`: starts a program under the debugger
        - `list_files`: lists a folder
        - `read_file`: reads a file
        - `run_code`: runs a piece of code
        - `write_file`: writes a file

    Use instead
        # Tools

        - `debug_launch`: starts a program under the debugger
        - `git_status`: shows what has changed
        - `list_files`: lists a folder
        - `read_file`: reads a file
        - `run_code`: runs a piece of code
        - `write_file`: writes a file
    """

    code = "TC815"
    fast_path = FastPath.PLAIN  # prompts document tools, conversations are not checked
    severity = Severity.INFO

    def check(self, subject: Snapshot) -> Iterator[Diagnostic]:
        """Yield one diagnostic at the heading over the largest group of documented tools."""
        if not documents_tools(subject):
            return
        from callwright.prompt.teachings import teaching_of
        from callwright.rules.support.taught import own_tools

        teaching = teaching_of(subject)
        own = own_tools(subject.registry)
        known = [taught for taught in teaching.known(subject.registry) if taught.name in own]
        names = {taught.name for taught in known}
        if teaching.generated or len(names) < 2 or 2 * len(names) <= len(own):
            return
        missing = [name for name in own if name not in teaching.named]
        if not missing:
            return
        groups: dict[tuple[object, ...], int] = {}
        for taught in known:
            groups[taught.group] = groups.get(taught.group, 0) + 1
        largest = max(groups, key=lambda group: groups[group])
        first = next(taught for taught in known if taught.group == largest)
        section = teaching.sections.get(largest)
        shown = quoted_names(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        yield self.diagnostic(
            section.place.raw(section.span) if section is not None else first.raw,
            f"The prompt documents {len(names)} of {len(own)} tools; {shown} "
            f"{'is' if len(missing) == 1 else 'are'} not mentioned.",
        )
