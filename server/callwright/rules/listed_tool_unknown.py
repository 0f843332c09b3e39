"""The rule `listed-tool-unknown`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, DocumentRule, Fix, Severity, with_edits

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.listed_tools import ListedTool


class ListedToolUnknown(DocumentRule):
    """Front matter lists a tool that is not in the registry.

    Why is this bad: the agent gets fewer tools than the prompt relies on. Products silently ignore a name that they do
    not know.

    Lists are `tools`, `allowed-tools`, `disallowed-tools` and those below `mcp-servers`, written as VS Code, GitHub
    Copilot, Claude Code, Gemini CLI, Kiro, opencode and dotprompt write them. A name is reported if it is a misspelling
    of a tool's name, or if it is listed with names of tools that have the same spelling style and server. The products'
    own tools (`search`, `Read`, `run_shell_command`), the tools of other servers (`github/*`, `mcp__github__search`)
    and wildcards are never reported.

    Example path=review.agent.md
        ---
        tools: [read_file, wite_file, search/codebase]
                           ^^^^^^^^^ TC817 "`wite_file` is listed under `tools` and is not a tool; did you mean `write_file`?"
        ---
        Review the change.

    Use instead
        ---
        tools: [read_file, write_file, search/codebase]
        ---
        Review the change.
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC817"
    fast_path = FastPath.PLAIN  # prompts list tools, conversations do not
    severity = Severity.WARNING

    def check(self, subject: Snapshot) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each listed name that is meant as a tool's name but is unknown."""
        if not subject.registry:
            return
        from callwright.prompt.listed_tools import listed_tools
        from callwright.rules.support.listed import uncertain_names

        listed = listed_tools(subject)
        for each, near in uncertain_names(listed, subject.registry) if listed else ():
            hint = f"; did you mean `{near}`?" if near is not None else "."
            yield self.diagnostic(
                each.span,
                f"`{each.name}` is listed under `{each.key}` and is not a tool{hint}",
                partial(_fixes, each, near, listed),
            )


def _fixes(each: ListedTool, near: str | None, listed: Sequence[ListedTool]) -> Iterator[Fix]:
    if near is not None:
        # Two misspelt names must not become the same one.
        alone = sum(other.key == each.key and other.name == each.name for other in listed) == 1
        applicability = Applicability.SAFE if alone else Applicability.UNSAFE
        yield from with_edits(f"Rename to `{near}`", each.renamed(near), applicability)
