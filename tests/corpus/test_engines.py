"""Engines: one corpus, the same bytes, whatever does the units: this process, processes of this machine, a node of
Ray, three nodes of a cluster; also where workers are killed in the midst of it, the run is stopped and begun again, and
the corpus is divided otherwise; where a node of the cluster is lost, too. What is broken in one shard changes nothing
in the others. The same holds for whatever is done with rows, and for what is made of the results.

A worker that is killed ends its plan; what then has no part, the same run plans again. A command that is killed: the
next run does what has no part."""

from __future__ import annotations

import gzip
import io
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.corpora.make import LEDGER, make
from benchmarks.corpora.referee import compare
from callwright.corpus.engine import Engine, _start
from callwright.corpus.failure import CorpusError
from corpus.running import LONG, Nodes, Run, nodes, ray_environment
from support.sampling import sampled

#: Small units, so that there are many; and a row may have this much.
ROWS = ("--clean", "--fixed", "--max-row", "1MB")
WORDS = (*ROWS, "--unit-size", "50KB")
#: Shards beside those that are made, each broken in a way of its own.
CUT_LINES, CUT_TABLE, NO_TABLE, NO_LINES, LONG_ROW = BROKEN = (
    "007-cut.jsonl.gz",
    "012-cut.parquet",
    "013-garbage.arrow",
    "014-garbage.jsonl.zst",
    "021-long.jsonl",
)
#: After so many rows is the long one.
BEFORE = 10
on_ray = pytest.mark.whole(reason="it starts Ray, which takes longer than all other tests of corpora")
again_and_again = pytest.mark.whole(reason="it starts several runs, and other tests cover each of their steps")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    make(folder, 5_000_000, seed=5, faulty=0.1)
    data = folder / "data"
    whole = shard(folder, "openai.jsonl.gz").read_bytes()
    (data / CUT_LINES).write_bytes(whole[: len(whole) * 2 // 3])
    table = shard(folder, "openai.parquet").read_bytes()
    (data / CUT_TABLE).write_bytes(table[: len(table) * 2 // 3])
    (data / NO_TABLE).write_bytes(bytes(range(256)) * 99)
    (data / NO_LINES).write_bytes(b"\x28\xb5\x2f\xfd" + bytes(range(256)) * 99)
    lines = shard(folder, "openai.jsonl").read_bytes().splitlines(keepends=True)
    long = json.dumps({"messages": [{"role": "user", "content": "x" * 3_000_000}]}).encode() + b"\n"
    (data / LONG_ROW).write_bytes(b"".join([*lines[:BEFORE], long, *lines[BEFORE:]]))
    return folder


def shard(folder: Path, kind: str) -> Path:
    """Return the shard of a shape and format that was made."""
    [path] = (folder / "data").glob(f"*-{kind}")
    return path


@pytest.fixture(scope="module")
def alone(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one worker in one process finds."""
    run = Run(corpus, tmp_path_factory.mktemp("alone"), *WORDS, "--jobs", "1")
    assert run.end() == (1, "")
    return run.results()


@pytest.fixture(scope="module")
def found(alone: dict[str, bytes]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(alone["diagnostics.parquet"])).to_pylist()
    return rows


def of(found: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the diagnostics of one shard, without its name."""
    return [
        {key: value for key, value in each.items() if key != "source"}
        for each in found
        if each["source"] == f"data/{name}"
    ]


def test_what_was_planted_is_found_and_nothing_else(found: list[dict[str, Any]], corpus: Path) -> None:
    own = [each for each in found if each["source"].removeprefix("data/") not in BROKEN]
    missing, invented = compare(corpus / LEDGER, own)
    assert not missing
    assert not invented
    assert len(own) > 50


def test_what_is_before_the_break_of_a_shard_is_found(found: list[dict[str, Any]], corpus: Path) -> None:
    readable = zlib.decompressobj(31).decompress((corpus / "data" / CUT_LINES).read_bytes())
    # The last line that can be had may be one that breaks off.
    rows = readable.count(b"\n")
    assert rows > BEFORE
    *before, end = of(found, CUT_LINES)
    assert end["rule"] == "TC717"
    assert end["row"] == rows
    assert before == [each for each in of(found, shard(corpus, "openai.jsonl.gz").name) if each["row"] < rows]
    for name in (CUT_TABLE, NO_TABLE, NO_LINES):
        assert [(each["row"], each["rule"]) for each in of(found, name)] == [(0, "TC717")]


def test_a_long_row_is_one_diagnostic_and_its_neighbours_keep_theirs(found: list[dict[str, Any]], corpus: Path) -> None:
    own = of(found, LONG_ROW)
    [long] = [each for each in own if each["row"] == BEFORE]
    assert long["rule"] == "TC717"
    others = [{**each, "row": each["row"] - (each["row"] > BEFORE)} for each in own if each["row"] != BEFORE]
    assert others == of(found, shard(corpus, "openai.jsonl").name)
    assert others


@again_and_again
@pytest.mark.parametrize("size", ["7KB", "64MB"])
def test_neither_the_size_of_units_nor_the_order_of_sources_matters(
    size: str, alone: dict[str, bytes], corpus: Path, tmp_path: Path
) -> None:
    backwards = sorted((f"data/{each.name}" for each in (corpus / "data").iterdir()), reverse=True)
    run = Run(corpus, tmp_path, *ROWS, "--unit-size", size, "--jobs", "1", sources=tuple(backwards))
    assert run.end() == (1, "")
    assert run.results() == alone


@again_and_again
def test_processes_of_this_machine_find_the_same(alone: dict[str, bytes], corpus: Path, tmp_path: Path) -> None:
    run = Run(corpus, tmp_path, *WORDS, "--jobs", "2")
    assert run.end() == (1, "")
    assert run.results() == alone


@again_and_again
def test_processes_find_the_same_where_one_is_killed(alone: dict[str, bytes], corpus: Path, tmp_path: Path) -> None:
    run = Run(corpus, tmp_path, *WORDS, "--jobs", "2")
    run.kill_workers()
    code, stated = run.end()
    assert code == 1, stated
    assert "Traceback" not in stated
    assert run.results() == alone


@again_and_again
def test_a_run_that_was_interrupted_goes_on_when_it_is_begun_again(
    alone: dict[str, bytes], corpus: Path, tmp_path: Path
) -> None:
    run = Run(corpus, tmp_path, *WORDS, "--jobs", "2")
    run.workers()
    # As a terminal does: everyone in the group hears of it.
    os.killpg(run.process.pid, signal.SIGINT)
    assert run.end() == (130, "callwright: interrupted\n")
    assert run.done()
    again = Run(corpus, tmp_path, *WORDS, "--jobs", "2")
    assert again.end() == (1, "")
    assert again.results() == alone


@again_and_again
def test_a_run_that_was_killed_goes_on_when_it_is_begun_again(
    alone: dict[str, bytes], corpus: Path, tmp_path: Path
) -> None:
    run = Run(corpus, tmp_path, *WORDS, "--jobs", "2")
    run.kill()
    assert run.done()
    again = Run(corpus, tmp_path, *WORDS, "--jobs", "2")
    assert again.end() == (1, "")
    assert again.results() == alone


@on_ray
def test_one_node_finds_the_same_where_all_its_workers_are_killed_time_and_again(
    alone: dict[str, bytes], corpus: Path, tmp_path: Path
) -> None:
    with ray_environment() as environment:
        run = Run(corpus, tmp_path, *WORDS, "--engine", "ray", "--jobs", "2", environment=environment)
        for _ in range(3):
            run.kill_workers(2)
        code, stated = run.end()
    assert code == 1, stated
    assert run.results() == alone


@pytest.fixture(scope="module")
def three() -> Iterator[Nodes]:
    with nodes(3) as cluster:
        yield cluster


def on(cluster: Nodes, corpus: Path, out: Path) -> Run:
    """Begin a run on a cluster."""
    words = (*WORDS, "--engine", "ray", "--address", cluster.address)
    return Run(corpus, out, *words, environment=cluster.environment)


@on_ray
def test_three_nodes_find_the_same(three: Nodes, alone: dict[str, bytes], corpus: Path, tmp_path: Path) -> None:
    run = on(three, corpus, tmp_path)
    code, stated = run.end()
    assert code == 1, stated
    assert run.results() == alone


@on_ray
@pytest.mark.parametrize("count", [1, 3])
def test_three_nodes_find_the_same_where_workers_are_killed_at_once(
    count: int, three: Nodes, alone: dict[str, bytes], corpus: Path, tmp_path: Path
) -> None:
    run = on(three, corpus, tmp_path)
    run.kill_workers(count)
    code, stated = run.end()
    assert code == 1, stated
    assert run.results() == alone


@on_ray
def test_three_nodes_go_on_where_a_command_was_killed(
    three: Nodes, alone: dict[str, bytes], corpus: Path, tmp_path: Path
) -> None:
    run = on(three, corpus, tmp_path)
    run.kill()
    assert run.done()
    again = on(three, corpus, tmp_path)
    code, stated = again.end()
    assert code == 1, stated
    assert again.results() == alone


#: What is done with rows but to check them, and how it ends: one of the calls cannot be converted.
TASKS = {"convert": ("--to", "hermes"), "stats": ()}
CODES = {"convert": 1, "stats": 0}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus whose rows are soon done, of all shapes in all formats, with a shard that breaks off."""
    folder = tmp_path_factory.mktemp("small")
    make(folder, 2_000_000, seed=7, faulty=0.1)
    whole = shard(folder, "openai.jsonl.gz").read_bytes()
    (folder / "data" / CUT_LINES).write_bytes(whole[: len(whole) * 2 // 3])
    return folder


@pytest.fixture(scope="module")
def wanted(small: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """What one worker in one process makes of the small corpus."""
    made = {}
    for task in TASKS:
        run = doing(task, small, tmp_path_factory.mktemp(task), "--jobs", "1")
        assert run.end() == (CODES[task], "")
        made[task] = run.results()
    return made


def doing(task: str, small: Path, out: Path, *words: str, cluster: Nodes | None = None) -> Run:
    """Begin to do something with the rows of the small corpus."""
    words = (*words, "--unit-size", "20KB", *TASKS[task])
    if cluster is None:
        return Run(small, out, *words, task=task)
    words = (*words, "--engine", "ray", "--address", cluster.address)
    return Run(small, out, *words, task=task, environment=cluster.environment)


@again_and_again
@pytest.mark.parametrize("task", sampled(TASKS))
def test_what_was_begun_goes_on_where_the_command_was_killed(
    task: str, wanted: dict[str, dict[str, bytes]], small: Path, tmp_path: Path
) -> None:
    run = doing(task, small, tmp_path, "--jobs", "2")
    run.kill()
    before = run.done()
    assert before
    again = doing(task, small, tmp_path, "--jobs", "2")
    assert again.end() == (CODES[task], "")
    assert again.results() == wanted[task]


@again_and_again
@pytest.mark.parametrize("task", TASKS)
def test_what_is_done_is_the_same_where_a_process_is_killed(
    task: str, wanted: dict[str, dict[str, bytes]], small: Path, tmp_path: Path
) -> None:
    run = doing(task, small, tmp_path, "--jobs", "2")
    run.kill_workers()
    code, stated = run.end()
    assert code == CODES[task], stated
    assert run.results() == wanted[task]


@on_ray
@pytest.mark.parametrize("task", TASKS)
def test_three_nodes_do_the_same_where_the_command_and_then_a_worker_is_killed(
    task: str, three: Nodes, wanted: dict[str, dict[str, bytes]], small: Path, tmp_path: Path
) -> None:
    run = doing(task, small, tmp_path, cluster=three)
    run.kill()
    assert run.done()
    again = doing(task, small, tmp_path, cluster=three)
    again.kill_workers()
    code, stated = again.end()
    assert code == CODES[task], stated
    assert again.results() == wanted[task]


@again_and_again
@pytest.mark.parametrize("engine", ["local", pytest.param("ray", marks=on_ray)])
def test_a_shard_that_kills_its_reader_holds_up_no_other(
    engine: str, wanted: dict[str, dict[str, bytes]], small: Path, tmp_path: Path
) -> None:
    words = ("--jobs", "2", "--engine", engine)
    with ray_environment() as environment:
        deadly = {**environment, "PYTHONPATH": str(Path(__file__).with_name("deadly")), "DEADLY_SHARD": "-openai.jsonl"}
        run = Run(small, tmp_path, *words, task="stats", environment=deadly)
        code, stated = run.end()
        assert code == 2, stated
        assert stated.startswith(
            "callwright: a part of `data/000-openai.jsonl` ended every worker that processed it: the "
        )
        assert len(run.done()) == len(list((small / "data").iterdir())) - 1
        again = Run(small, tmp_path, *words, task="stats", environment=environment)
        assert again.end() == (0, "")
    assert again.results() == wanted["stats"]


@on_ray
def test_three_nodes_do_the_same_where_one_of_them_is_lost(
    three: Nodes, wanted: dict[str, dict[str, bytes]], small: Path, tmp_path: Path
) -> None:
    run = doing("convert", small, tmp_path, cluster=three)
    run.workers()
    three.lose_one()
    code, stated = run.end()
    assert code == CODES["convert"], stated
    assert run.results() == wanted["convert"]


#: Runs commands one after another in one process, each of them with its own words.
COMMANDS = """
import json, sys
from callwright.cli.main import main
for words in json.loads(sys.argv[1]):
    if main(words) > 1:
        sys.exit(2)
"""


@on_ray
def test_one_node_does_the_same_and_reports_the_same(
    alone: dict[str, bytes], wanted: dict[str, dict[str, bytes]], small: Path, tmp_path: Path
) -> None:
    (tmp_path / "checked").mkdir()
    for name, data in alone.items():
        if "/" not in name:
            (tmp_path / "checked" / name).write_bytes(data)

    def reports(*engine: str) -> list[list[str]]:
        page = f"{engine[-1] if engine else 'local'}.html"
        return [
            ["corpus", "report", "checked", "-o", page, *engine],
            ["corpus", "dedupe-diagnostics", "checked", "--quiet", *engine],
        ]

    def carry_out(*commands: list[str], environment: dict[str, str] | None = None) -> bytes:
        words = [sys.executable, "-c", COMMANDS, json.dumps(commands)]
        done = subprocess.run(words, cwd=tmp_path, env=environment, check=False, timeout=LONG, capture_output=True)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-4_000:]
        return (tmp_path / "checked" / "defects.parquet").read_bytes()

    defects = carry_out(*reports())
    (tmp_path / "data").symlink_to(small / "data")
    ray = ("--engine", "ray")
    done = [
        ["corpus", task, "data", "--out", task, "--isolated", "--quiet", "--unit-size", "20KB", *words, *ray]
        for task, words in TASKS.items()
    ]
    with ray_environment() as environment:
        assert carry_out(*done, *reports(*ray), environment=environment) == defects
    assert (tmp_path / "ray.html").read_bytes() == (tmp_path / "local.html").read_bytes()
    for task in TASKS:
        out = tmp_path / task
        made = {each.relative_to(out).as_posix(): each.read_bytes() for each in out.rglob("*") if each.is_file()}
        assert made == wanted[task]


def test_a_number_of_workers_for_a_running_cluster_is_refused(corpus: Path, tmp_path: Path) -> None:
    run = Run(corpus, tmp_path, "--engine", "ray", "--address", "127.0.0.1:1", "--jobs", "2")
    assert run.end() == (
        2,
        "callwright: an existing Ray cluster already has a worker for each of its processors: omit `--jobs`\n",
    )


def test_an_address_without_a_cluster_is_reported_at_once(corpus: Path, tmp_path: Path) -> None:
    run = Run(corpus, tmp_path, "--engine", "ray", "--address", "127.0.0.1:1")
    code, stated = run.end()
    assert code == 2
    assert stated == (
        "callwright: no Ray cluster answers at `127.0.0.1:1`: Connection refused. Is the head node running, and can"
        " this machine reach it?\n"
    )


@pytest.mark.parametrize("stated", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\0\0\0"])
def test_an_address_where_something_else_is_is_reported_at_once(stated: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        heard = threading.Thread(target=answer, args=(listening, stated))
        heard.start()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(CorpusError, match=f"no Ray cluster answers at `{address}`: another program listens there"):
            _start(Engine("ray", address))
        heard.join()


def answer(listening: socket.socket, stated: bytes) -> None:
    """Send something to the first client, and hang up."""
    line, _ = listening.accept()
    with line:
        line.recv(4_096)
        line.sendall(stated)


@on_ray
def test_a_cluster_that_demands_another_token_is_reported(three: Nodes, corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "token"
    other.write_text(secrets.token_hex(32), encoding="utf-8")
    environment = {**three.environment, "RAY_AUTH_TOKEN_PATH": str(other)}
    words = ("--engine", "ray", "--address", three.address)
    code, stated = Run(corpus, tmp_path / "out", *words, environment=environment).end()
    assert code == 2
    assert stated.splitlines()[-1] == (
        f"callwright: no Ray cluster answers at `{three.address}`: it requires another token than this machine has. Set"
        " `RAY_AUTH_TOKEN_PATH` to a file with the cluster's token"
    )


#: Runs the command, and says how much memory it held at most, in KB.
MEASURED = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "callwright", *sys.argv[1:]], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss)
"""


def peak(folder: Path, out: Path, *words: str) -> int:
    """Return the most memory that a run in one process held, in bytes."""
    command = ["corpus", "check", *words, "--out", str(out), "--isolated", "--jobs", "1", "--max-row", "1MB"]
    stated = subprocess.check_output([sys.executable, "-c", MEASURED, *command], cwd=folder, text=True, timeout=LONG)
    code, used = map(int, stated.split())
    assert code == 1
    return used * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.whole(reason="writes rows of 200 MB")
def test_memory_does_not_grow_with_a_row_of_200_megabytes(corpus: Path, tmp_path: Path) -> None:
    shards = [shard(corpus, kind).relative_to(corpus).as_posix() for kind in ("openai.jsonl", "openai.jsonl.gz")]
    piece = b"x" * (1 << 20)
    with (tmp_path / "long.jsonl").open("wb") as plain, gzip.open(tmp_path / "long.jsonl.gz", "wb", 1) as packed:
        for file in (plain, packed):
            file.write(b'{"messages": [{"role": "user", "content": "')
            for _ in range(200):
                file.write(piece)
            file.write(b'"}]}\n')
    long = [str(tmp_path / name) for name in ("long.jsonl", "long.jsonl.gz")]
    before = peak(corpus, tmp_path / "before", *shards)
    after = peak(corpus, tmp_path / "after", *shards, *long)
    # A chunk of 1 MB, the 1 MB that a row may have, each once more while lines are put together, and what allocators
    # keep: a tenth of the row.
    assert after - before < 20 << 20


@pytest.mark.whole(reason="writes and reads tables for five seconds")
def test_memory_of_a_table_has_room_for_its_longest_row_and_gives_it_back(tmp_path: Path) -> None:
    length = 100 << 20
    short = [json.dumps([{"role": "user", "content": f"{number}"}]) for number in range(100)]
    long = json.dumps([{"role": "user", "content": "x" * length}])
    faulty = json.dumps([{"role": "assistant", "content": "<tool_call>{</tool_call>"}])
    for name, rows in (("before", [*short, faulty]), ("after", [*short[:50], long, *short[50:], faulty])):
        pq.write_table(pa.table({"messages": rows}), tmp_path / f"{name}.parquet", compression="zstd")
    before, after = (peak(tmp_path, tmp_path / name, f"{name}.parquet") for name in ("before", "after"))
    # As it was written, decompressed, as one text of a batch, and that batch beside the others: nothing is kept longer.
    assert after - before < 4.2 * length
