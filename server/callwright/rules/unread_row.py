"""The rule `unread-row`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, Needs, ProblemRule, Scope, SyntaxSubject


class UnreadRow(ProblemRule):
    """A row could not be checked.

    Why is this bad: it is not known whether the calls in it are valid, so the row counts as neither clean nor fixed. A
    row may not be JSON or not be UTF-8; it may be longer than `--max-row` or take longer than `--max-seconds`; or its
    shard may be truncated before it. Only this row is skipped, or the rest of a truncated shard. `callwright corpus
    check` reports it; `check` and editors report a row that is not JSON in JSON Lines files with conversations.

    Example path=rows.jsonl
        {"messages": [{"role": "user", "content": "Read it."}, {"role": "assistant", "content": "There is no file."}]}
        id,prompt,completion
        ^^^^^^^^^^^^^^^^^^^^ TC717 "This row is not JSON. Write one value on each line."

    Use instead
        {"messages": [{"role": "user", "content": "Read it."}, {"role": "assistant", "content": "There is no file."}]}
        {"id": 1, "prompt": "Read it.", "completion": "There is no file."}
    """

    code = "TC717"
    scope = Scope.CORPUS
    problems = ("row-failed", "row-not-json", "row-not-utf8", "row-too-long", "row-too-slow", "shard-broken")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the diagnostic with the reason why the row was not read."""
        problem = subject.problem
        data = problem.data
        stated = {
            "row-not-json": "This row is not JSON. Write one value on each line.",
            "row-not-utf8": "This row is not UTF-8. Save it as UTF-8.",
            "row-too-long": f"This row has {data.get('length', 0):,} bytes, more than `--max-row` allows. Raise the"
            " limit, or split the row.",
            "row-too-slow": f"This row took more than {data.get('seconds', 0):g} seconds and was skipped. Raise"
            " `--max-seconds`, or check the row alone with `callwright check`.",
            "row-failed": f"Callwright failed on this row: {data.get('reason')}. This is a bug in Callwright: please"
            " report it, with the row if possible.",
            "shard-broken": f"The shard cannot be read from here on: {data.get('reason')}. Regenerate it, or"
            " copy it again.",
        }
        found = self.diagnostic(problem.span, stated[problem.kind])
        if problem.kind == "row-not-json":
            # In a file of unknown content, a line of text may be correct.
            found.needs = Needs(rows=True)
        yield found
