"""A page that has much drawn leaves the event loop to others for as long."""

import asyncio

import pytest

from server.limits.pace import Pace


class Clock:
    """A loop that works and rests as it is told."""

    def __init__(self) -> None:
        self.now, self.worked = 100.0, 7.0
        self.rests = list[float]()

    def works(self, seconds: float) -> None:
        self.now += seconds
        self.worked += seconds

    async def sleep(self, seconds: float) -> None:
        self.rests.append(round(seconds, 3))
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("server.limits.pace.asyncio.sleep", clock.sleep)
    return clock


@pytest.fixture
def pace(clock: Clock) -> Pace:
    return Pace(lambda: clock.now, lambda: clock.worked)


async def test_the_next_one_comes_once_the_loop_has_rested_for_as_long_as_it_worked(pace: Pace, clock: Clock) -> None:
    await pace.wait()
    assert clock.rests == []
    clock.works(0.3)
    await pace.wait()
    assert clock.rests == [0.3]
    clock.works(0.2)
    clock.now += 0.15
    await pace.wait()
    assert clock.rests == [0.3, 0.05]
    clock.works(0.2)
    clock.now += 0.2
    await pace.wait()
    assert clock.rests == [0.3, 0.05]


async def test_nobody_waits_for_more_than_a_second(pace: Pace, clock: Clock) -> None:
    await pace.wait()
    clock.works(0.8)
    await pace.wait()
    clock.works(5.0)
    await pace.wait()
    assert clock.rests == [0.2]


async def test_one_comes_at_a_time() -> None:
    pace = Pace()
    await asyncio.wait_for(asyncio.gather(*(pace.wait() for _ in range(20))), 60)
