"""Design documents over the socket: one clear answer each, and nothing else is disturbed."""

import base64
import binascii
import threading
import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import pymupdf
import pytest

from corpora import ProjectKey
from server.http.base64_content import decode_base64
from tests.agent.scripted_model import PATIENCE_S
from tests.server.client import Client, Frame, texts
from tests.server.house import House

_AES_256 = 5  # PDF_ENCRYPT_AES_256


def pdf(*pages: str, password: str = "") -> bytes:
    with pymupdf.open() as document:
        for text in pages:
            document.new_page().insert_text((72, 72), text)
        if password:
            return document.tobytes(encryption=_AES_256, user_pw=password, owner_pw=password)
        return document.tobytes()


def upload(client: Client, name: str, data: bytes, project_id: object = 1) -> str:
    """Uploads a document and returns the one answer."""
    client.send(
        "design_doc_sync",
        project_id=project_id,
        file_content=base64.b64encode(data).decode(),
        file_name=name,
        timestamp=1698765432,
    )
    return client.frame()["message"]


def test_a_document_that_is_too_large_is_not_even_decoded(
    client: Client, home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.source.MAX_DOCUMENT_BYTES", 1000)
    answer = upload(client, "notes.txt", b"Elena. " * 1000)
    assert "notes.txt" in answer
    assert "1,000" in answer
    assert names(home) == []


def names(home: House) -> list[str]:
    return [document.name for document in home.catalog.documents(home.key)]


def test_a_pdf_is_searchable_once_it_is_answered(home: House, client: Client) -> None:
    answer = upload(client, "bible.pdf", pdf("Elena keeps the lighthouse.", "", "The harbour freezes in winter."))
    assert "bible.pdf" in answer
    assert "3 pages" in answer
    assert "Without text: page 2" in answer
    client.assert_quiet()
    home.model.add(["Elena [1]."])
    frames = client.turn("Who keeps the lighthouse?")
    assert "Elena keeps the lighthouse." in home.model.requests[0].context
    assert texts(frames) == ["Elena [1].", "Sources: [1] bible.pdf, page 1"]


def test_of_two_versions_the_one_that_was_sent_last_stays(
    client: Client, home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_when_decoded: list[list[str]] = []

    def decode(content: str) -> bytes:
        kept_when_decoded.append(names(home))
        return decode_base64(content)

    monkeypatch.setattr("server.socket.uploads.decode_base64", decode)
    versions = [b"Elena is tall. " * 1000, b"Elena is small."]
    for data in versions:
        content = base64.b64encode(data).decode()
        client.send("design_doc_sync", project_id=1, file_content=content, file_name="notes.txt", timestamp=1698765432)
    assert [client.frame()["type"] for _ in versions] == ["chat_response", "chat_response"]
    assert kept_when_decoded == [[], ["notes.txt"]]
    (kept,) = home.catalog.documents(home.key)
    assert kept.sha256 == sha256(versions[1]).hexdigest()


def test_a_document_again_is_unchanged_and_then_updated(home: House, client: Client) -> None:
    upload(client, "notes.txt", b"Elena is tall.")
    home.ingestor.embed(home.key)
    assert "unchanged" in upload(client, "notes.txt", b"Elena is tall.")
    assert "notes.txt" in upload(client, "notes.txt", b"Elena is small.")
    home.model.add(["Small."])
    client.turn("How tall is Elena?")
    assert "Elena is small." in home.model.requests[0].context
    assert "Elena is tall." not in home.model.requests[0].context


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("empty.pdf", b"", "EMPTY"),
        ("blank.txt", b" \n\t ", "EMPTY"),
        ("locked.pdf", pdf("Secret.", password="open sesame"), "ENCRYPTED"),
        ("scan.pdf", pdf("", ""), "NO_TEXT"),
        ("setup.pdf", b"MZ\x90\x00" + bytes(range(256)) * 20, "CORRUPT"),
        ("setup.exe", b"MZ\x90\x00" + bytes(range(256)) * 20, "UNKNOWN_FORMAT"),
        ("torn.pdf", pdf("Elena.")[:200], "CORRUPT"),
        ("../bible.txt", b"Elena.", "INVALID_NAME"),
        ("..\\bible.txt", b"Elena.", "INVALID_NAME"),
        ("/etc/bible.txt", b"Elena.", "INVALID_NAME"),
        ("a\nb.txt", b"Elena.", "INVALID_NAME"),
    ],
)
def test_what_cannot_be_taken_in_is_said(home: House, client: Client, name: str, data: bytes, code: str) -> None:
    home.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    answer = upload(client, name, data)
    assert f"{code}: " in answer, answer
    client.assert_quiet()
    assert names(home) == ["bible.md"]
    home.model.add(["Still here."])
    assert texts(client.turn("Who is Elena?")) == ["Still here."]
    assert "Elena keeps the lighthouse." in home.model.requests[0].context


@pytest.mark.parametrize("content", ["%%%", "RWxlbmE", "RWxlbmE=RWxlbmE=", "\N{GRINNING FACE}", "data:;base64,RQ=="])
def test_invalid_base64(home: House, client: Client, content: str) -> None:
    client.send("design_doc_sync", project_id=1, file_content=content, file_name="bible.txt")
    answer = client.frame()["message"]
    assert answer.startswith("INVALID_BASE64: bible.txt: ")
    client.assert_quiet()


def test_what_cannot_be_base64_does_not_wait_to_be_taken_in(home: House, client: Client) -> None:
    home.readers.may_go_on.clear()
    send(client, "bible.txt", b"Elena keeps the lighthouse.")
    assert home.readers.reading.wait(PATIENCE_S)
    client.send("design_doc_sync", project_id=1, file_content="AAAA\N{GRINNING FACE}", file_name="wide.txt")
    assert client.frame()["message"].startswith("INVALID_BASE64: wide.txt: ")
    home.readers.may_go_on.set()
    assert "searchable" in client.frame()["message"]


def test_base64_in_lines(home: House, client: Client) -> None:
    content = base64.encodebytes(b"Elena keeps the lighthouse. " * 20).decode()
    client.send("design_doc_sync", project_id=1, file_content=content, file_name="bible.txt")
    assert "searchable" in client.frame()["message"]
    assert names(home) == ["bible.txt"]


def test_without_a_name_it_gets_one_from_its_content(home: House, client: Client) -> None:
    bible = pdf("Elena keeps the lighthouse.")
    first = upload(client, "", bible)
    assert "upload-" in first
    assert upload(client, "", bible).split()[0] == first.split()[0]
    assert "upload-" in upload(client, "", b"The harbour freezes in winter.")
    assert [name.rpartition(".")[2] for name in names(home)].count("pdf") == 1
    assert len(names(home)) == 2
    assert "EMPTY: " in upload(client, "", b"")


def test_a_project_that_cannot_be(home: House, client: Client) -> None:
    assert upload(client, "bible.txt", b"Elena.", project_id="../1").startswith("INVALID_NAME: ")
    client.assert_quiet()


def test_turns_go_on_while_a_document_is_read(home: House, client: Client) -> None:
    home.readers.may_go_on.clear()
    content = base64.b64encode(b"Elena keeps the lighthouse.").decode()
    client.send("design_doc_sync", project_id=1, file_content=content, file_name="bible.txt")
    assert home.readers.reading.wait(PATIENCE_S)
    home.model.add(["Not yet."])
    assert texts(client.turn("Who is Elena?")) == ["Not yet."]
    client.send("stop")
    client.until("end")
    home.readers.may_go_on.set()
    assert "bible.txt" in client.frame()["message"], "a stop ends a turn, not an upload"
    assert names(home) == ["bible.txt"]


def test_many_at_once_are_answered_one_by_one(home: House, client: Client) -> None:
    for number in range(8):
        content = base64.b64encode(f"Note {number}.".encode()).decode()
        client.send("design_doc_sync", project_id=1, file_content=content, file_name=f"{number}.txt")
    answers = [client.frame()["message"] for _ in range(8)]
    assert sorted(answer[:5] for answer in answers) == [f"{number}.txt" for number in range(8)]
    client.assert_quiet()
    assert len(names(home)) == 8


def test_an_unexpected_failure_is_said_without_its_details(
    home: House, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the secret of line 7")

    monkeypatch.setattr(home.ingestor, "add", fail)
    answer = upload(client, "bible.txt", b"Elena.")
    assert answer.startswith("INTERNAL: bible.txt: ")
    assert "secret" not in answer
    client.assert_quiet()


# --- progress, for a client that wants to know ---------------------------------------------------------------------


def send(client: Client, name: str, data: bytes) -> None:
    client.send("design_doc_sync", project_id=1, file_content=base64.b64encode(data).decode(), file_name=name)


@contextmanager
def watching(home: House) -> Generator[Client]:
    """A client of our own dialect that shows progress."""
    with home.client() as client:
        client.send("hello", dialect="fletcher", capabilities=["progress"])
        assert client.frame()["type"] == "connected"
        yield client


def progress(frames: list[Frame], phase: str) -> list[tuple[int, int]]:
    """How far a phase was said to be."""
    return [(frame["done"], frame["total"]) for frame in frames if frame.get("phase") == phase]


def until(client: Client, phase: str) -> list[Frame]:
    frames = [client.frame()]
    while frames[-1].get("phase") != phase:
        frames.append(client.frame())
    return frames


def until_reported(client: Client) -> Frame:
    while (frame := client.frame())["type"] != "corpus_report":
        pass
    return frame


@pytest.fixture
def may_embed(home: House, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """No vectors are made before it is set."""
    event = threading.Event()
    embed_pending = home.retriever.embed_pending

    def held_up(*arguments: Any) -> int:
        assert event.wait(PATIENCE_S)
        return embed_pending(*arguments)

    monkeypatch.setattr(home.retriever, "embed_pending", held_up)
    return event


def test_progress_of_a_long_document(home: House, may_embed: threading.Event) -> None:
    with watching(home) as client:
        # Lines that are on every page, such as numbers, would be left out.
        send(
            client,
            "bible.pdf",
            pdf(*(sha256(bytes([number])).hexdigest() for number in range(100))),
        )
        frames = until(client, "embedding")
        may_embed.set()
        frames += until(client, "done")
    assert {frame["document"] for frame in frames if frame["type"] == "corpus_progress"} == {"bible.pdf"}
    phases = [frame.get("phase", frame["type"]) for frame in frames]
    order = ["queued", "reading", "searchable", "corpus_report", "embedding", "done"]
    assert list(dict.fromkeys(phases)) == order
    pages = progress(frames, "reading")
    assert pages == sorted(pages)
    assert pages[-1] == (100, 100)
    assert 5 <= len(pages) <= 25, "enough to be seen to move, and no flood"
    (report,) = [frame for frame in frames if frame["type"] == "corpus_report"]
    (document,) = report["documents"]
    assert (document["name"], document["status"], document["pages"]) == ("bible.pdf", "searchable", 100)
    total = document["passages"]
    assert progress(frames, "searchable") == [(0, total)]
    vectors = progress(frames, "embedding")
    assert vectors == sorted(vectors)
    assert all(done < total == of for done, of in vectors)
    assert progress(frames, "done") == [(total, total)]


def test_a_document_without_pages_and_one_that_is_unchanged(home: House) -> None:
    with watching(home) as client:
        for status in ("searchable", "unchanged"):
            send(client, "bible.txt", b"Elena keeps the lighthouse.")
            frames = until(client, "done")
            (report,) = [frame for frame in frames if frame["type"] == "corpus_report"]
            assert report["documents"][0]["status"] == status
            assert progress(frames, "done") == [(1, 1)]


def test_a_document_that_fails_ends_with_its_report(home: House) -> None:
    with watching(home) as client:
        send(client, "torn.pdf", pdf("Elena.")[:200])
        frames = [client.frame() for _ in range(3)]
        assert [frame.get("phase", frame["type"]) for frame in frames] == ["queued", "reading", "corpus_report"]
        assert frames[-1]["documents"][0]["error"]["code"] == "CORRUPT"
        client.send("design_doc_sync", project_id=1, file_content="%%%", file_name="bible.txt")
        waiting, refusal = client.frame(), client.frame()
        assert (waiting["phase"], refusal["type"], refusal["code"]) == ("queued", "error", "INVALID_BASE64")


def test_progress_goes_to_whom_it_belongs(home: House, client: Client) -> None:
    with watching(home) as other, watching(home) as mine:
        send(mine, "bible.pdf", pdf("Elena.", "The harbour."))
        until(mine, "done")
        for stranger in (client, other):
            stranger.send("is anything still coming?")
            assert "is anything still coming?" in str(stranger.frame())


def test_leaving_while_vectors_are_made(home: House, may_embed: threading.Event) -> None:
    with watching(home) as client:
        send(client, "bible.txt", b"Elena keeps the lighthouse.")
        until_reported(client)
    assert home.watched.sockets_done.acquire(timeout=PATIENCE_S), "nobody waits for the vectors"
    may_embed.set()
    home.ingestor.embed(home.key)
    (document,) = home.catalog.documents(home.key)
    assert document.embedded == document.passages


def test_a_turn_waits_for_its_own_projects_documents_only(home: House) -> None:
    home.put("map.md", "The harbour.", ProjectKey("local", "2"))
    home.readers.may_go_on.clear()
    home.model.add(["The harbour."], ["Elena."])
    with home.client() as client:
        send(client, "bible.txt", b"Elena keeps the lighthouse.")
        assert home.readers.reading.wait(PATIENCE_S)
        assert texts(client.turn("What is there?", current_project_id=2))[0] == "The harbour."
        client.ask("Who is there?")  # of project 1, which nobody knows yet
        assert client.frame()["type"] == "status"
        home.readers.may_go_on.set()
        assert "Elena." in texts(client.until("end"))


def test_a_project_that_is_known_does_not_wait_for_more_of_its_documents(home: House) -> None:
    home.put("map.md", "The harbour.")
    home.readers.may_go_on.clear()
    home.model.add(["The harbour."])
    with home.client() as client:
        send(client, "bible.txt", b"Elena keeps the lighthouse.")
        assert home.readers.reading.wait(PATIENCE_S)
        assert texts(client.turn("What is there?"))[0] == "The harbour."
        home.readers.may_go_on.set()
        assert "bible.txt" in texts([client.frame()])[0]


@pytest.mark.parametrize("data", [b"", b"E", b"El", b"Ele", bytes(range(256)) * 5000])
def test_base64_in_pieces(data: bytes) -> None:
    assert decode_base64(base64.b64encode(data).decode()) == data
    assert decode_base64(base64.encodebytes(data).decode()) == data


@pytest.mark.parametrize("data", [b"", b"E", b"El", b"Ele", bytes(range(256)) * 3])
def test_base64_in_pieces_of_any_length(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("server.http.base64_content._PIECE", 5)
    assert decode_base64(base64.b64encode(data).decode()) == data
    assert decode_base64(" \n".join(base64.b64encode(data).decode()) + "\t") == data
    with pytest.raises(binascii.Error):
        decode_base64("YQ== " + base64.b64encode(data).decode() + "YQ==")


def test_white_space_between_base64_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.http.base64_content._PIECE", 2**14)
    content = "ab " * 2**15
    tracemalloc.start()
    decode_base64(content)
    (_, most), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert most < 2**19, "some of it was taken apart at a time"


def test_padding_between_pieces_is_an_error() -> None:
    piece = base64.b64encode(bytes(3 * 2**18 - 1)).decode()
    assert len(piece) == 2**20
    with pytest.raises(binascii.Error):
        decode_base64(piece + piece)


# --- who waits for vectors ------------------------------------------------------------------------------------------
