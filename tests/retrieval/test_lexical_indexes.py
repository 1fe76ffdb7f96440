from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore
from weakref import ref

import pytest

from corpora import Catalog, Passage, ProjectKey, shares
from retrieval.freed_memory import give_back
from retrieval.lexical_indexes import LexicalIndexes, _Kept  # pyright: ignore[reportPrivateUsage]
from retrieval.words import kept_stem
from tests.retrieval.conftest import Put
from tests.waiting import eventually


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def indexes(catalog: Catalog, clock: Clock) -> Iterator[LexicalIndexes]:
    opened = LexicalIndexes(catalog, clock)
    yield opened
    opened.close()


@pytest.fixture
def slow(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Event:
    """From now on building waits for this event."""
    go, passages = Event(), catalog.passages

    def waiting(key: ProjectKey, document_id: str | None = None) -> list[Passage]:
        go.wait()
        return passages(key, document_id)

    monkeypatch.setattr(catalog, "passages", waiting)
    return go


def test_an_unchanged_corpus_is_indexed_once(indexes: LexicalIndexes, key: ProjectKey, put: Put) -> None:
    put(key, "a.md", "dragon")
    assert indexes.current(key) is indexes.current(key)


def test_a_change_makes_a_new_index(indexes: LexicalIndexes, key: ProjectKey, put: Put, clock: Clock) -> None:
    put(key, "a.md", "dragon")
    indexes.current(key)
    put(key, "b.md", "unicorn")
    clock.now = 2
    assert indexes.current(key).scores("unicorn").any()


def test_while_a_new_one_is_built_the_old_one_answers(
    indexes: LexicalIndexes, key: ProjectKey, put: Put, clock: Clock, slow: Event
) -> None:
    slow.set()
    put(key, "a.md", "dragon")
    old = indexes.current(key)
    slow.clear()
    put(key, "b.md", "unicorn")
    clock.now = 1
    assert indexes.current(key) is old
    slow.set()
    indexes.refresh(key)
    assert indexes.current(key).version == 2


@pytest.mark.parametrize("asked_at", [1, 2])
def test_a_large_index_is_not_in_memory_while_the_next_is_made(
    catalog: Catalog, key: ProjectKey, put: Put, clock: Clock, monkeypatch: pytest.MonkeyPatch, asked_at: float
) -> None:
    indexes = LexicalIndexes(catalog, clock, large_bytes=1_000)
    put(key, "a.md", "dragon")
    old = ref(indexes.current(key))
    put(key, "b.md", "unicorn")
    clock.now = asked_at
    begun, go = held_up(catalog, monkeypatch, [key])
    with ThreadPoolExecutor() as pool:
        refresh = pool.submit(indexes.refresh, key)
        assert begun.wait(120)
        current = pool.submit(indexes.current, key)
        gone = old() is None
        go.set()
        refresh.result()
        assert current.result().version == 2
    assert gone
    indexes.close()


def test_an_old_index_may_not_answer_when_it_could_lack_a_write_older_than_two_seconds(
    indexes: LexicalIndexes, key: ProjectKey, put: Put, clock: Clock, slow: Event
) -> None:
    slow.set()
    put(key, "a.md", "dragon")
    indexes.current(key)
    slow.clear()
    put(key, "b.md", "unicorn")
    clock.now = 2
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(indexes.current, key)
        slow.set()
        assert waiting.result().version == 2


def test_a_refresh_sees_what_was_written_after_a_build_began(
    indexes: LexicalIndexes, catalog: Catalog, key: ProjectKey, put: Put, slow: Event
) -> None:
    put(key, "a.md", "dragon")
    with ThreadPoolExecutor() as pool:
        first = pool.submit(indexes.current, key)
        eventually(lambda: indexes._kept)  # pyright: ignore[reportPrivateUsage] - the build has been asked for
        put(key, "b.md", "unicorn")
        refresh = pool.submit(indexes.refresh, key)
        slow.set()
        first.result()
        refresh.result()
    assert indexes.current(key).version == 2


def test_refresh_of_a_project_that_nobody_searches_builds_nothing(
    indexes: LexicalIndexes, key: ProjectKey, put: Put, slow: Event
) -> None:
    put(key, "a.md", "dragon")
    indexes.refresh(key)  # would wait for ever


def test_a_failed_build_is_reported_and_tried_again(
    indexes: LexicalIndexes, catalog: Catalog, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(key: ProjectKey, document_id: str | None = None) -> list[Passage]:
        raise OSError("disk")

    put(key, "a.md", "dragon")
    with monkeypatch.context() as patch:
        patch.setattr(catalog, "passages", broken)
        with pytest.raises(OSError, match="disk"):
            indexes.current(key)
    assert indexes.current(key).version == 1


def test_what_a_removed_document_took_is_given_back(
    indexes: LexicalIndexes, catalog: Catalog, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[int] = []
    monkeypatch.setattr("retrieval.lexical_indexes.give_back", lambda: given_back.append(1))
    put(key, "a.md", "dragon")
    put(key, "b.md", *(f"unicorn{number}" for number in range(100)))
    indexes.refresh(key)
    indexes.current(key)
    assert not given_back
    catalog.remove_document(key, key.document_id("b.md"))
    indexes.refresh(key)
    assert given_back
    assert kept_stem.cache_info().currsize == 0, "words that are kept would keep what lay among them"


def test_giving_back_harms_nobody() -> None:
    give_back()


def test_the_indexes_that_were_asked_for_last_are_kept_and_no_others(catalog: Catalog, put: Put) -> None:
    keys = [ProjectKey("local", str(number)) for number in range(4)]
    for key in keys:
        put(key, "a.md", *(f"dragon {number}" for number in range(9)))
    indexes = LexicalIndexes(catalog, most_bytes=30_000)
    first, *_ = [indexes.current(key) for key in keys[:3]]
    assert indexes.current(keys[0]) is first
    indexes.current(keys[3])
    assert list(indexes._kept) == [keys[2], keys[0], keys[3]]  # pyright: ignore[reportPrivateUsage]
    assert indexes.current(keys[1]).scores("dragon").any(), "it is built again when it is needed"
    indexes.close()


def test_an_index_that_is_too_large_for_the_limit_is_kept_while_nobody_needs_another(
    catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", *(f"dragon {number}" for number in range(9)))
    put(other := ProjectKey("local", "2"), "b.md", "unicorn")
    indexes = LexicalIndexes(catalog, most_bytes=5_000)
    assert indexes.current(key) is indexes.current(key)
    indexes.current(other)
    assert list(indexes._kept) == [other]  # pyright: ignore[reportPrivateUsage]
    indexes.close()


ALICE, BOB = (ProjectKey(workspace, "1") for workspace in ("alice", "bob"))


def held_up(catalog: Catalog, monkeypatch: pytest.MonkeyPatch, keys: list[ProjectKey]) -> tuple[Event, Event]:
    """Builds of these projects tell by the first event that one has begun, and wait for the second."""
    begun, go, passages = Event(), Event(), catalog.passages

    def waiting(key: ProjectKey, document_id: str | None = None) -> list[Passage]:
        if key in keys:
            begun.set()
            assert go.wait(120)
        return passages(key, document_id)

    monkeypatch.setattr(catalog, "passages", waiting)
    return begun, go


@pytest.mark.parametrize("passages_of_bob", [2, 9])
def test_nobody_waits_for_what_another_workspace_builds(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch, passages_of_bob: int
) -> None:
    of_alice = [ProjectKey("alice", str(number)) for number in range(3)]
    for key in of_alice:
        put(key, "a.md", *(f"dragon {number}" for number in range(9)))
    put(BOB, "b.md", *(f"unicorn {number}" for number in range(passages_of_bob)))
    begun, go = held_up(catalog, monkeypatch, of_alice)
    indexes = LexicalIndexes(catalog, small=5)
    with ThreadPoolExecutor() as pool:
        try:
            asked = [pool.submit(indexes.current, key) for key in of_alice]
            assert begun.wait(120)
            assert pool.submit(indexes.current, BOB).result(60).scores("unicorn").any()
            assert not any(one.done() for one in asked)
        finally:
            go.set()
    indexes.close()


def test_a_small_index_waits_for_no_large_one_of_its_workspace(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = ProjectKey("alice", "small")
    put(ALICE, "a.md", *(f"dragon {number}" for number in range(9)))
    put(small, "b.md", "unicorn")
    begun, go = held_up(catalog, monkeypatch, [ALICE])
    indexes = LexicalIndexes(catalog, small=5)
    with ThreadPoolExecutor() as pool:
        try:
            pool.submit(indexes.current, ALICE)
            assert begun.wait(120)
            assert pool.submit(indexes.current, small).result(60).scores("unicorn").any()
        finally:
            go.set()
    indexes.close()


def test_nobody_waits_for_small_indexes_of_others_that_take_long(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "_LONG_S", 0.1)
    greedy = [ProjectKey(workspace, "1") for workspace in ("alice", "carol", "dave")]
    for key in (*greedy, BOB):
        put(key, "a.md", "unicorn")
    _, go = held_up(catalog, monkeypatch, greedy)
    indexes = LexicalIndexes(catalog)
    with ThreadPoolExecutor() as pool:
        try:
            asked = [pool.submit(indexes.current, key) for key in greedy]
            assert pool.submit(indexes.current, BOB).result(60).scores("unicorn").any()
            assert not any(one.done() for one in asked)
        finally:
            go.set()
    indexes.close()


def test_what_has_grown_while_it_waited_is_not_made_among_the_small(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, growing, carol = ProjectKey("alice", "first"), ProjectKey("alice", "growing"), ProjectKey("carol", "1")
    for key in (first, growing, BOB, carol):
        put(key, "a.md", "unicorn")
    waits = [held_up(catalog, monkeypatch, [key]) for key in (BOB, first, growing)]
    indexes = LexicalIndexes(catalog, small=5)
    with ThreadPoolExecutor() as pool:
        try:
            for key, (begun, _) in zip((BOB, first), waits, strict=False):
                pool.submit(indexes.current, key)
                assert begun.wait(120)
            grown = indexes._building(growing, indexes._kept.setdefault(growing, _Kept()))  # pyright: ignore[reportPrivateUsage]
            put(growing, "b.md", *(f"dragon {number}" for number in range(9)))
            asked = pool.submit(indexes.current, growing)
            waits[1][1].set()
            assert waits[2][0].wait(120)
            assert pool.submit(indexes.current, carol).result(60).scores("unicorn").any()
        finally:
            for _, go in waits:
                go.set()
    assert grown.exception() is not None
    assert asked.result().scores("dragon").any()
    indexes.close()


def test_of_huge_indexes_one_is_made_at_a_time_and_what_is_too_much_is_dropped_before(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [ALICE, BOB, ProjectKey("carol", "1")]
    for key in keys:
        put(key, "a.md", *(f"dragon {number}" for number in range(9)))
    made, passages = list[tuple[int, int]](), catalog.passages
    under_way, indexes = Semaphore(1), LexicalIndexes(catalog, small=2, huge=5, most_bytes=5_000)

    def alone(key: ProjectKey, document_id: str | None = None) -> list[Passage]:
        assert under_way.acquire(blocking=False), "another one is being made"
        kept = indexes._kept.values()  # pyright: ignore[reportPrivateUsage]
        made.append((len(made), sum(one.index is not None for one in kept)))
        eventually(lambda: len(indexes._kept) + len(made) > 3)  # pyright: ignore[reportPrivateUsage]
        found = passages(key, document_id)
        under_way.release()
        return found

    monkeypatch.setattr(catalog, "passages", alone)
    with ThreadPoolExecutor() as pool:
        assert all(one.scores("dragon").any() for one in pool.map(indexes.current, keys))
    assert made == [(0, 0), (1, 0), (2, 0)]
    indexes.close()


def test_what_somebody_has_just_asked_for_is_not_dropped_for_another(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in (ALICE, BOB):
        put(key, "a.md", *(f"dragon {number}" for number in range(9)))
    indexes, count, asked, go = LexicalIndexes(catalog, most_bytes=5_000), catalog.passage_count, Event(), Event()

    def counted(key: ProjectKey) -> int:
        if key == BOB:
            asked.set()
            assert go.wait(120)
        return count(key)

    monkeypatch.setattr(catalog, "passage_count", counted)
    with ThreadPoolExecutor() as pool:
        of_bob = pool.submit(indexes.current, BOB)
        assert asked.wait(120)
        indexes.current(ALICE)
        go.set()
        assert indexes.current(BOB) is of_bob.result()
    indexes.close()


def test_what_waits_to_be_made_anew_is_dropped_as_others_are(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexes = LexicalIndexes(catalog, most_bytes=100_000)
    of_alice, carol = [ProjectKey("alice", str(number)) for number in range(4)], ProjectKey("carol", "1")
    put(BOB, "b.md", "unicorn")
    of_bob = indexes.current(BOB)
    for key in of_alice:
        put(key, "a.md", *(f"dragon {number}" for number in range(9)))
        indexes.current(key)
        put(key, "b.md", "drake")
    put(carol, "c.md", "griffin")
    passages, begun, go = catalog.passages, Event(), Event()

    def waiting(key: ProjectKey, document_id: str | None = None) -> list[Passage]:
        if key.workspace == "alice":
            begun.set()
            assert go.wait(120)
        return passages(key, document_id)

    monkeypatch.setattr(catalog, "passages", waiting)
    kept = indexes._kept  # pyright: ignore[reportPrivateUsage]
    with ThreadPoolExecutor() as pool:
        made = [pool.submit(indexes.refresh, of_alice[0])]
        assert begun.wait(120)
        made += [pool.submit(indexes.refresh, key) for key in of_alice[1:]]
        eventually(lambda: all(kept[key].is_waited_for for key in of_alice))
        monkeypatch.setattr(indexes, "_most_bytes", 25_000)
        indexes.current(carol)
        assert sum(one.size for one in kept.values()) <= 25_000
        assert indexes.current(BOB) is of_bob
        go.set()
        for one in made:
            one.result()
        assert all(indexes.current(key).scores("drake").any() for key in of_alice)
    indexes.close()


def test_nobody_loses_an_index_to_a_workspace_that_has_more(catalog: Catalog, put: Put) -> None:
    of_alice = [ProjectKey("alice", str(number)) for number in range(4)]
    for key in of_alice:
        put(key, "a.md", *(f"dragon {number}" for number in range(9)))
    put(BOB, "b.md", "unicorn")
    indexes = LexicalIndexes(catalog, most_bytes=25_000)
    of_bob = indexes.current(BOB)
    for key in of_alice:
        indexes.current(key)
    assert indexes.current(BOB) is of_bob
    assert list(indexes._kept) == [*of_alice[2:], BOB]  # pyright: ignore[reportPrivateUsage]
    indexes.close()
