"""Guessing at tokens is slow and leaves a trace, and nobody else is locked out by it."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from server import Access, Limits
from server.access.rules import AccessDenied, TooManyWrongTokens
from server.access.wrong_tokens import WrongTokens
from tests.agent.scripted_model import PATIENCE_S
from tests.server.client import Client
from tests.server.house import House, house
from tests.server.test_limits import Clock, code_of

TOKENS = {"ada's token": "ada", "bo's token": "bo"}


def outcomes(access: Access, token: str, times: int, address: str = "192.0.2.1") -> list[str]:
    """What each of so many attempts leads to."""
    found: list[str] = []
    for _ in range(times):
        try:
            found.append(access.workspace(token, address=address))
        except AccessDenied as denied:
            found.append(denied.code)
    return found


def test_an_address_that_guesses_waits() -> None:
    clock = Clock()
    access = Access(TOKENS, wrong_tokens=WrongTokens(clock))
    assert outcomes(access, "a guess", 12) == ["UNAUTHORIZED"] * 10 + ["RATE_LIMITED"] * 2
    assert outcomes(access, "ada's token", 1) == ["RATE_LIMITED"], "a right guess looks like a wrong one"
    assert outcomes(access, "ada's token", 1, "192.0.2.2") == ["ada"]
    with pytest.raises(TooManyWrongTokens) as refused:
        access.workspace("a guess", address="192.0.2.1")
    clock.now += int(refused.value.header[1])
    assert outcomes(access, "ada's token", 1) == ["ada"]


def test_who_is_in_already_stays_in() -> None:
    """Behind a proxy that does not say who asks, everybody has one address."""
    access = Access(TOKENS, wrong_tokens=WrongTokens(Clock()))
    assert outcomes(access, "ada's token", 1) == ["ada"]
    outcomes(access, "a guess", 50)
    assert outcomes(access, "ada's token", 50) == ["ada"] * 50
    assert outcomes(access, "bo's token", 1) == ["RATE_LIMITED"]


def test_a_network_is_one_guesser() -> None:
    access = Access(TOKENS, wrong_tokens=WrongTokens(Clock()))
    found = [outcomes(access, "a guess", 1, f"2001:db8::{n:x}")[0] for n in range(11)]
    assert found == ["UNAUTHORIZED"] * 10 + ["RATE_LIMITED"]
    mapped = [outcomes(access, "a guess", 1, f"::ffff:198.51.100.{n}")[0] for n in range(11)]
    assert mapped == ["UNAUTHORIZED"] * 11, "these are of as many machines"


def test_no_token_is_no_guess() -> None:
    access = Access(TOKENS, wrong_tokens=WrongTokens(Clock()))
    assert outcomes(access, "", 50) == ["UNAUTHORIZED"] * 50
    assert outcomes(access, "bo's token", 1) == ["bo"]


def test_the_log_has_the_address_and_not_the_token(caplog: pytest.LogCaptureFixture) -> None:
    access = Access(TOKENS, wrong_tokens=WrongTokens(Clock()))
    with caplog.at_level(logging.WARNING):
        for host in range(100):
            outcomes(access, "my secret guess", 5, f"192.0.2.{host}")
    assert 1 <= len(caplog.records) <= 60
    assert "192.0.2.0" in caplog.text
    assert "secret" not in caplog.text


def test_guesses_do_not_lock_the_owner_out() -> None:
    """Every user of the machine has the owner's address; nobody guesses a key of 256 bits."""
    access = Access(owner_key="the owner's key", requires_key=True, wrong_tokens=WrongTokens(Clock()))
    assert outcomes(access, "a guess", 20, "127.0.0.1")[-1] == "RATE_LIMITED"
    assert outcomes(access, "the owner's key", 20, "127.0.0.1") == ["local"] * 20


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[House]:
    """Room for ten clients, of which two may be about to say who they are, and one from each address."""
    limits = Limits(call_timeout_s=PATIENCE_S, connections=10)
    with house(tmp_path, access=Access(TOKENS), limits=limits) as opened:
        yield opened


def test_guesses_over_every_way_in_are_counted_together(guarded: House) -> None:
    guess = {"Authorization": "Bearer a guess"}
    with guarded.http(**guess) as http:
        for _ in range(5):
            assert http.get("/projects/1/documents").status_code == 401
    for _ in range(3):
        with pytest.raises(InvalidStatus), guarded.client(additional_headers=guess):
            pass
    for _ in range(2):
        with guarded.client() as client:
            client.send("hello", token="a guess")
            assert code_of(client)[0] == 1008
    with guarded.http(**guess) as http:
        answer = http.get("/projects/1/documents")
        assert answer.status_code == 429
        assert answer.json()["error"]["code"] == "RATE_LIMITED"
        assert 1 <= int(answer.headers["Retry-After"]) <= 60
        assert http.get("/healthz").status_code == 200


def test_a_client_that_is_in_guesses_as_little(guarded: House) -> None:
    with guarded.client("/ws/chat?token=ada%27s%20token") as client:
        client.send("hello", token="bo's token")
        assert client.frame()["workspace"] == "bo"
        client.send("hello", token="a guess")
        assert code_of(client)[0] == 1008


def test_who_says_nothing_takes_nobodys_place(guarded: House) -> None:
    with ExitStack() as opened:
        first: Client = opened.enter_context(guarded.client())
        silent: Client = opened.enter_context(guarded.client())
        assert code_of(first)[0] == 1013, "one of each address: the newcomer gets in"
        clients = [opened.enter_context(guarded.client("/ws/chat?token=bo%27s%20token")) for _ in range(10)]
        for client in clients:
            client.assert_quiet()
        silent.send("hello", token="bo's token")
        assert code_of(silent)[0] == 1013, "but then there is no place for it in its workspace"
    for _ in range(12):
        assert guarded.watched.sockets_done.acquire(timeout=PATIENCE_S)
    with guarded.client() as client:
        client.send("hello", token="ada's token")
        assert client.frame()["workspace"] == "ada"


def test_who_is_not_known_sends_nothing_long(guarded: House) -> None:
    with guarded.client(compression=None) as client:
        with suppress(ConnectionClosed):  # as soon as the server has read how long it is
            client.send("hello", token="ada's token", client="x" * 200_000)
        assert code_of(client)[0] == 1009
    with guarded.client() as client:
        client.send("hello", token="ada's token")
        client.send("hello", capabilities=["x" * 200_000])
        assert [client.frame()["type"] for _ in range(2)] == ["connected", "connected"]


def _statuses(guarded: House, address: str, guesses: int) -> list[int]:
    headers = {"X-Forwarded-For": address, "Authorization": "Bearer a guess"}
    with guarded.http(**headers) as http:
        return [http.get("/projects/1/documents").status_code for _ in range(guesses)]


def test_an_address_that_somebody_makes_up_is_not_believed(guarded: House) -> None:
    statuses = [_statuses(guarded, f"198.51.100.{n}", 1)[0] for n in range(11)]
    assert statuses == [401] * 10 + [429]


@pytest.mark.parametrize(("proxy", "fresh"), [("127.0.0.1", 401), ("192.0.2.9", 429), ("", 429)])
def test_only_the_proxy_that_the_operator_names_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: str, fresh: int
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", proxy)
    with house(tmp_path, access=Access(TOKENS)) as opened:
        assert _statuses(opened, "198.51.100.1", 11)[-1] == 429
        assert _statuses(opened, "198.51.100.2", 1) == [fresh]


def test_who_says_nothing_from_many_addresses_of_a_network_makes_room_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    limits = Limits(call_timeout_s=PATIENCE_S, connections=20)  # 4 unknown ones, 2 of each address
    with house(tmp_path, access=Access(TOKENS), limits=limits) as opened, ExitStack() as sockets:
        addresses = ["198.51.100.1", *(f"2001:db8::{number}" for number in range(4))]
        headers = [{"X-Forwarded-For": address} for address in addresses]
        other, first, *_ = [sockets.enter_context(opened.client(additional_headers=each)) for each in headers]
        assert code_of(first)[0] == 1013
        other.send("hello", token="ada's token")
        assert other.frame()["workspace"] == "ada"


def test_the_oldest_that_says_nothing_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two addresses of somebody who says nothing hold every place; whoever brings its token in a hello gets in."""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    limits = Limits(call_timeout_s=PATIENCE_S, connections=20)  # 4 unknown ones, 2 of each address
    with house(tmp_path, access=Access(TOKENS), limits=limits) as opened, ExitStack() as sockets:

        def silent(address: str) -> Client:
            return sockets.enter_context(opened.client(additional_headers={"X-Forwarded-For": address}))

        oldest, *others = [silent(f"198.51.100.{n // 2}") for n in range(4)]
        for _ in range(3):
            with opened.client() as client:
                client.send("hello", token="ada's token")
                assert client.frame()["workspace"] == "ada"
        assert code_of(oldest)[0] == 1013
        for other in others:
            other.send("hello", token="bo's token")
            assert other.frame()["workspace"] == "bo", "one place was enough"
