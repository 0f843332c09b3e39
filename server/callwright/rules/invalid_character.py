"""Rule TC111: what XML cannot hold at all: forbidden characters, and too many levels.

Owns: the words and the fix for what the XML reader reports as `bad-character`, `markup-too-deep`. Must not know: how it
is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem


class InvalidCharacter(ProblemRule):
    """A call contains what XML cannot represent: a control character, half a surrogate pair, or too many levels.

    Why is this bad: such a character cannot be written even as an entity; a parser rejects the whole call. It usually
    comes from terminal colour codes or binary data. Use another dialect for such values, or encode them.

    Example
        <read_file><path>src/&#0;main.py</path></read_file>
                             ^^^^ TC111 "XML cannot represent the character `&#0;`, not even escaped. Remove it."

    Use instead
        <read_file><path>src/main.py</path></read_file>
    """

    code = "TC111"
    error_type = ErrorType.MALFORMED_XML
    problems = ("bad-character", "markup-too-deep")

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        if problem.kind == "markup-too-deep":
            depth = problem.data["depth"]
            message = f"Elements are nested more than {depth} levels deep, where XML parsers stop. Flatten them."
        else:
            count = problem.data["count"]
            more = f" and {count - 1} more" if count > 1 else ""
            character = problem.data["character"]
            message = f"XML cannot represent the character `{character}`{more}, not even escaped. Remove it."
        return message, "Remove the character"
