"""What the check of one small file compiles before it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

#: Counts what is compiled, in a process of its own.
COUNTED = """
import builtins, json, re, sys
patterns, sources = [], []
compile_pattern, run = re.compile, exec
re.compile = lambda source, flags=0: patterns.append(source) or compile_pattern(source, flags)
def counted(source, *given):
    if isinstance(source, str):
        sources.append(source)
    return run(source, *given)
builtins.exec = counted
from callwright.cli.main import main
assert main(["check", "clean.prompt"]) == 0
print(json.dumps([len(patterns), len(sources)]))
"""
CLEAN = '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>\n'
#: How many patterns are compiled, and how many functions that decorators wrote; all modules have many times as many.
MAX_PATTERNS = 160
MAX_FUNCTIONS = 60


def test_the_check_of_a_clean_file_compiles_what_it_uses(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "clean.prompt").write_text(CLEAN, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", COUNTED], cwd=tmp_path, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    patterns, functions = json.loads(done.stdout.splitlines()[-1])
    assert patterns <= MAX_PATTERNS
    assert functions <= MAX_FUNCTIONS
