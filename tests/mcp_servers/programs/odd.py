"""Servers without the SDK that behave in every way but the right one: `odd.py KIND [FILE]`, over standard streams."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

KIND = sys.argv[1]
FILE = sys.argv[2] if len(sys.argv) > 2 else os.devnull
TOOL = {"name": "read", "description": "Reads.", "inputSchema": {"type": "object", "properties": {"b": {}, "a": {}}}}


def out(text: str, end: str = "\n", *, flush: bool = False) -> None:
    sys.stdout.write(text + end)
    if flush:
        sys.stdout.flush()


def err(text: str) -> None:
    sys.stderr.write(text + "\n")


def state_text(message: object) -> None:
    out(json.dumps(message), flush=True)


def answer(request: dict[str, object], result: object) -> None:
    state_text({"jsonrpc": "2.0", "id": request["id"], "result": result})


def refuse(request: dict[str, object], code: int, message: str, **data: object) -> None:
    state_text({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message, "data": data}})


def serve_later_revision(request: dict[str, object]) -> None:
    """Serve as revisions from 2026 on do it, which greet in another way and know nothing of the earlier one."""
    rest = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    if request.get("method") == "server/discover":
        meta = {"io.modelcontextprotocol/serverInfo": {"name": "late", "version": "9"}}
        answer(request, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "_meta": meta, **rest})
    elif request.get("method") == "tools/list":
        answer(request, {"tools": [TOOL], **rest})
    elif "id" in request:
        refuse(request, -32022, "another revision", supported=["2026-07-28"], requested="2025-11-25")


def greet(request: dict[str, object]) -> None:
    revision = {"old": "2024-11-05", "strange": "1999-01-01"}.get(KIND, "2025-06-18")
    capabilities: dict[str, object] = {} if KIND == "toolless" else {"tools": {}}
    info = {"name": "odd", "version": "0.1"}
    answer(request, {"protocolVersion": revision, "capabilities": capabilities, "serverInfo": info})


def pages(request: dict[str, object], number: int) -> None:
    params = request.get("params")
    cursor = params.get("cursor") if isinstance(params, dict) else None
    at = int(cursor) if isinstance(cursor, str) else 0
    tool = {**TOOL, "name": f"read_{at}"}
    answer(request, {"tools": [tool], **({"nextCursor": str(at + 1)} if at + 1 < number else {})})


def listing(request: dict[str, object]) -> None:
    if KIND in ("old", "rubbish", "strange", "noisy", "grandchild-left"):
        answer(request, {"tools": [TOOL]})
    elif KIND == "pages":
        pages(request, 3)
    elif KIND == "endless-pages":
        pages(request, 10**9)
    elif KIND == "same-page":
        answer(request, {"tools": [TOOL], "nextCursor": "again"})
    elif KIND == "many-tools":
        answer(request, {"tools": [{**TOOL, "name": f"t{number}"} for number in range(200)]})
    elif KIND == "no-list":
        answer(request, {"tools": {"read": TOOL}})
    elif KIND == "bad-cursor":
        answer(request, {"tools": [TOOL], "nextCursor": {"page": 2}})
    elif KIND == "error":
        refuse(request, -32603, "out of paper")
    elif KIND == "dies-in-answer":
        out('{"jsonrpc": "2.0", "id": 2, "result": {"tools": [', end="", flush=True)
        err("no more ink")
        sys.exit(7)
    elif KIND == "infinite":
        answer(request, {"tools": [{"name": "a", "inputSchema": {"const": float("inf")}}]})
    elif KIND == "bad-tools":
        bad = [
            {**TOOL, "name": "bad_schema", "inputSchema": {"type": "objekt"}},
            {**TOOL, "name": "null_schema", "inputSchema": None},
            {"name": "no_schema"},
            {"description": "Has no name.", "inputSchema": {"type": "object"}},
            {**TOOL, "name": "hidden", "description": "Reads.\u202e\U000e0041"},
            17,
            TOOL,
        ]
        answer(request, {"tools": bad})
    elif KIND == "long-line":
        chunk = "x" * 65536
        out('{"jsonrpc": "2.0", "id": 2, "result": {"tools": ["', end="")
        while True:
            out(chunk, end="")
    elif KIND == "requests":
        # It asks without end and takes no answer.
        for number in count():
            out(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}))
    elif KIND == "other-ids":
        for other in (99, -1, "x", None):
            state_text({"jsonrpc": "2.0", "id": other, "result": {"tools": [TOOL]}})
        time.sleep(600)
    elif KIND == "drip":
        out('{"jsonrpc": "2.0", "id": 2, "result": {"tools": ["', end="")
        while True:
            out("x", end="", flush=True)
            time.sleep(0.01)
    elif KIND == "deep":
        depth = 5_000
        nested = '{"properties": {"a": ' * depth + "{}" + "}}" * depth
        out(
            f'{{"jsonrpc": "2.0", "id": 2, "result": {{"tools": [{{"name": "a", "inputSchema": {nested}}}]}}}}',
            flush=True,
        )
        time.sleep(600)
    elif KIND == "hostile-tools":
        schema = {"type": "object", "properties": {"a": {"$ref": FILE}, "b": {"$ref": "file:///etc/passwd"}}}
        names = [
            "\x1b]0;owned\x07",
            "\u202egnp.evil",
            "../../etc/passwd",
            "read\x7f",
            "re\u200bad\ufe01",
            "twice",
            "twice",
        ]
        answer(request, {"tools": [{**TOOL, "name": name, "inputSchema": schema} for name in names]})
    elif KIND in ("hang", "stubborn", "grandchild"):
        time.sleep(600)
    else:
        raise AssertionError(KIND)


def begin() -> None:
    with Path(FILE).open("w", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
        if KIND.startswith("grandchild"):
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            file.write(f"{child.pid}\n")
    if KIND == "dies":
        err("cannot find my pencil")
        sys.exit(3)
    if KIND == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if KIND == "rubbish":
        out("Welcome to odd!\n{'not': 'json'}\n[1, 2]\n\n{}", flush=True)
    if KIND == "only-rubbish":
        while True:
            out("All work and no play")
    if KIND == "noisy":
        for _ in range(20_000):
            err("a remark")
        err("the last remark")
    if KIND == "flood":
        note = json.dumps(
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 9000}}
        )
        while True:
            out(note)
    if KIND == "silent":
        time.sleep(600)


def serve() -> None:
    begin()
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if KIND == "late":
            serve_later_revision(request)
        elif method == "initialize":
            greet(request)
        elif method == "tools/list":
            listing(request)
        elif "id" in request:
            refuse(request, -32601, "no such method")


try:
    serve()
except BrokenPipeError:
    os._exit(0)
if KIND == "stubborn":
    time.sleep(600)
