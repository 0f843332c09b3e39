"""Rule TC540: a part of a definition is known only once the file runs.

Owns: the words for what the reader of Python sources reports as `tool-part-unknown`. Must not know: how it is detected.
"""

from callwright.rules.base import FileProblemRule, Scope, Severity


class ToolPartUnknown(FileProblemRule):
    """Part of a definition is only known when the file runs.

    Why is this bad: a Python file is read without running it. An imported type or a computed value is then unknown, and
    calls may pass any value there.

    Example path=tools.py
        from shop.types import Customer

        def find_orders(customer: Customer) -> str:
                                  ^^^^^^^^ TC540 "what `Customer` accepts is not known without running the file: calls may pass any value; write it out here, or export the tools with `callwright tools export`"
            \"\"\"Find the orders of a customer.

            Args:
                customer: Whose orders are wanted.
            \"\"\"

    Use instead
        def find_orders(customer: int) -> str:
            \"\"\"Find the orders of a customer.

            Args:
                customer: The number of the customer whose orders are wanted.
            \"\"\"
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC540"
    scope = Scope.TOOLS
    severity = Severity.INFO
