"""The page about the runtime: each program on it runs and prints what it says, against servers on this machine."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from callwright.cli.main import main
from support.wire import AnthropicServer, OpenAIServer, WireServer

PAGE = Path(__file__).parents[2] / "server" / "docs" / "runtime.md"
FENCE = re.compile(r"^(?P<ticks>`{3,}+)(?P<kind>[a-z]++)\n(?P<body>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL)

#: What the programs against the endpoints may be long.
LINES = 30
#: The file that the first of them reads, beside it.
NOTES = "The release is on Friday.\n"

#: What the model says: a mistake, the call as it should be, the answer.
OPENAI = (
    'I look it up.\n<tool_call>\n{"name": "read_file", "arguments": {"file_path": "notes.md"}}}\n</tool_call>',
    '<tool_call>\n{"name": "read_file", "arguments": {"file_path": "notes.md"}}\n</tool_call>',
    "The release is on Friday.",
)
ANTHROPIC = (
    "<weather><city>Oslo</city><days>two</days></weather>",
    "<weather><city>Oslo</city><days>2</days></weather>",
    "It stays sunny in Oslo, with 7 °C tomorrow.",
)


@dataclass(frozen=True)
class Fence:
    kind: str
    body: str
    at: int


def fences(page: str) -> list[Fence]:
    return [Fence(each["kind"], each["body"], each.start("body")) for each in FENCE.finditer(page)]


def programs(page: str) -> Iterator[tuple[Fence, Fence | None]]:
    """Each program with the fence that shows what it prints, None where it prints nothing."""
    listed = fences(page)
    for each, after in zip(listed, [*listed[1:], None], strict=True):
        if each.kind == "python":
            yield each, after if after is not None and after.kind == "text" else None


def is_whole(program: Fence) -> bool:
    """Whether a program runs by itself, against an endpoint; the others continue from one another."""
    return "from openai" in program.body or "from anthropic" in program.body


def checked(request: pytest.FixtureRequest, found: dict[int, str]) -> None:
    """Hold what was printed, by the place of the fence that shows it, against the page; write it there if asked to."""
    page = PAGE.read_text(encoding="utf-8")
    fresh = page
    for fence in reversed(fences(page)):
        if fence.at in found:
            fresh = fresh[: fence.at] + found[fence.at] + fresh[fence.at + len(fence.body) :]
    if request.config.getoption("--update-cases"):
        PAGE.write_text(fresh, encoding="utf-8")
    assert fresh == page


@pytest.mark.parametrize(
    ("package", "kind", "script", "mistake", "result"),
    [
        ("openai", OpenAIServer, OPENAI, "extra closing brace", "Friday"),
        ("anthropic", AnthropicServer, ANTHROPIC, "`days`", "sunny"),
    ],
)
def test_the_loop_in_thirty_lines(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    package: str,
    kind: type[WireServer],
    script: tuple[str, ...],
    mistake: str,
    result: str,
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    ((program, shown),) = [each for each in programs(page) if f"from {package} import" in each[0].body]
    assert len(program.body.splitlines()) <= LINES
    assert shown is not None
    (tmp_path / "agent.py").write_text(program.body, encoding="utf-8")
    (tmp_path / "notes.md").write_text(NOTES, encoding="utf-8")
    with kind(script) as server:
        name = package.upper()
        endpoint = {f"{name}_BASE_URL": server.url, f"{name}_API_KEY": "none", "NO_PROXY": "*"}
        ran = subprocess.run(
            [sys.executable, "-W", "error", "agent.py"],
            cwd=tmp_path,
            env={**os.environ, **endpoint, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert ran.stderr == ""
    assert ran.returncode == 0
    first, second, third = server.bodies
    assert all(body["stream"] is True for body in server.bodies)
    assert "notes.md" not in str(first) or package == "openai"
    # It gets its error, and then the tool's result, in the conversation as it went so far.
    assert [message["role"] for message in second["messages"][-2:]] == ["assistant", "user"]
    assert second["messages"][-2]["content"] == script[0]
    assert mistake in second["messages"][-1]["content"]
    assert third["messages"][-2]["content"] == script[1]
    assert result in third["messages"][-1]["content"]
    assert "Error" not in third["messages"][-1]["content"]
    assert script[2] in ran.stdout
    checked(request, {shown.at: ran.stdout})


def test_the_other_programs_print_what_the_page_states(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text(NOTES, encoding="utf-8")
    names: dict[str, object] = {"__name__": "page"}
    found: dict[int, str] = {}
    reported = 0
    page = PAGE.read_text(encoding="utf-8")
    listed = fences(page)
    for each, after in zip(listed, [*listed[1:], None], strict=True):
        if each.kind == "python" and not is_whole(each):
            line = page.count("\n", 0, each.at)
            exec(compile("\n" * line + each.body, str(PAGE), "exec"), names)  # noqa: S102 - our own page
            out, err = capsys.readouterr()
            assert err == ""
            if after is not None and after.kind == "text":
                found[after.at] = out
            else:
                assert out == ""
            reported += 1
        elif each.kind == "console":
            command = each.body.splitlines()[0].removeprefix("$ callwright ")
            status = main(command.split())
            out, err = capsys.readouterr()
            assert (status in (0, 1), err) == (True, "")
            found[each.at] = f"$ callwright {command}\n{out}"
            reported += 1
    assert reported >= 8
    checked(request, found)
