"""One server that hangs must not hold up more than the calls that find it out."""

import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from retrieval import circuit_breaker
from retrieval.answer_limit import AnswerWithoutEnd, within
from retrieval.circuit_breaker import CircuitBreaker, NoAnswer, Patience
from tests.waiting import eventually

_SOON = Patience(0.02)
_LONG = Patience(60)
_ASKS_AGAIN = Patience(60, asks_again=True)


class Server:
    """Answers while `answers` is set, and hangs otherwise."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.answers.set()
        self.asked = 0
        self.probed = threading.Semaphore(0)

    def ask(self) -> str:
        self.asked += 1
        assert self.answers.wait(60)
        return "an answer"

    def probe(self) -> None:
        self.probed.release()
        assert self.answers.wait(60)


@pytest.fixture(autouse=True)
def _probes_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit_breaker, "_PROBE_S", 60)
    monkeypatch.setattr(circuit_breaker, "_SILENT_S", 60)


@pytest.fixture
def probed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits asks at once whether the server is there."""
    monkeypatch.setattr(circuit_breaker, "_SILENT_S", 0)
    monkeypatch.setattr(circuit_breaker, "_THERE_S", 0.02)


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.answers.set()


@pytest.fixture
def breaker(server: Server) -> CircuitBreaker:
    return CircuitBreaker("the server", server.probe, (ConnectionError,))


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(NoAnswer) as error:
        call()
    return str(error.value)


def test_an_answer_and_an_error_come_through(breaker: CircuitBreaker, server: Server) -> None:
    assert breaker.call(server.ask, _LONG) == "an answer"
    with pytest.raises(KeyError):
        breaker.call(lambda: {}["nothing"], _LONG)
    assert breaker.call(server.ask, _LONG) == "an answer", "an error is an answer, too"


class Useless(Exception):
    """An answer led to this."""


@pytest.mark.usefixtures("without_garbage_collection")
def test_an_error_is_free_at_once_with_the_answer_that_it_came_of(breaker: CircuitBreaker) -> None:
    def read() -> None:
        raise Useless

    with pytest.raises(Useless) as raised:
        breaker.call(read, _LONG)
    error = weakref.ref(raised.value)
    del raised
    eventually(lambda: error() is None)


def test_after_a_call_that_hangs_none_is_made_until_a_probe_is_answered(
    breaker: CircuitBreaker, server: Server
) -> None:
    server.answers.clear()
    assert "did not answer in time" in refused(lambda: breaker.call(server.ask, _SOON))
    for _ in range(20):  # more than there are threads, and with all the patience in the world
        refused(lambda: breaker.call(server.ask, _LONG))
    assert server.asked == 1
    assert server.probed.acquire(timeout=60)
    assert not server.probed.acquire(blocking=False), "one probe is on its way at a time"
    server.answers.set()
    assert breaker.call(server.ask, _ASKS_AGAIN) == "an answer"
    assert breaker.call(server.ask, _LONG) == "an answer"


@pytest.mark.usefixtures("probed_at_once")
def test_nobody_waits_for_a_server_that_does_not_even_answer_a_probe(breaker: CircuitBreaker, server: Server) -> None:
    server.answers.clear()
    assert "did not answer in time" in refused(lambda: breaker.call(server.ask, Patience(86_400)))
    refused(lambda: breaker.call(server.ask, Patience(86_400)))
    assert server.asked == 1


@pytest.mark.usefixtures("probed_at_once")
def test_a_thread_that_is_not_free_is_not_waited_for_where_a_probe_has_no_answer(
    breaker: CircuitBreaker, server: Server
) -> None:
    server.answers.clear()
    with ThreadPoolExecutor(8) as threads:
        calls = [threads.submit(breaker.call, server.ask, _ASKS_AGAIN) for _ in range(8)]
        while server.asked < 8:
            threading.Event().wait(0.001)
        assert "8 calls wait" in refused(lambda: breaker.call(server.ask, Patience(86_400)))
        server.answers.set()
        assert [call.result(60) for call in calls] == ["an answer"] * 8


@pytest.mark.usefixtures("probed_at_once")
def test_a_server_that_is_busy_and_answers_probes_is_waited_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "_THERE_S", 60)
    breaker = CircuitBreaker("the server", server.answers.set, (ConnectionError,))
    server.answers.clear()
    assert breaker.call(server.ask, _LONG) == "an answer"
    assert breaker.call(server.ask, _LONG) == "an answer"


def test_a_server_that_cannot_be_reached_is_away_at_once(breaker: CircuitBreaker, server: Server) -> None:
    def unreachable() -> None:
        raise ConnectionError("nobody listens")

    server.answers.clear()
    assert refused(lambda: breaker.call(unreachable, _LONG)) == "nobody listens"
    assert refused(lambda: breaker.call(server.ask, _LONG)) == "nobody listens"
    assert server.asked == 0


def test_a_server_that_refuses_what_it_was_asked_and_answers_a_probe_is_not_away(server: Server) -> None:
    breaker = CircuitBreaker("the server", server.probe, doubtful=(ValueError,))

    def too_long() -> None:
        raise ValueError("this text is too long")

    assert refused(lambda: breaker.call(too_long, _LONG)) == "this text is too long"
    assert not breaker.is_away()
    assert breaker.call(server.ask, _LONG) == "an answer"


def test_a_server_that_refuses_and_answers_no_probe_is_away() -> None:
    def refuse() -> None:
        raise ValueError("no such key")

    breaker = CircuitBreaker("the server", refuse, doubtful=(ValueError,))
    assert refused(lambda: breaker.call(refuse, _LONG)) == "no such key"
    assert breaker.is_away()


def test_a_probe_that_fails_changes_nothing_and_the_next_may_succeed() -> None:
    failures = iter([ConnectionError("still"), ConnectionError("not yet")])

    def probe() -> None:
        for failure in failures:
            raise failure

    def unreachable() -> None:
        raise ConnectionError("nobody listens")

    breaker = CircuitBreaker("the server", probe, (ConnectionError,))
    refused(lambda: breaker.call(unreachable, _LONG))
    refused(lambda: breaker.call(lambda: "an answer", _ASKS_AGAIN))
    refused(lambda: breaker.call(lambda: "an answer", _ASKS_AGAIN))
    assert breaker.call(lambda: "an answer", _ASKS_AGAIN) == "an answer"


def test_a_probe_that_hangs_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection may hang or drip when the server is back for all others."""
    monkeypatch.setattr(circuit_breaker, "_PROBE_S", 0)
    over, hangs = threading.Event(), threading.Semaphore(2)
    probed = threading.Semaphore(0)

    def probe() -> None:
        probed.release()
        if hangs.acquire(blocking=False):
            over.wait()

    def unreachable() -> None:
        raise ConnectionError("nobody listens")

    breaker = CircuitBreaker("the server", probe, (ConnectionError,))
    refused(lambda: breaker.call(unreachable, _LONG))
    assert breaker.is_away()
    assert breaker.is_away()
    assert probed.acquire(timeout=60)
    assert not probed.acquire(blocking=False), "it is waited for"
    monkeypatch.setattr(breaker, "_hangs_at", 0.0)
    assert breaker.is_away()
    assert probed.acquire(timeout=60)
    monkeypatch.setattr(breaker, "_hangs_at", 0.0)
    monkeypatch.setattr(circuit_breaker, "_PROBE_S", 60)
    assert breaker.call(lambda: "an answer", _ASKS_AGAIN) == "an answer"
    over.set()


def test_calls_that_never_end_take_no_thread_from_later_ones(breaker: CircuitBreaker, server: Server) -> None:
    over = threading.Event()
    for _ in range(9):
        refused(lambda: breaker.call(over.wait, _SOON))
        assert breaker.call(server.ask, _ASKS_AGAIN) == "an answer"
    over.set()


def test_where_too_many_calls_never_end_the_server_is_away_until_one_does(
    breaker: CircuitBreaker, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "_MOST_HANGING", 2)
    over = threading.Event()
    refused(lambda: breaker.call(over.wait, _SOON))
    assert breaker.call(server.ask, _ASKS_AGAIN) == "an answer"
    refused(lambda: breaker.call(over.wait, _SOON))
    for _ in range(20):
        refused(lambda: breaker.call(server.ask, _ASKS_AGAIN))
    over.set()
    eventually(lambda: not breaker.is_away())
    assert breaker.call(server.ask, _LONG) == "an answer"


def test_for_a_probe_that_hangs_calls_wait_once(breaker: CircuitBreaker, server: Server) -> None:
    server.answers.clear()
    refused(lambda: breaker.call(server.ask, _SOON))
    assert breaker.is_away()  # which sends the probe
    breaker._probed_at -= 60  # pyright: ignore[reportPrivateUsage]
    for _ in range(20):  # for a minute each, they would wait for too long
        refused(lambda: breaker.call(server.ask, _ASKS_AGAIN))


def test_whatever_a_client_says_when_its_time_is_over_it_did_not_answer_in_time() -> None:
    def gives_up() -> None:
        raise ConnectionError("timed out")

    with pytest.raises(AnswerWithoutEnd, match="did not answer in time"):
        within(0, gives_up)


def test_calls_at_once_have_so_many_threads_and_the_next_waits_no_longer_than_it_would_for_an_answer(
    breaker: CircuitBreaker, server: Server
) -> None:
    server.answers.clear()
    calls = [threading.Thread(target=lambda: breaker.call(server.ask, _LONG)) for _ in range(8)]
    for call in calls:
        call.start()
    while server.asked < len(calls):
        threading.Event().wait(0.001)
    assert "8 calls wait" in refused(lambda: breaker.call(server.ask, _SOON))
    server.answers.set()
    for call in calls:
        call.join(60)
    assert breaker.call(server.ask, _ASKS_AGAIN) == "an answer"


def test_at_the_end_nobody_waits_any_more(breaker: CircuitBreaker, server: Server) -> None:
    server.answers.clear()
    with ThreadPoolExecutor(12) as threads:
        waiting = [threads.submit(refused, lambda: breaker.call(server.ask, _LONG)) for _ in range(12)]
        while server.asked < 8:
            pass
        breaker.end()
        assert {each.result(30) for each in waiting} == {"we end, and do not wait for its answer"}
    assert refused(lambda: breaker.call(server.ask, _LONG)) == "we end, and do not wait for its answer"
    assert server.asked == 8
