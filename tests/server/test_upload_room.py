"""How much a server takes in at once: of one workspace, and of all, whichever way it comes."""

import base64
import errno
import json
import select
import socket
import tempfile
import threading
import tracemalloc
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send
from websockets.exceptions import ConnectionClosed

from ingest import IngestReport
from server import Access, Limits
from server.background.intake import Intake
from server.limits import room
from server.limits.body_limit import BodyLimitMiddleware, Parts
from server.limits.places import Places
from server.limits.room import Room
from tests.agent.scripted_model import PATIENCE_S
from tests.server.client import Client
from tests.server.house import House, house
from tests.waiting import eventually

MIB = 2**20
SHORT = 2**16
"""What has a room of its own in these tests, in the place of a MiB: so no more has to be sent."""
ACCESS = Access({"one": "1", "two": "2"})
ROOM = Limits(call_timeout_s=PATIENCE_S, upload_bytes_under_way=8 * SHORT)  # of one workspace half of it
UNREADABLE = "../outside.md"  # answered without reading


@pytest.fixture(autouse=True)
def less_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_SHORT", SHORT)


def upload(home: House, size: int, token: str = "one", name: str = "lamp.md", project: str = "1") -> httpx.Response:
    with home.http(Authorization=f"Bearer {token}") as http:
        return http.post(f"/projects/{project}/corpus", files={"files": (name, b"The lamp burned.".ljust(size))})


def json_upload(home: House, size: int) -> httpx.Response:
    body = json.dumps({"documents": [{"name": UNREADABLE, "text": "The lamp burned."}]}).encode().ljust(size)
    with home.http(Authorization="Bearer one") as http:
        return http.post("/projects/1/corpus", content=body, headers={"Content-Type": "application/json"})


@contextmanager
def being_read(home: House, size: int) -> Generator[Future[httpx.Response]]:
    """A form whose document is here, and which is not answered before the end."""
    home.readers.may_go_on.clear()
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(upload, home, size)
        try:
            assert home.readers.reading.wait(PATIENCE_S)
            yield answer
        finally:
            home.readers.may_go_on.set()


def send(client: Client, size: int, name: str) -> None:
    content = base64.b64encode(b"Elena keeps the light.").decode().ljust(size)
    client.send("design_doc_sync", project_id=2, file_content=content, file_name=name)


def assert_too_busy(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "TOO_BUSY")
    assert int(answer.headers["Retry-After"]) > 0


def test_forms_under_way_have_a_limit_and_leave_room_to_other_workspaces(tmp_path: Path) -> None:
    with house(tmp_path, limits=ROOM, access=ACCESS) as home:
        with being_read(home, 3 * SHORT) as first:
            assert_too_busy(upload(home, 2 * SHORT, name=UNREADABLE, project="2"))
            assert upload(home, 100, name=UNREADABLE, project="2").status_code == 200, "what is small has room"
            assert upload(home, 3 * SHORT, "two", UNREADABLE).status_code == 200
            assert_too_busy(upload(home, 6 * SHORT, "two", UNREADABLE))
        assert first.result().status_code == 200
        assert upload(home, 6 * SHORT, name=UNREADABLE).status_code == 200, "one by itself always has room"


def test_documents_of_all_sockets_share_the_room_of_forms(tmp_path: Path) -> None:
    with (
        house(tmp_path, limits=ROOM, access=ACCESS) as home,
        home.client("/ws/chat?token=one") as ada,
        home.client("/ws/chat?token=one") as again,
        home.client("/ws/chat?token=two") as bo,
    ):
        home.readers.may_go_on.clear()
        send(ada, 3 * SHORT, "first.txt")
        assert home.readers.reading.wait(PATIENCE_S)
        send(again, 2 * SHORT, "second.txt")
        assert again.frame()["message"].startswith("TOO_MANY_UPLOADS: second.txt: ")
        assert_too_busy(upload(home, 2 * SHORT, name=UNREADABLE))
        send(bo, 3 * SHORT, "third.txt")
        bo.assert_quiet()
        home.readers.may_go_on.set()
        for client, name in (ada, "first.txt"), (bo, "third.txt"):
            assert client.frame()["message"].startswith(f"{name} ")
        send(again, 2 * SHORT, "second.txt")
        assert again.frame()["message"].startswith("second.txt ")
        assert upload(home, 3 * SHORT, name=UNREADABLE).status_code == 200


@contextmanager
def half_sent(home: House, size: int) -> Generator[socket.socket]:
    """A connection on which so much of a form has come, and the rest does not."""
    address = urlsplit(home.url)
    head = (
        "POST /projects/1/corpus HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer one\r\n"
        f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {2 * size}\r\n\r\n"
        '--x\r\nContent-Disposition: form-data; name="files"; filename="slow.md"\r\n\r\n'
    )
    with closing(socket.create_connection((address.hostname, address.port), PATIENCE_S)) as raw:
        raw.sendall(head.encode() + b"x" * size)
        yield raw


class Pace:
    """How fast what comes counts as coming, and how much of something has come."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._most = 0
        has_room = room.Sender.has_room

        def noted(sender: room.Sender, came: int, made: int = 0, *, beside: int = 0) -> bool:
            found = has_room(sender, came, made, beside=beside)
            self._most = max(self._most, sender.size)
            return found

        monkeypatch.setattr(room.Sender, "has_room", noted)

    def counts_as(self, pace: Literal["fast", "slow"]) -> None:
        """Whatever comes from now on."""
        self._monkeypatch.setattr(room, "_WAIT_S", 0 if pace == "slow" else 3600)

    def wait_for(self, size: int) -> None:
        """Until so much of something is here, and counted."""
        eventually(lambda: self._most >= size)


@pytest.fixture
def pace(monkeypatch: pytest.MonkeyPatch) -> Pace:
    return Pace(monkeypatch)


def test_who_sends_slowly_gives_way_where_others_lack_the_room(tmp_path: Path, pace: Pace) -> None:
    pace.counts_as("slow")
    with house(tmp_path, limits=ROOM, access=ACCESS) as home, half_sent(home, 3 * SHORT) as slow:
        pace.wait_for(3 * SHORT)
        pace.counts_as("fast")
        assert not select.select([slow], [], [], 0)[0], "nobody lacks the room"
        assert upload(home, 2 * SHORT, name=UNREADABLE).status_code == 200
        assert slow.recv(1000).startswith(b"HTTP/1.1 503 ")


def test_who_keeps_sending_keeps_its_room(tmp_path: Path, pace: Pace) -> None:
    pace.counts_as("fast")
    with house(tmp_path, limits=ROOM, access=ACCESS) as home, half_sent(home, 3 * SHORT) as sending:
        pace.wait_for(3 * SHORT)
        assert_too_busy(upload(home, 2 * SHORT, name=UNREADABLE))
        assert upload(home, 3 * SHORT, "two", UNREADABLE).status_code == 200
        assert not select.select([sending], [], [], 0)[0]
        sending.close()
        eventually(lambda: upload(home, 2 * SHORT, name=UNREADABLE).status_code == 200)


def test_who_hangs_up_in_the_midst_of_a_form_leaves_no_trace(
    tmp_path: Path, pace: Pace, caplog: pytest.LogCaptureFixture
) -> None:
    with house(tmp_path) as home:
        with half_sent(home, 3 * SHORT):
            pace.wait_for(3 * SHORT)
        assert upload(home, 100, name=UNREADABLE).status_code == 200
    assert not [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


@contextmanager
def half_a_message(client: Client) -> Generator[None]:
    """A message of which most has come, and the rest comes at the end."""
    goes_on = threading.Event()

    def parts() -> Generator[str]:
        yield '{"type": "hello", "client": "'
        yield "x" * 3 * SHORT
        assert goes_on.wait(PATIENCE_S)
        yield '"}'

    with ThreadPoolExecutor(1) as threads:
        sending = threads.submit(client.socket.send, parts())
        try:
            yield
        finally:
            goes_on.set()
            with suppress(ConnectionClosed):
                sending.result(PATIENCE_S)


def test_half_a_message_of_a_socket_takes_room(tmp_path: Path, pace: Pace) -> None:
    pace.counts_as("fast")
    limits = replace(ROOM, json_bytes_under_way=8 * SHORT)
    with house(tmp_path, limits=limits, access=ACCESS) as home, home.client("/ws/chat?token=one") as client:
        with half_a_message(client):
            pace.wait_for(3 * SHORT)
            assert_too_busy(json_upload(home, 2 * SHORT))
        assert client.frame()["message"].startswith("INVALID_MESSAGE: ")
        assert json_upload(home, 2 * SHORT).status_code == 200


def test_half_a_message_that_stays_gives_way_where_others_lack_the_room(tmp_path: Path, pace: Pace) -> None:
    pace.counts_as("slow")
    limits = replace(ROOM, json_bytes_under_way=8 * SHORT)
    with (
        house(tmp_path, limits=limits, access=ACCESS) as home,
        home.client("/ws/chat?token=one") as client,
        half_a_message(client),
    ):
        pace.wait_for(3 * SHORT)
        pace.counts_as("fast")
        assert json_upload(home, 2 * SHORT).status_code == 200
        with pytest.raises(ConnectionClosed):
            client.frame()
        assert client.socket.close_code == 1013


def test_a_refused_document_takes_no_room(tmp_path: Path) -> None:
    with house(tmp_path, limits=ROOM, access=ACCESS) as home, home.client("/ws/chat?token=one") as client:
        with being_read(home, 3 * SHORT):
            for _ in range(3):
                send(client, 2 * SHORT, "again.txt")
                assert client.frame()["message"].startswith("TOO_MANY_UPLOADS: again.txt: ")
            send(client, SHORT // 2, "small.txt")
            client.assert_quiet()
        assert client.frame()["message"].startswith("small.txt ")


@pytest.mark.parametrize("size", [MIB // 2, MIB + 1])
def test_files_of_forms_that_wait_to_be_taken_in_take_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A short one is in memory, and a long one on the disk, as a file that is open."""
    monkeypatch.setattr("server.background.intake._MOST", 2 * (MIB + 16_384))
    with house(tmp_path, access=ACCESS) as home:
        with being_read(home, size) as first:
            assert_too_busy(upload(home, 600_000, name=UNREADABLE, project="2"))
            assert upload(home, 100, name=UNREADABLE, project="2").status_code == 200
        assert first.result().status_code == 200
        assert upload(home, 600_000, name=UNREADABLE, project="2").status_code == 200


def test_the_form_of_who_has_hung_up_keeps_its_room_until_it_is_taken_in(tmp_path: Path) -> None:
    form = {"files": ("lamp.md", b"The lamp burned.".ljust(3 * SHORT))}
    headers = {"Authorization": "Bearer one", "Accept": "text/event-stream"}

    def another() -> httpx.Response:
        return upload(home, 2 * SHORT, name=UNREADABLE, project="2")

    with house(tmp_path, limits=ROOM, access=ACCESS) as home:
        home.readers.may_go_on.clear()
        try:
            with home.http() as http, http.stream("POST", "/projects/1/corpus", files=form, headers=headers) as answer:
                assert next(answer.iter_lines()) == "event: progress"
                assert home.readers.reading.wait(PATIENCE_S)
            for _ in range(20):  # in which the server hears of it
                assert_too_busy(another())
        finally:
            home.readers.may_go_on.set()
        eventually(lambda: another().status_code == 200)


def test_the_files_of_a_form_wait_for_their_turn_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size, held = 4 * MIB, list[int]()
    added = Intake.add

    async def measured(self: Intake, *given: Any, **options: Any) -> IngestReport:
        held.append(tracemalloc.get_traced_memory()[0])
        return await added(self, *given, **options)

    monkeypatch.setattr(Intake, "add", measured)
    large = tmp_path / "large.md"
    large.write_bytes(b"The lamp burned.".ljust(size))
    with house(tmp_path / "data") as home, home.http() as http, large.open("rb") as file:
        tracemalloc.start()
        try:
            answer = http.post("/projects/1/corpus", files={"files": (UNREADABLE, file)})
        finally:
            tracemalloc.stop()
    assert json.loads(answer.content)["documents"][0]["error"]["code"] == "INVALID_NAME"
    assert held[0] < size // 2


def test_each_file_of_a_form_takes_room_however_short_it_is(tmp_path: Path, pace: Pace) -> None:
    pace.counts_as("fast")
    part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n\r\n'
    with house(tmp_path, limits=ROOM, access=ACCESS) as home, half_sent(home, 10_000) as sending:
        sending.sendall(b"\r\n" + part * 50)
        pace.wait_for(50 * 4096)
        assert_too_busy(upload(home, 2 * SHORT, name=UNREADABLE))


def many_uploaded(home: House, sizes: list[int], token: str = "one") -> httpx.Response:
    files = [("files", (UNREADABLE, b"The lamp burned.".ljust(size))) for size in sizes]
    with home.http(Authorization=f"Bearer {token}") as http:
        return http.post("/projects/2/corpus", files=files)


def test_files_of_forms_that_are_open_have_a_limit_and_leave_some_to_other_workspaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.services.descriptors", lambda: 24)  # of all 6, of one workspace 3
    long = MIB + 1
    with house(tmp_path, access=ACCESS) as home:
        assert many_uploaded(home, [long, MIB, 100, long, MIB, long]).status_code == 200, "what is short is in memory"
        assert_too_busy(many_uploaded(home, [long] * 4))
        with being_read(home, long) as first:
            assert_too_busy(many_uploaded(home, [long] * 3))
            assert many_uploaded(home, [long] * 2).status_code == 200
            assert many_uploaded(home, [long] * 3, "two").status_code == 200
        assert first.result().status_code == 200
        assert many_uploaded(home, [long] * 3).status_code == 200
        assert home.services.form_files.taken == 0


def test_where_the_system_opens_no_more_files_a_form_is_to_be_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none_left(**_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with house(tmp_path, access=ACCESS) as home:
        with monkeypatch.context() as full:
            full.setattr(tempfile, "TemporaryFile", none_left)
            assert_too_busy(upload(home, MIB + 1, name=UNREADABLE))
        assert upload(home, MIB + 1, name=UNREADABLE).status_code == 200
    assert not [record for record in caplog.records if record.exc_info]


def test_where_the_disk_has_no_room_for_a_form_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with house(tmp_path, access=ACCESS) as home:
        answer = upload(home, MIB + 1, name=UNREADABLE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "STORAGE_ERROR")
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("at_once", [1, 7, 2**16])
def test_parts_are_counted_wherever_they_are_cut(at_once: int) -> None:
    parts, form = (
        Parts('multipart/form-data; boundary="a b"'),
        b"--a b\r\n\r\nx--a-b\r\n--a b\r\n\r\n----a b\r\n--a b--\r\n",
    )
    taken = [parts.take(form[start : start + at_once]) for start in range(0, len(form), at_once)]
    assert taken[-1] == 4 * 4096
    assert taken == sorted(taken)


@pytest.mark.parametrize(("path", "is_taken"), [("/projects/1/corpus", True), ("/elsewhere/corpus", False)])
async def test_only_documents_are_taken_in_forms_as_long_as_they_may_be(path: str, *, is_taken: bool) -> None:
    """Whoever reads another one has it in memory."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def receive() -> Message:
        return {"type": "http.request", "body": bytes(2 * MIB), "more_body": False}

    async def send(_message: Message) -> None: ...

    limits = replace(ROOM, message_bytes=MIB)
    limited = BodyLimitMiddleware(app, limits, Room(8 * MIB), Room(8 * MIB), Places(1, 1))
    form = [(b"content-type", b"multipart/form-data; boundary=x")]
    answered = limited({"type": "http", "path": path, "headers": form}, receive, send)
    with nullcontext() if is_taken else pytest.raises(HTTPException, match="FLETCHER_MAX_MESSAGE_BYTES"):
        await answered
