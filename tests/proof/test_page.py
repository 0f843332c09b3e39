"""The page of proof states what its command makes, and how each table is made."""

import pytest

from proof.run import MODULES, NAMES, main, stated


def test_each_claim_has_a_section_with_its_command() -> None:
    page = stated()
    headings = [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]
    assert headings == [module.TITLE for module in MODULES]
    for name in NAMES:
        assert f'    make proof PROOF="--only {name}"' in page.splitlines()


@pytest.mark.whole(reason="damages, converts and renders thousands of calls again")
@pytest.mark.parametrize("name", NAMES)
def test_the_page_states_what_the_command_makes(name: str) -> None:
    assert main(["--check", "--only", name]) == 0, f"{NAMES[name].TITLE}: run `make proof`"
