import zipfile
from io import BytesIO

import pytest

from ingest.extracted import ReadError
from ingest.readers import read

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
<item id="nav" href="nav.xhtml" properties="nav"/><item id="two" href="text/two%20.xhtml"/>
<item id="one" href="text/one.xhtml"/><item id="gone" href="gone.xhtml"/></manifest>
<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="gone"/><itemref idref="two"/></spine></package>"""


def book(**more: str) -> bytes:
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/nav.xhtml": "<html><body><nav>One Two</nav></body></html>",
        "OEBPS/text/one.xhtml": "<html><body><h1>One</h1><p>The bell rings.</p></body></html>",
        "OEBPS/text/two .xhtml": "<html><body><h1>Two</h1><p>The tide comes.</p></body></html>",
        **more,
    }
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def test_chapters_are_read_in_their_order_with_their_headings() -> None:
    extracted = read("tale.epub", book())
    assert extracted.text == "One\n\nThe bell rings.\n\nTwo\n\nThe tide comes."
    assert [(block.kind, block.title) for block in extracted.blocks if block.level] == [
        ("heading", "One"),
        ("heading", "Two"),
    ]
    assert extracted.format == "epub"


def test_a_chapter_whose_name_is_spelled_otherwise_is_read() -> None:
    named = PACKAGE.replace("text/one.xhtml", "text/f\u00e9e.xhtml")
    tale = book(**{"OEBPS/book.opf": named, "OEBPS/text/fe\u0301e.xhtml": "<p>The fairy counts.</p>"})
    assert "The fairy counts." in read("tale.epub", tale).text


def test_a_protected_book_is_refused_and_one_with_protected_fonts_is_not() -> None:
    def encryption(path: str) -> str:
        return f'<encryption><CipherData><CipherReference URI="{path}"/></CipherData></encryption>'

    locked = book(**{"META-INF/encryption.xml": encryption("OEBPS/text/one.xhtml")})
    with pytest.raises(ReadError, match="protected") as refused:
        read("tale.epub", locked)
    assert refused.value.code == "ENCRYPTED"
    assert read("tale.epub", book(**{"META-INF/encryption.xml": encryption("OEBPS/font.otf")})).text


@pytest.mark.parametrize("broken", [{"META-INF/container.xml": ""}, {"META-INF/container.xml": "<container/>"}])
def test_a_book_without_its_table_of_contents_is_damaged(broken: dict[str, str]) -> None:
    with pytest.raises(ReadError) as refused:
        read("tale.epub", book(**broken))
    assert refused.value.code == "CORRUPT"


def test_entities_of_a_book_are_not_followed() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + CONTAINER.replace("OEBPS/book.opf", "&a;")
    with pytest.raises(ReadError):
        read("tale.epub", book(**{"META-INF/container.xml": bomb}))


def test_a_chapter_that_is_named_many_times_is_read_once() -> None:
    items = "".join(f'<item id="i{number}" href="./text/../text/one.xhtml#{number}"/>' for number in range(10_000))
    references = "".join(f'<itemref idref="i{number}"/><itemref idref="i0"/>' for number in range(10_000))
    package = f"<package><manifest>{items}</manifest><spine>{references}</spine></package>"
    assert read("tale.epub", book(**{"OEBPS/book.opf": package})).text == "One\n\nThe bell rings."
