import pickle
import zipfile
from io import BytesIO

import pytest

from ingest.extracted import ReadError
from ingest.readers import read


def test_progress_is_optional_and_the_format_is_said() -> None:
    assert read("notes.md", b"# Bell\n\nIt rings.").format == "md"


def test_dialogues_are_found_in_every_format() -> None:
    speeches = "MARA: Who is there?\n\nTOBIN: Only me."
    assert [block.kind for block in read("scene.txt", speeches.encode()).blocks] == ["dialogue"]
    assert [block.kind for block in read("scene.md", speeches.encode()).blocks] == ["dialogue"]
    html = "<p>MARA: Who is there?</p><p>TOBIN: Only me.</p>"
    assert [block.kind for block in read("scene.html", html.encode()).blocks] == ["dialogue"]


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a/empty.pdf", b"", "EMPTY"),
        ("a/blank.html", b"<p>&nbsp;</p>", "EMPTY"),
        ("a/broken.docx", b"PK\x03\x04 and nothing more", "CORRUPT"),
        ("a/broken.pdf", b"%PDF-1.7\nand nothing more", "CORRUPT"),
    ],
)
def test_errors_name_the_document_and_survive_the_way_out_of_a_process(name: str, data: bytes, code: str) -> None:
    with pytest.raises(ReadError) as refused:
        read(name, data)
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.code, again.message) == (code, refused.value.message)
    assert str(again).startswith(f"{name}: ")


def test_what_a_library_cannot_handle_is_a_damaged_document() -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "<no-word-document/>")
    with pytest.raises(ReadError, match=r"cast\.docx: it is damaged") as refused:
        read("cast.docx", file.getvalue())
    assert refused.value.code == "CORRUPT"


def test_a_table_with_more_rows_than_can_be_embedded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.readers.MAX_BLOCKS", 3)
    assert len(read("cast.csv", b"Name,Role\nMara,keeper\nTobin,smith\n").blocks) == 3
    with pytest.raises(ReadError, match=r"rows .*split it") as refused:
        read("cast.csv", b"Name,Role\nMara,keeper\nTobin,smith\nElena,pilot\n")
    assert refused.value.code == "TOO_LARGE"


def test_a_document_longer_than_any_design_document_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.readers.MAX_CHARACTERS", 10)
    with pytest.raises(ReadError, match="split it") as refused:
        read("log.txt", b"one more line\n")
    assert refused.value.code == "TOO_LARGE"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_text_that_no_database_keeps_whole_is_damaged(encoding: str) -> None:
    with pytest.raises(ReadError, match="NUL") as refused:
        read("notes.txt", "The bell rings.\0And nobody hears it.".encode(encoding))
    assert refused.value.code == "CORRUPT"


def test_what_a_library_quotes_of_a_document_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def quote(*_: object) -> None:
        raise ValueError("x\n\n5 indexed in 0.3 s")

    monkeypatch.setattr("ingest.readers.reader_of", lambda _: quote)
    with pytest.raises(ReadError) as refused:
        read("notes.md", b"The bell rings.")
    assert "indexed" not in refused.value.message
    assert "\n" not in refused.value.message
