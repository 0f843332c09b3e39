"""Custom Jinja templates for the message to the model, run in a sandbox.

Owns: `compiled`, `rendered`. Must not know: a template's variables. Jinja is imported only where a template is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template


@lru_cache(maxsize=32)
def compiled(source: str) -> Template:
    """Return a template, ready to be rendered.

    Raises ImportError where Jinja is not installed, ValueError with the line where the template is invalid.
    """
    try:
        from jinja2 import StrictUndefined, TemplateSyntaxError
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        raise ImportError(
            "a feedback template needs Jinja, which is not installed: run `pip install callwright[templates]`"
        ) from None
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
    )
    try:
        return environment.from_string(source)
    except TemplateSyntaxError as error:
        raise ValueError(f"the feedback template is invalid: line {error.lineno}: {error.message}") from None


def rendered(source: str, variables: Mapping[str, Any]) -> str:
    """Return the rendered template. Raises ValueError with the line where it fails."""
    from jinja2 import TemplateError

    template = compiled(source)
    try:
        return template.render(variables)
    except TemplateError as error:
        raise ValueError(f"the feedback template fails{_line_of(error)}: {error.message}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the feedback template fails{_line_of(error)}: {error}") from None


def _line_of(error: Exception) -> str:
    trace = error.__traceback__
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" on line {line}" if line is not None else ""
