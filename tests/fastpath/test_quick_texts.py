"""Conversations whose calls are text: their texts are read together, and never read as anything else."""

import json
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.fastpath.quick import LineCheck
from fastpath.plain_transcripts import FUNCTIONS, PROSE, REGISTRY, RETURNED, elements, scratched, texts
from fastpath.test_quick import judged
from invariants.corpus import corpus, seeded

pytest.importorskip("orjson")

SYSTEM = {"from": "system", "value": "Use the tools."}
#: What is in front of the conversation, and after it.
HEADS: list[dict[str, Any]] = [{}, {"row_id": "00000001"}, {"row_id": 'a "b" é', "score": 1, "split": None}]
TAILS: list[dict[str, Any]] = [
    {},
    {"tools": json.dumps(FUNCTIONS)},
    {"tools": FUNCTIONS},
    {"id": "a", "source": 'b"}], "c": [{"from": "gpt'},
]
#: Texts, as they are written in JSON, each of which might be read as something else where texts are cut and joined.
WRITTEN = [
    *('a\\', 'a\\\\', 'a", "b', 'a", "value": "b', 'a","value":"b', 'a"}, {"from": "gpt", "value": "b'),
    *('a", ["b', '["b'),
    *("\\u0000", "a\\n\\u0000\\nb", "\\ud83d", "a \\x", "a\tb", "` a", "a `", "\\n{\\\"tool\\\": \\\"read_file\\\"}"),
    *("</read_file>", "<read_file>\\n<path>a</path>\\n", "<path>a</path>\\n</read_file>"),
    *("\\u003cread_file>", "<\\/read_file>"),
    "<read_file>\\n<path>a\\u0007</path>\\n</read_file>",
    "<read_file>\\n<path>a\\ufdd0</path>\\n</read_file>",
    "<read_file>\\n<path>a\\uffff</path>\\n</read_file>",
    "<read_file>\\n<path>a</path>\\n<path>b</path>\\n</read_file>",
    "<read_file>\\n<path>ééééééééééééééééééééééééé</path>\\n</read_file>",
    "<read_file>\\n<path>ééééééééééééééééééééééééééééééééééééééééééé</path>\\n</read_file>",
    "<read_file>\\n<path> à</path>\\n</read_file>",
    "<read_file>\\n<path>à</path>\\n</read_file> ",
    "<read_file>\\n<path>à</path>\\n</read_file>\\n\\u0664 <read_file>\\n<path>a</path>\\n</read_file>",
    "à′ {\\\"tool\\\": \\\"read_file\\\"}</x",
    '<read_file>{\\"path\\": \\"a\\"}</read_file>',
    '<read_file>{\\"path\\": \\"é\\", \\"path\\": \\"é\\"}</read_file>',
    '<read_file>{\\"path\\": [{}</read_file>\\n<read_file>{}]}</read_file>\\n<read_file>{},{}</read_file>',
    '<read_file>{\\"path\\": \\"\\"}</read_file>',
    '<tool_call>\\n{\\"name\\": \\"read_file\\", \\"arguments\\": {\\"path\\": \\"a\\"}}',
    '<tool_call>\\n{\\"name\\": \\"read_file\\", \\"arguments\\": {\\"path\\": \\"é\\"}}\\n</tool_call>',
    '<tool_call>\\n{\\"name\\": \\"read_file\\", \\"arguments\\": {\\"path\\": \\"a\\"}, \\"x\\": 1}\\n</tool_call>',
    '<tool_call>{\\"name\\": \\"read_file\\", \\"arguments\\": {\\"path\\": [{}</tool_call><tool_call>{}]}}',
    '{\\"name\\": \\"read_file\\", \\"arguments\\": {\\"path\\": \\"a\\"}}\\n</tool_call>',
    "[read_file] Result:\\n{\\\"ok\\\": false}",
    "[read_file] Result:\\n{\\\"status\\\": \\\"FAILED\\\"}",
    "[read_file] Result:\\n{\\\"\\u0065rror\\\": \\\"a\\\"}",
    "[read_file] Result:\\n{\\\"\\\\u0065rror\\\": \\\"a\\\"}",
    "[read_file] Result:\\n{\\\"isError\\\": true}",
    "[read_file] Result:\\n{}\\n[read_file] Result:\\nError: it is gone.",
    "[read_file] Result:\\n",
    "[read_file] Result:\\n\\u3000",
    "[read_file] Result:\\n\\\\Error:",
    "[read_file] Result:\\n<error>",
    "[read_file] Result:\\nTracebac\\u212a (most recent call last)",
    "[read_file] Result:\\n<tool_result>Error: a</tool_result>",
]  # fmt: skip
#: What a tool returned, in the commonest dialect, as it is written in JSON.
REPORTED = [
    f'<tool_response>\\n{{\\"name\\": \\"read_file\\", \\"content\\": {content}}}\\n</tool_response>{after}'
    for content in (
        '\\"{\\\\\\"ok\\\\\\": true}\\"',
        '\\"{\\\\\\"ok\\\\\\": false}\\"',
        '\\"{\\\\\\"isError\\\\\\": true}\\"',
        '\\"{\\\\\\"status\\\\\\": \\\\\\"error\\\\\\"}\\"',
        '\\"{\\\\\\"err\\\\\\\\u006fr\\\\\\": \\\\\\"a\\\\\\"}\\"',
        '\\"error: a\\"',
        '\\"It fails.\\"',
        '{\\"ok\\": false}',
        '\\"a',
    )
    for after in ("", "\\n<tool_result>Error: a</tool_result>", '<tool_response is_error=\\"true\\">a</tool_response>')
]


def line_of(entries: list[dict[str, Any]], head: int, tail: int, *, loose: bool = True) -> str:
    separators = (", ", ": ") if loose else (",", ":")
    value = {**HEADS[head], "conversations": entries, **TAILS[tail]}
    return json.dumps(value, ensure_ascii=False, separators=separators)


@pytest.mark.parametrize("head", range(len(HEADS)))
@pytest.mark.parametrize("tail", range(len(TAILS)))
@pytest.mark.parametrize("first", [[], [SYSTEM]], ids=["bare", "system"])
@pytest.mark.parametrize("loose", [True, False])
def test_whatever_is_around_a_conversation_it_is_judged_rightly(
    head: int, tail: int, first: list[dict[str, Any]], loose: bool
) -> None:
    random = seeded(f"frames{head}{tail}{len(first)}{loose}")
    outcome = LineCheck(REGISTRY, Settings())
    certain = 0
    for _ in range(60):
        made = random.choice((texts, elements))(random)["conversations"]
        entries = [*first, *(each for each in made if each["from"] != "system")]
        if random.random() < 0.2:
            random.choice(entries[len(first) :])["value"] = random.choice(corpus())
        line = line_of(entries, head, tail, loose=loose)
        for _ in range(random.choice((0, 0, 1, 2))):
            line = scratched(line, random)
        certain += judged(line + random.choice(("", "", "\n")), outcome, REGISTRY, Settings())
    assert certain > 5


def test_texts_that_are_cut_and_joined_are_taken_for_nothing_else() -> None:
    random = seeded("written")
    outcome = LineCheck(REGISTRY, Settings())
    certain = 0
    for text in (*WRITTEN, *REPORTED):
        for who in ("gpt", "human", "tool"):
            entries = [SYSTEM, {"from": "human", "value": "Hello."}, {"from": "gpt", "value": "CALLED"}]
            entries += [{"from": who, "value": "WRITTEN"}, {"from": "gpt", "value": random.choice(PROSE)}]
            called = random.choice(
                ("<read_file>\\n<path>é</path>\\n</read_file>", WRITTEN[-1], random.choice(WRITTEN), "So.")
            )
            line = line_of(entries, 1, 1).replace("CALLED", called).replace("WRITTEN", text)
            certain += judged(line, outcome, REGISTRY, Settings())
    assert certain > 20


def test_the_plainest_calls_and_results_are_certain_at_once() -> None:
    outcome = LineCheck(REGISTRY, Settings())
    reported = json.dumps(
        {"name": "read_file", "content": json.dumps({"ok": True, "text": "a < b: é"})}, ensure_ascii=False
    )
    calls = [
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "東京", "limit": 3}}\n</tool_call>',
        '<read_file>{"path": "東京", "limit": 3}</read_file>',
        "<read_file>\n<path>東京 &amp; a</path>\n<limit>3</limit>\n</read_file>",
    ]
    for called in calls:
        for returned in (
            {"from": "tool", "value": f"<tool_response>\n{reported}\n</tool_response>"},
            {"from": "human", "value": f"[read_file] Result:\n{RETURNED[0]}"},
        ):
            entries = [
                SYSTEM,
                {"from": "human", "value": "東京?"},
                {"from": "gpt", "value": f"Let me see `x`:\n{called}"},
            ]
            line = line_of([*entries, returned, {"from": "gpt", "value": "So: 東京."}], 1, 1)
            assert judged(line, outcome, REGISTRY, Settings())
            for broken in ("raed_file", "read_file2"):
                judged(line.replace(called, called.replace("read_file", broken)), outcome, REGISTRY, Settings())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"row_id"', '{"row_id": "a", "row_id"'),
        ('{"row_id": "00000001"', '{"row_id": {}'),
        ('{"row_id": "00000001"', '{"row_id": ["a'),
        ('{"row_id": "00000001"', '{"tools": "[]"'),
        ('{"row_id": "00000001"', '{"system": "<tool_call>"'),
        ('{"row_id"', '{"conversations": [], "row_id"'),
        ('{"row_id": "00000001", ', "{"),
        ('"00000001", ', '"00000001" '),
        ('"00000001", ', '"00000001",, '),
        ('"conversations"', '"chosen"'),
        ('}], "tools"', '}, "a"], "tools"'),
        ('}], "tools"', '], "tools"'),
        ("Hello.", "\ufdd0"),
    ],
)  # fmt: skip
def test_what_is_around_a_conversation_is_judged_by_itself(old: str, new: str) -> None:
    outcome = LineCheck(REGISTRY, Settings())
    line = line_of([SYSTEM, {"from": "human", "value": "Hello."}, {"from": "gpt", "value": "So."}], 1, 1)
    assert old in line
    assert outcome.is_clean(line.encode())
    judged(line.replace(old, new, 1), outcome, REGISTRY, Settings())


@pytest.mark.parametrize(
    "before", ["<read_file>", "<read_file>\n", "<path>", '<invoke name="read_file">', "<function=read_file>"]
)
@pytest.mark.parametrize("stated", ["", "So: ", "<think>\nLet me see.\n</think>\n"])
def test_what_opens_in_front_of_a_call_is_read_with_it(before: str, stated: str) -> None:
    outcome = LineCheck(REGISTRY, Settings())
    call = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>'
    for stated_names, certain in (
        (f"{stated}{before}{call}", False),
        (f"{stated}{call}\n{before}{call}", False),
        (f"{stated}{call}", True),
    ):
        entries = [SYSTEM, {"from": "human", "value": "Hello."}, {"from": "gpt", "value": stated_names}]
        assert judged(line_of(entries, 1, 1), outcome, REGISTRY, Settings()) == certain


@pytest.mark.parametrize(
    ("tools", "is_clean"),
    [
        (FUNCTIONS, True),
        (json.dumps(FUNCTIONS), True),
        (FUNCTIONS[:1], True),
        ([], False),
        ([5], False),
        ([[]], False),
        ({}, False),
        (None, False),
        (5, False),
    ],
)
def test_definitions_may_be_a_list_as_well_as_its_text(tools: Any, is_clean: bool) -> None:
    value = {
        "conversations": [{"from": "human", "value": "Hello."}, {"from": "gpt", "value": "Hello."}],
        "tools": tools,
    }
    outcome = LineCheck(REGISTRY, Settings())
    assert judged(json.dumps(value), outcome, REGISTRY, Settings()) is is_clean
