"""How long a chat template takes with all its probes, beside plain rendering of the same conversations.

    python tests/benchmarks/chat_templates.py ROUNDS [--json FILE] [--templates PATH ...]

The control renders every conversation of the matrix with Jinja in this process. The templates are written here, in the
manners in which models' templates are; `--templates` adds files.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from callwright.chat_templates.model import Failed, Job, Outcome, Variables
from callwright.chat_templates.proving import prove
from callwright.chat_templates.renderer import Renderer
from callwright.chat_templates.rendering import compile_template

_MESSAGE: Final = (
    "{%- for message in messages %}\n{{- '<|im_start|>' + message.role + '\\n' + (message.content or '') }}\n"
)
_END: Final = (
    "{{- '<|im_end|>\\n' }}\n{%- endfor %}\n"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}\n"
)
_TOOLS: Final = (
    "{%- if tools %}{{- '<tools>\\n' }}{%- for tool in tools %}{{- tool | tojson }}{{- '\\n' }}{%- endfor %}"
    "{{- '</tools>\\n' }}{%- endif %}\n"
)
TEMPLATES: Final = {
    "JSON between tags": _TOOLS
    + _MESSAGE
    + "{%- for call in message.tool_calls or [] %}\n"
    + '{{- \'<tool_call>\\n{"name": "\' + call.function.name + \'", "arguments": \' }}'
    + "{{- call.function.arguments if call.function.arguments is string else call.function.arguments | tojson }}"
    + "{{- '}\\n</tool_call>\\n' }}\n{%- endfor %}\n"
    + _END,
    "parameters in tags": _TOOLS
    + _MESSAGE
    + "{%- for call in message.tool_calls or [] %}\n"
    + "{{- '<tool_call>\\n<function=' + call.function.name + '>\\n' }}"
    + "{%- for name, value in call.function.arguments.items() %}"
    + "{{- '<parameter=' + name + '>\\n' }}{{- value if value is string else value | tojson }}"
    + "{{- '\\n</parameter>\\n' }}"
    + "{%- endfor %}{{- '</function>\\n</tool_call>\\n' }}\n{%- endfor %}\n"
    + _END,
    "an array after a marker": _TOOLS
    + _MESSAGE
    + "{%- if message.tool_calls %}{{- '[TOOL_CALLS][' }}{%- for call in message.tool_calls %}"
    + '{{- \'{"name": "\' + call.function.name + \'", "arguments": \' }}'
    + "{{- call.function.arguments if call.function.arguments is string else call.function.arguments | tojson }}"
    + "{{- '}' }}{%- if not loop.last %}{{- ', ' }}{%- endif %}{%- endfor %}{{- ']' }}{%- endif %}\n"
    + _END,
}


class _Recorder:
    """A renderer that keeps what it is asked for."""

    def __init__(self, renderer: Renderer) -> None:
        self.jobs: list[Job] = []
        self._renderer = renderer

    def render(self, source: str, jobs: Sequence[Job]) -> list[Outcome]:
        self.jobs += jobs
        return self._renderer.render(source, jobs)

    def variables(self, source: str) -> Variables | Failed:
        return self._renderer.variables(source)


def _plain(source: str, jobs: Sequence[Job]) -> float:
    """Return the seconds that plain rendering of the jobs takes, the compilation included."""
    begun = time.perf_counter()
    compiled = compile_template(source)
    assert not isinstance(compiled, Failed), compiled.message
    for job in jobs:
        compiled.render(job)
    return time.perf_counter() - begun


def measured(name: str, source: str, rounds: int, renderer: Renderer) -> dict[str, Any]:
    """Return the row of a template: milliseconds of the whole matrix and of plain rendering, in turns."""
    recorder = _Recorder(renderer)
    prove(source, recorder)
    whole, plain = [], []
    for _ in range(rounds):
        begun = time.perf_counter()
        prove(source, renderer)
        whole.append(time.perf_counter() - begun)
        plain.append(_plain(source, recorder.jobs))
    ms, control = statistics.median(whole) * 1e3, statistics.median(plain) * 1e3
    return {"what": name, "jobs": len(recorder.jobs), "ms": ms, "control": control, "ratio": ms / control}


def main() -> None:
    """Measure, print a table, and write it as JSON where that is asked for."""
    words = sys.argv[1:]
    target = words[words.index("--json") + 1] if "--json" in words else None
    files = words[words.index("--templates") + 1 :] if "--templates" in words else []
    rounds = int(words[0]) if words and words[0].isdigit() else 10
    templates = {**TEMPLATES, **{Path(file).name: Path(file).read_text("utf-8") for file in files}}
    with Renderer() as renderer:
        rows = [measured(name, source, rounds, renderer) for name, source in templates.items()]
    for row in rows:
        sys.stdout.write(
            f"{row['what']:44} {row['ms']:8.1f} ms, plain {row['control']:8.1f} ms, {row['ratio']:6.2f} times"
            f" ({row['jobs']} jobs)\n"
        )
    sys.stdout.write(f"median {statistics.median(row['ms'] for row in rows):.1f} ms\n")
    if target is not None:
        Path(target).write_text(json.dumps({"rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
