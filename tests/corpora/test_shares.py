"""Who is next: no workspace waits for all that another has to do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import shares as module
from corpora.shares import Place, Shares


def granted(*places: Place) -> list[bool]:
    return [place.granted.done() for place in places]


def test_the_last_place_is_for_those_who_have_none() -> None:
    shares = Shares(places=3, each=2)
    greedy = [shares.ask("one") for _ in range(5)]
    assert granted(*greedy) == [True, True, False, False, False]
    assert granted(shares.ask("two")) == [True]


def test_so_many_newcomers_as_there_are_spare_places_need_not_wait() -> None:
    shares = Shares(places=4, each=2, spare=2)
    greedy = [shares.ask(workspace) for workspace in ("one", "two") for _ in range(5)]
    assert granted(*greedy) == [True, True, False, False, False, True, False, False, False, False]
    assert granted(shares.ask("three")) == [True]


def test_two_that_are_greedy_do_not_keep_a_third_waiting_for_all_they_have() -> None:
    shares = Shares(places=3, each=2)
    greedy = [shares.ask(workspace) for workspace in ("one", "two") for _ in range(10)]
    late = shares.ask("three")
    assert granted(late) == [False]
    shares.give_back(next(place for place in greedy if place.granted.done()))
    assert granted(late) == [True]


def test_once_all_have_been_held_for_a_second_who_has_none_gets_a_further_one(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    shares = Shares(places=3, each=2, further=2)
    greedy = [shares.ask(workspace) for workspace in ("one", "two") for _ in range(5)]
    late = [shares.ask(workspace) for workspace in ("three", "three", "four", "five")]
    now[0] += 0.9
    shares.look()
    assert granted(*late) == [False] * 4
    now[0] += 0.1
    shares.look()
    assert granted(*late) == [True, False, True, False]
    assert granted(*greedy).count(True) == 3
    shares.give_back(late[0])
    assert granted(*late[1:]) == [False, True, True], "five goes first: it has had none"
    for place in (*greedy, *late[1:]):
        shares.give_back(place)
    assert granted(*(shares.ask(workspace) for workspace in "abcd")) == [True, True, True, False]


def test_no_long_work_gets_a_further_one(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    shares = Shares(places=1, each=1, further=2)
    shares.ask("one", 60.0)
    long, short = shares.ask("two", 5.0), shares.ask("three", 0.5)
    now[0] += 2
    shares.look()
    assert granted(long, short) == [False, True]


def test_short_work_keeps_no_long_work_waiting_however_many_have_some(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    shares = Shares(places=2, each=1, further=4)
    held = [shares.ask(f"short {number}") for number in range(8)]
    now[0] += 2
    shares.look()
    assert granted(*held).count(True) == 6
    long = shares.ask("long", 60.0)
    for _ in range(20):
        now[0] += 0.5
        done = next(place for place in held if place.granted.done())
        held.remove(done)
        shares.give_back(done)
        held.append(shares.ask(done.workspace))
    assert long.granted.done()


def test_who_waits_in_a_thread_finds_the_further_one(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    monkeypatch.setattr(module, "_BEAT_S", 0.0)
    shares = Shares(places=1, each=1, further=1)
    shares.ask("one")

    def beat() -> None:
        now[0] += 0.5
        assert now[0] < 110, "nobody looks"

    with shares.taken("two", beat):
        assert now[0] >= 101


def test_workspaces_take_turns() -> None:
    shares = Shares(places=1, each=1)
    first = shares.ask("one")
    waiting = [shares.ask(workspace) for workspace in ("one", "one", "one", "two", "two", "three")]
    order: list[str] = []
    shares.give_back(first)
    while has_one := [place for place in waiting if place.granted.done()]:
        order.append(has_one[0].workspace)
        waiting.remove(has_one[0])
        shares.give_back(has_one[0])
    assert order == ["two", "three", "one", "two", "one", "one"]


def test_small_work_goes_first_but_not_for_ever() -> None:
    shares = Shares(places=1, each=1)
    first, large, small = shares.ask("one"), shares.ask("one", 50.0), shares.ask("one", 0.1)
    shares.give_back(first)
    assert granted(large, small) == [False, True]
    late = shares.ask("one", 100.0)  # as if what is small had come a minute later
    shares.give_back(small)
    assert granted(large, late) == [True, False]


def test_of_very_many_that_come_once_no_more_is_kept_than_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_REMEMBERED", 2)
    shares = Shares(places=2, each=2)
    for workspace in map(str, range(9)):
        shares.give_back(shares.ask(workspace))
    assert list(shares._served) == ["7", "8"]  # pyright: ignore[reportPrivateUsage]
    assert not shares._held  # pyright: ignore[reportPrivateUsage]


def test_who_does_not_wait_any_more_takes_no_place() -> None:
    shares = Shares(places=1, each=1)
    first, gone, last = shares.ask("one"), shares.ask("two"), shares.ask("three")
    assert shares.is_wanted()
    shares.give_back(gone)
    shares.give_back(first)
    assert granted(gone, last) == [False, True]
    assert not shares.is_wanted()


def test_of_a_workspace_that_wants_very_much_each_is_looked_at_once() -> None:
    looks = list[Place]()

    class Counting(Shares):
        def _order(self, place: Place) -> tuple[int, int, tuple[float, int]]:
            looks.append(place)
            return super()._order(place)

    shares = Counting(places=1, each=1)
    asked = [shares.ask("one") for _ in range(500)] + [shares.ask("two")]
    for place in (asked[0], asked[-1], *asked[1:-1]):
        assert place.granted.done()
        shares.give_back(place)
    assert len(looks) <= 2 * len(asked)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=40), st.integers(1, 4))
def test_places_are_neither_lost_nor_made(steps: list[tuple[str, int]], places: int) -> None:
    shares, asked = Shares(places, max(places - 1, 1)), list[Place]()
    for workspace, number in steps:
        if number < 6 or not asked:
            asked.append(shares.ask(workspace))
        else:
            shares.give_back(asked.pop(number % len(asked)))
        assert sum(granted(*asked)) <= places
        assert not {place.workspace for place in asked} or any(granted(*asked))
    for place in asked:
        shares.give_back(place)
    assert granted(*(shares.ask(workspace) for workspace in "abcd"[:places])) == [True] * places
