"""The rule `demanded-format-differs`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import mentions_in, names_dialect
from callwright.rules.base import Diagnostic, DocumentRule, ErrorType, Severity
from callwright.rules.support.conversion_fixes import ConversionFix

if TYPE_CHECKING:
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.demanded_formats import Demand
    from callwright.prompt.taught import Teaching


class DemandedFormatDiffers(DocumentRule):
    """The prompt shows a call in a dialect other than the one it demands, or demands one that is not accepted.

    Why is this bad: a model imitates examples more readily than it follows rules. One call in the old dialect undoes
    the paragraph that demands the new one, and the parser rejects what the model was shown.

    What a prompt demands is read from its own words (`Tool use MUST be formatted in strict XML`), from patterns
    (`TOOL_CALL: tool_name`), and from the dialect that the settings or the set of tools state. Examples that the text
    calls wrong are not checked.

    Example
        Tool use MUST be formatted in strict XML. For example:

        TOOL_CALL: read_file
                   ^^^^^^^^^ TC816 "This call is in `directive`, but the prompt demands XML."
        INPUT: {"path": "a.py"}

    Use instead
        Tool use MUST be formatted in strict XML. For example:

        <read_file>{"path": "a.py"}</read_file>
    """

    code = "TC816"
    fast_path = FastPath.PLAIN  # prompts demand a format, conversations are not checked
    severity = Severity.WARNING
    error_type = ErrorType.NO_CALLS

    def check(self, subject: "Snapshot") -> Iterator[Diagnostic]:
        """Yield a diagnostic for each call, and each demand, that contradicts a demand."""
        mentions = mentions_in(subject)
        if not mentions.names or not (mentions.outside or names_dialect(subject)):
            return
        from callwright.prompt.teachings import teaching_of

        teaching = teaching_of(subject)
        from callwright.prompt.demanded_formats import demands_of

        demands = demands_of(subject)
        stated, reason = _stated(subject, teaching)
        if stated is not None:
            allowed = {stated, *subject.settings.accept}
            for demand in demands:
                if not demand.dialects & allowed:
                    yield self.diagnostic(demand.raw, f"The prompt demands {demand.title}, but {reason}.")
            demands = [demand for demand in demands if demand.dialects & allowed]
        elif demands:
            yield from self._contradictions(demands)
        if subject.settings.dialect is None and (demands or stated is not None):
            yield from self._calls(subject, teaching, demands, stated, reason)

    def _contradictions(self, demands: "list[Demand]") -> Iterator[Diagnostic]:
        """Yield the demands that contradict one that allows no other dialect."""
        firsts: dict[int, Demand] = {}
        for demand in demands:
            if demand.exclusive:
                firsts.setdefault(demand.text, demand)
        for demand in demands:
            strict = firsts.get(demand.text)
            if strict is not None and not demand.dialects & strict.dialects:
                message = f"The prompt demands {demand.title} here and {strict.title} elsewhere."
                yield self.diagnostic(demand.raw, message, related=((strict.raw, f"{strict.title} is demanded here"),))

    def _calls(
        self, snapshot: "Snapshot", teaching: "Teaching", demands: "list[Demand]", stated: str | None, reason: str
    ) -> Iterator[Diagnostic]:
        from callwright.calls.model import NATIVE
        from callwright.prompt.demanded_formats import forbidding, is_contrast, is_optional, texts_of
        from callwright.prompt.taught import PassagePlace

        newline, texts = snapshot.document.newline, texts_of(snapshot)
        asked: dict[int, list[Demand]] = {}
        for each in demands:
            asked.setdefault(each.text, []).append(each)
        # A text uses few dialects, but may have many calls and demands.
        judged: dict[tuple[int, str], Demand | None] = {}
        obeying: dict[int, set[str]] = {}
        found: list[PlacedCall] = []
        for placed in snapshot.placed_calls():
            call, passage = placed.call, placed.read.passage
            if call.dialect == NATIVE or passage.calls is not None or call.dialect in snapshot.settings.accept:
                continue
            if call.tool is None or not snapshot.registry.has(call.tool):
                continue
            key = (texts.get(id(passage), 0), call.dialect)
            if key not in judged:
                judged[key] = forbidding(asked.get(key[0], []), call.dialect)
            found.append(placed)
            if judged[key] is None:
                obeying.setdefault(key[0], set()).add(call.dialect)
        for placed in found:
            call, passage = placed.call, placed.read.passage
            text = texts.get(id(passage), 0)
            demand = judged[text, call.dialect]
            if demand is not None:
                against = f"the prompt demands {demand.title}"
            elif stated is not None and not demands and call.dialect != stated:
                against = reason
            else:
                continue
            place = PassagePlace(passage, placed.start, newline)
            if teaching.is_managed(placed.span.start):
                continue
            if is_optional(passage, call.span) or is_contrast(snapshot, place, call.span.start):
                continue
            wanted = _wanted(placed, stated, demand, obeying.get(text, set()))
            fix = ConversionFix(placed.binding, wanted, f"Convert to `{wanted}`", place.edits)
            yield self.diagnostic(
                place.raw(call.tool_span),
                f"This call is in `{call.dialect}`, but {against}.",
                fix.fixes,
                related=((demand.raw, f"{demand.title} is demanded here"),) if demand is not None else (),
                missing=fix.missing,
            )


def _stated(snapshot: "Snapshot", teaching: "Teaching") -> tuple[str | None, str]:
    """Return the dialect that the settings state, else the one that all tools of a teaching prompt's set state."""
    dialect = snapshot.settings.dialect
    if dialect is not None:
        return dialect, f"`{dialect}` is expected here"
    known = teaching.known(snapshot.registry)
    dialects = {tool.dialect for tool in snapshot.registry}
    own = dialects.pop() if known and len(dialects) == 1 else None
    return own, f"calls of these tools are written in `{own}`"


def _wanted(placed: "PlacedCall", stated: str | None, demand: "Demand | None", obeying: set[str]) -> str | None:
    """Return the dialect that a call should be in: the stated one, the only one that is demanded or in which other
    calls meet the demand, else that of the tool; None where it is not known.
    """
    if demand is None:
        return stated
    tool = placed.binding.tool
    own = tool.dialect if tool is not None else None
    for candidates in ({stated}, demand.dialects, obeying, {own}):
        fitting = [each for each in candidates if each in demand.dialects]
        if len(candidates) == len(fitting) == 1:
            return fitting[0]
    return None
