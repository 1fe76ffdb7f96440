"""Makes the sample's PDF and Word file from their sources: `python -m corpora.samples.build`."""

from pathlib import Path

from corpora.samples import SAMPLE
from corpora.samples._bible import make_bible
from corpora.samples._sheets import make_sheets

SUBTITLE = "Game bible of a story about a lighthouse without a sea"
EDITION = "Fourth draft, 9 March 2025. Small Hours Workshop.\nNothing in here is settled except the goat."


def build(folder: Path) -> tuple[Path, ...]:
    """Writes the documents that are made by a program into a folder, and names them."""
    sources = SAMPLE.documents.parent / "sources"
    bible = make_bible(_read(sources / "bible.md"), SAMPLE.title, SUBTITLE, EDITION)
    sheets = make_sheets(_read(sources / "characters.md"), SAMPLE.title)
    made = {"game-bible.pdf": bible, "characters.docx": sheets}
    for name, content in made.items():
        (folder / name).write_bytes(content)
    return tuple(folder / name for name in made)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    build(SAMPLE.documents)
