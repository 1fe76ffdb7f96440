import zipfile
from io import BytesIO

import pytest

from ingest.extracted import ReadError
from ingest.readers.formats import SUFFIXES, detect, reader_of

WINDOWS_PROGRAM = b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff" + bytes(200)
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)


def archive(**members: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, data in members.items():
            packed.writestr(name.replace("__", "/"), data)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("bible.pdf", b"%PDF-1.7\n", "pdf"),
        ("bible.PDF", b"\n\n%PDF-1.7\n", "pdf"),
        ("upload without suffix", b"%PDF-1.7\n", "pdf"),
        ("notes.md", b"# Harbour", "md"),
        ("about pdf.md", b"A file begins with %PDF- when it is one.", "md"),
        ("notes.txt", "Łódź".encode("utf-16"), "txt"),
        ("page.htm", b"<p>Hello", "html"),
        ("cast.docx", archive(**{"word__document.xml": b""}), "docx"),
        ("cast.pdf", archive(**{"word__document.xml": b""}), "docx"),
        ("cast.odt", archive(mimetype=b"application/vnd.oasis.opendocument.text"), "odt"),
        ("cast.ods", archive(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"), "ods"),
        ("tale.epub", archive(mimetype=b"application/epub+zip\n"), "epub"),
        ("cast.xlsx", archive(**{"xl__workbook.xml": b""}), "xlsx"),
        ("cast.doc", archive(**{"word__document.xml": b""}), "docx"),
        ("really pdf.txt", b"%PDF-1.7\n", "pdf"),
        ("old.doc", b"{\\rtf1 Words}", "rtf"),
        ("notes.txt", "Elena keeps the light.".encode("utf-16-le"), "txt"),
        ("cast.csv", b"Name,Role\nElena,keeper", "csv"),
        ("story.arrow", b"{}", "arrow"),
    ],
)
def test_format_is_told_by_content_first_and_by_suffix_second(name: str, data: bytes, expected: str) -> None:
    assert detect(name, data) == expected


@pytest.mark.parametrize(
    ("name", "data", "code", "says"),
    [
        ("empty.md", b"", "EMPTY", "empty"),
        ("blank.txt", b" \r\n\t \n", "EMPTY", "empty"),
        ("game.pdf", WINDOWS_PROGRAM, "CORRUPT", "Windows program"),
        ("game.md", WINDOWS_PROGRAM, "CORRUPT", "Windows program"),
        ("game.docx", b"plain words", "CORRUPT", "not that of a docx file"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n" + bytes(50), "CORRUPT", "PNG"),
        ("noise.txt", bytes(range(1, 9)) * 20, "CORRUPT", "not that of a txt file"),
        ("table.xlsx", archive(xl__workbook=b""), "CORRUPT", "not that of a xlsx file"),
        ("slides.pptx", archive(ppt__slides=b""), "UNKNOWN_FORMAT", ".fountain"),
        ("notes.rtf", b"no braces", "CORRUPT", "not that of a rtf file"),
        ("words.md", b"Words\0\0\0more\1" * 20, "CORRUPT", "not that of a md file"),
        ("game.exe", WINDOWS_PROGRAM, "UNKNOWN_FORMAT", ".pdf"),
        ("LICENSE", b"Permission is granted", "UNKNOWN_FORMAT", ".odt"),
        ("old.doc", OLD_OFFICE, "UNKNOWN_FORMAT", "old Microsoft Office"),
        ("locked.docx", OLD_OFFICE + "EncryptedPackage".encode("utf-16-le"), "ENCRYPTED", "password"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(name: str, data: bytes, code: str, says: str) -> None:
    with pytest.raises(ReadError) as refused:
        detect(name, data)
    assert refused.value.code == code
    assert says in refused.value.message


def test_that_it_is_protected_is_looked_for_in_pieces() -> None:
    """Nobody else gets on while one search of all of it goes on, which takes seconds in some files."""

    class Document(bytes):
        def __contains__(self, _words: object) -> bool:
            raise AssertionError("all of it is searched at once")

    beyond = bytes(2**20 - 10 - len(OLD_OFFICE))
    for words, code in (("EncryptedPackage", "ENCRYPTED"), ("EncryptedPackag", "UNKNOWN_FORMAT")):
        with pytest.raises(ReadError) as refused:
            detect("old.doc", Document(OLD_OFFICE + beyond + words.encode("utf-16-le")))
        assert refused.value.code == code


def test_every_suffix_has_a_reader() -> None:
    assert all(callable(reader_of(format_name)) for format_name in SUFFIXES.values())
