"""A short form of all that `make attack` does for long: each phase, and what came of the good client meanwhile."""

from collections.abc import Iterator

import pytest

from tests.attack.campaign import Campaign, run
from tests.attack.findings import AWAY, Findings
from tests.attack.phases import PHASES

pytestmark = pytest.mark.long

SEED = 1
STAGES = [["clients", "frames", "bodies", "documents", "pages", "deletions"], ["readers"]]
COUNTS = {name: phase.short for name, phase in PHASES.items()}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return run(tmp_path_factory.mktemp("attacked"), STAGES, COUNTS, SEED, with_stores=False, weighs=False)


@pytest.fixture(scope="module")
def without_stores(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return run(tmp_path_factory.mktemp("attacked"), [["stores"]], COUNTS, SEED, with_stores=True, weighs=False)


@pytest.mark.parametrize("phase", [name for stage in STAGES for name in stage])
def test_no_promise_is_broken(campaign: Campaign, phase: str) -> None:
    (findings,) = (findings for findings in found(campaign) if findings.name == phase)
    assert not findings.problems, findings.examples
    assert findings.done >= COUNTS[phase]


def test_the_good_client_loses_nothing(campaign: Campaign) -> None:
    assert not [answer for answer in campaign.answers if answer.wrong or answer.refused]
    assert {"list", "search", "turn", "edit and undo", "the kept undo"} <= {answer.asked for answer in campaign.answers}


def test_the_server_lives_and_nothing_is_left(campaign: Campaign) -> None:
    assert campaign.is_alive
    assert campaign.tracebacks == 0
    assert not campaign.errors
    assert campaign.left == 0


def test_stores_that_stand_still(without_stores: Campaign) -> None:
    (findings,) = found(without_stores)
    assert not findings.problems, findings.examples
    assert without_stores.is_alive
    assert without_stores.tracebacks == 0
    refused = {answer.refused for answer in without_stores.answers if answer.refused}
    assert not [answer for answer in without_stores.answers if answer.wrong]
    assert refused <= AWAY


def found(campaign: Campaign) -> Iterator[Findings]:
    return (findings for stage in campaign.stages for findings in stage.findings)
