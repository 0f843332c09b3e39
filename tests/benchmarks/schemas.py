"""How long hostile schemas and values take: the check of the schema, the first validation, and the next one.

Run it by hand, on a machine that does nothing else: `python tests/benchmarks/schemas.py [fast|slow]`.
Times are the process's own CPU time in milliseconds. Each must stay below 500.
"""

import sys
import time
from itertools import pairwise
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "server"), str(Path(__file__).parents[1])]


def main(library: str) -> int:
    """Print the times of every case, those first that take longest; the exit code is 1 if one takes too long."""
    if library == "slow":
        sys.modules["jsonschema_rs"] = None  # type: ignore[assignment] # so that it cannot be imported
    from callwright.schema.validation import validate
    from callwright.tools.schema_check import check_schema
    from suites.hostile_schemas import CASES

    validate({"not": {"const": 1}}, 2)
    found: list[tuple[float, str]] = []
    for name, make in CASES.items():
        schema, value = make()
        times = [time.process_time()]
        faults = check_schema(schema)
        times.append(time.process_time())
        errors = validate(schema, value)
        times.append(time.process_time())
        validate(schema, value)
        times.append(time.process_time())
        spent = [1_000 * (later - before) for before, later in pairwise(times)]
        outcome = (
            faults[0].reason[:60] if faults else f"{len(errors)} errors ({errors[0].keyword})" if errors else "valid"
        )
        found.append((max(spent), f"{name:20}{spent[0]:8.1f}{spent[1]:8.1f}{spent[2]:8.1f}  {outcome}"))
    sys.stdout.write(f"{'':20}{'schema':>8}{'value':>8}{'again':>8}  verdict\n")
    sys.stdout.writelines(line + "\n" for _, line in sorted(found, reverse=True))
    return int(max(found)[0] > 500)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "fast"))
