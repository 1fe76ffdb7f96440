"""Pages that are pictures, made here by drawing our own text; read where Tesseract is installed."""

from collections.abc import Sequence

import pymupdf
import pytest

from ingest.extracted import Extracted, ReadError
from ingest.readers import read
from ingest.readers.pdf.recognition import LANGUAGES, Recognition

TITLE = "The Drowned Bell"
PROSE = (
    "The harbour of Ness lies under the old bell tower, and no boat has left it since the night of the great storm. "
    "Its keeper counts the waves and writes the number down. Nobody reads what he writes."
)

needs_tesseract = pytest.mark.skipif(not Recognition().is_possible, reason="Tesseract and its English are not here")


def scan(texts: Sequence[str | None]) -> bytes:
    """A document of pictures: each text below a title on its page, None a page with real text, "" a blank one."""
    document = pymupdf.open()
    for text in texts:
        drawn = pymupdf.open().new_page()
        if text:
            drawn.insert_text((72, 90), TITLE, fontsize=24)
            drawn.insert_textbox((72, 120, 520, 400), text, fontsize=12)
        page = document.new_page()
        if text is None:
            page.insert_text((72, 100), "Typed words.")
        else:
            page.insert_image(page.rect, pixmap=drawn.get_pixmap(dpi=150))
    return document.tobytes()


def headings(extracted: Extracted) -> list[str]:
    return [block.title for block in extracted.blocks if block.kind == "heading"]


@needs_tesseract
def test_pictures_of_text_are_read_and_named() -> None:
    extracted = read("scan.pdf", scan([PROSE, None, ""]))
    assert [page.text for page in extracted.pages] == [f"{TITLE}\n\n{PROSE}", "Typed words.", ""]
    assert headings(extracted) == [TITLE]
    assert (extracted.pages_recognized, extracted.pages_without_text) == ((1,), (3,))


@needs_tesseract
def test_pictures_without_words_are_refused_as_such() -> None:
    document = pymupdf.open()
    document.new_page().draw_circle((200, 200), 50, fill=(0, 0, 0))
    with pytest.raises(ReadError, match="found no words") as refused:
        read("drawing.pdf", document.tobytes())
    assert refused.value.code == "NO_TEXT"


@needs_tesseract
def test_when_time_is_up_the_rest_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.readers.pdf.recognition._MAX_S", -1)
    extracted = read("scan.pdf", scan([None, PROSE]))
    assert (extracted.pages_recognized, extracted.pages_without_text) == ((), (2,))


def test_without_the_language_pages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LANGUAGES, "xyz")
    extracted = read("scan.pdf", scan([None, PROSE]))
    assert (extracted.pages_recognized, extracted.pages_without_text) == ((), (2,))
    with pytest.raises(ReadError, match=r"Tesseract.*install it") as refused:
        read("scan.pdf", scan([PROSE]))
    assert refused.value.code == "NO_TEXT"
