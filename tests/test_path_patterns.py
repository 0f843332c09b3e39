"""Patterns of paths: what they match, and that no pattern makes matching slow."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright import path_patterns
from callwright.path_patterns import PROMPT_NAMES, find, is_prompt_name, matches
from support.sampling import tries


@pytest.mark.parametrize(
    ("pattern", "fits", "fails"),
    [
        ("prompts/**", ["prompts/a.md", "prompts/a/b.md"], ["x/prompts/a.md", "promptsx/a"]),
        ("*.md", ["a.md", "x/y/a.md"], ["a.mdx", "a.md.txt"]),
        ("./*.md", ["a.md"], ["x/a.md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/x/y/a.md"], ["a.md", "docs/a.txt"]),
        ("docs/*.{md,txt}", ["docs/a.md", "docs/a.txt"], ["docs/a.rs", "docs/x/a.md"]),
        ("{a,b}/{c,d}", ["a/c", "b/d"], ["a/b"]),
        ("drafts", ["drafts", "drafts/a.md", "x/drafts/a.md"], ["draft", "mydrafts/a"]),
        ("src/", ["src/a", "x/src/a"], ["srcs/a"]),
        ("a?c", ["abc"], ["ac", "a/c"]),
        ("a[bc]d", ["abd", "acd"], ["axd"]),
        ("a[!bc]d", ["axd"], ["abd", "a/d"]),
        ("**", ["a", "a/b"], []),
        ("**/x/**/y/**/z/*q*", ["x/y/z/q", "a/x/b/y/z/aqa"], ["x/y/q", "x/z/y/q"]),
        ("*a*a*a*a*b", ["aaaab", "xaxaxaxaxb"], ["aaab", "aaaa/b"]),
        ("[", ["["], ["a"]),
        ("[z-a]", ["z", "a"], ["b"]),
        ("{a", ["{a"], ["a"]),
        ("a.b", ["a.b"], ["axb"]),
        ("prompts\\*.md", ["prompts/a.md"], ["prompts/a/b.md"]),
    ],
)
def test_a_pattern_matches_names_folders_and_all_below(pattern: str, fits: list[str], fails: list[str]) -> None:
    assert [path for path in fits if not matches(pattern, path)] == []
    assert [path for path in fails if matches(pattern, path)] == []


paths = st.lists(st.text(alphabet="ab.", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)
patterns = st.text(alphabet="ab./*?", min_size=1, max_size=10)


@settings(deadline=None, max_examples=tries(300))
@given(patterns, paths)
def test_following_tokens_side_by_side_states_what_the_expression_states(pattern: str, path: str) -> None:
    tokens = [*([path_patterns._DIRS] if "/" not in pattern.rstrip("/") else [])]
    tokens += path_patterns._tokens(pattern.removeprefix("./").strip("/"))
    if sum(token in ("[^/]*", ".*", "(?:.*/)?") for token in tokens) <= path_patterns._SIMPLE:
        assert path_patterns._follows(tokens, path) == matches(pattern, path)


@settings(deadline=None, max_examples=tries(300))
@given(st.text(alphabet="ab/*?[]{},!^-\\\n", max_size=15), paths)
def test_any_text_is_a_pattern(pattern: str, path: str) -> None:
    assert matches(pattern, path) in (True, False)


def test_a_pattern_of_many_stars_is_followed_and_not_tried_out() -> None:
    assert not matches("*a" * 40 + "b", "a" * 2_000)
    assert not matches("**/a/" * 30 + "b", "a/" * 500 + "c")
    assert matches("{a,b}" * 20, "{a,b}" * 20) in (True, False)


def test_files_are_found_in_order_without_following_links_or_entering_dependencies(tmp_path: Path) -> None:
    for name in (
        "tools/b.json",
        "tools/a.json",
        "tools/deep/c.json",
        "tools/node_modules/d.json",
        "tools/a.txt",
        "e.json",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    (tmp_path / "tools" / "loop").symlink_to(tmp_path, target_is_directory=True)

    def names(pattern: str) -> list[str]:
        return [str(Path(found).relative_to(tmp_path)) for found in find(pattern, str(tmp_path))]

    assert names("tools/*.json") == ["tools/a.json", "tools/b.json"]
    assert names("**/*.json") == ["e.json", "tools/a.json", "tools/b.json", "tools/deep/c.json"]
    assert names("*.json") == ["e.json"]
    assert names("tools/a.json") == ["tools/a.json"]
    assert names("./tools/../e.json") == ["e.json"]
    assert names("none/*.json") == []
    assert names("none.json") == []
    assert names(f"{tmp_path}/tools/*.txt") == ["tools/a.txt"]


@pytest.mark.parametrize(
    "path",
    [
        "chat.prompt",
        "a/b/review.prompt.md",
        "AGENTS.md",
        "packages/web/agents.md",
        ".claude/skills/pdf/SKILL.md",
        ".claude/agents/reviewer.md",
        ".cursor/rules/style.mdc",
        ".clinerules",
        ".clinerules/10-style.md",
        ".github/copilot-instructions.md",
        ".github/prompts/release.md",
        "src/prompts/planner/base.j2",
        "system-prompt.txt",
        "lib/system_prompt_v2.md",
        ".roorules-architect",
        "docs\\prompts\\a.md",
    ],
)
def test_prompts_are_known_by_their_names(path: str) -> None:
    assert is_prompt_name(path)


@pytest.mark.parametrize(
    "path",
    ["README.md", "prompts.py", "github/a.md", "claude/agents/a.md", "src/agents/a.md", "my-skill.md", "a.mdcx"],
)
def test_other_files_are_not(path: str) -> None:
    assert not is_prompt_name(path)


names = st.sampled_from([step.strip("*") for name in PROMPT_NAMES for step in name.split("/")])


@settings(deadline=None, max_examples=tries(300))
@given(st.lists(names | st.text(alphabet="ab.", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join))
def test_prompt_names_are_patterns_at_any_depth(path: str) -> None:
    known = any(matches(f"**/{name.lower()}", path.lower()) for name in PROMPT_NAMES)
    assert is_prompt_name(path) == known
