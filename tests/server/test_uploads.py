"""Design documents over the socket: one clear answer each, and nothing else is disturbed."""

import base64

import pymupdf
import pytest

from tests.agent.scripted_model import PATIENCE_S
from tests.server.client import Client, texts
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
    assert answer.startswith("INTERNAL: bible.txt ")
    assert "secret" not in answer
    client.assert_quiet()
