"""The scheduler alone: which work comes next, what is ended, and what is refused."""

import ast
import inspect
import json
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import pytest

from callwright.features import all_features
from callwright.lsp import scheduler as module
from callwright.lsp.connection import CANCELLED, SERVER_CANCELLED, Connection
from callwright.lsp.deadlines import Deadline
from callwright.lsp.failures import Failures
from callwright.lsp.frames import FrameReader, FrameWriter
from callwright.lsp.scheduler import MAX_REQUESTS, Scheduler, Steps
from callwright.text.budget import Budget


@dataclass
class About:
    """What long work is about."""

    version: int = 1
    deadline: Deadline = field(default_factory=Deadline)


class Desk:
    """A scheduler, what it did in its order, and what it sent."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.sent: list[dict[str, Any]] = []
        self.taken: list[dict[str, Any]] = []
        writer = FrameWriter(lambda data: self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2])))
        self.connection = Connection(FrameReader(lambda: b""), writer)
        self.scheduler = Scheduler(self.connection, Failures(self.connection), self.taken.append)
        # A slice ends at the next check of a budget.
        self.scheduler.slices.seconds = 0

    def note(self, words: str) -> Callable[[], None]:
        return lambda: self.done.append(words)

    def steps(self, name: str, count: int) -> Steps:
        def work() -> Generator[None, None, str]:
            for number in range(count):
                self.done.append(f"{name} {number}")
                yield
            return name

        return Steps(work())

    def begin(self, key: str, slices: int, about: About | None = None) -> None:
        def work() -> str:
            budget = Budget()
            for number in range(slices):
                self.done.append(f"{key} {number}")
                budget.check()
            return key

        self.scheduler.begin(
            key, key, work, done=self.done.append, about=about or About(), late=self.note(f"{key} is late")
        )

    def rest(self) -> list[str]:
        while self.scheduler.timeout() == 0:
            self.scheduler.idle()
        return self.done


def test_what_is_due_comes_first_and_once_for_each_key() -> None:
    desk = Desk()
    desk.scheduler.begin_job(1, "asked", desk.steps("job", 1))
    for key in ("a", "b", "a"):
        desk.scheduler.schedule(key, "a check", desk.note(key))
    assert desk.rest() == ["a", "b", "job 0"]
    assert desk.sent == [{"jsonrpc": "2.0", "id": 1, "result": "job"}]


def test_requests_and_long_work_take_turns() -> None:
    desk = Desk()
    desk.scheduler.begin_job(1, "asked", desk.steps("one", 2))
    desk.scheduler.begin_job(2, "asked", desk.steps("two", 2))
    desk.begin("long", 4)
    assert desk.rest()[:6] == ["one 0", "long 0", "two 0", "long 1", "one 1", "long 2"]
    assert {each["id"] for each in desk.sent} == {1, 2}


def test_long_work_takes_the_place_of_what_was_under_way_for_its_key() -> None:
    desk = Desk()
    desk.begin("a", 9)
    desk.scheduler.idle()
    desk.begin("a", 1)
    assert desk.rest() == ["a 0", "a 0", "a"]


def test_work_that_waits_has_no_turn_until_it_is_resumed() -> None:
    desk = Desk()
    ready: list[bool] = []

    def work() -> str:
        desk.done.append("begun")
        desk.scheduler.slices.wait(lambda: bool(ready))
        return "ended"

    def begin() -> None:
        desk.scheduler.begin("a", "a", work, done=desk.done.append, about=About(), late=desk.note("late"))

    begin()
    assert desk.rest() == ["begun"]
    desk.scheduler.resume("a")
    assert desk.rest() == ["begun"]
    assert desk.scheduler.is_scheduled("a")
    ready.append(True)
    desk.scheduler.resume("a")
    assert desk.rest() == ["begun", "ended"]
    ready.clear()
    begin()
    desk.rest()
    desk.scheduler.abandon("a")
    desk.scheduler.resume("a")
    assert desk.rest() == ["begun", "ended", "begun"]


def test_what_is_forgotten_is_not_done() -> None:
    desk = Desk()
    desk.begin("a", 9)
    desk.scheduler.idle()
    desk.scheduler.schedule("a", "a check", desk.note("due"))
    assert desk.scheduler.is_scheduled("a")
    desk.scheduler.forget("a")
    assert not desk.scheduler.is_scheduled("a")
    assert desk.rest() == ["a 0"]


def test_a_deadline_passes_once_for_each_version() -> None:
    desk, about = Desk(), About()
    desk.scheduler.deadline = 0
    desk.begin("a", 4, about)
    desk.scheduler.idle()
    desk.scheduler.idle()
    assert desk.done.count("a is late") == 1
    about.version += 1
    assert desk.rest().count("a is late") == 2


def test_a_cancelled_request_is_answered_once_and_goes_no_further() -> None:
    desk = Desk()
    desk.scheduler.begin_job(1, "asked", desk.steps("one", 9))
    desk.scheduler.begin_job(2, "asked", desk.steps("two", 1))
    desk.scheduler.put_by(3, "waits", desk.note("taken up"))
    desk.connection._cancelled |= {1, 3}
    assert desk.rest() == ["two 0"]
    desk.scheduler.take_up()
    assert desk.done == ["two 0"]
    errors = {each["id"]: each["error"]["code"] for each in desk.sent if "error" in each}
    assert errors == {1: CANCELLED, 3: CANCELLED}
    assert len(desk.sent) == 3


@pytest.mark.parametrize("way", ["job", "put by"])
def test_more_requests_than_can_be_kept_are_refused(way: str) -> None:
    desk = Desk()
    for number in range(MAX_REQUESTS + 2):
        if way == "job":
            desk.scheduler.begin_job(number, "asked", desk.steps("job", 1))
        else:
            desk.scheduler.put_by(number, "asked", desk.note("again"))
    assert [(each["id"], each["error"]["code"]) for each in desk.sent] == [
        (MAX_REQUESTS, SERVER_CANCELLED),
        (MAX_REQUESTS + 1, SERVER_CANCELLED),
    ]


def test_what_is_put_by_is_taken_up_in_its_order() -> None:
    desk = Desk()
    for number in range(3):
        desk.scheduler.put_by(number, "asked", desk.note(str(number)))
    desk.scheduler.take_up()
    assert desk.done == ["0", "1", "2"]


def test_messages_that_are_held_back_come_in_their_order_and_before_all_work() -> None:
    desk = Desk()
    desk.scheduler.hold(0)
    desk.scheduler.schedule("a", "a check", lambda: desk.done.append(f"after {len(desk.taken)}"))
    for number in range(3):
        desk.scheduler.hold_back({"id": number})
    assert desk.rest() == ["after 3"]
    assert desk.taken == [{"id": number} for number in range(3)]
    assert not desk.scheduler.holds


def test_work_that_fails_takes_nothing_with_it() -> None:
    desk = Desk()

    def fail() -> None:
        raise ValueError("it is broken")

    desk.scheduler.schedule("a", "a check", fail)
    desk.scheduler.schedule("b", "a check", desk.note("b"))
    assert desk.rest() == ["b"]
    (logged,) = (each["params"]["message"] for each in desk.sent)
    assert logged == "`a check` failed: ValueError: it is broken"


def test_every_request_is_answered_before_the_end() -> None:
    desk = Desk()
    desk.scheduler.begin_job(1, "asked", desk.steps("job", 9))
    desk.scheduler.put_by(2, "asked", desk.note("again"))
    desk.scheduler.cancel_requests("was not answered")
    assert {each["id"]: each["error"]["code"] for each in desk.sent} == {1: CANCELLED, 2: CANCELLED}
    assert desk.scheduler.timeout() is None


def test_preparations_wait_for_a_pause() -> None:
    desk = Desk()
    desk.scheduler.preparation = desk.note("prepared")
    desk.scheduler.schedule("a", "a check", desk.note("a"))
    assert desk.rest() == ["a"]
    assert desk.scheduler.timeout() not in (0, None)
    desk.scheduler.idle()
    assert desk.done == ["a", "prepared"]
    assert desk.scheduler.timeout() is None


def test_it_names_no_method_and_no_document() -> None:
    tree = ast.parse(inspect.getsource(module))
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not strings & {feature.method for feature in all_features()}
    assert not [text for text in strings if re.search(r"textDocument/|workspace/|\$/|window/", text)]
    assert not [
        node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("OpenDocument", "Feature")
    ]
