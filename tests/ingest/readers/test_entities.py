"""Documents made of XML that ask for a file of the machine: no reader fetches it, and none unfolds a bomb."""

import re
import zipfile
from io import BytesIO
from pathlib import Path

import docx
import pytest

from ingest.extracted import ReadError
from ingest.readers import read
from tests.ingest.readers.test_electronic_book import book
from tests.ingest.readers.test_open_document import stored as open_document
from tests.ingest.readers.test_spreadsheet import workbook

SECRET = "The keeper's key hangs below the third step."
PLACE = "Here it stands."
LAUGHS = "".join(f"<!ENTITY a{level} '{f'&a{level - 1};' * 10}'>" for level in range(1, 12))


def word() -> bytes:
    document, file = docx.Document(), BytesIO()
    document.add_paragraph(PLACE)
    document.save(file)
    return file.getvalue()


def open_text() -> bytes:
    from odf.text import P

    return open_document(P(text=PLACE))


DOCUMENTS = {
    "a.docx": word(),
    "a.xlsx": workbook({"People": [["Name", "Says"], ["Osk", PLACE], ["Odile", PLACE]]}),
    "a.odt": open_text(),
    "a.epub": book(**{"OEBPS/text/one.xhtml": f"<html><body><p>{PLACE}</p></body></html>"}),
    "a.html": f"<html><body><p>{PLACE}</p></body></html>".encode(),
}


def with_entity(data: bytes, declared: str) -> bytes:
    """The document with an entity in each place of `PLACE`."""

    def changed(part: bytes) -> bytes:
        text = re.sub(r"^<\?xml[^>]*\?>\s*", "", part.decode())
        return f"<!DOCTYPE r [{declared}]>{text.replace(PLACE, '&x;')}".encode()

    if not data.startswith(b"PK"):
        return changed(data)
    file = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as before, zipfile.ZipFile(file, "w") as after:
        for name in before.namelist():
            part = before.read(name)
            after.writestr(name, changed(part) if PLACE.encode() in part else part)
    return file.getvalue()


def words(name: str, data: bytes) -> str:
    """What is read; nothing where the document is refused."""
    try:
        return read(name, data).text
    except ReadError:
        return ""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_document_has_a_file_of_the_machine_read(name: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    assert PLACE in words(name, DOCUMENTS[name]), "the document itself is one"
    hostile = with_entity(DOCUMENTS[name], f'<!ENTITY x SYSTEM "{secret.as_uri()}">')
    assert hostile != DOCUMENTS[name]
    assert "third step" not in words(name, hostile)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_entities_of_entities_are_not_unfolded(name: str) -> None:
    laughs = with_entity(DOCUMENTS[name], f"<!ENTITY a0 'ha'>{LAUGHS}<!ENTITY x '&a11;'>")
    assert len(words(name, laughs)) < 100_000
