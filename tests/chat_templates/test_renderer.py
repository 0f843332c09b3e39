"""Templates are rendered in a process of its own, with the same outcome, and whatever becomes of the process."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from callwright.chat_templates import renderer as module
from callwright.chat_templates import wire
from callwright.chat_templates.model import ChatTemplateError, Failed, Job, Rendered, Run, Variables
from callwright.chat_templates.renderer import Renderer, TimedRenderer
from callwright.chat_templates.rendering import Compiled, compile_template
from callwright.text.span import Span

USER = [{"role": "user", "content": "a"}]


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as started:
        yield started


@pytest.mark.parametrize(
    "source",
    [
        "{% macro m(a) %}<{{ a }}>{% endmacro %}{% for m in messages %}{{ m.role }}{{ m(tools) }}{% endfor %}",
        "a\r\n{{ '\N{GRINNING FACE}' ~ x }}\u2028\x85",
        "{{ x.nothing.more }}",
        "{{ raise_exception('no') }}",
        "{% if",
        "{% include 'a' %}",
        "",
    ],
)
def test_outcomes_are_those_of_this_process(renderer: Renderer, source: str) -> None:
    jobs = [Job(USER, [{"name": "f"}], {"x": "\ud83d\ude00 \ud83d é\n"}, tagged=tagged) for tagged in (False, True)]
    compiled = compile_template(source)
    if isinstance(compiled, Failed):
        assert renderer.render(source, jobs) == [compiled, compiled]
    else:
        assert renderer.render(source, jobs) == [compiled.render(jobs[0]), compiled.render_tagged(jobs[1])]


def test_variables(renderer: Renderer) -> None:
    assert renderer.variables("{% if thinking %}{{ x }}{% endif %}") == Variables(
        frozenset({"thinking", "x"}), frozenset({"thinking"})
    )
    assert renderer.variables("{% if") == compile_template("{% if")


def test_no_jobs(renderer: Renderer) -> None:
    assert renderer.render("a", []) == []


def test_many_jobs_larger_than_a_pipe(renderer: Renderer) -> None:
    jobs = [Job(USER, None, {"x": f"{number} {'y' * 50_000}"}) for number in range(50)]
    outcomes = renderer.render("{{ x }}", jobs)
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Rendered)] == [
        job.variables["x"] for job in jobs
    ]


def test_a_job_that_json_does_not_have_is_its_own_failure(renderer: Renderer) -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    outcomes = renderer.render("a", [Job(USER, None, {"x": object()}), Job(USER), Job(USER, None, {"x": deep})])
    assert outcomes[1] == Rendered("a")
    assert [outcome.message.split(":")[0] for outcome in outcomes if isinstance(outcome, Failed)] == [
        "TypeError",
        "RecursionError",
    ]


def test_a_template_that_takes_too_long_has_a_place_and_the_others_are_rendered() -> None:
    source = "{% if slow %}\n{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{% endif %}a"
    with Renderer(seconds_of_job=0.2) as renderer:
        outcomes = renderer.render(source, [Job(USER, None, {"slow": slow}) for slow in (False, True, False)])
        assert outcomes[0] == outcomes[2] == Rendered("a")
        assert isinstance(outcomes[1], Failed)
        assert (outcomes[1].kind, outcomes[1].message) == ("time", "it takes longer than 0.2 s")
        assert outcomes[1].span is not None
        assert outcomes[1].span.of(source).startswith("{% for")


def test_what_is_not_interrupted_is_ended() -> None:
    source = "{% if slow %}{{ 7 ** (7 ** 11) }}{% endif %}a"
    with Renderer(seconds_of_job=1) as renderer:
        outcomes = renderer.render(source, [Job(USER, None, {"slow": slow}) for slow in (True, False)])
        assert isinstance(outcomes[0], Failed)
        # Where the step happens to end before the process is, its place is known.
        assert (outcomes[0].kind, outcomes[0].message) == ("time", "it takes longer than 1 s")
        assert outcomes[1] == Rendered("a")


def test_all_jobs_of_a_template_together_are_limited() -> None:
    source = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with Renderer(seconds=1.2, seconds_of_job=1) as renderer:
        outcomes = renderer.render(source, [Job(USER)] * 200)
        assert {outcome.kind for outcome in outcomes if isinstance(outcome, Failed)} == {"time"}
        assert outcomes[-1] == next(each for each in outcomes if isinstance(each, Failed) and each.kind == "time")
        assert renderer.render("a", [Job(USER)]) == [Rendered("a")]


def test_all_requests_for_a_template_together_are_limited() -> None:
    source = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with Renderer(seconds_of_job=1) as renderer:
        timed = TimedRenderer(renderer, 1.2)
        first = timed.render(source, [Job(USER)] * 9)[0]
        assert isinstance(first, Failed)
        assert first.kind == "time"
        renderer.close()
        # No process is started for what has no time left.
        assert timed.render(source, [Job(USER), Job(USER)]) == [first, first]
        (other,) = timed.render("a", [Job(USER)])
        assert other == Failed("time", "not rendered: the template took its 1.2 s for other jobs")
        assert renderer._child is None
        assert TimedRenderer(renderer).render("a", [Job(USER)]) == [Rendered("a")]


def test_a_process_that_died_is_replaced() -> None:
    with Renderer() as renderer:
        assert renderer.render("a", [Job(USER)]) == [Rendered("a")]
        child = renderer._child
        assert child is not None
        child._process.kill()
        child._process.wait()
        assert renderer.render("b", [Job(USER)]) == [Rendered("b")]


def test_a_process_that_dies_fails_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import sys\n"
        "print('{\"ready\":true}', flush=True)\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('[['):\n"
        "        sys.exit(3)\n"
    )
    monkeypatch.setattr(module, "_PROGRAM", program)
    with Renderer() as renderer:
        assert renderer.render("a", [Job(USER)]) == [Failed("error", "the process that renders it ended")]
        monkeypatch.undo()
        assert renderer.render("a", [Job(USER)]) == [Rendered("a")]


@pytest.mark.skipif(os.name != "posix", reason="signals end processes there alone")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SIGKILL", Failed("memory", "the process that renders it was ended by SIGKILL")),
        ("SIGXCPU", Failed("time", "it takes longer than 3 s")),
        ("SIGSEGV", Failed("error", "the process that renders it was ended by SIGSEGV")),
        ("SIGABRT", Failed("error", "the process that renders it was ended by SIGABRT")),
    ],
)
def test_how_a_process_dies_tells_why(monkeypatch: pytest.MonkeyPatch, name: str, expected: Failed) -> None:
    program = (
        "import os, signal, sys\n"
        "print('{\"ready\":true}', flush=True)\n"
        f"sys.stdin.readline(); os.kill(os.getpid(), signal.{name})\n"
    )
    monkeypatch.setattr(module, "_PROGRAM", program)
    with Renderer() as renderer:
        assert renderer.render("a", [Job(USER)]) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        b"no json\n",
        b"\xff\n",
        b"[]\n",
        b"3\n",
        b'{"text":3,"runs":[],"via":[]}\n',
        b'{"text":"a","runs":[[1,0,9,true,0]],"via":[[]]}\n',
        b'{"text":"a","runs":[[1,0,1,true,4]],"via":[[]]}\n',
        b'{"text":"a","runs":[[0,0,1,true,0]],"via":[[]]}\n',
        b'{"text":"ab","runs":[[1,0,1,true,0]],"via":[[]]}\n',
        b'{"text":"a","runs":[["b",0,1,true,0]],"via":[[]]}\n',
        b'{"text":"a","runs":[[1,0,1,true,0]],"via":[[[1,0]]]}\n',
        b'{"kind":"fine","message":"","span":null}\n',
        b'{"kind":"error","message":[],"span":null}\n',
        b'{"kind":"error","message":"","span":[-1,0]}\n',
        b'{"kind":["error"],"message":"","span":null}\n',
        b"[" * 100_000 + b"\n",
    ],
)
def test_what_a_process_says_is_not_trusted(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever is wrong with it
        wire.from_outcome(line, 2)


def test_outcomes_on_the_wire() -> None:
    via = (Span(0, 1), Span(0, 2))
    outcome = Rendered("abc", (Run(0, 1, Span(0, 1), True, via), Run(1, 3, Span(1, 2), False), ))  # fmt: skip
    assert wire.from_outcome(wire.to_outcome(outcome), 2) == outcome
    assert [run and run.start for run in map(outcome.run_at, range(4))] == [0, 1, 1, None]
    for failed in (Failed("memory", "a"), Failed("raised", "\u2028", Span(0, 2))):
        assert wire.from_outcome(wire.to_outcome(failed), 2) == failed


def test_without_jinja_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jinja2.py").write_text("raise ImportError\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Renderer() as renderer, pytest.raises(ChatTemplateError, match=r"run `pip install callwright\[templates\]`"):
        renderer.render("a", [Job(USER)])


def test_an_old_jinja_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from callwright.chat_templates.environment import too_old

    assert [too_old(version) for version in ("3.1.5", "3.1.6", "3.0", "3.2.0", "4.0", "3.1.6rc1")] == [
        *(True, False, True, False, False, False)
    ]


def test_a_process_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PROGRAM", "raise SystemExit(1)")
    with Renderer() as renderer, pytest.raises(ChatTemplateError, match="does not start"):
        renderer.variables("a")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(ChatTemplateError, match="does not start"):
        Renderer().__enter__()


def test_nothing_of_the_current_folder_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("jinja2", "markupsafe", "json", "unicodedata"):
        (tmp_path / f"{name}.py").write_text("open('mark', 'w').close()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ".")
    with Renderer() as renderer:
        assert renderer.render("{{ '\\N{BULLET}' }}", [Job(USER)]) == [Rendered("\u2022")]
    assert not (tmp_path / "mark").exists()


def test_the_process_ends_with_the_context() -> None:
    with Renderer() as renderer:
        renderer.render("a", [Job(USER)])
        child = renderer._child
        assert child is not None
    assert child.is_dead()
    # It can be used again.
    assert renderer.render("a", [Job(USER)]) == [Rendered("a")]
    renderer.close()


LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
#: Renders a template of its command line over and over, after printing the number of the process that does.
RENDERING = """
import sys
from callwright.chat_templates.model import Job
from callwright.chat_templates import renderer as module
module._PROGRAM = OWN + module._PROGRAM
renderer = module.Renderer()
renderer.render("a", [Job([])])
print(renderer._child._process.pid, flush=True)
while True:
    renderer.render(sys.argv[1], [Job([])] * 9)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are listed in /proc")
@pytest.mark.parametrize(("source", "by_kernel"), [(LOOP, True), (LOOP, False), ("{{ 7 ** (7 ** 11) }}", True)])
def test_the_process_ends_with_a_parent_that_is_killed(source: str, by_kernel: bool) -> None:
    """The thread that reads ends it in a loop, the kernel in one long step of a computation, too."""
    hidden = "from callwright.chat_templates import guard; guard.end_with_parent = lambda: None; "
    program = RENDERING.replace("OWN", repr("" if by_kernel else hidden))
    with subprocess.Popen([sys.executable, "-c", program, source], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        process = Path("/proc", parent.stdout.readline().strip())
        begun = processor_time(process)
        while (now := processor_time(process)) < begun + 20:
            time.sleep(0.02)
        # It is in the midst of the first job, which takes seconds.
        parent.kill()
        parent.wait()
        end = time.monotonic() + 60
        while (now := processor_time(process)) < math.inf:
            # The limit of its time would end it much later.
            assert now < begun + 100
            assert time.monotonic() < end
            time.sleep(0.02)


def processor_time(process: Path) -> float:
    """Return how much of the processor's time a process took, in hundredths of a second; infinite once it ended."""
    try:
        words = (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.inf
    return math.inf if words[0] == "Z" else int(words[11]) + int(words[12])


def test_a_template_is_compiled_once(renderer: Renderer) -> None:
    compiled = compile_template("{{ x }}")
    assert isinstance(compiled, Compiled)
    jobs = [Job(USER, None, {"x": number}, tagged=bool(number % 2)) for number in range(6)]
    assert len(compiled._codes) == 1
    for job in jobs:
        compiled.render_tagged(job)
    assert len(compiled._codes) == 2
    assert [outcome.text for outcome in renderer.render("{{ x }}", jobs) if isinstance(outcome, Rendered)] == [
        *"012345"
    ]
