"""One target under atheris: inputs are led by what code they reach. `run.py` starts it, in a process of its own.

Owns: what is instrumented, and how inputs are changed. Must not know: what any target asserts, who checks the result.

Everything of Callwright is imported while imports are instrumented, so nothing of it may be imported before; what is
imported on first use is, by trying the whole corpus.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]  # it is installed for fuzzing alone

#: How many of the inputs are changed as atheris does it, blind to what they are.
BLIND = 0.3


def main() -> None:
    """Run the target that the first word names, with the seed that the second is; the rest is for libFuzzer."""
    name, seed, *words = sys.argv[1:]
    with atheris.instrument_imports(include=["callwright"]):
        from fuzz.mutation import mutated, seeds, target_of
        from invariants.corpus import seeded
        from invariants.host_documents import documents

        target, random = target_of(name), seeded(f"{name} {seed}")
        documents()
        for data in seeds(name):
            target(data)

    def mutator(data: bytes, largest: int, _seed: int) -> bytes:
        if random.random() < BLIND:
            return bytes(atheris.Mutate(data, largest))
        return mutated(bytes(data), name, random)[:largest]

    atheris.Setup([sys.argv[0], *words], target, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
