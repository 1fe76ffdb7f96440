"""Who may connect, and that what one may see the other does not."""

import socket
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.types import Receive, Scope, Send
from websockets.exceptions import ConnectionClosed, InvalidStatus

from corpora import ProjectKey
from server import WORKSPACE_HEADER, Access
from server.access.rules import AccessMiddleware
from server.limits.rounds import Rounds
from tests.agent.scripted_model import PATIENCE_S, Use
from tests.agent.story import story_text
from tests.server.client import texts
from tests.server.house import House, house

TOKENS = {"ada's token": "ada", "bo's tökén": "bo"}
OWNER_KEY = "the owner's key"


@contextmanager
def guarding(path: Path) -> Generator[House]:
    """A server where two workspaces have a project of the same id."""
    access = Access(
        tokens=TOKENS,
        owner_key=OWNER_KEY,
        allowed_hosts=("fletcher.example",),
        allowed_origins=("https://studio.example",),
    )
    with house(path, access=access) as opened:
        opened.put("bible.md", "# Ada's\n\nElena keeps the lighthouse.\n", ProjectKey("ada", "1"))
        opened.put("bible.md", "# Bo's\n\nElena robs the bank.\n", ProjectKey("bo", "1"))
        yield opened


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[House]:
    """A server of the test's own."""
    with guarding(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for all who only ask; who guesses at tokens is slowed down, and has one of the test's own."""
    with guarding(tmp_path_factory.mktemp("asked")) as opened:
        yield opened


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_of_cookies_only_ours_are_taken_apart_and_nothing_is_unquoted(
    asked: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[str]()
    monkeypatch.setattr("http.cookies._unquote", lambda value: seen.append(value) or value)
    session = f"fletcher_{asked.url.rpartition(':')[2]}"
    foreign = "a=b; fletcher=c; fletcher_1=d; not_fletcher=e; " + ";".join(f"f{number}" for number in range(100))
    cookie = {"Cookie": f'{foreign}; {session}="' + "\\" * 1000 + '"; fletcher_scheme=dark'}
    for headers, status in ((cookie, 401), (cookie | bearer("ada's token"), 200)):
        with asked.http(**headers) as http:
            assert http.get("/projects").status_code == status
    assert set(seen) == {"", "dark"}


def test_two_workspaces_never_meet(guarded: House) -> None:
    guarded.model.otherwise = ["Elena [1]."]
    with (
        guarded.client(additional_headers=bearer("ada's token")) as ada,
        guarded.client("/ws/chat?token=bo%27s%20t%C3%B6k%C3%A9n") as bo,
    ):
        ada.sync(story_text("Ada's story"))
        bo.sync(story_text("Bo's story"))
        for client, own, others in ((ada, "lighthouse", "bank"), (bo, "bank", "lighthouse")):
            client.turn("What does Elena do?")
            request = guarded.model.requests[-1]
            assert own in request.everything
            assert others not in request.everything
            assert "Elena" in request.context
        assert "Ada's story" in guarded.model.requests[0].context
        assert "Ada's story" not in guarded.model.requests[1].context


def test_a_client_that_changes_its_workspace_takes_nothing_along(guarded: House) -> None:
    guarded.model.otherwise = ["Done."]
    with guarded.client(additional_headers=bearer("ada's token")) as client:
        client.turn("What now?", history=[{"message": "What is hidden?", "output": "The wreck."}])
        client.send("hello", token="bo's tökén")
        assert client.frame()["workspace"] == "bo"
        client.sync(story_text("Bo's story"))
        client.send("confirmation", decision="modify", message="And now?", request_id="t1")
        client.until("end")
    assert "Bo's story" in guarded.model.requests[-1].context
    assert "The wreck" in guarded.model.requests[0].everything
    assert "The wreck" not in guarded.model.requests[-1].everything


def test_two_workspaces_never_meet_over_http(asked: House) -> None:
    with asked.http(**bearer("ada's token")) as ada:
        found = ada.get("/projects/1/search", params={"q": "bank lighthouse Elena"}).json()["passages"]
        assert [passage["text"] for passage in found] == ["Elena keeps the lighthouse."]
        document_id = found[0]["document_id"]
        assert ada.get("/projects/1/search?q=Elena&token=x").status_code == 200, "the header counts"
    with asked.http() as bo:
        token = {"token": "bo's tökén"}
        assert bo.delete(f"/projects/1/documents/{document_id}", params=token).status_code == 404
        (own,) = bo.get("/projects/1/documents", params=token).json()["documents"]
        assert own["id"] != document_id


def test_a_question_of_one_workspace_is_not_answered_by_another(guarded: House) -> None:
    story = {"arrow_content": story_text()}
    with guarded.http(**bearer("ada's token")) as ada, guarded.http() as bo:
        guarded.model.add([Use("delete_node", {"node_id": 3})])
        asked = ada.post("/projects/1/turns", json=story | {"message": "Remove the pier."}).json()
        pending_id = asked["question"]["pending_id"]
        yes = story | {"message": "yes", "pending_id": pending_id}
        refused = bo.post("/projects/1/turns", json=yes, params={"token": "bo's tökén"})
        assert refused.status_code == 404
        assert refused.json()["error"]["code"] == "NOT_PENDING"
        assert ada.post("/projects/1/turns", json=yes).json()["changed"], "the question is still there"


def test_a_workspace_without_that_project_does_not_learn_of_it(guarded: House) -> None:
    guarded.put("plan.md", "# Secret\n\nThe ending.\n", ProjectKey("ada", "7"))
    with guarded.client("/ws/chat?token=bo%27s%20t%C3%B6k%C3%A9n") as bo:
        assert texts(bo.turn("What is the ending?", current_project_id=7))[0].startswith("PROJECT_NOT_FOUND: ")


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/ws/chat", bearer("nobody's token")),
        ("/", bearer("nobody's token")),
        ("/ws/chat", bearer("ada's toke")),
        ("/ws/chat?token=ada", {}),
        ("/?token=ada%27s%20token%20", {}),
    ],
)
def test_with_a_wrong_token_nothing_opens(guarded: House, path: str, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus) as refused, guarded.client(path, additional_headers=headers):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("headers", [{}, bearer("nobody's token"), {"Authorization": "Basic YWRh"}], ids=str)
@pytest.mark.parametrize("token", [None, "", "ada"])
def test_without_a_token_http_is_refused(guarded: House, headers: dict[str, str], token: str | None) -> None:
    with guarded.http(**headers) as http:
        for path in ("/projects/1/documents", "/projects/1/search?q=Elena", "/metrics"):
            answer = http.get(path, params={"token": token} if token is not None else None)
            assert answer.status_code == 401
            assert answer.json()["error"]["code"] == "UNAUTHORIZED"
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        for path in ("/healthz", "/docs", "/openapi.json"):
            assert http.get(path).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "token=ada%27s+token",
        "a&b=&token=ada%27s%20token&token=another",
        "token=&token=ada's%20token",
        "tokens=a&token=ada's+token",
    ],
)
def test_the_first_token_of_an_address_counts(asked: House, query: str) -> None:
    with asked.http() as http:
        assert http.get(f"/projects?{query}").status_code == 200


def test_of_an_address_nothing_but_the_token_is_taken_apart(asked: House, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = list[str]()
    monkeypatch.setattr("server.access.rules.unquote_plus", lambda value: decoded.append(value) or value)
    with asked.http() as http:
        assert http.get(f"/projects?{'%=%&' * 100}token={'x' * 20_000}&token=2").status_code == 401
    assert decoded == ["x" * 10_000]


@pytest.mark.parametrize("path", ["/healthz", "/docs", "/openapi.json"])
def test_what_is_open_to_all_takes_no_query_apart(asked: House, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    queries = list[str]()
    monkeypatch.setattr("starlette.datastructures.parse_qsl", lambda query, **_: queries.append(query) or [])
    with asked.http() as http:
        assert http.get(f"{path}?a=b").status_code == 200
    assert not any(queries)


@pytest.mark.parametrize(("length", "kept"), [(15_000, 15_000), (15_001, 0)])
async def test_of_a_long_address_of_the_page_nothing_is_kept(length: int, kept: int) -> None:
    seen = list[int]()

    async def page(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(len(scope["query_string"]))

    async def nothing(*_: object) -> None: ...

    scope = {"type": "http", "path": "/sign-in", "query_string": b"x" * length, "headers": [(b"host", b"localhost")]}
    await AccessMiddleware(page, Access(), Rounds())(scope, nothing, nothing)  # pyright: ignore[reportArgumentType]
    assert seen == [kept]


def test_a_token_does_not_choose_a_workspace(asked: House) -> None:
    with asked.http(**bearer("ada's token"), **{WORKSPACE_HEADER: "bo"}) as ada:
        (found,) = ada.get("/projects/1/search?q=Elena").json()["passages"]
        assert found["text"] == "Elena keeps the lighthouse."


def test_the_owners_key_does(asked: House) -> None:
    with asked.http(**bearer(OWNER_KEY), **{WORKSPACE_HEADER: "bo"}) as owner:
        (found,) = owner.get("/projects/1/search?q=Elena").json()["passages"]
        assert found["text"] == "Elena robs the bank."


def test_without_tokens_everybody_is_local(home: House) -> None:
    home.put("bible.md", "Elena.")
    with home.http(**{WORKSPACE_HEADER: "bo"}, **bearer("anything")) as http:
        assert len(http.get("/projects/1/documents").json()["documents"]) == 1


def test_the_key_can_be_asked_for_on_loopback_too(tmp_path: Path) -> None:
    with house(tmp_path, access=Access(owner_key=OWNER_KEY, requires_key=True)) as home:
        home.put("bible.md", "Elena.")
        for headers in ({}, bearer("anything")):
            with home.http(**headers) as stranger:
                assert stranger.get("/projects/1/documents").status_code == 401
                assert stranger.get("/healthz").status_code == 200
        with home.http(**bearer(OWNER_KEY)) as owner:
            assert len(owner.get("/projects/1/documents").json()["documents"]) == 1
        with home.client() as client:
            client.send("hello", token=OWNER_KEY)
            assert client.frame()["workspace"] == "local"
        with home.client() as client:
            client.send("hello")
            with pytest.raises(ConnectionClosed) as closed:
                client.frame()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008


HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}
FOREIGN = [
    {"Host": "localhost:8000", "Origin": "http://127.0.0.1:8001"},
    {"Host": "localhost:8000", "Origin": "http://127.0.0.1"},
    {"Host": "localhost:8000", "Origin": "http://localhost.evil.example:8000"},
    {"Host": "localhost:8000", "Origin": "http://localhost:8000@evil.example:8000"},
    {"Host": "localhost:8000", "Origin": "http://192.168.0.7:8000"},
    {"Host": "192.168.0.7:8000", "Origin": "http://localhost:8000"},
    {"Host": "localhost:99999", "Origin": "http://127.0.0.1:99999"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://[::1"},
    {"Host": "evil.example"},
    {"Host": "evil.example:8000"},
    {"Host": "127.0.0.1.evil.example"},
    {"Host": "localhost.evil.example"},
    {"Host": "[::1"},
    {"Host": "studio.example"},
    {"Host": "evil.example", "Origin": "http://evil.example"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_foreign_pages_and_names_are_refused(asked: House, headers: dict[str, str]) -> None:
    allowed = bearer("ada's token")
    with asked.http(**allowed, **headers) as http:
        for path in ("/healthz", "/projects/1/search?q=Elena"):
            answer = http.get(path)
            assert answer.status_code == 403
            assert answer.json()["error"]["code"] == "FORBIDDEN"
        for path in ("/ws/chat", "/"):
            assert http.get(path, headers=HANDSHAKE).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://studio.example"},
        {"Host": "fletcher.example"},
        {"Host": "fletcher.example:8000", "Origin": "http://fletcher.example:8000"},
        {"Host": "localhost:8000"},
        {"Host": "localhost:8000", "Origin": "http://127.0.0.1:8000"},
        {"Host": "127.0.0.1:8000", "Origin": "http://localhost:8000"},
        {"Host": "[::1]:8000", "Origin": "http://LOCALHOST:8000"},
        {"Host": "localhost", "Origin": "http://127.0.0.1:80"},
        {"Host": "[::1]:8000"},
        {"Host": "192.168.0.7:8000", "Origin": "http://192.168.0.7:8000"},
    ],
    ids=str,
)
def test_our_own_pages_and_names_are_served(asked: House, headers: dict[str, str]) -> None:
    with asked.http(**bearer("ada's token"), **headers) as http:
        assert http.get("/projects/1/search?q=Elena").status_code == 200


WITHOUT_END = [
    ("POST", "/projects/1/turns"),
    ("POST", "/projects/1/corpus"),
    ("PUT", "/projects/1/folder"),
    ("DELETE", "/projects/1/documents/1"),
    ("POST", "/nowhere"),
]


@pytest.mark.parametrize(("method", "path"), WITHOUT_END)
@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x"])
def test_nothing_is_read_of_a_body_without_a_token(asked: House, method: str, path: str, kind: str) -> None:
    """The answer comes while the body is still on its way."""
    address = urlsplit(asked.url)
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: 100000000\r\n\r\n"
    with socket.create_connection((address.hostname, address.port or 0), PATIENCE_S) as raw:
        raw.sendall(head.encode() + b'{"arrow')
        assert raw.recv(100).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize("host", ["localhost/healthz?", "localhost/docs/..", "localhost#", "a@localhost", "localhost?"])
def test_a_host_is_no_way_around_the_token(asked: House, host: str) -> None:
    with asked.http(Host=host) as http:
        assert http.get("/projects/1/documents").status_code in (400, 401, 403)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "navigate"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE"])
def test_pages_of_other_sites_make_nobody_ask(asked: House, site: str, mode: str, method: str) -> None:
    headers = bearer("ada's token") | {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
    with asked.http(**headers) as http:
        for path in ("/healthz", "/docs", "/projects/1/documents/bible.pdf/pages/1.png", "/projects/1/search?q=Elena"):
            assert http.request(method, path).status_code == 403


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_the_user_himself_may_ask(asked: House, site: str) -> None:
    with asked.http(**bearer("ada's token"), **{"Sec-Fetch-Site": site}) as http:
        assert http.get("/projects/1/search?q=Elena").status_code == 200
        assert http.get("/docs").status_code == 200


def test_an_allowed_origin_is_another_site(asked: House) -> None:
    headers = bearer("ada's token") | {"Sec-Fetch-Site": "cross-site", "Origin": "https://studio.example"}
    with asked.http(**headers) as http:
        assert http.get("/projects/1/search?q=Elena").status_code == 200


@pytest.mark.parametrize(
    "host", ["0.0.0.0:8000", "[::ffff:127.0.0.1]:8000", "[::ffff:7f00:1]:8000", "192.168.0.7:8000"]
)
def test_an_open_server_has_no_name_that_browsers_do_not_know_for_this_machine(home: House, host: str) -> None:
    """To those they do not say from which site they are sent."""
    with home.http(Host=host) as http:
        assert http.get("/projects/1/documents").status_code == 403
