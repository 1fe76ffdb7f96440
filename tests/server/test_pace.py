"""A page that has much drawn leaves the event loop to others."""

import asyncio

import pytest

from server.limits.pace import Pace


class Clock:
    """Time that passes where somebody rests."""

    def __init__(self) -> None:
        self.now = 100.0
        self.rests = list[float]()

    async def sleep(self, seconds: float) -> None:
        self.rests.append(round(seconds, 3))
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("server.limits.pace.asyncio.sleep", clock.sleep)
    return clock


async def test_the_next_one_comes_once_others_had_three_times_as_long(clock: Clock) -> None:
    pace = Pace(lambda: clock.now)
    await pace.wait()
    pace.handled(0.1)
    await pace.wait()
    pace.handled(0.2)
    clock.now += 0.4
    await pace.wait()
    pace.handled(0.1)
    clock.now += 0.3
    await pace.wait()
    assert clock.rests == [0.3, 0.2]


async def test_nobody_waits_for_more_than_a_second(clock: Clock) -> None:
    pace = Pace(lambda: clock.now)
    for _ in range(3):
        pace.handled(5.0)
    await pace.wait()
    assert clock.rests == [1.0]


async def test_the_next_one_comes_once_the_last_is_handled_or_its_socket_is_gone(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    pace = Pace(lambda: clock.now)
    await pace.wait()
    following = asyncio.ensure_future(pace.wait())
    await asyncio.wait([following], timeout=0.01)
    assert not following.done()
    pace.handled(0.1)
    await following
    assert clock.rests == [0.3]
    monkeypatch.setattr("server.limits.pace._LONGEST_REST_S", 0.0)
    await pace.wait()
