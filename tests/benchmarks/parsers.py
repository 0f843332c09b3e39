"""Our `parse` beside the tool parsers of vLLM on the same texts; what streaming costs; how time grows with the text.

Run it by hand, on a machine that does nothing else:

    python tests/benchmarks/parsers.py [ROUNDS] [--json FILE] --fetch FOLDER
    python tests/benchmarks/parsers.py [ROUNDS] [--json FILE] --vllm SOURCES [--python INTERPRETER]

`--fetch` downloads vLLM's source distribution with pip and makes an environment for it; `--vllm` names sources that are
there already. Without either, only ours is measured. vLLM's parsers run in a process of their own. What its other parts
import (torch, transformers, its engine) is replaced by empty modules, and its tokenizer by one that knows markers and
words: the parsers themselves are untouched, and none of that is on the way of reading a text. Both sides are given
their tools ready made, both take turns, and times are CPU time. Each reading is compared with the calls that were
written. Ours also looks for faults and places them; theirs does not.
"""

import argparse
import contextlib
import gc
import json
import os
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parents[2] / "server"
VERSION = "0.33.0"
#: What vLLM's parsers import, and what its source distribution needs to say its name.
NEEDS = """cachetools cloudpickle fastapi filelock ijson jsonschema mistral_common msgspec numpy openai orjson packaging
    partial-json-parser pillow psutil pydantic pyyaml regex requests tqdm typing_extensions"""
BUILDS = "setuptools>=77,<81 setuptools-scm setuptools-rust packaging wheel jinja2"

Arguments = dict[str, Any]
Written = tuple[str, Arguments]

TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_file",
        "description": "Reads a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["path"],
        },
    },
    {
        "name": "write_file",
        "description": "Writes a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
]
SENTENCE = "Look at the failing test before you change anything, and say what you expect to see. Then go on.\n"
PROGRAM = 'def within(low, value, high):\n    return low < value < high and "yes" or "no"  # a\\b\n'


def large(size: int) -> Written:
    """Return a call with a string of `size` characters."""
    content = (PROGRAM * (size // len(PROGRAM) + 1))[: size - 1] + "."
    return ("write_file", {"path": "src/app/main.py", "content": content})


SMALL: Written = ("read_file", {"path": "src/app/main.py", "limit": 20})
TEN: list[Written] = [("read_file", {"path": f"src/app/part{number}.py", "limit": number}) for number in range(10)]


@dataclass(frozen=True)
class Format:
    """How calls are written, and who reads that.

    `call` writes one call, `begin`, `joint` and `end` are around and between them. `prose` says where words may be for
    both readers: "between" the calls, "around" all of them, "before" them, or "" nowhere.
    """

    dialect: str
    peer: str
    call: Callable[[str, Arguments], str]
    begin: str = ""
    joint: str = "\n"
    end: str = ""
    prose: str = "between"

    def text(self, calls: Sequence[Written], *, words: bool) -> str:
        """Return a text with these calls, in prose where `words` asks for it and the dialect allows it."""
        prose = self.prose if words else ""
        joint = f"\n\n{SENTENCE}\n" if prose == "between" else self.joint
        body = self.begin + joint.join(self.call(name, given) for name, given in calls) + self.end
        before = f"{SENTENCE}\n" if prose else ""
        after = f"\n\n{SENTENCE}" if prose in ("between", "around") else ""
        return before + body + after


def obj(arguments: str) -> Callable[[str, Arguments], str]:
    """Return a writer of a JSON object with the name and, under the key `arguments`, the arguments."""
    return lambda name, given: json.dumps({"name": name, arguments: given}, ensure_ascii=False)


def framed(begin: str, write: Callable[[str, Arguments], str], end: str) -> Callable[[str, Arguments], str]:
    """Return `write` with `begin` before and `end` after what it writes."""
    return lambda name, given: begin + write(name, given) + end


def mapped(
    begin: str, item: str, end: str, *, between: str = "", string: str = "{}"
) -> Callable[[str, Arguments], str]:
    """Return a writer of one piece of text for each argument; `string` is a pattern for strings, others are JSON."""

    def text(value: object) -> str:
        return string.replace("{}", value) if isinstance(value, str) else json.dumps(value)

    def write(name: str, given: Arguments) -> str:
        items = (
            item.replace("{kind}", "true" if isinstance(value, str) else "false")
            .replace("{key}", key)
            .replace("{value}", text(value))
            for key, value in given.items()
        )
        return begin.replace("{name}", name) + between.join(items) + end

    return write


def python(name: str, given: Arguments) -> str:
    """Write a call as in Python."""
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"


def named(begin: str, middle: str, end: str) -> Callable[[str, Arguments], str]:
    """Return a writer of the name and a JSON object with the arguments; `{number}` in `begin` is left at zero."""
    return lambda name, given: begin.replace("{name}", name) + middle + json.dumps(given, ensure_ascii=False) + end


JSON = obj("arguments")
INVOKE = mapped('<invoke name="{name}">\n', '<parameter name="{key}">{value}</parameter>\n', "</invoke>")
DSML = mapped(
    '<｜DSML｜invoke name="{name}">\n',
    '<｜DSML｜parameter name="{key}" string="{kind}">{value}</｜DSML｜parameter>\n',
    "</｜DSML｜invoke>",
)
FUNCTION = mapped("<function={name}>\n", "<parameter={key}>\n{value}\n</parameter>\n", "</function>")
V3 = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n"
GEMMA = mapped("<|tool_call>call:{name}{", "{key}:{value}", "}<tool_call|>", between=",", string='<|"|>{}<|"|>')
CDATA = mapped(
    '<function name="{name}">', '<param name="{key}">{value}</param>', "</function>", string="<![CDATA[{}]]>"
)
HARMONY = named("<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>", "", "<|call|>")


def keyed(name: str, given: Arguments) -> str:
    """Write an object whose key is the name."""
    return json.dumps({name: given}, ensure_ascii=False)


FORMATS = (
    Format("hermes", "hermes", framed("<tool_call>\n", JSON, "\n</tool_call>"), prose="before"),
    Format("llama-json", "llama3_json", obj("parameters"), "<|python_tag|>", "; ", prose=""),
    Format("pythonic", "pythonic", python, "[", ", ", "]", prose=""),
    Format("pythonic", "llama4_pythonic", python, "<|python_start|>[", ", ", "]<|python_end|>", prose=""),
    Format("pythonic", "olmo3", python, "<function_calls>\n", "\n", "\n</function_calls>", prose=""),
    Format("pythonic", "lfm2", python, "<|tool_call_start|>[", ", ", "]<|tool_call_end|>", prose="around"),
    Format("mistral", "mistral", named("[TOOL_CALLS]{name}", "[ARGS]", ""), joint="", prose="before"),
    Format("qwen-coder", "qwen3_coder", framed("<tool_call>\n", FUNCTION, "\n</tool_call>"), prose="before"),
    Format("qwen-coder", "seed_oss", FUNCTION, "<seed:tool_call>\n", "\n", "\n</seed:tool_call>", prose="before"),
    Format("qwen-coder", "step3p5", framed("<tool_call>\n", FUNCTION, "\n</tool_call>"), prose="before"),
    Format(
        "glm",
        "glm45",
        mapped("<tool_call>{name}\n", "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n", "</tool_call>"),
        prose="before",
    ),
    Format(
        "deepseek",
        "deepseek_v3",
        named(V3, "", "\n```<｜tool▁call▁end｜>"),
        "<｜tool▁calls▁begin｜>",
        "\n",
        "<｜tool▁calls▁end｜>",
        prose="before",
    ),
    Format(
        "deepseek",
        "deepseek_v31",
        named("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>", "", "<｜tool▁call▁end｜>"),
        "<｜tool▁calls▁begin｜>",
        "",
        "<｜tool▁calls▁end｜>",
        prose="before",
    ),
    Format("dsml", "deepseek_v32", DSML, "<｜DSML｜function_calls>\n", "\n", "\n</｜DSML｜function_calls>", "before"),
    Format("dsml", "deepseek_v4", DSML, "<｜DSML｜tool_calls>\n", "\n", "\n</｜DSML｜tool_calls>", "before"),
    Format(
        "kimi",
        "kimi_k2",
        named("<|tool_call_begin|>functions.{name}:0", "<|tool_call_argument_begin|>", "<|tool_call_end|>"),
        "<|tool_calls_section_begin|>",
        "",
        "<|tool_calls_section_end|>",
        prose="before",
    ),
    Format("invoke", "minimax_m2", INVOKE, "<minimax:tool_call>\n", "\n", "\n</minimax:tool_call>", "before"),
    Format("hermes", "granite4", framed("<tool_call>\n", JSON, "\n</tool_call>"), prose="before"),
    Format("granite", "granite-20b-fc", framed("<function_call> ", JSON, ""), prose=""),
    Format("jamba", "jamba", JSON, "<tool_calls>[", ", ", "]</tool_calls>", prose="before"),
    Format("xlam", "xlam", JSON, "[", ", ", "]", prose=""),
    Format("hunyuan", "hunyuan_a13b", JSON, "<tool_calls>[", ", ", "]</tool_calls>", prose="before"),
    Format("functools", "phi4_mini_json", JSON, "functools[", ", ", "]", prose=""),
    Format("internlm", "internlm", obj("parameters"), "<|action_start|><|plugin|>\n", "", "<|action_end|>", "before"),
    Format(
        "gemma",
        "functiongemma",
        mapped(
            "<start_function_call>call:{name}{",
            "{key}:{value}",
            "}<end_function_call>",
            between=",",
            string="<escape>{}<escape>",
        ),
        prose="before",
    ),
    Format("gemma", "gemma4", GEMMA, joint=""),
    Format("gigachat", "gigachat3", framed("<|function_call|>", JSON, ""), prose="before"),
    Format("apertus", "apertus", keyed, "<|tools_prefix|>[", ", ", "]<|tools_suffix|>", ""),
    Format("minicpm", "minicpm5", CDATA, prose="before"),
    Format(
        "cohere",
        "cohere_command3",
        lambda name, given: json.dumps({"tool_call_id": "0", "tool_name": name, "parameters": given}),
        "<|START_ACTION|>[",
        ", ",
        "]<|END_ACTION|>",
        prose="",
    ),
    Format("harmony", "openai", HARMONY, joint="", prose=""),
)

#: Parsers of vLLM that know one call in a message.
ONE_CALL = ("internlm", "gigachat3")
#: Lengths of the texts that show how time grows.
LENGTHS = (10_000, 100_000, 1_000_000)
#: Dialects that are streamed, one of each kind of reader.
STREAMED = ("hermes", "qwen3_coder", "minimax_m2", "pythonic", "kimi_k2", "gemma4")


class Peer:
    """vLLM in a process of its own."""

    def __init__(self, interpreter: str, sources: Path) -> None:
        """Start it; `sources` is the folder that holds the package `vllm`."""
        environment = {**os.environ, "VLLM_LOGGING_LEVEL": "ERROR", "VLLM_NO_USAGE_STATS": "1"}
        self.process = subprocess.Popen(
            [interpreter, str(Path(__file__).with_name("vllm_peer.py")), str(sources)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(TOOLS) + "\n")

    def ask(self, parser: str, text: str, repeats: int) -> dict[str, Any]:
        """Return what the parser read, and the seconds of the fastest of `repeats` times; or its error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"parser": parser, "text": text, "repeats": repeats}) + "\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"vLLM's parsers could not be imported:\n{self.process.stderr.read()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


def fetch(folder: Path) -> tuple[str, Path]:
    """Download vLLM's sources into `folder` and make an environment for them; return its Python, and the sources."""
    interpreter = folder / "venv" / "bin" / "python"
    sources = folder / f"vllm-{VERSION}"
    pip = [str(interpreter), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    if not interpreter.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        subprocess.run([*pip, "install", *NEEDS.split(), *BUILDS.split()], check=True)
    if not sources.exists():
        # pip asks a source distribution for its metadata, and vLLM's answers only where it can import torch.
        blank = folder / "blank" / "torch"
        (blank / "utils").mkdir(parents=True, exist_ok=True)
        (blank / "__init__.py").write_text('__version__ = "2.11.0"\nclass version:\n    cuda = hip = None\n')
        (blank / "utils" / "__init__.py").write_text("")
        (blank / "utils" / "cpp_extension.py").write_text("CUDA_HOME = ROCM_HOME = None\n")
        environment = {
            **os.environ,
            "PYTHONPATH": str(blank.parent),
            "VLLM_TARGET_DEVICE": "empty",
            "VLLM_VERSION_OVERRIDE": VERSION,
            "SETUPTOOLS_SCM_PRETEND_VERSION": VERSION,
        }
        wanted = ["--no-deps", "--no-build-isolation", "--no-binary", ":all:", f"vllm=={VERSION}"]
        subprocess.run([*pip, "download", *wanted, "--dest", str(folder)], check=True, env=environment)
        with tarfile.open(folder / f"vllm-{VERSION}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return str(interpreter), sources


def known() -> Iterator[Format]:
    """Yield the formats that have a dialect of ours."""
    from callwright.dialects.catalogue import dialect_names

    names = dialect_names()
    yield from (format_ for format_ in FORMATS if format_.dialect in names)


def plain(calls: Sequence[Any]) -> list[list[Any]]:
    """Return our calls in the form that the other side gives."""
    return [[call.tool, call.arguments] for call in calls]


@dataclass
class Case:
    """One text, the calls that were written in it, and how long each side took in each round."""

    value_format: Format
    size: str
    text: str
    written: list[Any]
    repeats: int
    row: dict[str, Any]
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    def note(self, side: str, calls: list[Any]) -> None:
        """Keep what a side read, where that is not what was written."""
        if calls != self.written:
            self.row[f"{side} read"] = json.dumps(calls, ensure_ascii=False)[:160]


def texts() -> Iterator[Case]:
    """Yield a case for each dialect that we read, and each size."""
    sizes: tuple[tuple[str, list[Written], bool, int], ...] = (
        ("small", [SMALL], False, 20),
        ("ten in prose", TEN, True, 5),
        ("100 KB", [large(100_000)], False, 1),
    )
    for format_ in known():
        for size, all_calls, words, repeats in sizes:
            calls = all_calls[:1] if format_.peer in ONE_CALL else all_calls
            text = format_.text(calls, words=words)
            row = {"dialect": format_.dialect, "parser": format_.peer, "size": size, "characters": len(text)}
            yield Case(format_, size, text, [list(call) for call in calls], repeats, row)


def beside(rounds: int, peer: Peer | None) -> Iterator[dict[str, Any]]:
    """Yield a row for each dialect and size: both sides' median times, and what a side read otherwise than written."""
    import callwright

    registry = callwright.ToolRegistry.of(TOOLS)
    cases = list(texts())
    for number in range(rounds + 1):
        for case in cases:
            best = float("inf")
            for _ in range(case.repeats):
                started = time.process_time()
                found = callwright.parse(case.text, tools=registry, dialect=case.value_format.dialect)
                best = min(best, time.process_time() - started)
            asked = peer is not None and "error" not in case.row
            answer = peer.ask(case.value_format.peer, case.text, case.repeats) if peer is not None and asked else {}
            if number == 0:  # both sides warm up, and show what they read
                case.note("ours", plain(found.calls))
                case.row["diagnostics"] = sorted({diagnostic.code for diagnostic in found.diagnostics})
                if "calls" in answer:
                    case.note("theirs", answer["calls"])
                elif "error" in answer:
                    case.row["error"] = answer["error"]
            else:
                case.ours.append(best)
                case.theirs += [answer["seconds"]] if "seconds" in answer else []
    for case in cases:
        ours = statistics.median(case.ours)
        case.row["ours µs"] = round(ours * 1e6, 1)
        if case.theirs:
            theirs = statistics.median(case.theirs)
            case.row.update({"theirs µs": round(theirs * 1e6, 1), "ratio": round(ours / theirs, 3)})
        yield case.row


def growth(rounds: int) -> Iterator[dict[str, Any]]:
    """Yield the time per character of texts of 10 KB, 100 KB and 1 MB, and the ratio of the last to the first.

    For each dialect: one call with a large string, and many small calls, in prose where it may be.
    """
    import callwright

    registry = callwright.ToolRegistry.of(TOOLS)
    seen: set[str] = set()
    for format_ in known():
        shapes = {"one call": [format_.text([large(length)], words=False) for length in LENGTHS]}
        if format_.dialect not in seen and format_.peer not in ONE_CALL:
            each = len(format_.text(TEN, words=True)) / len(TEN)
            shapes["many calls"] = [format_.text(TEN * int(length / each / 10), words=True) for length in LENGTHS]
        seen.add(format_.dialect)
        for shape, texts in shapes.items():
            row: dict[str, Any] = {"dialect": format_.dialect, "as": format_.peer, "shape": shape}
            for collector in (False, True):
                best = fastest(rounds if shape == "one call" else 1, texts, registry, format_.dialect, collector)
                figures = [round(figure * 1e9, 1) for figure in best]
                row["with collector" if collector else "ns per character"] = figures
                row["its ratio" if collector else "1 MB to 10 KB"] = round(best[-1] / best[0], 2)
            yield row


def fastest(rounds: int, texts: Sequence[str], registry: object, dialect: str, collector: bool) -> list[float]:
    """Return the seconds per character of the fastest `parse` of each text, with or without Python's cyclic collector.

    The collector looks again and again at all that is alive, ten thousand calls and what they hold in the largest text.
    """
    import callwright

    best = [float("inf")] * len(texts)
    for _ in range(rounds):
        for place, text in enumerate(texts):
            gc.collect()
            for _ in range(max(1, 100_000 // len(text))):
                if not collector:
                    gc.disable()
                started = time.process_time()
                callwright.parse(text, tools=registry, dialect=dialect)  # type: ignore[arg-type]
                best[place] = min(best[place], (time.process_time() - started) / len(text))
                gc.enable()
    return best


def streamed(text: str, size: int, registry: object, dialect: str) -> tuple[float, list[Any]]:
    """Return the seconds that `text` takes in chunks of `size`, and its calls."""
    import callwright

    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    started = time.process_time()
    parser = callwright.StreamingParser(tools=registry, dialect=dialect)  # type: ignore[arg-type]
    for chunk in chunks:
        parser.feed(chunk)
    parser.finish()
    return time.process_time() - started, plain(parser.calls)


def streaming(rounds: int) -> Iterator[dict[str, Any]]:
    """Yield what feeding a call of 1 MB costs for each character, by the size of the chunks, and what `parse` costs."""
    import callwright

    registry = callwright.ToolRegistry.of(TOOLS)
    for format_ in known():
        if format_.peer not in STREAMED:
            continue
        text = format_.text([large(1_000_000)], words=False)
        best = dict.fromkeys(("chunks of 1", "chunks of 16", "chunks of 4096", "parse"), float("inf"))
        for _ in range(rounds):
            started = time.process_time()
            whole = plain(callwright.parse(text, tools=registry, dialect=format_.dialect).calls)
            best["parse"] = min(best["parse"], time.process_time() - started)
            for size in (1, 16, 4096):
                took, calls = streamed(text, size, registry, format_.dialect)
                best[f"chunks of {size}"] = min(best[f"chunks of {size}"], took)
                if calls != whole:
                    raise SystemExit(f"{format_.dialect}: the stream gives other calls than the whole text")
        figures = {name: round(seconds / len(text) * 1e9, 1) for name, seconds in best.items()}
        yield {"dialect": format_.dialect, "as": format_.peer, **figures}


def shown(title: str, rows: list[dict[str, Any]], columns: Sequence[str]) -> None:
    """Print `rows` as a table."""
    cells = [list(columns)] + [[str(row.get(column, "")) for column in columns] for row in rows]
    widths = [max(len(line[place]) for line in cells) for place in range(len(columns))]
    sys.stdout.write(f"\n{title}\n")
    for line in cells:
        sys.stdout.write("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n")


def main() -> None:
    """Measure, print tables, and write them as JSON where that is asked for."""
    words = argparse.ArgumentParser(description="Measure our parsers beside vLLM's.")
    words.add_argument("rounds", nargs="?", type=int, default=5)
    words.add_argument("--json", type=Path, help="write the figures to this file, too")
    words.add_argument("--fetch", type=Path, metavar="FOLDER", help="download vLLM's sources with pip into this folder")
    words.add_argument("--vllm", type=Path, metavar="SOURCES", help="the folder that holds the package `vllm`")
    words.add_argument("--python", default=sys.executable, help="an interpreter with what vLLM's parsers import")
    words.add_argument("--only", choices=("beside", "growth", "streaming"), help="run one part")
    given = words.parse_args()
    sys.path.insert(0, str(SERVER))
    interpreter, sources = fetch(given.fetch.absolute()) if given.fetch is not None else (given.python, given.vllm)
    figures: dict[str, list[dict[str, Any]]] = {}
    if given.only in (None, "beside"):
        peer = Peer(interpreter, sources.absolute()) if sources is not None else None
        rows = figures["beside"] = list(beside(given.rounds, peer))
        if peer is not None:
            peer.close()
        table = ("dialect", "parser", "size", "characters", "ours µs", "theirs µs", "ratio", "diagnostics")
        shown("The same text, median CPU time", rows, table)
        others = [row for row in rows if "ours read" in row or "theirs read" in row]
        shown("Read otherwise than written", others, ("parser", "size", "ours read", "theirs read"))
        shown("Not read by vLLM", [row for row in rows if "error" in row], ("parser", "size", "error"))
    if given.only in (None, "growth"):
        figures["growth"] = list(growth(given.rounds))
        shown(
            "Time and length",
            figures["growth"],
            ("dialect", "as", "shape", "ns per character", "1 MB to 10 KB", "with collector", "its ratio"),
        )
    if given.only in (None, "streaming"):
        figures["streaming"] = list(streaming(min(given.rounds, 3)))
        sizes = ("dialect", "as", "chunks of 1", "chunks of 16", "chunks of 4096", "parse")
        shown("Streaming 1 MB, ns per character", figures["streaming"], sizes)
    if given.json is not None:
        given.json.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
