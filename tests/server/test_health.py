"""Which stores answer, said without waiting for one that does not."""

import threading
from importlib.metadata import Distribution, PackageNotFoundError, version

import pytest

from corpora import CorpusError
from retrieval import VectorStoreUnavailable
from tests.server.house import House
from tests.waiting import eventually


def test_a_server_whose_stores_answer_is_ok(home: House) -> None:
    with home.http() as http:
        answer = http.get("/healthz")
    assert answer.status_code == 200
    assert (answer.json()["status"], answer.json()["stores"]) == ("ok", {"catalog": "ok", "vectors": "ok"})


@pytest.mark.parametrize(
    ("part", "method", "error", "status", "code"),
    [
        ("retriever", "check_vectors", VectorStoreUnavailable("It is away."), "degraded", 200),
        ("catalog", "ping", CorpusError("It is away."), "unavailable", 503),
        ("catalog", "ping", ZeroDivisionError("A fault of ours."), "unavailable", 503),
    ],
)
def test_a_store_that_is_away_is_named(
    home: House, part: str, method: str, error: Exception, status: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(getattr(home, part), method, fail)
    with home.http() as http:
        answer = http.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (code, status)
    assert [name for name, state in answer.json()["stores"].items() if state == "away"] == [
        "vectors" if part == "retriever" else "catalog"
    ]
    assert "fault" not in answer.text


def test_a_store_that_hangs_is_asked_once_however_many_want_to_know(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, asked = threading.Event(), list[int]()

    def hang() -> None:
        asked.append(1)
        goes_on.wait(60)

    monkeypatch.setattr(home.retriever, "check_vectors", hang)
    try:
        with home.http() as http:
            for _ in range(30):
                answer = http.get("/healthz")
                assert (answer.status_code, answer.json()["stores"]["vectors"]) == (200, "away")
            assert len(asked) == 1
            goes_on.set()
            eventually(lambda: http.get("/healthz").json()["status"] == "ok")
    finally:
        goes_on.set()


def test_the_version_is_known_without_the_package_which_may_be_replaced_under_a_running_server(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(name: str) -> Distribution:
        raise PackageNotFoundError(name)

    known = version("fletcher-arrow")
    monkeypatch.setattr(Distribution, "from_name", gone)
    with home.http() as http:
        answer = http.get("/healthz")
    assert (answer.status_code, answer.json()["version"]) == (200, known)
    with home.client() as client:
        client.send("hello", dialect="fletcher")
        assert client.frame()["version"] == known
