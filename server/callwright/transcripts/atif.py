"""The shape `atif`: the Agent Trajectory Interchange Format of Harbor and Terminal-Bench.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import add_content, begun_turn, result, returned
from callwright.transcripts.support.plain_turns import ANY, PlainCall, PlainResult, PlainTurns

_ROLES: Final[Mapping[str, str]] = {"agent": "assistant"}


class Atif(Shape):
    """One object with `schema_version`, `agent` and `steps`, or a list of them."""

    name = "atif"
    title = "ATIF trajectory"
    keys = ("schema_version", "steps")
    provider = "none"
    tools_at = ("agent.tool_definitions",)
    plain = PlainTurns(
        messages="steps",
        speaker="source",
        text="message",
        speakers={"system": "system", "user": "user", "agent": "assistant"},
        call=PlainCall("tool_call_id", "function_name", "arguments"),
        result=PlainResult("source_call_id", "content"),
        calls="tool_calls",
        results=("observation", "results"),
        passed=frozenset(
            {"step_id", "timestamp", "model_name", "reasoning_content", "reasoning_effort", "metrics"}
            | {"is_copied_context"}
        ),
        # Without a version it might be anything.
        beside={
            "schema_version": "ATIF",
            **dict.fromkeys(("session_id", "notes", "final_metrics", "continued_trajectory_ref"), ANY),
        },
        tools=("agent", "tool_definitions"),
    )
    sources = ("https://github.com/laude-institute/harbor/blob/main/docs/rfcs/0001-trajectory-format.md",)
    about = """
        A step of the agent contains its message, its `tool_calls`, and the `observation` with the results. A result
        names its call in `source_call_id`; a result without it comes from an action that is not a call. The arguments
        of a call are an object.

        Embedded trajectories of subagents are separate conversations. `agent.tool_definitions` are the tools of the
        trajectory.
    """

    def form(self, value: Any) -> int:
        """Return how certainly this is a trajectory: by its version, or by the form of its steps."""
        if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
            return 0
        version = value.get("schema_version")
        if isinstance(version, str) and version.upper().startswith("ATIF"):
            return 95
        return 60 if any(map(_is_step, value["steps"][:4])) else 0

    def conversations(self, root: JsonView) -> Iterator[JsonView]:
        """Yield the trajectory, then those that are embedded in it, at any depth."""
        waiting = [*root.items()] if isinstance(root.value, list) else [root]
        waiting.reverse()
        while waiting:
            trajectory = waiting.pop()
            if isinstance(trajectory.value, dict):
                yield trajectory
                waiting += reversed([*trajectory.list_at("subagent_trajectories")])

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield a turn for each step, and another one for what came back in it; a single step is read, too."""
        for step in (root,) if _is_step(root.value) else root.objects("steps"):
            yield _stated(step)
            observed = _observed(step)
            if observed is not None:
                yield observed


def _is_step(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("source") in ("system", "user", "agent")
        and "message" in value
        and "step_id" in value
    )


def _stated(step: JsonView) -> Turn:
    turn = begun_turn(step, _ROLES, "source")
    add_content(turn, step.get("message"), "text")
    turn.calls += (
        NativeCall(entry, entry.get("function_name"), entry.get("arguments"), entry.get("tool_call_id"))
        for entry in step.objects("tool_calls")
    )
    return turn


def _observed(step: JsonView) -> Turn | None:
    observation = step.get("observation")
    if observation is None:
        return None
    results = [
        result(entry, "source_call_id", returned(entry.get("content"))) for entry in observation.objects("results")
    ]
    return Turn(observation, "tool", results=results) if results else None


SHAPE = Atif()
