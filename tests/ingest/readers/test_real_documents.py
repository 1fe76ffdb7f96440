"""Real design documents, which lie beside the repository and not in it."""

from pathlib import Path

import pytest

from ingest.extracted import Extracted, ReadError
from ingest.readers import read
from ingest.split import split

DOCUMENTS = Path(__file__).parents[4] / "shared" / "data" / "documents"

pytestmark = pytest.mark.skipif(not DOCUMENTS.is_dir(), reason="the real documents are not beside the repository")


def extract(path: str) -> Extracted:
    return read(path, (DOCUMENTS / path).read_bytes())


@pytest.mark.parametrize(
    ("path", "pages", "heading", "page", "words"),
    [
        (
            "game-design/nightmarevania.pdf",
            19,
            ("6 Gameplay", "6.3 Formal Elements", "6.3.4 Rules"),
            9,
            "Basic attack damage: 2 units",
        ),
        ("game-design/nightmarevania.pdf", 19, ("4 Inspirations", "METROID"), 6, "areas with newfound skills/weapons"),
        (
            "game-design/nightmarevania.pdf",
            19,
            ("7 Required Media List", "7.6 Sound Effect Assets"),
            17,
            "Player hurt SFX | Female grunt.",
        ),
        (
            "game-design/you-cant-save-them-all.pdf",
            9,
            ("You Can’t Save Them All", "1. Gameplay", "1.4. Progression"),
            5,
            "timer will increase by an additional 3 seconds",
        ),
        (
            "game-design/space-shooter-fabula.pdf",
            5,
            ("Space Shooter – fabuła", "Epizod 5."),
            3,
            "Dużo kosmicznego śmiecia i pyłu.",
        ),
        (
            "game-design/humonia.docx",
            1,
            ("Humonia", "4. Personnages", "Liste des personnages principaux et secondaires"),
            None,
            "Evan Lang, Emily Montague",
        ),
        ("game-design/in-this-moment.odt", 1, ("Ludum Dare 46", "Art Style"), None, "similar aesthetic"),
        (
            "game-design/crownline.md",
            1,
            ("CROWNLINES", "10. Terrain", "10.3 River"),
            None,
            "Rivers run along boundaries between squares.",
        ),
        ("pdf-variety/google-doc-document.pdf", 1, ("Example document",), 1, "Capital | Jakarta | Berlin | Vienna"),
    ],
)
def test_facts_are_found_on_their_page_under_their_heading(
    path: str, pages: int, heading: tuple[str, ...], page: int | None, words: str
) -> None:
    extracted = extract(path)
    found = [passage for passage in split(extracted, "0" * 16, path) if words in " ".join(passage.text.split())]
    assert len(extracted.pages) == pages
    assert [(passage.heading, passage.page_from) for passage in found] == [(heading, page)]


def test_a_page_with_only_a_drawing_is_named() -> None:
    assert extract("game-design/nightmarevania.pdf").pages_without_text == (14,)


def test_columns_are_read_in_order() -> None:
    text = extract("pdf-variety/multicolumn.pdf").text
    assert "nonummy pellentesque ante. Phasellus adipiscing semper elit." in text  # from the left to the right column


@pytest.mark.parametrize(
    ("path", "code", "says"),
    [
        ("pdf-variety/imagemagick-images.pdf", "NO_TEXT", "none of its pages"),
        ("pdf-variety/libreoffice-writer-password.pdf", "ENCRYPTED", "password"),
        ("game-design/crownline.LICENSE", "UNKNOWN_FORMAT", ".odt"),
    ],
)
def test_what_cannot_be_read_says_why(path: str, code: str, says: str) -> None:
    with pytest.raises(ReadError, match=says) as refused:
        extract(path)
    assert refused.value.code == code
