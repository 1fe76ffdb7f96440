"""Documents to take in, and what is said of them."""

import pymupdf

from ingest import IngestReport, Source

BIBLE = "# People\n\nElena keeps the lighthouse.\n\n# Places\n\nThe harbour freezes in winter.\n"
CHANGED = BIBLE.replace("winter", "spring")
SOURCES = [Source("bible.md", BIBLE.encode()), Source("quests/harbour.txt", b"Find the lamp oil.")]


def statuses(report: IngestReport) -> dict[str, str]:
    return {document.name: document.status for document in report.documents}


def codes(report: IngestReport) -> dict[str, str | None]:
    return {document.name: document.error and document.error.code for document in report.documents}


def a_pdf(*pages: str, hidden: str = "") -> bytes:
    document = pymupdf.open()
    for text in pages:
        page = document.new_page()
        page.insert_text((72, 100), text)
        page.insert_text((72, 300), hidden, color=(1, 1, 1))
    return document.tobytes()
