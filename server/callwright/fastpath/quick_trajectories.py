"""The quick verdict on trajectories: the plain form of steps in the Agent Trajectory Interchange Format.

Owns: `follow_steps`, and the members that plain trajectories and their steps have. Must not know: lines, other shapes,
how the text of a line is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from callwright.fastpath.quick_lines import UnsureError
from callwright.fastpath.quick_results import CALM, look_at_result
from callwright.fastpath.quick_tools import DoubtfulError

if TYPE_CHECKING:
    from collections.abc import Callable

    from callwright.fastpath.quick_tools import KnownTools

#: The members of a trajectory of which nothing is read but the first three.
MEMBERS: Final = frozenset(
    {"schema_version", "agent", "steps"} | {"session_id", "notes", "final_metrics", "continued_trajectory_ref"}
)
_STEP: Final = frozenset(
    {"step_id", "source", "message", "tool_calls", "observation"}
    | {"timestamp", "model_name", "reasoning_content", "reasoning_effort", "metrics", "is_copied_context"}
)
_SOURCES: Final = frozenset({"system", "user", "agent"})
_CALL: Final = frozenset({"tool_call_id", "function_name", "arguments"})
_RESULT: Final = frozenset({"source_call_id", "content"})
_OBSERVATION: Final = frozenset({"results"})


def definitions_of(value: dict[str, Any]) -> Any:
    """Return the definitions of tools that a trajectory brings along, None where it has none."""
    version, agent = value["schema_version"], value.get("agent")
    # A trajectory is known by its version; without one it might be anything.
    if not version.startswith("ATIF") or not (agent is None or type(agent) is dict):
        raise UnsureError
    return agent.get("tool_definitions") if agent is not None else None


def follow_steps(steps: Any, tools: KnownTools, loads: Callable[[str], Any], doubts: list[int]) -> None:
    """Go through plain steps in which everything is in order, and add the numbers of those whose calls are in doubt.

    Raises `UnsureError` and more where a step is not plain. A trajectory is sent to nobody, so nothing is demanded of
    how calls and results meet. `loads` reads JSON in what tools returned.
    """
    if type(steps) is not list or not steps:
        raise UnsureError
    plans = tools.plans
    texts: list[str] = []
    for number, step in enumerate(steps):
        source = step["source"]
        if source not in _SOURCES or not step.keys() <= _STEP:
            raise UnsureError
        said = step["message"]
        if source == "system" and not number:
            tools.look_first(said)
        else:
            texts.append(said)
        calls = step.get("tool_calls")
        if calls is not None:
            if type(calls) is not list or source != "agent":
                raise UnsureError
            for entry in calls:
                name, given = entry["function_name"], entry["arguments"]
                if entry.keys() != _CALL or type(given) is not dict or type(entry["tool_call_id"]) is not str:
                    raise UnsureError
                plan = plans.get(name)
                if plan is None or not plan.fits(given):
                    try:
                        tools.check(name, given)
                    except DoubtfulError:
                        doubts.append(number)
        observation = step.get("observation")
        if observation is not None:
            results = observation["results"]
            if observation.keys() != _OBSERVATION or type(results) is not list:
                raise UnsureError
            for result in results:
                told = result["content"]
                if not result.keys() <= _RESULT:
                    raise UnsureError
                if type(told) is not str or told[:1] not in CALM:
                    look_at_result(told, loads)
    tools.look_all(texts)
