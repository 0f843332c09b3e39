"""The rule `unread-row`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, Needs, ProblemRule, Scope, SyntaxSubject


class UnreadRow(ProblemRule):
    """A row could not be judged.

    Why is this bad: nobody knows whether the calls in it are sound, so a row like this is among neither the clean nor
    the mended ones. A row may be no JSON, or not be UTF-8; it may be longer than `--max-row`, or take longer than
    `--max-seconds`; its shard may break off in front of it. Only this row is left out, and of a shard that breaks off
    what stands behind. This is found by `callwright corpus check`; `check` and editors report a row that is no JSON, in
    JSON Lines that hold conversations.

    Example path=rows.jsonl
        {"messages": [{"role": "user", "content": "Read it."}, {"role": "assistant", "content": "There is no file."}]}
        id,prompt,completion
        ^^^^^^^^^^^^^^^^^^^^ TC717 "This row is no JSON. Write one value on each line."

    Use instead
        {"messages": [{"role": "user", "content": "Read it."}, {"role": "assistant", "content": "There is no file."}]}
        {"id": 1, "prompt": "Read it.", "completion": "There is no file."}
    """

    code = "TC717"
    scope = Scope.CORPUS
    problems = ("row-failed", "row-not-json", "row-not-utf8", "row-too-long", "row-too-slow", "shard-broken")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding with what stood in the way."""
        problem = subject.problem
        data = problem.data
        said = {
            "row-not-json": "This row is no JSON. Write one value on each line.",
            "row-not-utf8": "This row is not UTF-8. Write it again in this encoding.",
            "row-too-long": f"This row has {data.get('length', 0):,} bytes, more than `--max-row` allows. Raise it, or"
            " divide the row.",
            "row-too-slow": f"This row took more than {data.get('seconds', 0):g} seconds, so it was left. Raise"
            " `--max-seconds`, or look at the row alone with `callwright check`.",
            "row-failed": f"Callwright failed at this row: {data.get('reason')}. This is a fault of ours: please report"
            " it with the row, if you may.",
            "shard-broken": f"The shard cannot be read from here on: {data.get('reason')}. Write or copy it again.",
        }
        found = self.diagnostic(problem.span, said[problem.kind])
        if problem.kind == "row-not-json":
            # In a file of which nothing else is known, a line of text may be all right.
            found.needs = Needs(rows=True)
        yield found
